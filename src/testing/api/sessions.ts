/**
 * Logging on and off, and the subscriptions of account events (Binance web-socket-api.md, "Authentication requests" and
 * "User Data Stream requests").
 *
 * @module
 */

import { ApiFault } from "./api_fault.ts";
import type { Call, Method } from "./call.ts";

const SIGNED = ["apiKey", "timestamp", "signature", "recvWindow", "returnRateLimits"];

/** The state of a session; on spot it also says whether the session's account events are subscribed. */
function sessionState({ connection, now, venue }: Call): Record<string, unknown> {
  const { logon } = connection;
  return {
    apiKey: logon?.key.apiKey ?? null,
    authorizedSince: logon?.since ?? null,
    connectedSince: connection.connectedSince,
    returnRateLimits: connection.returnRateLimits,
    serverTime: now,
    userDataStream: venue.name === "spot" ? logon === undefined ? null : connection.hasSessionStream : undefined,
  };
}

function logon(call: Call): unknown {
  if (call.key.kind !== "Ed25519") {
    const algorithm = call.key.kind === "HMAC" ? "HMAC-SHA-256" : "RSA";
    throw new ApiFault(-2028, `${algorithm} API key is not supported.`);
  }
  call.connection.logOn(call.key, call.now);
  return sessionState(call);
}

function logout(call: Call): unknown {
  call.connection.logOut();
  return sessionState(call);
}

function subscribe({ connection, venue }: Call): unknown {
  const { logon } = connection;
  if (logon === undefined) throw new ApiFault(-1193, "The session is not authenticated.");
  return { subscriptionId: venue.userStreams.subscribe(connection, logon.key, "session") };
}

function subscribeSigned({ connection, key, venue }: Call): unknown {
  return { subscriptionId: venue.userStreams.subscribe(connection, key, "signature") };
}

function subscribeToken({ connection, params, venue, now }: Call): unknown {
  const token = venue.userStreams.token(params.required("listenToken"), now);
  if (token === undefined) throw new ApiFault(-1209, "The listenToken is invalid or expired.");
  const subscriptionId = venue.userStreams.subscribeToken(connection, token);
  // In µs, unlike everywhere else (Binance margin "User Data Stream").
  return { subscriptionId, expirationTime: BigInt(token.expiresAt) * 1000n };
}

function unsubscribe({ connection, params, venue }: Call): unknown {
  const id = params.number("subscriptionId");
  if (!venue.userStreams.unsubscribe(connection, id)) {
    throw new ApiFault(-2036, "User Data Stream subscription not active.");
  }
  return {};
}

/** The methods of a session on any API. */
export const sessions: Readonly<Record<string, Method>> = {
  "session.logon": { security: "SIGNED", weight: 2, only: SIGNED, run: logon },
  "session.status": { security: "NONE", weight: 2, only: ["returnRateLimits"], run: sessionState },
  "session.logout": { security: "NONE", weight: 2, only: ["returnRateLimits"], run: logout },
};

/** The methods of account events that come on the connection itself: of spot only. */
export const userStreamMethods: Readonly<Record<string, Method>> = {
  "userDataStream.subscribe": { security: "NONE", weight: 2, only: ["returnRateLimits"], run: subscribe },
  "userDataStream.subscribe.signature": { security: "SIGNED", weight: 2, only: SIGNED, run: subscribeSigned },
  "userDataStream.subscribe.listenToken": {
    security: "NONE",
    weight: 2,
    required: ["listenToken"],
    only: ["listenToken", "returnRateLimits"],
    run: subscribeToken,
  },
  "userDataStream.unsubscribe": {
    security: "NONE",
    weight: 2,
    only: ["subscriptionId", "returnRateLimits"],
    run: unsubscribe,
  },
  "session.subscriptions": {
    security: "NONE",
    weight: 2,
    only: ["returnRateLimits"],
    run: ({ connection, venue }) => venue.userStreams.of(connection).map(({ subscriptionId }) => ({ subscriptionId })),
  },
};

/** The methods of listen keys, on the APIs that still have them. */
export const listenKeyMethods: Readonly<Record<string, Method>> = {
  "userDataStream.start": {
    security: "API_KEY",
    weight: 1,
    run: ({ account, venue }) => ({ listenKey: venue.listenKeys.create(account).key }),
  },
  "userDataStream.ping": {
    security: "API_KEY",
    weight: 1,
    run: ({ account, venue }) => {
      const { key } = venue.listenKeys.extend(account);
      return venue.name === "spot" ? {} : { listenKey: key };
    },
  },
  "userDataStream.stop": {
    security: "API_KEY",
    weight: 1,
    run: ({ account, venue }) => {
      venue.listenKeys.remove(account);
      return {};
    },
  },
};
