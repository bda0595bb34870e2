/**
 * Reads what an order is to be from the parameters of a request (Binance web-socket-api.md, "Place new order").
 *
 * @module
 */

import { ApiFault, missing } from "./api_fault.ts";
import { decimal } from "./decimal.ts";
import type { OrderName } from "./order_book.ts";
import type { OrderTicket } from "./order.ts";
import type { RequestParams } from "./request.ts";
import { knownAssets } from "./symbols.ts";

/** What each type of spot orders asks for besides; a text with bars stands for one of several. */
const SPOT_TYPES: Readonly<Record<string, readonly string[]>> = {
  LIMIT: ["timeInForce", "price|pegPriceType", "quantity"],
  LIMIT_MAKER: ["price|pegPriceType", "quantity"],
  MARKET: ["quantity|quoteOrderQty"],
  STOP_LOSS: ["quantity", "stopPrice|trailingDelta"],
  STOP_LOSS_LIMIT: ["timeInForce", "price|pegPriceType", "quantity", "stopPrice|trailingDelta"],
  TAKE_PROFIT: ["quantity", "stopPrice|trailingDelta"],
  TAKE_PROFIT_LIMIT: ["timeInForce", "price|pegPriceType", "quantity", "stopPrice|trailingDelta"],
};

/** What is no order any more since the algo endpoints took it over (Binance USD-M error codes, -4120). */
const ALGO_TYPES = new Set(["STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"]);

const FUTURES_TYPES: Readonly<Record<string, readonly string[]>> = {
  LIMIT: ["timeInForce", "price|priceMatch", "quantity"],
  MARKET: ["quantity"],
  STOP: ["quantity", "price|priceMatch", "stopPrice|triggerPrice"],
  TAKE_PROFIT: ["quantity", "price|priceMatch", "stopPrice|triggerPrice"],
  STOP_MARKET: ["stopPrice|triggerPrice"],
  TAKE_PROFIT_MARKET: ["stopPrice|triggerPrice"],
  TRAILING_STOP_MARKET: ["callbackRate"],
};

const SPOT_CLIENT_ID = /^[a-zA-Z0-9-_]{1,36}$/;
const FUTURES_CLIENT_ID = /^[.A-Z:/a-z0-9_-]{1,36}$/;

/** Parameters that change nothing here and are shown in answers and events. */
const SHOWN = [
  "icebergQty",
  "trailingDelta",
  "strategyId",
  "strategyType",
  "selfTradePreventionMode",
  "positionSide",
  "reduceOnly",
  "closePosition",
  "workingType",
  "priceProtect",
  "priceMatch",
  "pegPriceType",
  "goodTillDate",
  "activationPrice",
  "callbackRate",
];

let lastClientOrderId = 0;

/** A client order id like those that the exchange makes up: 22 characters. */
export function madeUpId(): string {
  return `local${String(++lastClientOrderId).padStart(17, "0")}`;
}

/** A client order id of the parameter `name`, or a made-up one. @throws {ApiFault} -1100 if it is malformed. */
export function clientIdOf(params: RequestParams, name: string, pattern: RegExp = SPOT_CLIENT_ID): string {
  const id = params.text(name);
  if (id === undefined) return madeUpId();
  if (pattern.test(id)) return id;
  throw new ApiFault(-1100, `Illegal characters found in parameter '${name}'; legal range is '${pattern.source}'.`);
}

/** How a request names an order. @throws {ApiFault} -1102 if it doesn't. */
export function orderName(
  params: RequestParams,
  id: string = "orderId",
  clientId: string = "origClientOrderId",
): OrderName {
  const orderId = params.integer(id);
  const clientOrderId = params.text(clientId);
  if (orderId === undefined && clientOrderId === undefined) {
    throw new ApiFault(-1102, `Param '${clientId}' or '${id}' must be sent, but both were empty/null!`);
  }
  return { orderId, clientOrderId };
}

/** The symbol. @throws {ApiFault} -1102 if there is none, -1121 if it is unknown. */
export function symbolOf(params: RequestParams): string {
  const symbol = params.required("symbol");
  knownAssets(symbol);
  return symbol;
}

/** The order of a spot request. @throws {ApiFault} if it is none. */
export function spotTicket(params: RequestParams): OrderTicket {
  return ticket(params, SPOT_TYPES, SPOT_CLIENT_ID, true);
}

/** The order of a request to a derivatives API. @throws {ApiFault} if it is none. */
export function futuresTicket(params: RequestParams, isAlgo: boolean = false): OrderTicket {
  if (!isAlgo && ALGO_TYPES.has(params.text("type") ?? "")) {
    const msg = "Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.";
    throw new ApiFault(-4120, msg);
  }
  return ticket(params, FUTURES_TYPES, FUTURES_CLIENT_ID, false);
}

function ticket(
  params: RequestParams,
  types: Readonly<Record<string, readonly string[]>>,
  clientId: RegExp,
  isSpot: boolean,
): OrderTicket {
  const symbol = symbolOf(params);
  const side = params.required("side");
  if (side !== "BUY" && side !== "SELL") throw new ApiFault(-1117, "Invalid side.");
  const type = params.required("type");
  const needed = types[type];
  if (needed === undefined) throw new ApiFault(-1116, "Invalid orderType.");
  for (const names of needed) {
    const either = names.split("|");
    if (either.every((name) => params.text(name) === undefined)) missing(either[0] ?? names);
  }
  const timeInForce = params.text("timeInForce") ?? "GTC";
  if (!["GTC", "IOC", "FOK", "GTX", "GTD", "RPI"].includes(timeInForce)) {
    throw new ApiFault(-1115, "Invalid timeInForce.");
  }
  const quantity = positive(params, "quantity");
  const quoteQuantity = isSpot ? positive(params, "quoteOrderQty") : undefined;
  if (quantity !== undefined && quoteQuantity !== undefined) {
    throw new ApiFault(-1106, "Parameter 'quoteOrderQty' sent when not required.");
  }
  return {
    clientOrderId: clientIdOf(params, "newClientOrderId", clientId),
    symbol,
    side,
    type,
    timeInForce,
    // Who leaves the price to the exchange rests at one that nothing crosses by chance.
    price: positive(params, "price") ?? (isLeftToExchange(params) ? decimal("100") : 0n),
    quantity: quantity ?? 0n,
    quoteQuantity: quoteQuantity ?? 0n,
    stopPrice: positive(params, "stopPrice") ?? positive(params, "triggerPrice") ?? 0n,
    shown: Object.fromEntries(SHOWN.map((name) => [name, params.text(name)])),
  };
}

function isLeftToExchange(params: RequestParams): boolean {
  return params.text("pegPriceType") !== undefined || params.text("priceMatch") !== undefined;
}

/** A price or a quantity. @throws {ApiFault} -1013 if it is 0. */
function positive(params: RequestParams, name: string): bigint | undefined {
  const value = params.decimal(name);
  if (value === 0n) throw new ApiFault(-1013, name === "price" ? "Invalid price." : "Invalid quantity.");
  return value;
}
