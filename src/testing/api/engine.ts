/**
 * The matching of one market, by simple rules: who has no price is never crossed; MARKET fills at once, at the price or at
 * 100; LIMIT fills at once if the price crosses it and rests otherwise, until the price is moved across it or it is filled
 * by hand.
 *
 * @module
 */

import type { Account } from "./account.ts";
import { ApiFault } from "./api_fault.ts";
import { type Decimal, decimal, divide, multiply, smaller } from "./decimal.ts";
import type { Execution, Order, OrderList, OrderTicket, Trade } from "./order.ts";
import { isConditional, isMarket, isOpen } from "./order.ts";
import { OrderBook } from "./order_book.ts";
import type { Settlement } from "./settlement.ts";

/** Who is told what happens, in the order in which it happens. */
export interface EngineSink {
  now(): number;
  order(order: Order, execution: Execution, trade: Trade | undefined, cancelId: string | undefined): void;
  list(list: OrderList): void;
  /** Assets, or positions on derivatives, are different now. */
  balances(account: Account, names: readonly string[]): void;
}

/** A list that is to be placed. */
export interface ListTicket {
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly contingencyType: "OCO" | "OTO";
  readonly working: number;
  readonly tickets: readonly OrderTicket[];
}

/** With what a market refuses orders. */
export interface EngineRefusals {
  /** An open order has the same client order id. */
  readonly duplicate: readonly [code: number, msg: string];
  /** The order would be triggered at once. */
  readonly trigger: readonly [code: number, msg: string];
}

/** What MARKET orders are filled at when the symbol has no price. */
const DEFAULT_PRICE = decimal("100");

/** The orders of one market. */
export class Engine {
  readonly orders: OrderBook = new OrderBook();
  readonly settlement: Settlement;
  readonly #sink: EngineSink;
  readonly #refusals: EngineRefusals;
  readonly #prices = new Map<string, Decimal>();
  #nextTrade = 1000n;

  /** Creates a market without prices. */
  constructor(settlement: Settlement, sink: EngineSink, refusals: EngineRefusals) {
    this.settlement = settlement;
    this.#sink = sink;
    this.#refusals = refusals;
  }

  /** The price of a symbol, or what its MARKET orders would be filled at. */
  price(symbol: string): Decimal {
    return this.#prices.get(symbol) ?? DEFAULT_PRICE;
  }

  /** @throws {ApiFault} if the order would be refused for its price or its id. */
  check(account: Account, ticket: OrderTicket): void {
    if (this.orders.openWith(account, ticket.clientOrderId) !== undefined) {
      throw new ApiFault(...this.#refusals.duplicate);
    }
    const price = this.#prices.get(ticket.symbol);
    if (price === undefined) return;
    if (ticket.type === "LIMIT_MAKER" && crosses(ticket, price)) {
      throw new ApiFault(-2010, "Order would immediately match and take.");
    }
    if (isConditional(ticket) && ticket.stopPrice > 0n && triggers(ticket, price)) {
      throw new ApiFault(...this.#refusals.trigger);
    }
  }

  /** Places an order. @throws {ApiFault} if it is refused. */
  place(account: Account, ticket: OrderTicket): Order {
    this.check(account, ticket);
    const order = this.orders.create(account, ticket, undefined, this.#sink.now());
    this.settlement.lock(order, this.price(order.symbol));
    this.#open(order);
    this.#tell(order, "NEW");
    this.#match(order, true);
    this.#commit(account);
    return order;
  }

  /** Places a list. @throws {ApiFault} if one of its orders is refused. */
  placeList(account: Account, ticket: ListTicket): OrderList {
    for (const each of ticket.tickets) this.check(account, each);
    const list = this.orders.createList(account, ticket, this.#sink.now());
    const first = list.orders[0];
    if (first !== undefined) this.settlement.lock(first, this.price(list.symbol));
    for (const [index, order] of list.orders.entries()) {
      this.#open(order);
      if (list.working > 0 && index >= list.working) {
        order.status = "PENDING_NEW";
        order.workingTime = -1;
      }
    }
    this.#sink.list(list);
    for (const order of list.orders) this.#tell(order, "NEW");
    for (const order of list.orders) this.#match(order, true);
    this.#commit(account);
    return list;
  }

  /** Cancels an open order, and the rest of its list. */
  cancel(order: Order, cancelId?: string): void {
    for (const each of order.list?.orders ?? [order]) {
      if (isOpen(each)) this.#end(each, "CANCELED", each === order ? cancelId : undefined);
    }
    this.#endList(order);
    this.#commit(order.account);
  }

  /** Changes an open order; its place in the book is not modelled. */
  amend(order: Order, change: { quantity?: Decimal; price?: Decimal; execution: "REPLACED" | "AMENDMENT" }): void {
    const now = this.#sink.now();
    this.settlement.unlock(order);
    if (change.quantity !== undefined) {
      order.amendments.push({ time: now, origQty: order.quantity, newQty: change.quantity });
      order.quantity = change.quantity;
    }
    if (change.price !== undefined) order.price = change.price;
    order.updatedAt = now;
    const rest = { ...order, quantity: order.quantity - order.executed };
    this.settlement.lock(rest, this.price(order.symbol));
    order.locked = rest.locked;
    this.#tell(order, change.execution);
    this.#match(order, true);
    this.#commit(order.account);
  }

  /** Moves the price of a symbol: what waits for it triggers, what it crosses fills at its own price. */
  setPrice(symbol: string, price: Decimal): void {
    this.#prices.set(symbol, price);
    for (const order of this.orders.openOf(symbol)) {
      this.#match(order, false);
      this.#commit(order.account);
    }
  }

  /** Fills an open order by hand. */
  fill(order: Order, quantity: Decimal = order.quantity - order.executed, price?: Decimal): void {
    const own = order.price > 0n ? order.price : this.price(order.symbol);
    if (order.workingTime < 0) this.#trigger(order);
    this.#trade(order, smaller(quantity, order.quantity - order.executed), price ?? own, true);
    this.#commit(order.account);
  }

  /** Ends an open order as expired, by hand. */
  expire(order: Order): void {
    this.#end(order, "EXPIRED");
    this.#endList(order);
    this.#commit(order.account);
  }

  #open(order: Order): void {
    this.orders.add(order);
    order.account.notePlacement(order.clientOrderId);
    order.workingTime = isConditional(order) ? -1 : this.#sink.now();
  }

  #match(order: Order, isTaker: boolean): void {
    if (!isOpen(order) || order.status === "PENDING_NEW") return;
    const price = this.#prices.get(order.symbol);
    if (order.workingTime < 0) {
      if (price === undefined || !triggers(order, price)) return;
      this.#trigger(order);
      this.#tell(order, "NEW");
    }
    if (isMarket(order)) {
      const at = price ?? DEFAULT_PRICE;
      if (order.quantity === 0n) order.quantity = divide(order.quoteQuantity, at);
      this.#trade(order, order.quantity - order.executed, at, false);
    } else if (price !== undefined && crosses(order, price)) {
      this.#trade(order, order.quantity - order.executed, isTaker ? price : order.price, !isTaker);
    } else if (order.timeInForce === "IOC" || order.timeInForce === "FOK") {
      this.#end(order, "EXPIRED");
    }
  }

  #trigger(order: Order): void {
    order.workingTime = this.#sink.now();
    this.#endSiblings(order);
  }

  #trade(order: Order, quantity: Decimal, price: Decimal, isMaker: boolean): void {
    if (quantity <= 0n || !isOpen(order)) return;
    this.#endSiblings(order);
    const time = this.#sink.now();
    const { amount: commission, asset: commissionAsset } = this.settlement.commission(order, price, quantity);
    const trade = { id: this.#nextTrade++, time, price, quantity, commission, commissionAsset, isMaker };
    order.trades.push(trade);
    order.executed += quantity;
    order.quote += multiply(price, quantity);
    order.updatedAt = time;
    order.status = order.executed === order.quantity ? "FILLED" : "PARTIALLY_FILLED";
    this.settlement.settle(order, trade);
    if (order.status === "FILLED") this.#close(order);
    this.#sink.order(order, "TRADE", trade, undefined);
    if (order.status !== "FILLED" || order.list === undefined) return;
    this.#startPending(order, order.list);
    this.#endList(order);
  }

  /** The first order of an OTO list is filled: the others work now. */
  #startPending(order: Order, list: OrderList): void {
    const pending = list.orders.filter(({ status }) => status === "PENDING_NEW");
    if (order !== list.orders[0] || pending.length === 0) return;
    for (const each of pending) {
      each.status = "NEW";
      each.updatedAt = this.#sink.now();
      if (!isConditional(each)) each.workingTime = this.#sink.now();
      if (each.quantity === 0n) each.quantity = order.executed;
      this.#tell(each, "NEW");
    }
    for (const each of pending) this.#match(each, true);
  }

  /** Of the orders of a list that exclude each other, one has come: the others expire. */
  #endSiblings(order: Order): void {
    const { list } = order;
    if (list === undefined || list.orders.indexOf(order) < list.working) return;
    for (const other of list.orders.slice(list.working)) {
      if (other !== order && isOpen(other)) this.#end(other, "EXPIRED");
    }
  }

  #end(order: Order, status: "CANCELED" | "EXPIRED", cancelId?: string): void {
    order.status = status;
    order.updatedAt = this.#sink.now();
    this.#close(order);
    this.#sink.order(order, status, undefined, cancelId);
    // An OTO list whose first order ends unfilled has nothing to wait for.
    const { list } = order;
    if (list === undefined || order !== list.orders[0] || list.working === 0) return;
    for (const other of list.orders) if (other.status === "PENDING_NEW") this.#end(other, status);
  }

  #close(order: Order): void {
    this.settlement.unlock(order);
    this.orders.close(order);
  }

  #endList({ list }: Order): void {
    if (list === undefined || list.status === "ALL_DONE" || list.orders.some(isOpen)) return;
    list.status = "ALL_DONE";
    this.#sink.list(list);
  }

  #tell(order: Order, execution: Execution): void {
    this.#sink.order(order, execution, undefined, undefined);
  }

  #commit(account: Account): void {
    const touched = this.settlement.takeTouched(account);
    if (touched.length > 0) this.#sink.balances(account, touched);
  }
}

function crosses({ side, price }: OrderTicket, market: Decimal): boolean {
  return side === "BUY" ? market <= price : market >= price;
}

function triggers({ side, type, stopPrice }: OrderTicket, market: Decimal): boolean {
  const isProfit = type.startsWith("TAKE_PROFIT");
  return (side === "BUY") === isProfit ? market <= stopPrice : market >= stopPrice;
}
