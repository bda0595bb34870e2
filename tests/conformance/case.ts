/**
 * What a conformance case is: what the server does, and what has to be on the wire and at the listener.
 *
 * @module
 */

import type { ClientSetup } from "./client_protocol.ts";
import type { DeflateSession } from "./deflate.ts";
import type { Peer } from "./peer.ts";
import type { UpgradeRequest } from "./upgrade.ts";

/** One case. */
export interface ConformanceCase {
  /** Category, group and number. Categories 1 to 7, 9, 10, 12 and 13 are numbered like those of the Autobahn suite. */
  readonly id: string;
  /** What the server does, as a phrase. */
  readonly title: string;
  /** What it is skipped without: permessage-deflate, the parameters of its offer, or pings of the client. */
  readonly needs?: "deflate" | "deflateParameters" | "pings";
  /** Makes what the case needs, at the time when it runs: some payloads are large. */
  prepare(): Plan;
}

/** One run of a case. */
export interface Plan {
  /** How the client is set up. Default: it echoes each message. */
  readonly client?: ClientSetup;
  /** Answers the handshake. Default: as RFC 6455 4.2.2 wants, without subprotocol and extension. */
  readonly respond?: (request: UpgradeRequest) => Answer;
  /** What the server does once it has answered the handshake. It ends the connection, or waits for its end. */
  play(peer: Peer): Promise<void>;
  /** What a conformant client does. */
  readonly expected: Expectation;
  /** What it may do instead. */
  readonly allowed?: readonly Alternative[];
  /** Longest time in ms for the whole case. Default: 10000. */
  readonly limitMs?: number;
}

/** The server's answer to a handshake. */
export interface Answer {
  /** The head of the response, its empty line included. */
  readonly head: string;
  /** Bytes in the same write as the head. */
  readonly greeting?: Uint8Array;
  /** The permessage-deflate that was agreed on. */
  readonly deflate?: DeflateSession;
}

/**
 * What both sides of a case see, in the words of `description.ts`.
 *
 * On the wire, data frames have an order among themselves, and so have control frames; a pong may overtake an echo. No
 * data comes after a Close frame, and the client's end of TCP comes last: that is checked for every case. A Close frame
 * that is expected without a reason (`close 1000`) may have any.
 */
export interface Expectation {
  /** What the client sends. */
  readonly wire: readonly string[];
  /** What the listener is told, in this order and nothing else. Pings and pongs only where `canPing` is true. */
  readonly seen: readonly string[];
  /** Code of the error, where the library is "native"; absent if there is none, `"*"` for any or none. */
  readonly error?: string;
  /** What else the process of the client shows. Default: nothing. */
  readonly faults?: readonly string[];
}

/** Another outcome that RFC 6455 lets pass: what differs from the strict one. */
export interface Alternative {
  /** Why it may be so, with the rule. */
  readonly because: string;
  /** A list, or a test of what came. */
  readonly wire?: readonly string[] | ((wire: readonly string[]) => boolean);
  readonly seen?: readonly string[] | ((seen: readonly string[]) => boolean);
  /** Only where the client cut TCP with a RST. */
  readonly wasReset?: true;
  /** `null`: no error. */
  readonly error?: string | null;
}

/** What was observed when a case ran. */
export interface Observation {
  /** What the client sent. */
  readonly wire: readonly string[];
  /** Whether it ended TCP with a RST, which can take along what it sent before. */
  readonly wasReset: boolean;
  /** What the listener was told. */
  readonly seen: readonly string[];
  /** Code of the error at the end, if it had one. */
  readonly error?: string;
  /** Whether the listener is told of pings and pongs. */
  readonly canPing: boolean;
  /** Exceptions outside of the library, broken promises of its interface, and calls after the end. */
  readonly faults: readonly string[];
}
