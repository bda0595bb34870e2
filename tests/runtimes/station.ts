/**
 * The servers of one run: the peer with and without TLS, a local exchange with accounts, proxies, and a client for taps.
 *
 * @module
 */

import { generateKeyPairSync } from "node:crypto";
import type { SignerOptions } from "@rawtick/binance";
import {
  type LocalAccount,
  type LocalAccountOptions,
  startLocalExchange,
  startLocalProxy,
} from "@rawtick/binance/testing";
import { certificate } from "../native_server.ts";
import { type ClientFormat, TapClient } from "../tap_support.ts";
import { startPeer, Visits } from "./peer.ts";
import {
  type Addresses,
  type CertificateName,
  CERTIFICATES,
  type KeyName,
  KEYS,
  PROXY_SCHEMES,
  type Seen,
} from "./protocol.ts";

/** What a client of a tap saw. */
export interface TapSight {
  readonly status: number;
  readonly messages: number;
}

/** Starts all of them. */
export async function startStation(): Promise<AsyncDisposable & { readonly addresses: Addresses }> {
  await using started = new AsyncDisposableStack();
  const tls = { cert: certificate("localhost.pem"), key: certificate("localhost.key") };
  const exchange = started.use(await startLocalExchange({ messagesPerSecond: 20 }));
  const accounts = new Map<string, LocalAccount>();
  for (const { account } of keyPairs) accounts.set(account.apiKey, exchange.account(account));
  const proxies = await Promise.all(PROXY_SCHEMES.map(async (scheme) => {
    const proxy = await startLocalProxy({ scheme, ...(scheme === "https" ? { tls } : {}) });
    return [scheme, started.use(proxy)] as const;
  }));

  const visits = new Visits();
  const answer = async (url: URL): Promise<unknown> => {
    const text = (name: string): string => url.searchParams.get(name) ?? "";
    switch (url.pathname) {
      case "/seen":
        return await visits.seen(text("id"), text("until") as keyof Seen, Number(text("ms"))); // the cast: probes ask so
      case "/cut":
        return exchange.killConnections() ?? {};
      case "/connections":
        return exchange.openConnections.length;
      case "/deposit": {
        const account = accounts.get(text("apiKey"));
        account?.deposit("BTC", "0.5");
        account?.sendEvent({ e: "ACCOUNT_UPDATE", E: 1, T: 1, a: { m: "DEPOSIT", B: [], P: [] } }, "usdm");
        return {};
      }
      case "/tunnels":
        return proxies.find(([scheme]) => scheme === text("scheme"))?.[1].tunnels ?? 0;
      case "/tap":
        return await lookAtTap(new URL(text("url")), text("format") as ClientFormat); // the cast: probes ask so
      default:
        throw new Error(`Nobody knows ${url.pathname}`);
    }
  };
  const peer = started.use(await startPeer(visits, answer));
  const wss: Partial<Record<CertificateName, string>> = {};
  for (const name of CERTIFICATES) {
    // Under a name of their own: a client that has verified one server resumes the session with another of that name, and
    // asks for no certificate, if that one has the same key for its tickets: all of one process have it on Deno, as was seen with a client of Node.
    const host = name === "localhost" ? name : "127.0.0.1";
    wss[name] = `wss://${host}:${started.use(await startPeer(visits, answer, name)).port}`;
  }
  const addresses: Addresses = {
    ws: `ws://127.0.0.1:${peer.port}`,
    http: `http://127.0.0.1:${peer.port}`,
    wss: wss as Addresses["wss"], // the cast: all of them were set
    exchange: exchange.url,
    rest: exchange.restUrl,
    // The casts: all of them were set.
    proxies: Object.fromEntries(proxies.map(([scheme, { url }]) => [scheme, url])) as Addresses["proxies"],
    ca: certificate("ca.pem"),
    keys: Object.fromEntries(keyPairs.map(({ name, signer }) => [name, signer])) as Addresses["keys"],
  };
  const resources = started.move();
  return { addresses, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** A client of the tap at `url`, on a raw socket: it waits for a message. */
async function lookAtTap(url: URL, format: ClientFormat): Promise<TapSight> {
  using client = new TapClient(Number(url.port), url.search, { format });
  await client.untilMessages(1, 3_000).catch(() => {});
  return { status: client.status, messages: client.messageCount };
}

/** A key of an account and of its signer, for each kind. */
const keyPairs: readonly { name: KeyName; account: LocalAccountOptions; signer: SignerOptions }[] = KEYS.map((name) => {
  const apiKey = `key-${name}`;
  if (name === "hmac") {
    const secret = { apiKey, apiSecret: "secret-of-the-account" };
    return { name, account: secret, signer: secret };
  }
  const pair = name === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ed25519");
  const publicKey = String(pair.publicKey.export({ type: "spki", format: "pem" }));
  const privateKey = String(pair.privateKey.export({ type: "pkcs8", format: "pem" }));
  return { name, account: { apiKey, publicKey }, signer: { apiKey, privateKey } };
});
