/**
 * The long names that normalized events have, by the type of their values. What each means is said beside the letter that it
 * stands for, such as in {@linkcode TradeEvent} and {@linkcode ExecutionReportEvent}.
 *
 * @module
 */

/**
 * Names of fields that are texts: decimals, symbols, and words such as `"FILLED"`.
 *
 * @example
 * ```ts
 * import type { NormalizedTextName } from "@rawtick/binance";
 *
 * const name: NormalizedTextName = "price";
 * console.log(name);
 * ```
 */
export type NormalizedTextName =
  | "account_alias"
  | "account_equity"
  | "accumulated_realized"
  | "activation_price"
  | "actual_equity"
  | "actual_order_type"
  | "adjusted_equity"
  | "algo_status"
  | "algo_type"
  | "ask_buffer"
  | "ask_implied_volatility"
  | "ask_rate"
  | "asks_notional"
  | "asset"
  | "auto_exchange_ask_buffer"
  | "auto_exchange_ask_rate"
  | "auto_exchange_bid_buffer"
  | "auto_exchange_bid_rate"
  | "available_balance"
  | "average_entry_price"
  | "average_mark_price"
  | "average_price"
  | "avg_price"
  | "balance_change"
  | "balance_delta"
  | "base_asset"
  | "base_volume"
  | "best_ask_price"
  | "best_ask_quantity"
  | "best_bid_price"
  | "best_bid_quantity"
  | "bid_buffer"
  | "bid_implied_volatility"
  | "bid_rate"
  | "bids_notional"
  | "break_even_price"
  | "business_unit"
  | "callback_rate"
  | "client_algo_id"
  | "client_order_id"
  | "client_strategy_id"
  | "close_price"
  | "commission"
  | "commission_amount"
  | "composition_type"
  | "contingency_type"
  | "contract_status"
  | "contract_type"
  | "counter_symbol"
  | "cross_wallet_balance"
  | "cumulative_filled_quantity"
  | "cumulative_quote_asset_transacted_quantity"
  | "current_execution_type"
  | "current_order_status"
  | "delta"
  | "entry_price"
  | "estimated_settle_price"
  | "event_reason"
  | "execution_type"
  | "expire_reason"
  | "free"
  | "funding_rate"
  | "gamma"
  | "high_price"
  | "high_price_limit"
  | "iceberg_quantity"
  | "implied_volatility"
  | "index"
  | "index_price"
  | "initial_margin"
  | "interest"
  | "interval"
  | "isolated_wallet"
  | "last_executed_price"
  | "last_executed_quantity"
  | "last_prevented_quantity"
  | "last_price"
  | "last_quantity"
  | "last_quote_asset_transacted_quantity"
  | "liability_type"
  | "list_client_order_id"
  | "list_order_status"
  | "list_reject_reason"
  | "list_status_type"
  | "listen_key"
  | "lock_delta"
  | "locked"
  | "low_price"
  | "low_price_limit"
  | "maintenance_margin"
  | "margin_asset"
  | "margin_balance"
  | "margin_level"
  | "margin_level_status"
  | "margin_type"
  | "mark_price"
  | "match_type"
  | "matched_profit"
  | "open_interest"
  | "open_interest_value"
  | "open_order_loss"
  | "open_price"
  | "option_side"
  | "order_avg_price"
  | "order_price"
  | "order_quantity"
  | "order_realized_profit"
  | "order_reject_reason"
  | "order_status"
  | "order_stop_price"
  | "order_type"
  | "original_client_order_id"
  | "original_order_type"
  | "original_quantity"
  | "pair"
  | "pegged_offset_type"
  | "pegged_price"
  | "pegged_price_type"
  | "position_amount"
  | "position_side"
  | "position_value"
  | "prevented_execution_price"
  | "prevented_execution_quantity"
  | "prevented_execution_quote_quantity"
  | "prevented_quantity"
  | "price"
  | "price_change"
  | "price_change_percent"
  | "price_match_mode"
  | "principal"
  | "quantity"
  | "quantity_without_rpi"
  | "quote_asset"
  | "quote_order_quantity"
  | "quote_volume"
  | "realized_profit"
  | "reject_reason"
  | "risk_free_rate"
  | "risk_level"
  | "self_trade_prevention_mode"
  | "session_type"
  | "side"
  | "stop_price"
  | "strategy_status"
  | "strike_price"
  | "symbol"
  | "taker_by_base_asset_volume"
  | "taker_by_quote_asset_volume"
  | "theta"
  | "time_in_force"
  | "total_liability"
  | "total_traded_base_asset_volume"
  | "total_traded_quote_asset_volume"
  | "trade_before_24h_window"
  | "trigger_price"
  | "trigger_price_type"
  | "underlying"
  | "uni_mmr"
  | "unmatched_average_price"
  | "unmatched_fee"
  | "unmatched_quantity"
  | "unrealized_profit"
  | "vega"
  | "virtual_max_withdraw_amount"
  | "wallet_balance"
  | "weight_percentage"
  | "weight_quantity"
  | "weighted_average_price"
  | "working_floor";

/**
 * Names of fields that are numbers: times in ms since 1970 (µs with the option `timeUnit`), update ids, counts.
 *
 * @example
 * ```ts
 * import type { NormalizedNumberName } from "@rawtick/binance";
 *
 * const name: NormalizedNumberName = "trade_time";
 * console.log(name);
 * ```
 */
export type NormalizedNumberName =
  | "aggregate_trade_id"
  | "bracket"
  | "clear_time"
  | "cumulative_factor"
  | "delivery_time"
  | "engine_time"
  | "final_update_id_in_event"
  | "final_update_id_in_previous_event"
  | "first_trade_id"
  | "first_update_id_in_event"
  | "good_till_date"
  | "ignore_si"
  | "ignore_ss"
  | "kline_close_time"
  | "kline_start_time"
  | "last_trade_id"
  | "last_trade_time"
  | "last_update_id"
  | "last_update_time"
  | "leverage"
  | "maintenance_margin_ratio"
  | "maximum_leverage"
  | "minimum_leverage"
  | "next_funding_time"
  | "notional_cap"
  | "notional_floor"
  | "number_of_trades"
  | "onboard_time"
  | "op_code"
  | "order_book_time"
  | "order_book_update_id"
  | "order_creation_time"
  | "order_trade_time"
  | "pegged_offset_value"
  | "session_end_time"
  | "session_start_time"
  | "statistics_close_time"
  | "statistics_open_time"
  | "symbol_type"
  | "total_nr_of_trades"
  | "trade_time"
  | "trailing_delta"
  | "trailing_time"
  | "transaction_time"
  | "trigger_time"
  | "unit"
  | "update_time"
  | "working_time";

/**
 * Names of fields that are true or false.
 *
 * @example
 * ```ts
 * import type { NormalizedFlagName } from "@rawtick/binance";
 *
 * const name: NormalizedFlagName = "is_market_maker";
 * console.log(name);
 * ```
 */
export type NormalizedFlagName =
  | "close_all"
  | "is_closed"
  | "is_market_maker"
  | "is_order_working"
  | "is_trade_maker_side"
  | "multi_assets_mode"
  | "price_protection"
  | "reduce_only"
  | "used_sor";

/**
 * Names of fields that are ids, exact also beyond 2^53.
 *
 * @example
 * ```ts
 * import type { NormalizedIdName } from "@rawtick/binance";
 *
 * const name: NormalizedIdName = "order_id";
 * console.log(name);
 * ```
 */
export type NormalizedIdName =
  | "algo_id"
  | "allocation_id"
  | "buyer_order_id"
  | "counter_order_id"
  | "execution_id"
  | "order_id"
  | "order_list_id"
  | "prevented_match_id"
  | "seller_order_id"
  | "strategy_id"
  | "trade_group_id"
  | "trade_id"
  | "transaction_id"
  | "update_id";
