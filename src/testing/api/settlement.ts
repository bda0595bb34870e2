/**
 * What an order locks, and what a trade moves: the wallet on spot, positions on the derivatives.
 *
 * @module
 */

import type { Account } from "./account.ts";
import { ApiFault } from "./api_fault.ts";
import { type Decimal, decimal, divide, multiply } from "./decimal.ts";
import { isMarket, type Order, type Trade } from "./order.ts";
import { knownAssets } from "./symbols.ts";

/** What an engine needs to know of money. */
export interface Settlement {
  /**
   * Locks what an order needs; `price` is what it would be filled at if it is filled now.
   *
   * @throws {ApiFault} -2010 or -2019 if the account doesn't have it.
   */
  lock(order: Order, price: Decimal): void;
  /** Gives back what is locked. */
  unlock(order: Order): void;
  /** Moves what a trade moves; it is part of `order.trades` already. */
  settle(order: Order, trade: Trade): void;
  /** Commission of a trade. */
  commission(order: Order, price: Decimal, quantity: Decimal): { readonly amount: Decimal; readonly asset: string };
  /** The assets of an account, or on derivatives its symbols, that were changed since the last call. */
  takeTouched(account: Account): readonly string[];
}

/** Names of what was changed, by account. */
class Touched {
  readonly #names = new Map<Account, Set<string>>();

  add(account: Account, name: string): void {
    const names = this.#names.get(account) ?? new Set();
    this.#names.set(account, names.add(name));
  }

  take(account: Account): readonly string[] {
    const names = [...this.#names.get(account) ?? []];
    this.#names.delete(account);
    return names;
  }
}

/** A thousandth, as on a Binance account without discounts. */
const SPOT_FEE = decimal("0.001");

/** Spot: one asset is exchanged for another. */
export class SpotSettlement implements Settlement {
  readonly #touched = new Touched();

  lock(order: Order, price: Decimal): void {
    const { base, quote } = knownAssets(order.symbol);
    const asset = order.side === "BUY" ? quote : base;
    const balance = order.account.wallet.of(asset);
    const atPrice = isMarket(order) ? price : order.price;
    const inQuote = order.quoteQuantity > 0n ? order.quoteQuantity : multiply(order.quantity, atPrice);
    const inBase = order.quantity > 0n ? order.quantity : divide(order.quoteQuantity, atPrice);
    const needed = order.side === "BUY" ? inQuote : inBase;
    if (balance.free < needed) {
      throw new ApiFault(-2010, "Account has insufficient balance for requested action.");
    }
    balance.free -= needed;
    balance.locked += needed;
    order.locked = needed;
    this.#touched.add(order.account, base);
    this.#touched.add(order.account, quote);
  }

  unlock(order: Order): void {
    if (order.locked === 0n) return;
    const { base, quote } = knownAssets(order.symbol);
    const balance = order.account.wallet.of(order.side === "BUY" ? quote : base);
    balance.locked -= order.locked;
    balance.free += order.locked;
    order.locked = 0n;
    this.#touched.add(order.account, base);
    this.#touched.add(order.account, quote);
  }

  settle(order: Order, trade: Trade): void {
    const { base, quote } = knownAssets(order.symbol);
    const [paidAsset, paid, gotAsset, got] = order.side === "BUY"
      ? [quote, multiply(trade.price, trade.quantity), base, trade.quantity]
      : [base, trade.quantity, quote, multiply(trade.price, trade.quantity)];
    const paying = order.account.wallet.of(paidAsset);
    const fromLock = paid < order.locked ? paid : order.locked;
    order.locked -= fromLock;
    paying.locked -= fromLock;
    paying.free -= paid - fromLock;
    order.account.wallet.of(gotAsset).free += got - trade.commission;
    this.#touched.add(order.account, base);
    this.#touched.add(order.account, quote);
  }

  commission(order: Order, price: Decimal, quantity: Decimal): { readonly amount: Decimal; readonly asset: string } {
    const { base, quote } = knownAssets(order.symbol);
    return order.side === "BUY"
      ? { amount: multiply(quantity, SPOT_FEE), asset: base }
      : { amount: multiply(multiply(price, quantity), SPOT_FEE), asset: quote };
  }

  takeTouched(account: Account): readonly string[] {
    return this.#touched.take(account);
  }
}

/** What an account holds of a contract; 0 if nothing, less than 0 if it is short. */
export interface Position {
  readonly symbol: string;
  readonly side: string;
  amount: Decimal;
  entryPrice: Decimal;
  updatedAt: number;
}

/** Derivatives: trades make positions; no margin is asked for. */
export class FuturesSettlement implements Settlement {
  readonly #touched = new Touched();
  readonly #positions = new Map<Account, Map<string, Position>>();

  /** The positions of an account, also those that are 0. */
  positions(account: Account): readonly Position[] {
    return [...this.#positions.get(account)?.values() ?? []];
  }

  lock(): void {}

  unlock(): void {}

  settle(order: Order, trade: Trade): void {
    const side = order.shown.positionSide ?? "BOTH";
    const positions = this.#positions.get(order.account) ?? new Map<string, Position>();
    this.#positions.set(order.account, positions);
    const key = `${order.symbol} ${side}`;
    const position = positions.get(key) ?? { symbol: order.symbol, side, amount: 0n, entryPrice: 0n, updatedAt: 0 };
    positions.set(key, position);
    const change = order.side === "BUY" ? trade.quantity : -trade.quantity;
    const before = position.amount;
    position.amount += change;
    position.updatedAt = trade.time;
    const grows = before === 0n || (before > 0n) === (change > 0n);
    if (position.amount === 0n) position.entryPrice = 0n;
    else if (grows) {
      const cost = multiply(position.entryPrice, before) + multiply(trade.price, change);
      position.entryPrice = divide(cost, position.amount);
    } else if ((before > 0n) !== (position.amount > 0n)) position.entryPrice = trade.price;
    this.#touched.add(order.account, key);
  }

  commission(_order: Order, price: Decimal, quantity: Decimal): { readonly amount: Decimal; readonly asset: string } {
    const { base, quote } = knownAssets(_order.symbol);
    return { amount: multiply(multiply(price, quantity), decimal("0.0004")), asset: quote === "USD" ? base : quote };
  }

  takeTouched(account: Account): readonly string[] {
    return this.#touched.take(account);
  }
}
