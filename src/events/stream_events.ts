/**
 * Which stream brings which event, for the compiler: the output `"typed"`.
 *
 * @module
 */

import type { BookTickerEvent, DepthUpdateEvent, PartialDepthEvent, SpotBookTickerEvent } from "./book_events.ts";
import type { ContinuousKlineEvent, KlineEvent, PriceKlineEvent } from "./candle_events.ts";
import type {
  ContractInfoEvent,
  OpenInterestEvent,
  OptionSymbolEvent,
  TradingSessionEvent,
} from "./contract_events.ts";
import type { AccountEvent, MarketEvent } from "./event.ts";
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
import type { MiniTickerEvent, TickerEvent, WindowTickerEvent } from "./ticker_events.ts";
import type { AggregateTradeEvent, BlockTradeEvent, LiquidationEvent, TradeEvent } from "./trade_events.ts";

/**
 * What each channel brings: of all exchanges, since the same name may mean different events on them.
 *
 * @example
 * ```ts
 * import type { ChannelEvents } from "@rawtick/binance";
 *
 * const read = (event: ChannelEvents["bookTicker"]) => [event.b, event.a];
 * ```
 */
export interface ChannelEvents {
  /** Spot and futures. */
  readonly aggTrade: AggregateTradeEvent;
  /** Spot, and undocumented on futures. */
  readonly trade: TradeEvent;
  /** Spot. */
  readonly blockTrade: BlockTradeEvent;
  /** Options. */
  readonly optionTrade: TradeEvent;
  /** Futures. */
  readonly forceOrder: LiquidationEvent;
  /** Spot and futures. */
  readonly miniTicker: MiniTickerEvent;
  /** Spot and futures. */
  readonly ticker: TickerEvent;
  /** Options. */
  readonly optionTicker: TickerEvent;
  /** Spot. */
  readonly ticker_1h: WindowTickerEvent;
  /** Spot. */
  readonly ticker_4h: WindowTickerEvent;
  /** Spot. */
  readonly ticker_1d: WindowTickerEvent;
  /** Without a type on spot. */
  readonly bookTicker: SpotBookTickerEvent | BookTickerEvent;
  /** Spot, futures and options. */
  readonly depth: DepthUpdateEvent;
  /** Without a type on spot. */
  readonly depth5: PartialDepthEvent | DepthUpdateEvent;
  /** Without a type on spot. */
  readonly depth10: PartialDepthEvent | DepthUpdateEvent;
  /** Without a type on spot. */
  readonly depth20: PartialDepthEvent | DepthUpdateEvent;
  /** USD-M. */
  readonly rpiDepth: DepthUpdateEvent;
  /** Spot. */
  readonly avgPrice: AveragePriceEvent;
  /** Spot. */
  readonly referencePrice: ReferencePriceEvent;
  /** An array for the contracts of a pair (COIN-M). */
  readonly markPrice: MarkPriceEvent | readonly MarkPriceEvent[];
  /** COIN-M. */
  readonly indexPrice: IndexPriceEvent;
  /** Options. */
  readonly optionMarkPrice: readonly OptionMarkPriceEvent[];
  /** Options. */
  readonly optionOpenInterest: OpenInterestEvent | readonly OpenInterestEvent[];
  /** Options, in another spelling of Binance's documents. */
  readonly openInterest: OpenInterestEvent | readonly OpenInterestEvent[];
  /** USD-M. */
  readonly compositeIndex: CompositeIndexEvent;
  /** USD-M. */
  readonly assetIndex: AssetIndexEvent;
  /** Spot, futures and options. */
  readonly [kline: `kline_${string}`]: KlineEvent;
  /** Futures. */
  readonly [continuousKline: `continuousKline_${string}`]: ContinuousKlineEvent;
  /** COIN-M. */
  readonly [indexPriceKline: `indexPriceKline_${string}`]: PriceKlineEvent;
  /** COIN-M. */
  readonly [markPriceKline: `markPriceKline_${string}`]: PriceKlineEvent;
}

/**
 * What each stream of a whole market brings, by the name in front of `@arr`.
 *
 * @example
 * ```ts
 * import type { WholeMarketEvents } from "@rawtick/binance";
 *
 * const symbols = (rows: WholeMarketEvents["!miniTicker"]) => rows.map(({ s }) => s);
 * ```
 */
export interface WholeMarketEvents {
  /** Spot and futures. */
  readonly "!miniTicker": readonly MiniTickerEvent[];
  /** Futures. */
  readonly "!ticker": readonly TickerEvent[];
  /** Spot. */
  readonly "!ticker_1h": readonly WindowTickerEvent[];
  /** Spot. */
  readonly "!ticker_4h": readonly WindowTickerEvent[];
  /** Spot. */
  readonly "!ticker_1d": readonly WindowTickerEvent[];
  /** Futures. */
  readonly "!bookTicker": BookTickerEvent;
  /** Futures. */
  readonly "!markPrice": readonly MarkPriceEvent[];
  /** Futures: one object in spite of its name. */
  readonly "!forceOrder": LiquidationEvent;
  /** Futures. */
  readonly "!contractInfo": ContractInfoEvent;
  /** USD-M. */
  readonly "!assetIndex": readonly AssetIndexEvent[];
  /** Options. */
  readonly "!index": readonly OptionIndexPriceEvent[];
  /** Options. */
  readonly "!optionSymbol": OptionSymbolEvent;
  /** USD-M. */
  readonly tradingSession: TradingSessionEvent;
  /** Events of an account. */
  readonly "!userData": AccountEvent;
}

/**
 * Whatever a market stream may bring: an event or an array of them.
 *
 * @example
 * ```ts
 * import type { MarketPayload } from "@rawtick/binance";
 *
 * const count = (payload: MarketPayload) => "length" in payload ? payload.length : 1;
 * console.log(count([]));
 * ```
 */
export type MarketPayload =
  | MarketEvent
  | readonly MiniTickerEvent[]
  | readonly TickerEvent[]
  | readonly WindowTickerEvent[]
  | readonly MarkPriceEvent[]
  | readonly AssetIndexEvent[]
  | readonly OptionIndexPriceEvent[]
  | readonly OptionMarkPriceEvent[]
  | readonly OpenInterestEvent[];

/**
 * What a stream brings, by its name: `EventOf<"btcusdt@trade">` is {@linkcode TradeEvent}. Where the compiler does not know
 * the name, it is {@linkcode MarketPayload}.
 *
 * @example
 * ```ts
 * import type { EventOf, TradeEvent } from "@rawtick/binance";
 *
 * const event: TradeEvent = { e: "trade", E: 2, s: "BNBBTC", t: 1, p: "0.001", q: "100", T: 1, m: true };
 * const same: EventOf<"bnbbtc@trade"> = event;
 * console.log(same.p);
 * ```
 */
export type EventOf<N extends string> = string extends N ? MarketPayload
  : N extends keyof WholeMarketEvents ? WholeMarketEvents[N]
  : N extends `${infer H}@${infer C}` ? H extends keyof WholeMarketEvents ? WholeMarketEvents[H]
    : C extends `${infer D}@${string}` ? D extends keyof ChannelEvents ? ChannelEvents[D] : MarketPayload
    : C extends keyof ChannelEvents ? ChannelEvents[C]
    : MarketPayload
  : MarketPayload;

/**
 * A message of the output `"typed"`: the name of the stream, and the payload as Binance sends it, with integers beyond 2^53
 * exact. The types of streams whose names the compiler knows tell which event each brings; streams that are subscribed to later
 * are not among them. Events and fields that this version does not know arrive as they are.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type TypedMessage } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"], output: "typed" });
 * for await (const message of stream) {
 *   const { data }: TypedMessage<"btcusdt@trade"> = message;
 *   assertEquals([data.e, data.s, typeof data.t], ["trade", "BTCUSDT", "number"]);
 *   break;
 * }
 * ```
 */
export type TypedMessage<N extends string = string> = N extends string ? {
    /** Name of the stream that the message belongs to, with its symbol in lower case. */
    readonly stream: N extends `!userData${string}` ? string
      : N extends `!${string}` ? N
      : N extends `${infer S}@${infer C}` ? `${Lowercase<S>}@${C}`
      : N;
    /** What it brings. */
    readonly data: EventOf<N>;
  }
  : never;

/**
 * The names of the streams that a selection means, as far as the compiler knows them: those in `streams`, or all that end in
 * one of the channels.
 *
 * @example
 * ```ts
 * import type { StreamNames } from "@rawtick/binance";
 *
 * const name: StreamNames<string, "trade"> = "btcusdt@trade";
 * console.log(name);
 * ```
 */
export type StreamNames<S extends string, C extends string> = string extends S
  ? (string extends C ? string : `${string}@${C}`)
  : S;
