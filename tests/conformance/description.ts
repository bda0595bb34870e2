/**
 * Messages in words: short ones as they are, long ones by length and hash. Both sides of a case use the same words, so
 * that what was sent, echoed and seen can be compared as text.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";

/** Longest payload in bytes that is written out. */
const WRITTEN_OUT = 40;

/** What a payload belongs to. */
export type PayloadKind = "text" | "binary" | "ping" | "pong";

/** A text or binary message, a ping or a pong, in words. */
export function describe(kind: PayloadKind, payload: Uint8Array | string): string {
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  if (bytes.length > WRITTEN_OUT) {
    const hash = createHash("sha1").update(bytes).digest("hex").slice(0, 12);
    return `${kind} of ${bytes.length} bytes, sha1 ${hash}`;
  }
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  // Hexadecimal for texts too: what a string looks like when it is printed may hide what it is.
  const shown = kind === "text"
    ? ` ${JSON.stringify(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))}`
    : "";
  return `${kind}${shown} <${hex}>`;
}

/** A Close frame in words: `close 1000 "bye"`, or `close without a code`. */
export function describeClose(code: number | undefined, reason: string): string {
  return code === undefined ? "close without a code" : `close ${code} ${JSON.stringify(reason)}`;
}

/** The end of a connection as its listener was told: `closed 1000 "bye" cleanly`. */
export function describeEnd(code: number, reason: string, wasClean: boolean): string {
  return `closed ${code} ${JSON.stringify(reason)} ${wasClean ? "cleanly" : "uncleanly"}`;
}
