/**
 * What a frame reader is given: whom it tells, and what it accepts.
 *
 * @module
 */

import type { Inflater } from "./inflater.ts";

/** Told about each message and control frame, in the order of the wire. It must not throw. */
export interface FrameHandler {
  /** A text message. */
  onText(text: string): void;
  /** A binary message in an array of its own. */
  onBinary(bytes: Uint8Array): void;
  /** A Ping frame; the payload is a copy. */
  onPing(payload: Uint8Array): void;
  /** A Pong frame; the payload is a copy. */
  onPong(payload: Uint8Array): void;
  /** A Close frame: 1005 if it had no code. Nothing is read after it. */
  onClose(code: number, reason: string): void;
}

/** What a reader accepts. */
export interface FrameReaderOptions {
  /** Whose end of the connection this is: a client refuses masked frames, a server unmasked ones (RFC 6455 5.1). */
  readonly role: "client" | "server";
  /** Largest message in bytes, over all of its fragments. */
  readonly maxMessageBytes: number;
  /** Most frames that a message may consist of. Default: 131072. */
  readonly maxFragments?: number;
  /** Most bytes of a message that is not complete. Default: no limit of its own. */
  readonly maxBufferedBytes?: number;
  /** Decompresses messages; without one, RSV1 is a violation. */
  readonly inflater?: Inflater | undefined;
}
