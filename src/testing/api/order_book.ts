/**
 * Which orders there are, and how they are found.
 *
 * @module
 */

import type { Account } from "./account.ts";
import type { ListTicket } from "./engine.ts";
import { isOpen, type Order, type OrderList, type OrderTicket } from "./order.ts";

/** How an order is named in a request. */
export interface OrderName {
  readonly orderId: bigint | undefined;
  readonly clientOrderId: string | undefined;
}

/** The orders of one market, of all accounts. */
export class OrderBook {
  /** The id of the next order. */
  nextId = 4_293_153n;
  #nextListId = 1n;
  readonly #byId = new Map<bigint, Order>();
  readonly #ofAccount = new Map<Account, Order[]>();
  readonly #lists = new Map<Account, OrderList[]>();
  /** Open orders only, by account and client order id. */
  readonly #open = new Map<Account, Map<string, Order>>();
  readonly #openOf = new Map<string, Set<Order>>();

  /** Creates an order that is open. */
  create(account: Account, ticket: OrderTicket, list: OrderList | undefined, now: number): Order {
    const order: Order = {
      ...ticket,
      account,
      id: this.nextId++,
      status: "NEW",
      executed: 0n,
      quote: 0n,
      locked: 0n,
      createdAt: now,
      updatedAt: now,
      workingTime: -1,
      list,
      trades: [],
      amendments: [],
    };
    return order;
  }

  /** Creates a list with its orders. */
  createList(account: Account, ticket: ListTicket, now: number): OrderList {
    const { clientOrderId, symbol, contingencyType, working } = ticket;
    const list: OrderList = {
      account,
      id: this.#nextListId++,
      clientOrderId,
      symbol,
      contingencyType,
      working,
      status: "EXEC_STARTED",
      createdAt: now,
      orders: [],
    };
    for (const each of ticket.tickets) list.orders.push(this.create(account, each, list, now));
    return list;
  }

  /** An order was accepted: it can be found from now on. */
  add(order: Order): void {
    const { account, list } = order;
    this.#byId.set(order.id, order);
    get(this.#ofAccount, account, () => []).push(order);
    get(this.#open, account, () => new Map()).set(order.clientOrderId, order);
    get(this.#openOf, order.symbol, () => new Set()).add(order);
    if (list === undefined) return;
    const lists = get(this.#lists, account, () => []);
    if (!lists.includes(list)) lists.push(list);
  }

  /** An order isn't open any more. */
  close(order: Order): void {
    const open = this.#open.get(order.account);
    if (open?.get(order.clientOrderId) === order) open.delete(order.clientOrderId);
    this.#openOf.get(order.symbol)?.delete(order);
  }

  /** All orders of an account, oldest first. */
  of(account: Account): readonly Order[] {
    return this.#ofAccount.get(account) ?? [];
  }

  /** The lists of an account, oldest first. */
  listsOf(account: Account): readonly OrderList[] {
    return this.#lists.get(account) ?? [];
  }

  /** The open orders of a symbol, of all accounts, oldest first. */
  openOf(symbol: string): readonly Order[] {
    return [...this.#openOf.get(symbol) ?? []];
  }

  /** The open order of an account with this client order id. */
  openWith(account: Account, clientOrderId: string): Order | undefined {
    return this.#open.get(account)?.get(clientOrderId);
  }

  /** The order that a request names: by its id, else by its client order id, the newest of those. */
  find(account: Account, symbol: string | undefined, { orderId, clientOrderId }: OrderName): Order | undefined {
    const order = orderId === undefined
      ? this.openWith(account, clientOrderId ?? "") ??
        this.of(account).findLast((each) => each.clientOrderId === clientOrderId)
      : this.#byId.get(orderId);
    return order?.account === account && (symbol === undefined || order.symbol === symbol) ? order : undefined;
  }

  /** The open orders of an account, oldest first. */
  openOrders(account: Account, symbol: string | undefined): readonly Order[] {
    return this.of(account).filter((order) => isOpen(order) && (symbol === undefined || order.symbol === symbol));
  }
}

function get<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
