/**
 * Words for messages and logs.
 *
 * @module
 */

/** Joins values for a message: `"a", "b" or "c"`; more than `most` are counted instead of listed. */
export function listOf(values: readonly string[], word: "or" | "and" = "or", most = 20): string {
  const quoted = values.slice(0, most).map((value) => JSON.stringify(value));
  if (values.length > most) return `${quoted.join(", ")} and ${values.length - most} more`;
  const last = quoted.pop() ?? "nothing";
  return quoted.length === 0 ? last : `${quoted.join(", ")} ${word} ${last}`;
}

/** What an exception says: anything can be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What an exception says, with where it comes from if it tells. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
