/**
 * All events, as unions that their type tells apart.
 *
 * @module
 */

import type {
  AlgoUpdateEvent,
  GridUpdateEvent,
  StrategyUpdateEvent,
  TriggerRejectEvent,
} from "./algo_account_events.ts";
import type { BookTickerEvent, DepthUpdateEvent, PartialDepthEvent, SpotBookTickerEvent } from "./book_events.ts";
import type { ContinuousKlineEvent, KlineEvent, PriceKlineEvent } from "./candle_events.ts";
import type {
  ContractInfoEvent,
  OpenInterestEvent,
  OptionSymbolEvent,
  ServerShutdownEvent,
  TradingSessionEvent,
} from "./contract_events.ts";
import type {
  AccountConfigUpdateEvent,
  AccountUpdateEvent,
  ListenKeyExpiredEvent,
  MarginCallEvent,
} from "./futures_account_events.ts";
import type { OrderTradeUpdateEvent, TradeLiteEvent } from "./futures_order_events.ts";
import type {
  BalancePositionEvent,
  GreekUpdateEvent,
  OptionsAccountUpdateEvent,
  OptionsRiskLevelEvent,
} from "./options_account_events.ts";
import type {
  ConditionalOrderEvent,
  LiabilityChangeEvent,
  OpenOrderLossEvent,
  ProAccountUpdateEvent,
  RiskLevelEvent,
} from "./portfolio_account_events.ts";
import type {
  AssetIndexEvent,
  AveragePriceEvent,
  CompositeIndexEvent,
  IndexPriceEvent,
  MarkPriceEvent,
  OptionIndexPriceEvent,
  OptionMarkPriceEvent,
  ReferencePriceEvent,
} from "./price_events.ts";
import type {
  AccountPositionEvent,
  BalanceUpdateEvent,
  EventStreamTerminatedEvent,
  ExternalLockUpdateEvent,
  MarginLevelStatusEvent,
  UserLiabilityEvent,
} from "./spot_account_events.ts";
import type { ExecutionReportEvent, ListStatusEvent } from "./spot_order_events.ts";
import type { MiniTickerEvent, TickerEvent, WindowTickerEvent } from "./ticker_events.ts";
import type { AggregateTradeEvent, BlockTradeEvent, LiquidationEvent, TradeEvent } from "./trade_events.ts";

/**
 * An event of a market stream. `e` tells which; the two of the spot market that have none are told by their fields. An event
 * that this version does not know arrives as it is, which a `default:` is for.
 *
 * @example
 * ```ts
 * import type { MarketEvent } from "@rawtick/binance";
 *
 * function priceOf(event: MarketEvent): string | undefined {
 *   switch (event.e) {
 *     case "trade":
 *     case "aggTrade":
 *       return event.p;
 *     case "kline":
 *       return event.k.c;
 *     case undefined:
 *       return "lastUpdateId" in event ? event.bids[0]?.[0] : event.b;
 *     default:
 *       return undefined;
 *   }
 * }
 * console.log(priceOf({ lastUpdateId: 160, bids: [["0.0024", "10"]], asks: [] }));
 * ```
 */
export type MarketEvent =
  | AggregateTradeEvent
  | TradeEvent
  | BlockTradeEvent
  | LiquidationEvent
  | KlineEvent
  | ContinuousKlineEvent
  | PriceKlineEvent
  | MiniTickerEvent
  | TickerEvent
  | WindowTickerEvent
  | SpotBookTickerEvent
  | BookTickerEvent
  | PartialDepthEvent
  | DepthUpdateEvent
  | AveragePriceEvent
  | ReferencePriceEvent
  | MarkPriceEvent
  | IndexPriceEvent
  | OptionIndexPriceEvent
  | OptionMarkPriceEvent
  | CompositeIndexEvent
  | AssetIndexEvent
  | ContractInfoEvent
  | TradingSessionEvent
  | OptionSymbolEvent
  | OpenInterestEvent
  | ServerShutdownEvent;

/**
 * An event of an account. `e` tells which. An event that this version does not know arrives as it is, which a `default:` is
 * for.
 *
 * @example
 * ```ts
 * import type { AccountEvent } from "@rawtick/binance";
 *
 * function orderIdOf(event: AccountEvent): string | undefined {
 *   if (event.e === "executionReport") return String(event.i);
 *   if (event.e === "ORDER_TRADE_UPDATE") return String(event.o.i);
 * }
 * console.log(orderIdOf({ e: "eventStreamTerminated", E: 1728973001334 }));
 * ```
 */
export type AccountEvent =
  | AccountPositionEvent
  | BalanceUpdateEvent
  | ExternalLockUpdateEvent
  | EventStreamTerminatedEvent
  | MarginLevelStatusEvent
  | UserLiabilityEvent
  | AccountUpdateEvent
  | AccountConfigUpdateEvent
  | MarginCallEvent
  | ListenKeyExpiredEvent
  | AlgoUpdateEvent
  | TriggerRejectEvent
  | StrategyUpdateEvent
  | GridUpdateEvent
  | OptionsAccountUpdateEvent
  | BalancePositionEvent
  | GreekUpdateEvent
  | OptionsRiskLevelEvent
  | ExecutionReportEvent
  | ListStatusEvent
  | OrderTradeUpdateEvent
  | TradeLiteEvent
  | ConditionalOrderEvent
  | LiabilityChangeEvent
  | OpenOrderLossEvent
  | RiskLevelEvent
  | ProAccountUpdateEvent;

/**
 * Any event.
 *
 * @example
 * ```ts
 * import type { BinanceEvent } from "@rawtick/binance";
 *
 * const describe = (event: BinanceEvent) => event.e ?? "an event without a type";
 * console.log(describe({ e: "serverShutdown", E: 1770123456789 }));
 * ```
 */
export type BinanceEvent = MarketEvent | AccountEvent;
