/**
 * What Binance is: endpoints, limits, stream names, control messages. Facts and pure functions, no I/O.
 *
 * @module
 */

export * from "./control_messages.ts";
export * from "./exchanges.ts";
export * from "./stream_names.ts";
