/**
 * What schemas of options are made of: checks that say what was expected.
 *
 * @module
 */

import * as z from "zod/mini";
import { InvalidOptionsError } from "./errors.ts";

/** The longest time that timers of all runtimes can wait, and the largest array that all of them make. */
const MAX_INT32 = 2 ** 31 - 1;

/** Makes a zod check of a function that throws an {@linkcode InvalidOptionsError}: that becomes the problem. */
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

const callableSchema = z.optional(z.custom<() => unknown>((value) => typeof value === "function", "a function"));
/** A function, if it is there. */
export const callable: typeof callableSchema = callableSchema;

const flagSchema = z.optional(z.boolean("true or false"));
/** A boolean, if it is there. */
export const flag: typeof flagSchema = flagSchema;

const labelSchema = z.optional(z.string("a string"));
/** A label, if it is there. */
export const label: typeof labelSchema = labelSchema;
