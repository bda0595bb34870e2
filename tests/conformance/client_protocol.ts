/**
 * What the suite and the process of the client under test tell each other: one JSON value a line.
 *
 * @module
 */

/** What the action "throw" throws in the listener: an uncaught error of the process, and no more than that. */
export const LISTENER_THREW = "thrown by the listener on purpose";

/** What a client does on its own. */
export type Action =
  | { readonly do: "close"; readonly code?: number; readonly reason?: string }
  | { readonly do: "terminate" }
  | { readonly do: "throw" }
  | { readonly do: "ping"; readonly payload: string }
  | { readonly do: "send"; readonly text: string };

/** How permessage-deflate is asked for (RFC 7692 7.1). */
export interface DeflateOffer {
  readonly serverNoContextTakeover?: boolean;
  readonly clientNoContextTakeover?: boolean;
  readonly serverMaxWindowBits?: number;
  readonly clientMaxWindowBits?: number;
  /** Messages of fewer bytes are not compressed. */
  readonly threshold?: number;
}

/** How the client under test is set up for one case. */
export interface ClientSetup {
  readonly maxMessageBytes?: number;
  readonly closeTimeoutMs?: number;
  readonly handshakeTimeoutMs?: number;
  readonly protocols?: readonly string[];
  readonly perMessageDeflate?: true | DeflateOffer;
  /** What it does in `onOpen`. Default: nothing. */
  readonly onOpen?: readonly Action[];
  /** What it does with each message. Default: it sends it back. */
  readonly onMessage?: readonly Action[];
}

/** From the suite: open a connection, or give one up. */
export type Command =
  | { readonly run: number; readonly url: string; readonly setup: ClientSetup }
  | { readonly run: number; readonly giveUp: true };

/** From the client: how a connection went. */
export interface ClientReport {
  readonly run: number;
  /** What the listener was told. */
  readonly seen: readonly string[];
  readonly error?: string;
  readonly canPing: boolean;
  readonly faults: readonly string[];
}

/** From the client: something that came after the report. */
export interface LateFault {
  readonly run: number;
  readonly late: string;
}

/** From the client, first of all: what it runs on. */
export interface Hello {
  readonly hello: string;
}
