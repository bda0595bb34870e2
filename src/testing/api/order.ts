/**
 * Orders, their trades and their lists.
 *
 * @module
 */

import type { Account } from "./account.ts";
import type { Decimal } from "./decimal.ts";

/** The state of an order (Binance enums.md, "Order status"). */
export type OrderStatus = "NEW" | "PENDING_NEW" | "PARTIALLY_FILLED" | "FILLED" | "CANCELED" | "EXPIRED" | "REJECTED";

/** What happened to an order (Binance enums.md, "Execution types"). */
export type Execution = "NEW" | "TRADE" | "CANCELED" | "EXPIRED" | "REPLACED" | "AMENDMENT";

/** A part of an order that was filled. */
export interface Trade {
  readonly id: bigint;
  readonly time: number;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly commission: Decimal;
  readonly commissionAsset: string;
  readonly isMaker: boolean;
}

/** What an order is to be. */
export interface OrderTicket {
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly type: string;
  readonly timeInForce: string;
  /** 0 if it has none. */
  readonly price: Decimal;
  /** 0 if it is given in the quote asset. */
  readonly quantity: Decimal;
  /** 0 if it is given in the base asset. */
  readonly quoteQuantity: Decimal;
  /** 0 if it has none. */
  readonly stopPrice: Decimal;
  /** Parameters that change nothing here and are shown as they came. */
  readonly shown: Readonly<Record<string, string | undefined>>;
}

/** An order. */
export interface Order extends OrderTicket {
  readonly account: Account;
  readonly id: bigint;
  clientOrderId: string;
  quantity: Decimal;
  price: Decimal;
  side: "BUY" | "SELL";
  status: OrderStatus;
  executed: Decimal;
  /** What was paid or received for it. */
  quote: Decimal;
  /** What is locked for it in the wallet. */
  locked: Decimal;
  readonly createdAt: number;
  updatedAt: number;
  /** Since when it may fill, in ms; -1 if it may not yet. */
  workingTime: number;
  readonly list: OrderList | undefined;
  readonly trades: Trade[];
  readonly amendments: { readonly time: number; readonly origQty: Decimal; readonly newQty: Decimal }[];
}

/** Orders that belong together. */
export interface OrderList {
  readonly account: Account;
  readonly id: bigint;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly contingencyType: "OCO" | "OTO";
  readonly orders: Order[];
  /** Number of orders at the start of the list that must be filled before the others work: 1 for OTO, 0 for OCO. */
  readonly working: number;
  status: "EXEC_STARTED" | "ALL_DONE";
  readonly createdAt: number;
}

/** Whether an order can still change. */
export function isOpen({ status }: Order): boolean {
  return status === "NEW" || status === "PARTIALLY_FILLED" || status === "PENDING_NEW";
}

/** Whether an order waits for a price before it works (spot and derivatives). */
export function isConditional({ type }: OrderTicket): boolean {
  return type.startsWith("STOP") || type.startsWith("TAKE_PROFIT") || type === "TRAILING_STOP_MARKET";
}

/** Whether an order fills at any price once it works. */
export function isMarket({ type }: OrderTicket): boolean {
  return type === "MARKET" || type === "STOP_LOSS" || type === "TAKE_PROFIT" || type.endsWith("_MARKET");
}
