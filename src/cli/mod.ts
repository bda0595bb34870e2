/**
 * The commands, as a function to call and as a process.
 *
 * @module
 */

export type { CommandIo } from "./io.ts";
export { main } from "./main.ts";
export { runProcess } from "./process.ts";
