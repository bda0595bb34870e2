/**
 * The logger interface, and the logger that says nothing.
 *
 * @module
 */

/**
 * Where the manager reports events and errors. Never called per message.
 * `console`, `@std/log`'s loggers, pino and winston all fit.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type Logger } from "@rawtick/binance";
 *
 * const logger: Logger = console;
 * await using manager = new BinanceWebSocketApiManager({ logger });
 * ```
 */
export interface Logger {
  /** Details for tracking down a problem: frames sent, states entered. */
  debug(message: string): void;
  /** Normal events: connected, subscribed, stopped. */
  info(message: string): void;
  /** Something failed and is being repaired: a lost connection, a refused handshake. */
  warn(message: string): void;
  /** Something failed for good, or user code threw. */
  error(message: string): void;
}

/** A logger that says nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The same logger, but one that throws can't break what it reports on. */
export function guardedLogger(logger: Logger): Logger {
  const guarded = (level: keyof Logger) => (message: string) => {
    try {
      logger[level](message);
    } catch {
      // There is no other place to report to.
    }
  };
  return { debug: guarded("debug"), info: guarded("info"), warn: guarded("warn"), error: guarded("error") };
}
