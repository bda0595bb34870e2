/**
 * An account of the local exchange as its user sees it.
 *
 * @module
 */

import type { ListenKeyProduct } from "./listen_keys.ts";
import type { AccountEvent, LocalApiName } from "./venue.ts";

/**
 * A key of an account: with a secret it is an HMAC key, with a public key (PEM, SPKI) an RSA or an Ed25519 key.
 *
 * @example
 * ```ts
 * import { type LocalKeyOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const key: LocalKeyOptions = { apiKey: "my-key", apiSecret: "my-secret" };
 * await using exchange = await startLocalExchange();
 * exchange.account(key);
 * ```
 */
export type LocalKeyOptions =
  & { readonly apiKey: string }
  & ({ readonly apiSecret: string } | { readonly publicKey: string });

/**
 * An account that is to be created.
 *
 * @example
 * ```ts
 * import { type LocalAccountOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const options: LocalAccountOptions = { apiKey: "key", apiSecret: "secret", balances: { USDT: "1000" } };
 * await using exchange = await startLocalExchange();
 * console.log(exchange.account(options).balance("USDT"));
 * ```
 */
export type LocalAccountOptions = LocalKeyOptions & {
  /** What it owns; nothing of any other asset. Default: 1000000 of every asset. */
  readonly balances?: Readonly<Record<string, string>>;
};

/**
 * An order on the local exchange. Numbers are plain decimals without trailing zeros.
 *
 * @example
 * ```ts
 * import { type LocalOrder, startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const orders: readonly LocalOrder[] = exchange.account({ apiKey: "key", apiSecret: "secret" }).orders();
 * console.log(orders.length);
 * ```
 */
export interface LocalOrder {
  /** Its id. */
  readonly orderId: bigint;
  /** The client's id, or the one that was made up. */
  readonly clientOrderId: string;
  /** Its symbol, such as `BTCUSDT`. */
  readonly symbol: string;
  /** `BUY` or `SELL`. */
  readonly side: string;
  /** Such as `LIMIT`. */
  readonly type: string;
  /** Such as `NEW`. */
  readonly status: string;
  /** Price; `0` if it has none. */
  readonly price: string;
  /** Quantity in the base asset. */
  readonly quantity: string;
  /** How much of it was filled. */
  readonly executed: string;
  /** When it was placed, in ms since 1970. */
  readonly time: number;
}

/**
 * How much of an order is filled by hand, and at what price.
 *
 * @example
 * ```ts
 * import { type FillOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const options: FillOptions = { quantity: "0.5", api: "usdm" };
 * await using exchange = await startLocalExchange();
 * console.log(exchange.account({ apiKey: "key", apiSecret: "secret" }).fill("no-such-order", options));
 * ```
 */
export interface FillOptions {
  /** Default: all that is open. */
  readonly quantity?: string;
  /** Default: the order's own, or the symbol's. */
  readonly price?: string;
  /** Where the order is. Default: `"spot"`. */
  readonly api?: LocalApiName;
}

/**
 * An account of the local exchange: what it owns is shared by all APIs; its orders are apart.
 *
 * @example Each order is placed as often as it was asked for
 * ```ts
 * import { type LocalAccount, startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const account: LocalAccount = exchange.account({ apiKey: "key", apiSecret: "secret" });
 * console.log(account.placements.get("my-order") ?? 0);
 * ```
 */
export interface LocalAccount {
  /**
   * Adds a further key.
   *
   * @throws {RangeError} if there is one of this name.
   * @throws {TypeError} if the public key is neither RSA nor Ed25519.
   */
  addKey(options: LocalKeyOptions): void;
  /** The orders of the account on an API, oldest first. Default: on spot. */
  orders(api?: LocalApiName): readonly LocalOrder[];
  /**
   * How often an order with each client order id came into being, on all APIs: more than 1 is what a client must never
   * do. `exchange.api.requests` says how often it was asked for.
   */
  readonly placements: ReadonlyMap<string, number>;
  /** What the account can spend of an asset. */
  balance(asset: string): string;
  /** Number of its subscriptions of account events on open connections of the spot WebSocket API. */
  readonly subscriptions: number;
  /**
   * Fills an order, at once and with its events.
   *
   * @param name Client order id or order id.
   * @returns Whether there is such an open order.
   */
  fill(name: string | bigint, options?: FillOptions): boolean;
  /**
   * Ends an open order as expired, with its events.
   *
   * @param name Client order id or order id.
   * @param api Where the order is. Default: `"spot"`.
   * @returns Whether there is such an open order.
   */
  expireOrder(name: string | bigint, api?: LocalApiName): boolean;
  /** Adds to what the account owns, or with a minus takes from it: `balanceUpdate` and `outboundAccountPosition` come. */
  deposit(asset: string, amount: string): void;
  /** Makes a key, or all keys of the account, unusable: the next request of a session gets 401 and -2015. */
  revoke(apiKey?: string): void;
  /** Makes the keys usable again. */
  restore(): void;
  /** Logs the account off on every connection, as the exchange may: the session's subscriptions end with it. */
  logOff(): void;
  /** Ends its subscriptions on spot: `eventStreamTerminated` comes. */
  endSubscriptions(): void;
  /** Makes its listen tokens invalid and ends their subscriptions. */
  endTokens(): void;
  /** The listen key that is valid now; `undefined` if there is none. */
  listenKey(product: ListenKeyProduct): string | undefined;
  /** Lets a listen key expire: `listenKeyExpired` comes, nothing after it. @returns Whether there was one. */
  expireListenKey(product: ListenKeyProduct): boolean;
  /** Makes a listen key invalid and says nothing: keeping it is answered with -1125. @returns Whether there was one. */
  forgetListenKey(product: ListenKeyProduct): boolean;
  /**
   * Sends an event of the account.
   *
   * @param to Subscriptions and listen keys of an API (as its own events), or a product's listen keys only. Default:
   * `"spot"`.
   */
  sendEvent(event: AccountEvent, to?: LocalApiName | ListenKeyProduct): void;
}
