/**
 * How the way through a proxy failed, before it becomes the error that the caller gets.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { HandshakeTimeoutError, ProxyConnectionError, type ProxyStage } from "../../base/mod.ts";
import { describeSocketError } from "../native/socket_errors.ts";
import type { ProxyUrl } from "./proxy_url.ts";

/** What the proxy's answer, or the lack of one, means. */
export class ProxyFailure extends Error {
  readonly stage: ProxyStage;
  readonly status: number | undefined;
  readonly body: string | undefined;

  /** Creates the failure of a stage; the message is the end of the sentence that the caller gets. */
  constructor(
    stage: ProxyStage,
    why: string,
    options: ErrorOptions & { readonly status?: number; readonly body?: string } = {},
  ) {
    super(why, options);
    this.stage = stage;
    this.status = options.status;
    this.body = options.body;
  }
}

/** What was waited for in vain. */
const WAITING: Readonly<Record<ProxyStage, string>> = {
  dns: "the name was not looked up in time",
  connect: "the proxy did not accept the connection in time",
  tls: "TLS to the proxy was not established in time",
  handshake: "the proxy did not answer in time",
  auth: "the proxy did not answer to the credentials in time",
  tunnel: "the proxy did not connect in time",
};

/** The error for the caller: what was thrown in `stage` on the way through `proxy` to `hostname`:`port`. */
export function proxyError(
  proxy: ProxyUrl,
  { hostname, port }: { readonly hostname: string; readonly port: number },
  stage: ProxyStage,
  thrown: unknown,
): ProxyConnectionError {
  const toError = (at: ProxyStage, why: string, options: ErrorOptions & { status?: number; body?: string } = {}) => {
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    const text = concealed(`Cannot reach ${host}:${port} through the proxy ${proxy.masked}: `, why, proxy);
    return new ProxyConnectionError(text, { ...options, stage: at, proxy: proxy.masked });
  };
  if (thrown instanceof ProxyFailure) {
    const { message, cause, status, body } = thrown;
    return toError(thrown.stage, message, {
      ...(cause === undefined ? {} : { cause }),
      ...(status === undefined ? {} : { status }),
      ...(body === undefined ? {} : { body: concealed("", body, proxy) }),
    });
  }
  if (thrown instanceof HandshakeTimeoutError) return toError(stage, WAITING[stage], { cause: thrown });
  const why = describeSocketError(thrown, "the proxy");
  return toError(isLookupError(thrown) ? "dns" : stage, why, { cause: thrown });
}

/** Whether a name was not found: the runtimes tell it in the same error as a failed connection. */
function isLookupError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code; // any value can be thrown; a code is only looked for
  return typeof code === "string" && /^(ENOTFOUND|EAI_)/.test(code);
}

/** `ours` and `theirs`, where the proxy's own words do not repeat the credentials that it was sent. */
function concealed(ours: string, theirs: string, { username, password }: ProxyUrl): string {
  if (password === "") return ours + theirs;
  const basic = Buffer.from(`${username}:${password}`).toString("base64");
  const secrets = [basic, encodeURIComponent(password), password];
  return ours + secrets.reduce((text, secret) => text.replaceAll(secret, "***"), theirs);
}
