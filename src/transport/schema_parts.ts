/**
 * What the schemas of connections are made of.
 *
 * @module
 */

import type { z } from "zod/mini";
import { checkThat, InvalidOptionsError } from "../base/mod.ts";

/** Makes a zod check of a function that returns what is wrong, and where below the checked value. */
export function check<T>(find: (value: T) => readonly [path: string, message: string] | undefined): z.core.CheckFn<T> {
  return checkThat((value) => {
    const [path, message] = find(value) ?? [];
    if (message !== undefined) throw new InvalidOptionsError(message, path === undefined ? {} : { path });
  });
}
