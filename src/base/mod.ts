/**
 * Errors, log, clock: what every layer stands on. The default logger is apart in `std_log.ts`, so that the edge door
 * never loads `@std/log`.
 *
 * @module
 */

export * from "./clock.ts";
export * from "./errors.ts";
export * from "./log.ts";
export * from "./options.ts";
export * from "./schema_parts.ts";
export * from "./precise_json.ts";
export * from "./text.ts";
