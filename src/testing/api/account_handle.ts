/**
 * What the user of an exchange can do with an account.
 *
 * @module
 */

import type { Account } from "./account.ts";
import type { ApiService } from "./api_service.ts";
import { type Decimal, decimal, formatShort } from "./decimal.ts";
import { ApiKey } from "./keys.ts";
import type { ListenKeyProduct } from "./listen_keys.ts";
import type { FillOptions, LocalAccount, LocalAccountOptions, LocalKeyOptions, LocalOrder } from "./local_account.ts";
import { isOpen, type Order } from "./order.ts";
import { balanceUpdate, outboundAccountPosition } from "./spot_events.ts";
import type { AccountEvent, LocalApiName } from "./venue.ts";

/** Implements {@linkcode LocalAccount}, whose docstrings say what its members do. */
export class AccountHandle implements LocalAccount {
  readonly #account: Account;
  readonly #service: ApiService;

  /** Creates an account of `service`, with its first key. */
  constructor(service: ApiService, options: LocalAccountOptions) {
    this.#service = service;
    this.#account = service.createAccount(options.balances);
    this.addKey(options);
  }

  addKey(options: LocalKeyOptions): void {
    const { keys } = this.#service;
    if (keys.has(options.apiKey)) throw new RangeError(`Cannot add the key "${options.apiKey}": it exists already`);
    keys.set(options.apiKey, new ApiKey(options.apiKey, options, this.#account));
  }

  orders(api: LocalApiName = "spot"): readonly LocalOrder[] {
    return this.#service.venues[api].engine.orders.of(this.#account).map(shown);
  }

  get placements(): ReadonlyMap<string, number> {
    return this.#account.placements;
  }

  balance(asset: string): string {
    return formatShort(this.#account.wallet.of(asset).free);
  }

  get subscriptions(): number {
    return this.#service.userStreams.count(this.#account);
  }

  fill(name: string | bigint, options: FillOptions = {}): boolean {
    const { quantity, price, api = "spot" } = options;
    const read = (text: string | undefined): Decimal | undefined => text === undefined ? undefined : decimal(text);
    return this.#withOpen(name, api, (order) => this.#engine(api).fill(order, read(quantity), read(price)));
  }

  expireOrder(name: string | bigint, api: LocalApiName = "spot"): boolean {
    return this.#withOpen(name, api, (order) => this.#engine(api).expire(order));
  }

  deposit(asset: string, amount: string): void {
    const now = this.#service.now();
    this.#account.wallet.of(asset).free += decimal(amount);
    this.#account.updatedAt = now;
    this.#service.sendEvent("spot", this.#account, balanceUpdate(asset, amount, now));
    this.#service.sendEvent("spot", this.#account, outboundAccountPosition(this.#account, [asset], now));
  }

  revoke(apiKey?: string): void {
    for (const key of this.#service.keys.values()) {
      if (key.account === this.#account && (apiKey === undefined || key.apiKey === apiKey)) key.isRevoked = true;
    }
    this.#service.userStreams.terminateAll(this.#account);
  }

  restore(): void {
    for (const key of this.#service.keys.values()) if (key.account === this.#account) key.isRevoked = false;
  }

  logOff(): void {
    for (const connection of this.#service.connections) {
      if (connection.logon?.key.account === this.#account) connection.logOut();
    }
  }

  endSubscriptions(): void {
    this.#service.userStreams.terminateAll(this.#account);
  }

  endTokens(): void {
    this.#service.userStreams.endTokens(this.#account);
  }

  listenKey(product: ListenKeyProduct): string | undefined {
    return this.#service.keysOf(product).of(this.#account)?.key;
  }

  expireListenKey(product: ListenKeyProduct): boolean {
    const keys = this.#service.keysOf(product);
    const key = keys.of(this.#account);
    if (key !== undefined) keys.expire(key);
    return key !== undefined;
  }

  forgetListenKey(product: ListenKeyProduct): boolean {
    return this.#service.keysOf(product).forget(this.#account);
  }

  sendEvent(event: AccountEvent, to: LocalApiName | ListenKeyProduct = "spot"): void {
    if (to === "spot" || to === "usdm" || to === "coinm") this.#service.sendEvent(to, this.#account, event);
    else this.#service.sendToKey(to, this.#account, event);
  }

  #engine(api: LocalApiName) {
    return this.#service.venues[api].engine;
  }

  #withOpen(name: string | bigint, api: LocalApiName, action: (order: Order) => void): boolean {
    const order = this.#engine(api).orders.find(this.#account, undefined, {
      orderId: typeof name === "bigint" ? name : undefined,
      clientOrderId: typeof name === "string" ? name : undefined,
    });
    if (order === undefined || !isOpen(order)) return false;
    action(order);
    return true;
  }
}

function shown(order: Order): LocalOrder {
  return {
    orderId: order.id,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    side: order.side,
    type: order.type,
    status: order.status,
    price: formatShort(order.price),
    quantity: formatShort(order.quantity),
    executed: formatShort(order.executed),
    time: order.createdAt,
  };
}
