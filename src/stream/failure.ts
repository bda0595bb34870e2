/**
 * What a failed attempt to connect means: in words, and for the next attempt.
 *
 * @module
 */

import {
  ConnectionFailedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  messageOf,
  ProxyConnectionError,
} from "../base/mod.ts";
import { banMs } from "../exchange/mod.ts";

/** Why an attempt to connect failed. */
export interface Failure {
  /** In a few words, such as `"the exchange limits this address (429)"`. */
  readonly text: string;
  /** Whether another attempt can't help. */
  readonly isFatal: boolean;
  /** For how long in ms the exchange wants no attempt; `undefined` if it has said nothing like that. */
  readonly retryAfterMs: number | undefined;
  /** Whether it has named that time itself. */
  readonly hasNamedTime: boolean;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  403: "the exchange's firewall refuses this address or what it asked for (403)",
  404: "there is nothing at this URL (404)",
  418: "the exchange has banned this address (418)",
  429: "the exchange limits this address (429)",
  451: "the exchange does not serve this country (451)",
};

/** Reads the error of a failed attempt to connect. */
export function failureOf(error: unknown): Failure {
  // What is no failure of the connection is our own mistake, such as an option that this runtime's WebSocket hasn't.
  if (!(error instanceof ConnectionFailedError)) {
    return { text: messageOf(error), isFatal: true, retryAfterMs: undefined, hasNamedTime: false };
  }
  if (isForbidden(error)) {
    const text = "Deno does not allow this process to connect there: expected the permission --allow-net";
    return { text, isFatal: true, retryAfterMs: undefined, hasNamedTime: false };
  }
  // A proxy's own status is not the exchange's.
  const isLimited = !(error instanceof ProxyConnectionError) && (error.status === 429 || error.status === 418);
  const named = isLimited && error instanceof HandshakeRejectedError ? error.retryAfterMs : undefined;
  return {
    text: textOf(error),
    isFatal: false,
    retryAfterMs: isLimited ? banMs(error.status ?? 0, named) : undefined,
    hasNamedTime: named !== undefined,
  };
}

/** Whether Deno's permissions are what is missing, somewhere below the error: they will be missing the next time, too. */
function isForbidden(error: unknown): boolean {
  for (let depth = 0; error instanceof Error && depth < 8; depth++) {
    if (error.name === "NotCapable") return true;
    // What Deno's own WebSocket and its name lookups tell.
    if (/^getaddrinfo EPERM\b|run again with the --allow-net flag/.test(error.message)) return true;
    error = error.cause;
  }
  return false;
}

function textOf(error: ConnectionFailedError): string {
  const { status, cause } = error;
  if (error instanceof ProxyConnectionError) return error.message;
  if (status !== undefined) return STATUS_TEXTS[status] ?? `the exchange answers with status ${status}`;
  if (error instanceof HandshakeTimeoutError) return "the exchange does not answer in time";
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  const text = `${code} ${messageOf(cause ?? error)}`;
  if (/ENOTFOUND|EAI_AGAIN|dns|lookup|resolve/i.test(text)) return "the name of the exchange is not found (DNS)";
  if (/ECONNREFUSED|refused/i.test(text)) return "the connection is refused";
  if (/cert|TLS|SSL|UNABLE_TO|SELF_SIGNED|altname/i.test(text)) return "the TLS connection is not trusted or fails";
  if (/ECONNRESET|EPIPE|reset|broken pipe|EOF|ended|connection error/i.test(text)) return "the connection was reset";
  if (/ENETUNREACH|EHOSTUNREACH|unreachable/i.test(text)) return "the network is unreachable";
  // All that Deno's own WebSocket tells.
  if (/tcp connect error/i.test(text)) return "the connection is refused, or the network is unreachable";
  return messageOf(error);
}
