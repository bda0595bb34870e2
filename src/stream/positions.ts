/**
 * Where messages stand in their streams: which come after which, and what lies between them.
 *
 * @module
 */

import { follows, type Sequence, sequenceOf } from "../exchange/mod.ts";

/** Where a message stands in its stream. */
export interface Position extends Sequence {
  /** The message itself: of streams whose numbers are times, several messages may have the same. */
  readonly text: string;
}

/** Where a message of the combined form stands, `undefined` if it has nothing to go by. */
export function positionOf(stream: string, text: string): Position | undefined {
  let data: unknown;
  try {
    data = (JSON.parse(text) as { data?: unknown } | null)?.data; // the cast: any JSON may be asked for a member
  } catch {
    return undefined;
  }
  const sequence = sequenceOf(stream, data);
  return sequence && { ...sequence, text };
}

/** How many numbers lie between two messages of a stream; 0 if none, or if that can't be told. */
export function missedBetween(before: Position, next: Position): number {
  // Futures depth: each message names the one before, and its numbers have holes of their own.
  return follows(before, next) ? 0 : Math.max(1, next.first - before.last - 1);
}
