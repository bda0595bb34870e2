/**
 * What a cell of the matrix says, from what the client, the proxy's relay and the exchange have seen.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Report } from "./client_protocol.ts";
import type { Visits } from "./exchange.ts";
import { type RelayedConnection, textSent } from "./relay.ts";
import type { Row } from "./rows.ts";

/** What a cell says. */
export interface Verdict {
  readonly outcome: "ok" | "refused" | "direct" | "failed";
  /** The reason of a refusal, or what is wrong. */
  readonly why: string;
}

/** Everything that was seen of one connection. */
export interface Observation {
  readonly report: Report;
  /** What came to the proxy. */
  readonly atProxy: readonly RelayedConnection[];
  readonly atExchange: Visits;
  /** What the proxy that the environment names was asked for. */
  readonly atTrap: readonly string[];
  /** Connections that were still open afterwards. */
  readonly left: number;
  /** Where connections through a proxy come from, if that can be told. */
  readonly outgoing: string | undefined;
}

/** Judges one connection. */
export function judge(row: Row, seen: Observation): Verdict {
  const { report, atProxy, atExchange, outgoing } = seen;
  const failed = (why: string): Verdict => ({ outcome: "failed", why });
  const strangers = atExchange.from.filter((from) => outgoing !== undefined && from !== outgoing);
  if (strangers.length > 0 || atExchange.from.length > atProxy.length) {
    return { outcome: "direct", why: `${atExchange.from.length} at the exchange, ${atProxy.length} at the proxy` };
  }
  if (seen.atTrap.length > 0) return failed(`the proxy of the environment was asked for: ${seen.atTrap[0]}`);
  const leak = leakOf(row, atExchange);
  if (leak !== undefined) return failed(leak);
  if (row.password !== "" && formsOf(row.password).some((form) => report.message?.includes(form))) {
    return failed("the error shows the password");
  }
  const error = `${report.code ?? "no code"}${
    report.stage === undefined ? "" : `, ${report.stage}`
  }: ${report.message}`;
  if (seen.left > 0) return failed(`${seen.left} connections were left open (${report.talked ? "it talked" : error})`);
  if (row.refusal !== undefined) {
    if (report.talked) return failed("it works");
    const { code, stage } = row.refusal;
    if (report.code !== code || report.stage !== stage) return failed(error);
    if (atExchange.from.length > 0) return failed("the exchange was connected to");
    const isEarly = code === "INVALID_PROXY_URL";
    if (isEarly && atProxy.length > 0) return failed("the proxy was connected to");
    return { outcome: "refused", why: isEarly ? report.message ?? "" : `${code}, stage "${stage}"` };
  }
  if (!report.talked) return failed(error);
  if (atProxy.length !== 1) return failed(`${atProxy.length} connections to the proxy`);
  if (atExchange.from.length !== 1) return failed(`${atExchange.from.length} connections to the exchange`);
  const fault = row.station.readable ? faultAtProxy(row, textSent(atProxy)) : undefined;
  return fault === undefined ? { outcome: "ok", why: "" } : failed(fault);
}

/** The forms that a secret may have on the wire. */
function formsOf(secret: string): string[] {
  return [Buffer.from(secret).toString("latin1"), encodeURIComponent(secret), encodeURI(secret), base64(secret)];
}

/** How a TLS hello begins (RFC 8446 5.1). */
const TLS_HELLO = "\x16\x03\x01";

/** What of the credentials came to the exchange. */
function leakOf({ username, password }: Row, { bytes, decrypted }: Visits): string | undefined {
  if (/^proxy-[a-z-]+:/im.test(decrypted)) return "a Proxy header came to the exchange";
  const secrets = [username, password].filter((secret) => secret !== "").flatMap(formsOf);
  if (username !== "") secrets.push(base64(`${username}:${password}`));
  const found = secrets.find((secret) => bytes.includes(secret));
  return found === undefined ? undefined : "a credential came to the exchange";
}

/** What the proxy should have been told and was not: the login, and the target's name or address. */
function faultAtProxy({ scheme, username, password }: Row, sent: string): string | undefined {
  const isHttp = scheme === "http" || scheme === "https";
  const wanted = username === ""
    ? []
    : isHttp
    ? [`Basic ${base64(`${username}:${password}`)}\r\n`]
    : [username, Buffer.from(password).toString("latin1")];
  if (wanted.some((text) => !sent.includes(text))) return "the proxy did not get the login";
  if (username === "" && /^proxy-authorization:/im.test(sent)) return "the proxy got a login";
  const isResolvedHere = scheme === "socks4" || scheme === "socks5";
  // Before the tunnel: what goes through it, a Host header or a TLS hello, names the exchange in any case.
  const request = isHttp ? sent : sent.split("GET ")[0]?.split(TLS_HELLO)[0] ?? "";
  const named = isHttp ? /^CONNECT localhost:\d+ HTTP\/1\.1\r\n/.test(request) : request.includes("localhost");
  if (named === isResolvedHere) return isResolvedHere ? "the proxy got a name" : "the proxy did not get the name";
  return undefined;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
