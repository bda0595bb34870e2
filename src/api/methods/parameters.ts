/**
 * The parameters of the methods, as types.
 *
 * @module
 */

import type { PrefixedOrderLeg } from "./order_leg.ts";

/**
 * The types of the parameters by name. Prices, quantities and rates can be numbers or, to keep their digits, texts; ids
 * beyond 2^53 have to be texts or bigints. Where Binance lists values, other texts pass too, since it adds some.
 *
 * @example
 * ```ts
 * import type { ApiParameterTypes } from "@rawtick/binance";
 *
 * const side: ApiParameterTypes["side"] = "BUY";
 * console.log(side);
 * ```
 */
export interface ApiParameterTypes
  extends
    PrefixedOrderLeg<"above">,
    PrefixedOrderLeg<"below">,
    PrefixedOrderLeg<"working">,
    PrefixedOrderLeg<"pending">,
    PrefixedOrderLeg<"pendingAbove">,
    PrefixedOrderLeg<"pendingBelow"> {
  /** Symbol, such as `BTCUSDT`. */
  readonly symbol: string;
  /** Several symbols. */
  readonly symbols: readonly string[];
  /** Only symbols with one of these permissions. */
  readonly permissions: string | readonly string[];
  /** Whether the permissions of the symbols are filled in. Default: true. */
  readonly showPermissionSets: boolean;
  /** Only symbols with this status. */
  readonly symbolStatus: "TRADING" | "HALT" | "BREAK" | (string & Record<never, never>);
  /** Pair of contracts, such as `BTCUSD`. */
  readonly pair: string;
  /** Asset of the margin, such as `BTC`. */
  readonly marginAsset: string;
  /** How many at most. */
  readonly limit: string | number | bigint;
  /** Id to begin at. */
  readonly fromId: string | number | bigint;
  /** Id of an allocation to begin at. */
  readonly fromAllocationId: string | number | bigint;
  /** Id of an execution to begin at. */
  readonly fromExecutionId: string | number | bigint;
  /** Id of a prevented match to begin at. */
  readonly fromPreventedMatchId: string | number | bigint;
  /** Id of a prevented match. */
  readonly preventedMatchId: string | number | bigint;
  /** Begin in ms since 1970. */
  readonly startTime: string | number | bigint;
  /** End in ms since 1970. */
  readonly endTime: string | number | bigint;
  /** Time zone of the candles or days, such as `8` or `-1:00`. Default: UTC. */
  readonly timeZone: string | number;
  /** Length of a candle; `1s` on spot only. */
  readonly interval:
    | "1s"
    | "1m"
    | "3m"
    | "5m"
    | "15m"
    | "30m"
    | "1h"
    | "2h"
    | "4h"
    | "6h"
    | "8h"
    | "12h"
    | "1d"
    | "3d"
    | "1w"
    | "1M"
    | (string & Record<never, never>);
  /** Length of the window: `1m` to `59m`, `1h` to `23h`, `1d` to `7d`. Default: `1d`. */
  readonly windowSize: string;
  /** Buy or sell. */
  readonly side: "BUY" | "SELL";
  /** Of an order: its type. Of statistics: all fields or the most important ones. */
  readonly type:
    | "LIMIT"
    | "MARKET"
    | "LIMIT_MAKER"
    | "STOP_LOSS"
    | "STOP_LOSS_LIMIT"
    | "TAKE_PROFIT"
    | "TAKE_PROFIT_LIMIT"
    | "STOP"
    | "STOP_MARKET"
    | "TAKE_PROFIT_MARKET"
    | "TRAILING_STOP_MARKET"
    | "FULL"
    | "MINI"
    | (string & Record<never, never>);
  /** How long an order stays; `GTX`, `GTD` and `RPI` on futures only. */
  readonly timeInForce: "GTC" | "IOC" | "FOK" | "GTX" | "GTD" | "RPI" | (string & Record<never, never>);
  /** Price of the order. */
  readonly price: string | number | bigint;
  /** Quantity in the base asset; in contracts on COIN-M. */
  readonly quantity: string | number | bigint;
  /** Quantity in the quote asset, for `MARKET`. */
  readonly quoteOrderQty: string | number | bigint;
  /** The new, smaller quantity. */
  readonly newQty: string | number | bigint;
  /** The part of the quantity that is shown. */
  readonly icebergQty: string | number | bigint;
  /** Price at which the order is triggered. */
  readonly stopPrice: string | number | bigint;
  /** The part of the limit order's quantity that is shown. */
  readonly limitIcebergQty: string | number | bigint;
  /** The part of the stop order's quantity that is shown. */
  readonly stopIcebergQty: string | number | bigint;
  /** Price of the stop order once it is triggered. */
  readonly stopLimitPrice: string | number | bigint;
  /** How long the stop order stays. */
  readonly stopLimitTimeInForce: "GTC" | "FOK" | "IOC" | (string & Record<never, never>);
  /** Distance of a trailing stop, in basis points. */
  readonly trailingDelta: string | number | bigint;
  /** Your id of the order, up to 36 characters, unique among the open ones; of a cancellation: its own id. */
  readonly newClientOrderId: string;
  /** Your id of the limit order. */
  readonly limitClientOrderId: string;
  /** Your id of the stop order. */
  readonly stopClientOrderId: string;
  /** Your id of the list of orders. */
  readonly listClientOrderId: string;
  /** The exchange's id of the order. */
  readonly orderId: string | number | bigint;
  /** Your id of the order. */
  readonly origClientOrderId: string;
  /** The exchange's id of the list of orders. */
  readonly orderListId: string | number | bigint;
  /** The exchange's id of the order to cancel. */
  readonly cancelOrderId: string | number | bigint;
  /** Your id of the order to cancel. */
  readonly cancelOrigClientOrderId: string;
  /** Your id of the cancellation. */
  readonly cancelNewClientOrderId: string;
  /** Whether the new order is placed although the cancellation failed. */
  readonly cancelReplaceMode: "STOP_ON_FAILURE" | "ALLOW_FAILURE" | (string & Record<never, never>);
  /** Cancels only in this state of the order. */
  readonly cancelRestrictions: "ONLY_NEW" | "ONLY_PARTIALLY_FILLED" | (string & Record<never, never>);
  /** What happens to the old order when there are too many new ones. */
  readonly orderRateLimitExceededMode: "DO_NOTHING" | "CANCEL_ONLY" | (string & Record<never, never>);
  /** How much is answered; `FULL` on spot only. */
  readonly newOrderRespType: "ACK" | "RESULT" | "FULL" | (string & Record<never, never>);
  /** Your number of the strategy. */
  readonly strategyId: string | number | bigint;
  /** Your number of the kind of strategy, 1000000 or more. */
  readonly strategyType: string | number | bigint;
  /** Your number of the limit order's strategy. */
  readonly limitStrategyId: string | number | bigint;
  /** Your number of the kind of the limit order's strategy, 1000000 or more. */
  readonly limitStrategyType: string | number | bigint;
  /** Your number of the stop order's strategy. */
  readonly stopStrategyId: string | number | bigint;
  /** Your number of the kind of the stop order's strategy, 1000000 or more. */
  readonly stopStrategyType: string | number | bigint;
  /** What happens instead of a trade with oneself. */
  readonly selfTradePreventionMode:
    | "NONE"
    | "EXPIRE_TAKER"
    | "EXPIRE_MAKER"
    | "EXPIRE_BOTH"
    | "DECREMENT"
    | "TRANSFER"
    | (string & Record<never, never>);
  /** The price that the order follows. */
  readonly pegPriceType: "PRIMARY_PEG" | "MARKET_PEG" | (string & Record<never, never>);
  /** Unit of `pegOffsetValue`. */
  readonly pegOffsetType: "PRICE_LEVEL" | (string & Record<never, never>);
  /** Distance from the price that the order follows. */
  readonly pegOffsetValue: string | number | bigint;
  /** Whether the commission rates are answered. Default: false. */
  readonly computeCommissionRates: boolean;
  /** Whether empty balances are left out. Default: false. */
  readonly omitZeroBalances: boolean;
  /** Type of the order above the price. */
  readonly aboveType:
    | "STOP_LOSS_LIMIT"
    | "STOP_LOSS"
    | "LIMIT_MAKER"
    | "TAKE_PROFIT"
    | "TAKE_PROFIT_LIMIT"
    | (string & Record<never, never>);
  /** Type of the order below the price. */
  readonly belowType:
    | "STOP_LOSS"
    | "STOP_LOSS_LIMIT"
    | "TAKE_PROFIT"
    | "TAKE_PROFIT_LIMIT"
    | "LIMIT_MAKER"
    | (string & Record<never, never>);
  /** Of a list: type of the order that works at once. On futures: the price that triggers. */
  readonly workingType: "LIMIT" | "LIMIT_MAKER" | "MARK_PRICE" | "CONTRACT_PRICE" | (string & Record<never, never>);
  /** Side of the order that works at once. */
  readonly workingSide: "BUY" | "SELL";
  /** Quantity of the order that works at once. */
  readonly workingQuantity: string | number | bigint;
  /** Type of the order that follows. */
  readonly pendingType: string;
  /** Side of the orders that follow. */
  readonly pendingSide: "BUY" | "SELL";
  /** Quantity of the orders that follow. */
  readonly pendingQuantity: string | number | bigint;
  /** Type of the order above the price that follows. */
  readonly pendingAboveType: string;
  /** Type of the order below the price that follows. */
  readonly pendingBelowType: string;
  /** The position, in hedge mode. */
  readonly positionSide: "BOTH" | "LONG" | "SHORT" | (string & Record<never, never>);
  /** Whether the order may only make the position smaller. Default: false. */
  readonly reduceOnly: boolean | "true" | "false";
  /** Whether the order closes the whole position. Default: false. */
  readonly closePosition: boolean | "true" | "false";
  /** Whether the trigger is protected against a far price. Default: false. */
  readonly priceProtect: boolean | "true" | "false";
  /** A price of the order book instead of `price`. */
  readonly priceMatch:
    | "OPPONENT"
    | "OPPONENT_5"
    | "OPPONENT_10"
    | "OPPONENT_20"
    | "QUEUE"
    | "QUEUE_5"
    | "QUEUE_10"
    | "QUEUE_20"
    | (string & Record<never, never>);
  /** When the order is cancelled, in ms since 1970, with `GTD`. */
  readonly goodTillDate: string | number | bigint;
  /** Price from which on a trailing stop follows (COIN-M). */
  readonly activationPrice: string | number | bigint;
  /** Price from which on a trailing stop follows (`algoOrder.place`). */
  readonly activatePrice: string | number | bigint;
  /** Distance of a trailing stop, in percent. */
  readonly callbackRate: string | number | bigint;
  /** Price at which the order is triggered. */
  readonly triggerPrice: string | number | bigint;
  /** Kind of the order. */
  readonly algoType: "CONDITIONAL" | (string & Record<never, never>);
  /** The exchange's id of the order that waits. */
  readonly algoId: string | number | bigint;
  /** Your id of the order that waits. */
  readonly clientAlgoId: string;
  /** Your number of the change. */
  readonly modifyId: string | number | bigint;
  /** Id of the subscription. Default: all. */
  readonly subscriptionId: string | number | bigint;
  /** Listen key. */
  readonly listenKey: string;
  /** Listen token. */
  readonly listenToken: string;
  /** For how many ms the request is valid, up to 60000. Default: 5000. */
  readonly recvWindow: string | number | bigint;
  /** Whether the answer says how much of the rate limits is used. */
  readonly returnRateLimits: boolean;
}
