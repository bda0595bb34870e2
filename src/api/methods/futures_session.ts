/**
 * What the WebSocket APIs of USD-M and COIN-M futures have in common: the connection, logging on, listen keys.
 * Source: Binance websocket-api-general-info.md of both; `ping` and `time` are not in it, clients use them.
 *
 * @module
 */

import type { ApiMethodSpecs } from "./method.ts";

/** Methods of both futures APIs about the connection, its session and listen keys. */
export const futuresSession = {
  ping: {
    about: "Tests the connection.",
    access: "NONE",
    security: "NONE",
    weight: 1,
    required: [],
    optional: [],
    returns: "Nothing",
    note: "Not in Binance's documents for futures.",
  },
  time: {
    about: "The exchange's clock.",
    access: "NONE",
    security: "NONE",
    weight: 1,
    required: [],
    optional: [],
    returns: "ServerTime",
    aliases: ["getServerTime"],
    note: "Not in Binance's documents for futures.",
  },
  "session.logon": {
    about: "Logs the connection on, so that requests need no signature.",
    access: "SESSION",
    security: "SIGNED",
    weight: 2,
    required: [],
    optional: [],
    returns: "Session",
    note: "Ed25519 keys only.",
  },
  "session.status": {
    about: "Whether and with which key the connection is logged on.",
    access: "SESSION",
    security: "NONE",
    weight: 2,
    required: [],
    optional: [],
    returns: "Session",
  },
  "session.logout": {
    about: "Logs the connection off; it stays open.",
    access: "SESSION",
    security: "NONE",
    changesState: true,
    weight: 2,
    required: [],
    optional: [],
    returns: "Session",
  },
  "userDataStream.start": {
    about: "Gets the account's listen key, and makes it valid for another 60 minutes.",
    access: "USER_STREAM",
    security: "API_KEY",
    weight: 1,
    required: [],
    optional: [],
    returns: "ListenKey",
    aliases: ["getListenKey"],
  },
  "userDataStream.ping": {
    about: "Keeps the account's listen key valid for another 60 minutes.",
    access: "USER_STREAM",
    security: "API_KEY",
    weight: 1,
    required: [],
    optional: [],
    returns: "ListenKey",
  },
  "userDataStream.stop": {
    about: "Ends the account's listen key and the stream on it.",
    access: "USER_STREAM",
    security: "API_KEY",
    changesState: true,
    weight: 1,
    required: [],
    optional: [],
    returns: "Nothing",
  },
} as const satisfies ApiMethodSpecs;
