/**
 * What runs a process.
 *
 * @module
 */

import process from "node:process";

/** Name and version of this runtime, such as `bun 1.4.5`. */
export function runtimeName(): string {
  const { bun, deno, node } = process.versions;
  if (bun !== undefined) return `bun ${bun}`;
  return deno === undefined ? `node ${node}` : `deno ${deno}`;
}
