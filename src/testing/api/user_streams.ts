/**
 * Subscriptions of account events on connections of the spot WebSocket API, and the listen tokens of margin (Binance
 * web-socket-api.md, "User Data Stream requests"; margin "User Data Streams").
 *
 * @module
 */

import type { Clock, Timer } from "../../base/mod.ts";
import type { Account } from "./account.ts";
import type { ApiConnection } from "./api_connection.ts";
import { ApiFault } from "./api_fault.ts";
import type { ApiKey } from "./keys.ts";

/** A token that stands for an account for some time. */
export interface ListenToken {
  readonly text: string;
  readonly account: Account;
  readonly expiresAt: number;
}

/** One subscription. */
export interface Subscription {
  readonly subscriptionId: number;
  readonly connection: ApiConnection;
  readonly account: Account;
  readonly via: "session" | "signature" | "listenToken";
  timer: Timer | undefined;
}

/** At most that many at once on a connection. */
const MAX_ACTIVE = 1000;
/** Last id that a connection can have. */
const LAST_ID = 65_534;

/** Sends an event to a subscription. */
export type DeliverEvent = (subscription: Subscription, event: Readonly<Record<string, unknown>>) => void;

/** All subscriptions and tokens of an exchange. */
export class UserStreams {
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #deliver: DeliverEvent;
  readonly #subscriptions = new Map<ApiConnection, Subscription[]>();
  readonly #nextIds = new WeakMap<ApiConnection, number>();
  readonly #tokens = new Map<string, ListenToken>();

  /** Creates an exchange without subscriptions; `now` is its own time. */
  constructor(clock: Clock, now: () => number, deliver: DeliverEvent) {
    this.#clock = clock;
    this.#now = now;
    this.#deliver = deliver;
  }

  /** The subscriptions of a connection. */
  of(connection: ApiConnection): readonly Subscription[] {
    return this.#subscriptions.get(connection) ?? [];
  }

  /** How many subscriptions an account has on all connections. */
  count(account: Account): number {
    return this.#ofAccount(account).length;
  }

  /** Subscribes the account of a key. @throws {ApiFault} -2035 if the connection has it already. */
  subscribe(connection: ApiConnection, key: ApiKey, via: "session" | "signature"): number {
    if (this.of(connection).some(({ account }) => account === key.account)) {
      throw new ApiFault(-2035, "User Data Stream subscription already active.");
    }
    return this.#add(connection, key.account, via).subscriptionId;
  }

  /** Subscribes the account of a token, or extends the subscription that the connection has of it. */
  subscribeToken(connection: ApiConnection, token: ListenToken): number {
    const active = this.of(connection).find(({ account, via }) => account === token.account && via === "listenToken");
    const subscription = active ?? this.#add(connection, token.account, "listenToken");
    subscription.timer?.cancel();
    subscription.timer = this.#clock.setTimer(() => this.terminate(subscription), token.expiresAt - this.#now());
    return subscription.subscriptionId;
  }

  /** Ends a subscription, or all of a connection; whether there was one. */
  unsubscribe(connection: ApiConnection, subscriptionId: number | undefined): boolean {
    const ended = this.of(connection).filter((each) =>
      subscriptionId === undefined || each.subscriptionId === subscriptionId
    );
    for (const subscription of ended) this.terminate(subscription);
    return ended.length > 0 || subscriptionId === undefined;
  }

  /** Ends a subscription and tells so. */
  terminate(subscription: Subscription): void {
    const left = this.of(subscription.connection).filter((each) => each !== subscription);
    this.#subscriptions.set(subscription.connection, left);
    subscription.timer?.cancel();
    this.#deliver(subscription, { e: "eventStreamTerminated", E: this.#now() });
  }

  /** Ends all subscriptions of an account that were made in one way, or in any. */
  terminateAll(account: Account, via?: Subscription["via"]): void {
    for (const each of this.#ofAccount(account)) if (via === undefined || each.via === via) this.terminate(each);
  }

  /** Sends an event to all subscriptions of an account. */
  send(account: Account, event: Readonly<Record<string, unknown>>): void {
    for (const subscription of this.#ofAccount(account)) this.#deliver(subscription, event);
  }

  /** A connection is gone. */
  drop(connection: ApiConnection): void {
    for (const { timer } of this.of(connection)) timer?.cancel();
    this.#subscriptions.delete(connection);
  }

  /** Makes a token. */
  createToken(account: Account, validityMs: number): ListenToken {
    const text = `token${this.#tokens.size}${crypto.randomUUID().replaceAll("-", "")}`;
    const token = { text, account, expiresAt: this.#now() + validityMs };
    this.#tokens.set(text, token);
    return token;
  }

  /** The token of this text, as long as it is valid. */
  token(text: string, now: number): ListenToken | undefined {
    const token = this.#tokens.get(text);
    return token !== undefined && now < token.expiresAt ? token : undefined;
  }

  /** Makes the tokens of an account invalid and ends their subscriptions. */
  endTokens(account: Account): void {
    for (const token of this.#tokens.values()) if (token.account === account) this.#tokens.delete(token.text);
    this.terminateAll(account, "listenToken");
  }

  #ofAccount(account: Account): Subscription[] {
    return [...this.#subscriptions.values()].flat().filter((each) => each.account === account);
  }

  #add(connection: ApiConnection, account: Account, via: Subscription["via"]): Subscription {
    const active = this.of(connection);
    if (active.length >= MAX_ACTIVE) throw new ApiFault(-1191, "Too many subscriptions.");
    const subscriptionId = this.#nextIds.get(connection) ?? 0;
    if (subscriptionId > LAST_ID) throw new ApiFault(-2042, "Maximum subscription ID reached for this connection.");
    this.#nextIds.set(connection, subscriptionId + 1);
    const subscription: Subscription = { subscriptionId, connection, account, via, timer: undefined };
    this.#subscriptions.set(connection, [...active, subscription]);
    return subscription;
  }
}
