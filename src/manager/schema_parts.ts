/**
 * What the schemas of the options are made of: checks that say what was expected.
 *
 * @module
 */

import * as z from "zod/mini";
import { callable, flag, integer, InvalidOptionsError } from "../base/mod.ts";

/** Schemas of options by their names. */
export type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** A day in ms. */
export const DAY_MS = 86_400_000;

/** 0 for never, or an integer. */
export function isZeroOr(minimum: number, maximum: number): (value: unknown) => boolean {
  return (value) => value === 0 || (Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum);
}

/** A check of an option that is a base URL with one of two schemes. */
export function baseUrl(path: string, schemes: readonly [string, string]): (url: string) => void {
  return (url) => {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    const isUsable = parsed !== undefined && schemes.includes(parsed.protocol.slice(0, -1)) &&
      [parsed.search, parsed.hash, parsed.username, parsed.password].every((part) => part === "");
    if (isUsable) return;
    throw new InvalidOptionsError(
      `Cannot use this \`${path}\`: expected ` +
        `"${schemes[0]}://host:port" or "${schemes[1]}://host:port", without credentials, query and fragment`,
      { path },
    );
  };
}

/** A named buffer takes everything, and has a size and a policy of its own. */
export function checkBufferCombination(options: {
  readonly streamBuffer?: unknown;
  readonly onData?: unknown;
  readonly bufferSize?: unknown;
  readonly overflow?: unknown;
}): void {
  if (options.streamBuffer === undefined) return;
  const path = (["onData", "bufferSize", "overflow"] as const).find((name) => options[name] !== undefined);
  if (path === undefined) return;
  const expected = path === "onData" ? "one of them" : "it in `manager.streamBuffer(name, { capacity, overflow })`";
  throw new InvalidOptionsError(`Cannot use \`${path}\` together with \`streamBuffer\`: expected ${expected}`, {
    path,
  });
}

const overflowSchema = z.optional(
  z.enum(["drop-oldest", "drop-newest", "error"], '"drop-oldest", "drop-newest" or "error"'),
);
/** What a full buffer does, if it is there. */
export const overflow: typeof overflowSchema = overflowSchema;

/** The size of a buffer, if it is there. */
export const bufferSize: z.ZodMiniType<number | undefined> = integer(1, 2 ** 24);

const nameSchema = z.string("a name").check(z.minLength(1, "a name"));
/** The name of a named buffer. */
export const bufferName: typeof nameSchema = nameSchema;

const shape = {
  output: z.optional(z.enum(["raw", "json", "typed", "normalized"], '"raw", "json", "typed" or "normalized"')),
  onData: callable,
  onCallbackError: z.optional(z.enum(["crash", "continue"], '"crash" or "continue"')),
  maxConcurrentCallbacks: integer(1, 2 ** 16),
  bufferSize,
  overflow,
};
/** How messages and events are delivered. */
export const deliveryShape: typeof shape = shape;
