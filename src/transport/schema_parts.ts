/**
 * What the schemas of connections are made of.
 *
 * @module
 */

import * as z from "zod/mini";
import { InvalidOptionsError } from "../base/mod.ts";

/** The longest time that timers of all runtimes can wait, and the largest array that all of them make. */
const MAX_INT32 = 2 ** 31 - 1;

/** Makes a zod check of a function that returns what is wrong, and where below the checked value. */
export function check<T>(find: (value: T) => readonly [path: string, message: string] | undefined): z.core.CheckFn<T> {
  return checkThat((value) => {
    const [path, message] = find(value) ?? [];
    if (message !== undefined) throw new InvalidOptionsError(message, path === undefined ? {} : { path });
  });
}

/** Makes a zod check of a function that throws an {@linkcode InvalidOptionsError}. */
export function checkThat<T>(verify: (value: T) => void): z.core.CheckFn<T> {
  return (context) => {
    try {
      verify(context.value);
    } catch (error) {
      if (!(error instanceof InvalidOptionsError)) throw error;
      context.issues.push({ code: "custom", input: undefined, message: error.message, params: { error } });
    }
  };
}

/** An integer, if it is there. */
export function integer(minimum: number, maximum: number = MAX_INT32): z.ZodMiniType<number | undefined> {
  const expected = `an integer from ${minimum} to ${maximum}`;
  return z.optional(z.int(expected).check(z.minimum(minimum, expected), z.maximum(maximum, expected)));
}

const flagSchema = z.optional(z.boolean("true or false"));
/** A boolean, if it is there. */
export const flag: typeof flagSchema = flagSchema;
