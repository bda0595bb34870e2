/**
 * Probes of how connections are opened: TLS, certificates, the handshake.
 *
 * @module
 */

import {
  ConnectionFailedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  InvalidOptionsError,
} from "@rawtick/binance/edge";
import type { ConnectOptions, TlsOptions } from "@rawtick/binance/transport";
import { type Context, type Feature, no, notKnown, seen, type Verdict, yes } from "../probe.ts";
import { type CertificateName, CERTIFICATES } from "../protocol.ts";
import { STEP_MS, Visit } from "./connection.ts";

/** Longest time in ms of an opening that has to fail: some runtimes never tell that it has. */
const FAILURE_MS = 1_000;

/** The error of an opening that has to fail, or undefined if it worked. What was refused by design is thrown. */
async function failureOf(context: Context, base: string, options: ConnectOptions = {}, query = "", id?: string) {
  try {
    const limits = { handshakeTimeoutMs: FAILURE_MS, ...options };
    using _visit = await Visit.open(context, query, limits, { base, ...(id === undefined ? {} : { id }) });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidOptionsError || !(error instanceof ConnectionFailedError)) throw error;
    return error;
  }
}

async function opens(context: Context, base: string, options: ConnectOptions = {}): Promise<void> {
  using visit = await Visit.open(context, "", options, { base });
  await visit.echo();
}

/** The verdict of a failure that has to come with the status, which it came without. */
function withoutStatus(failure: ConnectionFailedError): Verdict {
  return failure instanceof HandshakeTimeoutError
    ? no("that it is refused shows only at handshakeTimeoutMs, as a HandshakeTimeoutError")
    : notKnown("ConnectionFailedError without the status");
}

/** Works with the options, and not without them. */
async function opensOnlyWith(context: Context, name: CertificateName, tls: TlsOptions, without: TlsOptions = {}) {
  const base = context.place.addresses.wss[name];
  await opens(context, base, { tls });
  const failure = await failureOf(context, base, Object.keys(without).length === 0 ? {} : { tls: without });
  return failure === undefined ? no("it makes no difference") : yes;
}

async function statusOf(context: Context, base: string, status: number): Promise<Verdict> {
  const failure = await failureOf(context, base, {}, `status=${status}`);
  if (failure === undefined) return no("the handshake was taken for one that succeeded");
  if (!(failure instanceof HandshakeRejectedError)) return withoutStatus(failure);
  return failure.status === status ? yes : no(`${failure.status} instead of ${status}`);
}

/** The verdict of both statuses that the manager treats in ways of their own. */
async function statuses(context: Context, base: string): Promise<Verdict> {
  const first = await statusOf(context, base, 429);
  return first.outcome === "yes" ? await statusOf(context, base, 403) : first;
}

/** The rows. */
export const opening: readonly Feature[] = [
  {
    id: "ws",
    title: "`ws://`",
    async probe(context) {
      await opens(context, context.place.addresses.ws);
      return yes;
    },
  },
  {
    id: "wss",
    title: "`wss://`",
    isTrusting: true,
    async probe(context) {
      await opens(context, context.place.addresses.wss.localhost);
      return yes;
    },
  },
  {
    id: "certificates",
    title: "certificates that are expired, self-signed or another host's are rejected, before a request",
    isTrusting: true,
    async probe(context) {
      for (const name of CERTIFICATES.filter((name) => name !== "localhost")) {
        const id = Visit.nextId(context);
        const failure = await failureOf(context, context.place.addresses.wss[name], {}, "", id);
        if (failure === undefined) return no(`it takes one that is ${name}`);
        if ((await seen(context.place, id, "requests", 0)).requests > 0) return no("the request was sent before");
      }
      // The peer is there, and the certificate is what it was about.
      await opens(context, context.place.addresses.wss.localhost);
      return yes;
    },
  },
  {
    id: "tls.ca",
    title: "`tls.ca`, authorities of one's own",
    probe: (context) => opensOnlyWith(context, "localhost", { ca: [context.place.addresses.ca] }),
  },
  {
    id: "tls.rejectUnauthorized",
    title: "`tls.rejectUnauthorized: false`",
    probe: (context) => opensOnlyWith(context, "self_signed", { rejectUnauthorized: false }),
  },
  {
    id: "tls.servername",
    title: "`tls.servername`",
    isTrusting: true,
    probe: (context) => opensOnlyWith(context, "wrong_name", { servername: "wrong.example" }),
  },
  {
    id: "tls.checkServerIdentity",
    title: "`tls.checkServerIdentity`, pinning",
    isTrusting: true,
    probe: (context) =>
      opensOnlyWith(context, "localhost", { checkServerIdentity: () => undefined }, {
        checkServerIdentity: () => new Error("another certificate is pinned"),
      }),
  },
  {
    id: "protocols",
    title: "subprotocols (`protocols`)",
    async probe(context) {
      using visit = await Visit.open(context, "protocol=second", { protocols: ["first", "second"] });
      if (visit.connection.subprotocol !== "second") return no(`it is "${visit.connection.subprotocol}"`);
      return /^sec-websocket-protocol: first, ?second\r$/im.test((await visit.seen()).head) ? yes : no("not offered");
    },
  },
  {
    id: "headers",
    title: "headers of one's own (`headers`)",
    async probe(context) {
      using visit = await Visit.open(context, "", { headers: { "X-Probe": "4711" } });
      return /^x-probe: 4711\r$/im.test((await visit.seen()).head) ? yes : no("it was not sent");
    },
  },
  {
    id: "handshake-timeout",
    title: "a server that never answers the handshake is given up, and its socket with it",
    async probe(context) {
      const id = Visit.nextId(context);
      const failure = await failureOf(context, context.place.addresses.ws, { handshakeTimeoutMs: 200 }, "silent", id);
      if (!(failure instanceof HandshakeTimeoutError)) return no(failure?.name ?? "it was opened");
      const { requests, ended } = await seen(context.place, id, "ended", STEP_MS);
      return requests === 1 && ended ? yes : no(`the socket is still open ${STEP_MS} ms later`);
    },
  },
  {
    id: "status-ws",
    title: "the status of a refused handshake (429, 403), `ws://`",
    probe: (context) => statuses(context, context.place.addresses.ws),
  },
  {
    id: "status-wss",
    title: "the status of a refused handshake (429, 403), `wss://`",
    isTrusting: true,
    probe: (context) => statuses(context, context.place.addresses.wss.localhost),
  },
  {
    id: "retry-after",
    title: "`Retry-After` of a refused handshake",
    async probe(context) {
      const failure = await failureOf(context, context.place.addresses.ws, {}, "status=429");
      if (failure === undefined) return no("the handshake was taken for one that succeeded");
      if (!(failure instanceof HandshakeRejectedError)) return withoutStatus(failure);
      if (failure.retryAfterMs === undefined) return notKnown("HandshakeRejectedError without the headers");
      return failure.retryAfterMs === 7_000 ? yes : no(`${failure.retryAfterMs} ms`);
    },
  },
];
