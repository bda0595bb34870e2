/**
 * What the matrix and the process of the client tell each other: one JSON value a line.
 *
 * @module
 */

import type { WebSocketLibrary } from "@rawtick/binance/transport";

/** The user name at all proxies. */
export const USER = "proxyuser-4711";

/** From the matrix: open a connection, talk, close it. */
export interface Command {
  readonly run: number;
  readonly library: WebSocketLibrary;
  /** Base URL of the exchange. */
  readonly url: string;
  /** Certificate of the authority to trust. */
  readonly ca: string;
  /** The option `proxy`; left out if there is none. */
  readonly proxy?: string;
  /** Through `openConnection()`, or through a stream of a manager. */
  readonly door: "connection" | "manager";
  /** Variables to set for this connection; `null` to unset. */
  readonly env: Readonly<Record<string, string | null>>;
}

/** From the client: how it went. */
export interface Report {
  readonly run: number;
  /** Whether a message and its answer went through. */
  readonly talked: boolean;
  /** Of the error: its code, its stage if it has one, and its words. */
  readonly code?: string;
  readonly stage?: string;
  readonly message?: string;
}

/** From the client, first of all: what it runs on. */
export interface Hello {
  readonly hello: string;
}
