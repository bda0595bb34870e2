/**
 * What the methods of a manager take as a stream: the stream or its id.
 *
 * @module
 */

import { InvalidOptionsError, shown } from "../base/mod.ts";

/**
 * The id of the stream that is meant.
 *
 * @throws {InvalidOptionsError} if it is neither a stream nor an id.
 */
export function streamIdOf(stream: unknown): string {
  const id: unknown = typeof stream === "object" && stream !== null && "id" in stream ? stream.id : stream;
  if (typeof id === "string") return id;
  throw notAStream(stream);
}

/** What is given as a stream is none. */
export function notAStream(stream: unknown): InvalidOptionsError {
  return new InvalidOptionsError(`Cannot use ${shown(stream)} as \`stream\`: expected a stream or its id`, {
    path: "stream",
  });
}
