/**
 * The types that users of the package see: events, normalized events, and which stream brings which.
 *
 * @module
 */

export type * from "./algo_account_events.ts";
export type * from "./book_events.ts";
export type * from "./candle_events.ts";
export type * from "./contract_events.ts";
export type * from "./event.ts";
export type * from "./futures_account_events.ts";
export type * from "./futures_order_events.ts";
export type * from "./normalized_fields.ts";
export type * from "./normalized_message.ts";
export type * from "./normalized_names.ts";
export type * from "./options_account_events.ts";
export type * from "./portfolio_account_events.ts";
export type * from "./price_events.ts";
export type * from "./spot_account_events.ts";
export type * from "./spot_order_events.ts";
export type * from "./stream_events.ts";
export type * from "./ticker_events.ts";
export type * from "./trade_events.ts";
export type * from "./values.ts";
