/**
 * How an exchange hands out account events: over its WebSocket API, or with listen keys, and at which URLs.
 *
 * @module
 */

import { InvalidOptionsError, quoted } from "../base/mod.ts";
import type { Exchange, ExchangeKey } from "../exchange/mod.ts";

/** The listen keys of an exchange. */
export interface ListenKeyFlow {
  readonly kind: "listenKey";
  /** Path of the REST endpoint for POST, PUT and DELETE. */
  readonly restPath: string;
  /** Whether PUT and DELETE must name the key; elsewhere they mean the only one of the account. */
  readonly isNamed: boolean;
  /** What comes between the base URL and the key. */
  readonly streamPath: string;
  /** Whether the URL lists the types of events that are wanted. */
  readonly hasEvents: boolean;
}

/** Account events over the WebSocket API. */
export interface ApiFlow {
  readonly kind: "api";
  readonly via: "signature" | "listenToken";
  /** Which margin account a listen token is for; `undefined` for spot. */
  readonly margin: "cross" | "isolated" | undefined;
}

/** How an exchange hands out account events. */
export type UserDataFlow = ListenKeyFlow | ApiFlow;

const SPOT: ApiFlow = { kind: "api", via: "signature", margin: undefined };
/** Margin change log 2025-10-06: listen keys ended, `POST /sapi/v1/userListenToken` came. */
const MARGIN: ApiFlow = { kind: "api", via: "listenToken", margin: "cross" };
const ISOLATED: ApiFlow = { ...MARGIN, margin: "isolated" };

/** USD-M "Important WebSocket Change Notice": `/private/ws?listenKey=<key>&events=<type>/<type>`. */
const USDM: ListenKeyFlow = {
  kind: "listenKey",
  restPath: "/fapi/v1/listenKey",
  isNamed: false,
  streamPath: "/private/ws",
  hasEvents: true,
};
const OPTIONS: ListenKeyFlow = { ...USDM, restPath: "/eapi/v1/listenKey", streamPath: "/private/ws", hasEvents: false };
/** binance.us user-data-stream.md. */
const US: ListenKeyFlow = {
  kind: "listenKey",
  restPath: "/api/v3/userDataStream",
  isNamed: true,
  streamPath: "/ws",
  hasEvents: false,
};

const flows: Readonly<Record<ExchangeKey, UserDataFlow>> = {
  "binance.com": SPOT,
  "binance.com-testnet": SPOT,
  "binance.com-margin": MARGIN,
  "binance.com-margin-testnet": MARGIN,
  "binance.com-isolated_margin": ISOLATED,
  "binance.com-isolated_margin-testnet": ISOLATED,
  "binance.com-futures": USDM,
  "binance.com-futures-testnet": USDM,
  "binance.com-coin_futures": { ...USDM, restPath: "/dapi/v1/listenKey", streamPath: "/ws", hasEvents: false },
  "binance.com-vanilla-options": OPTIONS,
  "binance.com-vanilla-options-testnet": OPTIONS,
  // The base URL ends with "/pm" (Portfolio Margin "User Data Streams").
  "binance.com-portfolio_margin": { ...USDM, restPath: "/papi/v1/listenKey", streamPath: "/ws", hasEvents: false },
  "binance.us": US,
  // Not documented in English; as the reference product does it.
  "trbinance.com": US,
};

/** How an exchange hands out account events. */
export function userDataFlowOf(exchange: Exchange): UserDataFlow {
  return flows[exchange.key];
}

/**
 * Event types of USD-M futures ("User Data Streams" pages): without a list, `/private` may stay silent, and what is not in
 * the list does not come.
 */
export const USDM_EVENTS: readonly string[] = [
  "ORDER_TRADE_UPDATE",
  "ACCOUNT_UPDATE",
  "TRADE_LITE",
  "ACCOUNT_CONFIG_UPDATE",
  "MARGIN_CALL",
  "ALGO_UPDATE",
  "CONDITIONAL_ORDER_TRIGGER_REJECT",
  "STRATEGY_UPDATE",
  "GRID_UPDATE",
];

/** What stands for a listen key in a URL that is shown. */
export const HIDDEN = "***";

/** The URL of a connection for a listen key, or for {@linkcode HIDDEN}. */
export function listenKeyUrl(
  flow: ListenKeyFlow,
  baseUrl: string,
  key: string,
  events: readonly string[] | undefined,
): string {
  if (!flow.hasEvents) return `${baseUrl}${flow.streamPath}/${key}`;
  const listed = new Set([...events ?? USDM_EVENTS, "listenKeyExpired"]);
  return `${baseUrl}${flow.streamPath}?listenKey=${key}&events=${[...listed].join("/")}`;
}

/** An error about one of the options of account events. */
export function unusable(exchange: Exchange, path: string, expected: string): InvalidOptionsError {
  return new InvalidOptionsError(
    `Cannot use \`userData.${path}\` with the exchange ${quoted(exchange.key)}: expected ${expected}`,
    { path: `userData.${path}` },
  );
}
