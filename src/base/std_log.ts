/**
 * The default logger: `@std/log`'s logger `rawtick`, silent until the user configures it with `setup()`.
 *
 * @module
 */

import { getLogger } from "@std/log";
import type { Logger } from "./log.ts";

/** The logger's name in `@std/log`. */
const LOGGER_NAME = "rawtick";

/** Looks the logger up at each call: `setup()` of `@std/log` replaces all loggers, also after we were constructed. */
export const stdLogger: Logger = {
  debug: (message) => void getLogger(LOGGER_NAME).debug(message),
  info: (message) => void getLogger(LOGGER_NAME).info(message),
  warn: (message) => void getLogger(LOGGER_NAME).warn(message),
  error: (message) => void getLogger(LOGGER_NAME).error(message),
};
