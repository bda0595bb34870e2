/**
 * Words for messages and logs.
 *
 * @module
 */

/** Joins values for a message: `"a", "b" or "c"`; more than `most` are counted instead of listed. */
export function listOf(values: readonly string[], word: "or" | "and" = "or", most = 20): string {
  const shown = values.slice(0, most).map(quoted);
  if (values.length > most) return `${shown.join(", ")} and ${values.length - most} more`;
  const last = shown.pop() ?? "nothing";
  return shown.length === 0 ? last : `${shown.join(", ")} ${word} ${last}`;
}

/** What an exception says: anything can be thrown, also what can't be read. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "something that can't be shown";
  }
}

/** What an exception says, with where it comes from if it tells. */
export function stackOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.stack ?? error.message) : String(error);
  } catch {
    return "something that can't be shown";
  }
}

/** A text in quotes for a message; credentials in a URL are masked. */
export function quoted(text: string): string {
  return JSON.stringify(text.replaceAll(/\/\/[^/@\s]*@/g, "//***@"));
}
