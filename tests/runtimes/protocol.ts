/**
 * What the probes are told about the servers, and what the servers tell about connections.
 *
 * @module
 */

import type { SignerOptions } from "@rawtick/binance/edge-full";

/** The schemes of the proxies. */
export const PROXY_SCHEMES = ["http", "https", "socks4", "socks5"] as const;

/** Where everything is; base URLs without a trailing slash. */
export interface Addresses {
  /** The peer without TLS. What it has seen is asked by HTTP, at the same port. */
  readonly ws: string;
  readonly http: string;
  /** The peer with TLS, by the name of its certificate. */
  readonly wss: Readonly<Record<CertificateName, string>>;
  /** Local exchange, and its REST. */
  readonly exchange: string;
  readonly rest: string;
  readonly proxies: Readonly<Record<typeof PROXY_SCHEMES[number], string>>;
  /** The authority that has signed all certificates but `self_signed` (PEM). */
  readonly ca: string;
  /** Options of `createSigner` for an account of the exchange, by the kind of key. */
  readonly keys: Readonly<Record<KeyName, SignerOptions>>;
}

/** The peer's certificates, all but the first of them wrong for `localhost`. */
export const CERTIFICATES = ["localhost", "self_signed", "wrong_name", "expired"] as const;
export type CertificateName = typeof CERTIFICATES[number];

export const KEYS = ["hmac", "ed25519", "rsa"] as const;
export type KeyName = typeof KEYS[number];

/** What the peer has seen of the connections with one id. */
export interface Seen {
  /** Requests for a WebSocket. */
  readonly requests: number;
  /** The head of the last one. */
  readonly head: string;
  /** Payloads of pongs. */
  readonly pongs: readonly string[];
  /** Code and reason of the client's Close frame. */
  readonly close: string;
  /** Bytes of the flood that have left the peer. */
  readonly flooded: number;
  /** Whether the flood does not get on. */
  readonly stalled: boolean;
  /** Whether TCP has ended. */
  readonly ended: boolean;
}
