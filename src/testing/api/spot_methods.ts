/**
 * The methods of the spot WebSocket API by name.
 *
 * @module
 */

import type { Method } from "./call.ts";
import { listenKeyMethods, sessions, userStreamMethods } from "./sessions.ts";
import { spotAccount } from "./spot_account.ts";
import { spotLists } from "./spot_lists.ts";
import { spotMarket } from "./spot_market.ts";
import { spotTrading } from "./spot_trading.ts";

/** All that binance.com has. */
export const spotMethods: Readonly<Record<string, Method>> = {
  ...spotMarket,
  ...sessions,
  ...userStreamMethods,
  ...spotTrading,
  ...spotLists,
  ...spotAccount,
};

/** What only Binance.US still has besides (binance.com until 2026-02-20). */
export const spotListenKeyMethods: Readonly<Record<string, Method>> = Object.fromEntries(
  Object.entries(listenKeyMethods).map(([name, method]) => [name, { ...method, weight: 2 }]),
);
