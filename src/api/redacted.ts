/**
 * Objects that hold secrets and never show them, however they are printed.
 *
 * @module
 */

/** What is shown in the place of a secret. */
const REDACTED = "[redacted]";

/**
 * Base class of what holds secrets: printed, logged, put into a text or into JSON, it is `[redacted]`. The secrets
 * themselves belong into private `#fields`: no inspection that is told to ignore custom printing, no copy and no spread
 * reaches those.
 */
export abstract class Redacted {
  /** What `String(…)`, template strings and `+` show. */
  toString(): string {
    return REDACTED;
  }

  /** What `JSON.stringify` writes. */
  toJSON(): string {
    return REDACTED;
  }

  /** What `console.log` and `inspect` show, on Deno and Bun as on Node. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}
