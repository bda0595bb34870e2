/**
 * Listen keys of one product: valid for 60 minutes, the same one on every POST (Binance USD-M "User Data Streams").
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Clock, Timer } from "../../base/mod.ts";
import type { Account } from "./account.ts";
import { ApiFault } from "./api_fault.ts";

/**
 * Whose listen keys they are: `"spot"` is Binance.US only, `"margin"` is margin's risk stream.
 *
 * @example
 * ```ts
 * import { type ListenKeyProduct, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const product: ListenKeyProduct = "usdm";
 * await using exchange = await startLocalExchange();
 * console.log(exchange.account({ apiKey: "key", apiSecret: "secret" }).listenKey(product));
 * ```
 */
export type ListenKeyProduct = "spot" | "usdm" | "coinm" | "options" | "portfolioMargin" | "margin";

/** A key that is valid. */
export interface ListenKey {
  readonly key: string;
  readonly account: Account;
  expiresAt: number;
  timer: Timer;
}

/** How long a key is valid after it was asked for or kept, in ms. */
export const LISTEN_KEY_MS = 3_600_000;

/** The keys of all accounts for one product. */
export class ListenKeys {
  readonly product: ListenKeyProduct;
  readonly #clock: Clock;
  readonly #onExpired: (key: ListenKey) => void;
  readonly #keys = new Map<Account, ListenKey>();

  /** Creates a product without keys. `onExpired` is called for a key that has just become invalid. */
  constructor(product: ListenKeyProduct, clock: Clock, onExpired: (key: ListenKey) => void) {
    this.product = product;
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** The key of an account; `undefined` if it has none. */
  of(account: Account): ListenKey | undefined {
    return this.#keys.get(account);
  }

  /** The key of an account, extended or new. */
  create(account: Account): ListenKey {
    const active = this.#keys.get(account);
    if (active !== undefined) return this.#extend(active);
    // 64 letters and digits, as Binance's are.
    const key = Buffer.from(randomBytes(72)).toString("base64").replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 64).padEnd(
      64,
      "0",
    );
    const created: ListenKey = { key, account, expiresAt: 0, timer: { cancel() {} } };
    this.#keys.set(account, created);
    return this.#extend(created);
  }

  /** Keeps the key of an account. @throws {ApiFault} -1125 if it has none, or not this one. */
  extend(account: Account, key?: string): ListenKey {
    return this.#extend(this.#valid(account, key));
  }

  /** Ends the key of an account. @throws {ApiFault} -1125 if it has none, or not this one. */
  remove(account: Account, key?: string): void {
    this.expire(this.#valid(account, key));
  }

  /** Ends a key, as time does. */
  expire(key: ListenKey): void {
    key.timer.cancel();
    this.#keys.delete(key.account);
    this.#onExpired(key);
  }

  /** Makes the key of an account invalid without telling anyone; whether there was one. */
  forget(account: Account): boolean {
    this.#keys.get(account)?.timer.cancel();
    return this.#keys.delete(account);
  }

  /** Forgets all timers. */
  close(): void {
    for (const { timer } of this.#keys.values()) timer.cancel();
  }

  #valid(account: Account, key: string | undefined): ListenKey {
    const active = this.#keys.get(account);
    if (active !== undefined && (key === undefined || key === active.key)) return active;
    const msg = this.product === "usdm"
      ? "This listenKey does not exist. Please use `POST /fapi/v1/listenKey` to recreate `listenKey`"
      : "This listenKey does not exist.";
    throw new ApiFault(-1125, msg);
  }

  #extend(key: ListenKey): ListenKey {
    key.timer.cancel();
    key.expiresAt = this.#clock.now() + LISTEN_KEY_MS;
    key.timer = this.#clock.setTimer(() => this.expire(key), LISTEN_KEY_MS);
    return key;
  }
}
