/**
 * Asks an HTTP proxy for a tunnel with CONNECT (RFC 9110 9.3.6), with Basic credentials (RFC 7617) if there are any.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type net from "node:net";
import { HandshakeTimeoutError, listOf, systemClock, type Timer } from "../../base/mod.ts";
import { USER_AGENT } from "../native/handshake.ts";
import { ConnectReply, type RefusedTunnel } from "./connect_reply.ts";
import { startDialog } from "./dialog.ts";
import { ProxyFailure } from "./proxy_failure.ts";
import type { ProxyUrl } from "./proxy_url.ts";

/** How long the body of a refusal is waited for, in ms: the status is known, the reconnect should not wait. */
const BODY_WAIT_MS = 250;

/** Asks on the paused `stream`, which is the tunnel, paused again, once the promise is fulfilled. */
export function requestTunnel(
  stream: net.Socket,
  proxy: ProxyUrl,
  target: { readonly hostname: string; readonly port: number },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const reply = new ConnectReply();
    let bodyTimer: Timer | undefined;
    const settle = (rest?: Uint8Array): void => {
      bodyTimer?.cancel();
      signal.removeEventListener("abort", onAbort);
      stop(rest);
    };
    const fail = (error: unknown): void => {
      settle();
      reject(error);
    };
    const refuse = (refusal: RefusedTunnel): void => fail(refusalOf(refusal, proxy));
    const onAbort = (): void => {
      const refusal = signal.reason instanceof HandshakeTimeoutError ? reply.refusal() : undefined;
      if (refusal === undefined) fail(signal.reason);
      else refuse(refusal);
    };
    const stop = startDialog(stream, {
      onBytes(chunk) {
        try {
          const answer = reply.push(chunk);
          if (answer === undefined) {
            if (reply.isRefusal) bodyTimer ??= systemClock.setTimer(onBodyLate, BODY_WAIT_MS);
          } else if (answer.opened) {
            settle(answer.rest);
            resolve();
          } else {
            refuse(answer);
          }
        } catch (cause) {
          fail(new ProxyFailure("handshake", "the proxy's answer is not HTTP as it should be", { cause }));
        }
      },
      onEnd(cause) {
        const refusal = reply.refusal();
        if (refusal !== undefined) refuse(refusal);
        else fail(cause ?? new ProxyFailure("handshake", "the proxy hung up before it answered"));
      },
    });
    const onBodyLate = (): void => {
      const refusal = reply.refusal();
      if (refusal !== undefined) refuse(refusal);
    };
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else stream.write(connectRequest(proxy, target));
  });
}

function connectRequest(
  { username, password }: ProxyUrl,
  { hostname, port }: { readonly hostname: string; readonly port: number },
): Uint8Array {
  const authority = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    `User-Agent: ${USER_AGENT}`,
    ...(username === "" && password === "" ? [] : [`Proxy-Authorization: Basic ${credentials}`]),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

function refusalOf({ status, statusText, schemes, body }: RefusedTunnel, proxy: ProxyUrl): ProxyFailure {
  const hasCredentials = proxy.username !== "" || proxy.password !== "";
  // tinyproxy answers a wrong login so (RFC 9110 wants 407): nobody else may ask for one before there is a tunnel.
  if (status === 401) {
    const why = `the proxy ${hasCredentials ? "rejected the user name or the password" : "wants credentials"} (401)`;
    return new ProxyFailure("auth", why, { status, body });
  }
  if (status !== 407) {
    return new ProxyFailure("tunnel", `the proxy refused with ${`${status} ${statusText}`.trim()}`, { status, body });
  }
  const takesBasic = schemes.some((scheme) => scheme.toLowerCase() === "basic");
  const why = schemes.length === 0
    ? `the proxy ${hasCredentials ? "rejected the credentials" : "wants credentials"}, and does not say which scheme`
    : !takesBasic
    ? `the proxy wants credentials by ${listOf(schemes)}: expected "Basic", the only scheme that is supported`
    : hasCredentials
    ? `the proxy rejected the user name or the password (it asks for ${listOf(schemes)})`
    : `the proxy wants a user name and a password (it asks for ${listOf(schemes)})`;
  return new ProxyFailure("auth", `${why} (407)`, { status, body });
}
