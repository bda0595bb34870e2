/**
 * What the methods return, as types: the fields that Binance documents, and room for those that it adds.
 *
 * @module
 */

/**
 * The types of results by name. Prices and quantities are texts, times milliseconds since 1970 (microseconds on a
 * connection with `timeUnit: "MICROSECOND"`), and an id beyond 2^53 is a text or a bigint, never a rounded number.
 * Nothing is checked at run time: fields that are not here come too.
 *
 * @example
 * ```ts
 * import type { ApiResults } from "@rawtick/binance";
 *
 * const spread = ({ bids, asks }: ApiResults["OrderBook"]) => Number(asks[0]?.[0]) - Number(bids[0]?.[0]);
 * console.log(spread({ lastUpdateId: 1, bids: [["0.99", "5"]], asks: [["1.01", "7"]] }));
 * ```
 */
export interface ApiResults {
  /** An object without fields that matter. */
  readonly Nothing: Readonly<Record<string, unknown>>;
  /** An object whose fields are in Binance's documents. */
  readonly Details: Readonly<Record<string, unknown>>;
  /** A list of objects whose fields are in Binance's documents. */
  readonly List: readonly Readonly<Record<string, unknown>>[];
  /** The exchange's clock. */
  readonly ServerTime: { readonly serverTime: number; readonly [field: string]: unknown };
  /** Rate limits, filters and symbols. */
  readonly ExchangeInfo: {
    readonly timezone: string;
    readonly serverTime: number;
    readonly rateLimits: ApiResults["RateLimits"];
    readonly symbols: readonly {
      readonly symbol: string;
      readonly status: string;
      readonly [field: string]: unknown;
    }[];
    readonly [field: string]: unknown;
  };
  /** An order book: pairs of price and quantity, the best first. */
  readonly OrderBook: {
    readonly lastUpdateId: number | string | bigint;
    readonly bids: readonly (readonly [price: string, quantity: string])[];
    readonly asks: readonly (readonly [price: string, quantity: string])[];
    readonly [field: string]: unknown;
  };
  /** Trades. */
  readonly Trades: readonly {
    readonly id: number | string | bigint;
    readonly price: string;
    readonly qty: string;
    readonly quoteQty: string;
    readonly time: number;
    readonly isBuyerMaker: boolean;
    readonly [field: string]: unknown;
  }[];
  /** Aggregate trades: id, price, quantity, first and last trade id, time, whether the buyer was the maker. */
  readonly AggregateTrades: readonly {
    readonly a: number | string | bigint;
    readonly p: string;
    readonly q: string;
    readonly f: number | string | bigint;
    readonly l: number | string | bigint;
    readonly T: number;
    readonly m: boolean;
    readonly [field: string]: unknown;
  }[];
  /** Candlesticks. */
  readonly Klines: readonly (readonly [
    openTime: number,
    open: string,
    high: string,
    low: string,
    close: string,
    volume: string,
    closeTime: number,
    quoteVolume: string,
    trades: number,
    takerBuyVolume: string,
    takerBuyQuoteVolume: string,
    unused: string,
  ])[];
  /** An average price of some minutes. */
  readonly AveragePrice: {
    readonly mins: number;
    readonly price: string;
    readonly closeTime: number;
    readonly [field: string]: unknown;
  };
  /** Statistics of a symbol. */
  readonly Ticker: {
    readonly symbol: string;
    readonly openPrice: string;
    readonly highPrice: string;
    readonly lowPrice: string;
    readonly lastPrice: string;
    readonly volume: string;
    readonly [field: string]: unknown;
  };
  /** Statistics: one object for `symbol`, a list otherwise. */
  readonly Tickers: ApiResults["Ticker"] | readonly ApiResults["Ticker"][];
  /** The latest price of a symbol. */
  readonly Price: { readonly symbol: string; readonly price: string; readonly [field: string]: unknown };
  /** Prices: one object for `symbol`, a list otherwise. */
  readonly Prices: ApiResults["Price"] | readonly ApiResults["Price"][];
  /** The best bid and ask of a symbol. */
  readonly BookTicker: {
    readonly symbol: string;
    readonly bidPrice: string;
    readonly bidQty: string;
    readonly askPrice: string;
    readonly askQty: string;
    readonly [field: string]: unknown;
  };
  /** Best bids and asks: one object for `symbol`, a list otherwise. */
  readonly BookTickers: ApiResults["BookTicker"] | readonly ApiResults["BookTicker"][];
  /** An order; `status` is missing in the short answer, `newOrderRespType: "ACK"`. */
  readonly Order: {
    readonly symbol: string;
    readonly orderId: number | string | bigint;
    readonly clientOrderId: string;
    readonly status?: string;
    readonly [field: string]: unknown;
  };
  /** Orders; in place of those of a list, the list. */
  readonly Orders: readonly {
    readonly symbol: string;
    readonly orderId?: number | string | bigint;
    readonly clientOrderId?: string;
    readonly status?: string;
    readonly [field: string]: unknown;
  }[];
  /** What became of both halves of a replacement. */
  readonly CancelReplace: {
    readonly cancelResult: string;
    readonly newOrderResult: string;
    readonly cancelResponse: Readonly<Record<string, unknown>> | null;
    readonly newOrderResponse: Readonly<Record<string, unknown>> | null;
    readonly [field: string]: unknown;
  };
  /** An order that waits for its trigger. */
  readonly AlgoOrder: {
    readonly algoId: number | string | bigint;
    readonly clientAlgoId: string;
    readonly [field: string]: unknown;
  };
  /** A list of orders, of which one decides about the others. */
  readonly OrderList: {
    readonly orderListId: number | string | bigint;
    readonly contingencyType: string;
    readonly listStatusType: string;
    readonly listOrderStatus: string;
    readonly listClientOrderId: string;
    readonly transactionTime: number;
    readonly symbol: string;
    readonly orders: readonly {
      readonly symbol: string;
      readonly orderId: number | string | bigint;
      readonly clientOrderId: string;
      readonly [field: string]: unknown;
    }[];
    readonly [field: string]: unknown;
  };
  /** Lists of orders. */
  readonly OrderLists: readonly ApiResults["OrderList"][];
  /** The account. */
  readonly Account: {
    readonly balances: readonly {
      readonly asset: string;
      readonly free: string;
      readonly locked: string;
      readonly [field: string]: unknown;
    }[];
    readonly [field: string]: unknown;
  };
  /** Rate limits; `count` is how much of `limit` is used. */
  readonly RateLimits: readonly {
    readonly rateLimitType: string;
    readonly interval: string;
    readonly intervalNum: number;
    readonly limit: number;
    readonly count?: number;
    readonly [field: string]: unknown;
  }[];
  /** The session of a connection; `apiKey` and `authorizedSince` are null while it is not logged on. */
  readonly Session: {
    readonly apiKey: string | null;
    readonly authorizedSince: number | null;
    readonly connectedSince: number;
    readonly returnRateLimits: boolean;
    readonly serverTime: number;
    readonly [field: string]: unknown;
  };
  /** A subscription of account events. */
  readonly Subscription: { readonly subscriptionId: number; readonly [field: string]: unknown };
  /** Subscriptions of account events. */
  readonly Subscriptions: readonly ApiResults["Subscription"][];
  /** A listen key. */
  readonly ListenKey: { readonly listenKey: string; readonly [field: string]: unknown };
}
