/**
 * What Binance is: endpoints, limits, stream names, sequences, control messages. Facts and pure functions, no I/O.
 *
 * @module
 */

export { banMs } from "./bans.ts";
export * from "./connection_url.ts";
export * from "./control_messages.ts";
export * from "./exchanges.ts";
export * from "./quotes.ts";
export * from "./routes.ts";
export * from "./sequences.ts";
export * from "./served_streams.ts";
export * from "./server_shutdown.ts";
export * from "./silent_streams.ts";
export * from "./stream_names.ts";
