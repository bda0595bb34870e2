/**
 * Taking secrets out of what is shown.
 *
 * @module
 */

/** Stands for a secret. */
const HIDDEN = "***";
/** The first characters of a secret that may be left at the end of a text that was cut off. */
const MIN_PREFIX = 8;

/** Takes secrets out of a text. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  for (const secret of secrets) if (secret !== "") text = text.replaceAll(secret, HIDDEN);
  return text;
}

/**
 * Takes secrets out of an error: out of its message, its stack and all its properties, such as the body of an answer that
 * repeats the URL, and out of what caused it. Returns the error, or where that can't be changed, another one.
 */
export function errorWithoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  return cleaned(error, secrets, new Set());
}

/** The value itself if there is nothing to hide in it. */
function cleaned(value: unknown, secrets: readonly string[], seen: Set<unknown>): unknown {
  if (typeof value === "string") return cleanedText(value, secrets);
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  seen.add(value);
  if (value instanceof Error) return cleanedError(value, secrets, seen);
  const isList = Array.isArray(value);
  // Of other objects only plain ones are known, such as headers.
  if (!isList && ![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value;
  const before = Object.entries(value);
  const after = before.map(([name, part]): [string, unknown] => [name, cleaned(part, secrets, seen)]);
  if (after.every(([, part], index) => part === before[index]?.[1])) return value;
  return isList ? after.map(([, part]) => part) : Object.fromEntries(after);
}

function cleanedError(error: Error, secrets: readonly string[], seen: Set<unknown>): Error {
  // The last two may be inherited, as those of a DOMException are.
  for (const name of new Set([...Object.getOwnPropertyNames(error), "message", "stack"])) {
    // The cast: any object may be asked for its properties.
    const before = (error as unknown as Record<string, unknown>)[name];
    const value = cleaned(before, secrets, seen);
    // Most errors have nothing to hide, and some can't be changed.
    if (value === before) continue;
    const { enumerable = false } = Object.getOwnPropertyDescriptor(error, name) ?? {};
    try {
      Object.defineProperty(error, name, { value, enumerable, writable: true, configurable: true });
    } catch {
      return new Error(cleanedText(error.message, secrets));
    }
  }
  return error;
}

/** The body of an answer is cut off somewhere, which may be within a secret. */
function cleanedText(text: string, secrets: readonly string[]): string {
  const whole = withoutSecrets(text, secrets);
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= MIN_PREFIX; length--) {
      if (whole.endsWith(secret.slice(0, length))) return whole.slice(0, -length) + HIDDEN;
    }
  }
  return whole;
}
