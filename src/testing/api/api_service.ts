/**
 * The WebSocket APIs of an exchange: takes requests, answers them, sends account events.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type { HttpResponse } from "../server_handshake.ts";
import { Account } from "./account.ts";
import { type ApiClient, ApiConnection, type ApiTarget } from "./api_connection.ts";
import { ApiFault, missing } from "./api_fault.ts";
import { authorise } from "./authorise.ts";
import type { Method } from "./call.ts";
import { ApiDisturbances, type Disturbed } from "./faults.ts";
import { jsonText } from "./json_text.ts";
import type { ApiKey } from "./keys.ts";
import { type ListenKey, type ListenKeyProduct, ListenKeys } from "./listen_keys.ts";
import { Outbox } from "./outbox.ts";
import { chargeOrders } from "./rate_windows.ts";
import { type ApiRequest, readRequest } from "./request.ts";
import { RunningCall } from "./running_call.ts";
import type { LocalApiRequest } from "./request_record.ts";
import { UserStreams } from "./user_streams.ts";
import { type AccountEvent, type LocalApiName, Venue } from "./venue.ts";

/** What the APIs need of their exchange. */
export interface ApiHost {
  readonly clock: Clock;
  readonly firstBanMs: number;
  /** Sends an event to whoever listens on a key and wants events of this type. */
  pushToKey(key: string, type: string, text: string): void;
  /** Something has changed that someone may wait for. */
  onActivity(): void;
}

/** On the third request that can't be read the connection is closed (measured on the testnet, 2026-03). */
const MALFORMED_BEFORE_CLOSE = 3;

/** The products whose listen keys get the events of an API, and what portfolio margin calls the API. */
const PRODUCTS: Readonly<Record<LocalApiName, { own: ListenKeyProduct; fs: string | undefined }>> = {
  spot: { own: "spot", fs: undefined },
  usdm: { own: "usdm", fs: "UM" },
  coinm: { own: "coinm", fs: "CM" },
};

/** The APIs. */
export class ApiService {
  readonly outbox: Outbox;
  readonly disturbances: ApiDisturbances = new ApiDisturbances();
  readonly userStreams: UserStreams;
  readonly listenKeys: ReadonlyMap<ListenKeyProduct, ListenKeys>;
  readonly venues: Readonly<Record<LocalApiName, Venue>>;
  readonly keys: Map<string, ApiKey> = new Map();
  readonly requests: LocalApiRequest[] = [];
  readonly connections: Set<ApiConnection> = new Set();
  /** How far the exchange's time is ahead of the clock's, in ms. */
  clockOffsetMs = 0;
  /** Whether events come before the answer of the request that causes them. */
  eventsFirst = false;
  /** Whether a connection is closed on which an unknown key was used. */
  closeOnBadKey = false;
  /** How late all answers are, in ms. */
  answerDelayMs = 0;
  readonly #host: ApiHost;
  #accounts = 0;

  /** Creates APIs without accounts. */
  constructor(host: ApiHost) {
    this.#host = host;
    const { clock, firstBanMs } = host;
    this.outbox = new Outbox(clock);
    this.userStreams = new UserStreams(clock, () => this.now(), (subscription, event) => {
      const { connection, subscriptionId } = subscription;
      const text = connection.text({ subscriptionId, event });
      this.outbox.push(() => connection.client.send(text));
    });
    const keysOf = (product: ListenKeyProduct) => new ListenKeys(product, clock, (key) => this.#expired(product, key));
    const products: ListenKeyProduct[] = ["spot", "usdm", "coinm", "options", "portfolioMargin", "margin"];
    this.listenKeys = new Map(products.map((product) => [product, keysOf(product)]));
    const venue = (name: LocalApiName) =>
      new Venue(name, this.keysOf(name), {
        now: () => this.now(),
        firstBanMs,
        userStreams: this.userStreams,
        sendEvent: (from, account, event) => this.sendEvent(from, account, event),
      });
    this.venues = { spot: venue("spot"), usdm: venue("usdm"), coinm: venue("coinm") };
  }

  /** The exchange's time in ms. */
  now(): number {
    return this.#host.clock.now() + this.clockOffsetMs;
  }

  /** The listen keys of a product. */
  keysOf(product: ListenKeyProduct): ListenKeys {
    const keys = this.listenKeys.get(product);
    if (keys === undefined) throw new RangeError(`Cannot find listen keys of "${product}"`);
    return keys;
  }

  /** Creates an account that has no key. */
  createAccount(balances: Readonly<Record<string, string>> | undefined): Account {
    return new Account(++this.#accounts, balances);
  }

  /** How a handshake is refused while its address is banned; otherwise its weight is counted. */
  refusal(name: LocalApiName): HttpResponse | undefined {
    const { weights, handshakeWeight } = this.venues[name];
    const now = this.now();
    const until = weights.bannedUntil(now);
    if (until !== undefined) {
      return { status: 418, headers: { "Retry-After": String(Math.ceil((until - now) / 1000)) }, body: "" };
    }
    weights.window.add(handshakeWeight, now);
    return undefined;
  }

  /** A connection was opened. */
  open(client: ApiClient, name: LocalApiName, target: ApiTarget): ApiConnection {
    const connection = new ApiConnection(client, this.venues[name], target, this.now());
    this.connections.add(connection);
    return connection;
  }

  /** A connection is gone. */
  drop(connection: ApiConnection): void {
    this.connections.delete(connection);
    this.userStreams.drop(connection);
  }

  /** Sends an event of an account to its subscriptions (spot) and to its listen keys. */
  sendEvent(from: LocalApiName, account: Account, event: AccountEvent): void {
    const { own, fs } = PRODUCTS[from];
    if (from === "spot") this.userStreams.send(account, event);
    const { e, ...rest } = event;
    const alias = from === "coinm" ? { e, i: `local${account.uid}`, ...rest } : event;
    this.sendToKey(own, account, alias);
    this.sendToKey("portfolioMargin", account, fs === undefined ? event : { e, fs, ...rest });
  }

  /** Sends an event to whoever listens on the account's key of one product. */
  sendToKey(product: ListenKeyProduct, account: Account, event: AccountEvent): void {
    const key = this.keysOf(product).of(account);
    if (key !== undefined) this.#push(key, event);
  }

  /** Obeys and answers a request. */
  handle(connection: ApiConnection, text: string): void {
    if (connection.isCut) return;
    const now = this.now();
    const request = attempt(() => readRequest(text));
    const fault = request instanceof ApiFault
      ? undefined
      : this.disturbances.take(request.method, connection.client.id);
    connection.isCut = fault?.kind.startsWith("kill") ?? false;
    if (fault?.kind === "killBefore" || fault?.kind === "ignore") {
      this.#note(connection, request, now, 0, undefined);
      if (fault.kind === "killBefore") connection.client.kill({});
      return;
    }
    this.outbox.hold();
    const { answer, status, close } = this.#answer(connection, request, fault, now);
    if (this.eventsFirst) this.outbox.release();
    const isLost = fault?.kind === "dropAnswer" || fault?.kind === "killBeforeAnswer";
    if (fault?.kind === "killBeforeAnswer") connection.client.kill({});
    if (fault?.kind === "killAfterAnswer") connection.client.kill({ afterFrames: 1, end: "fin" });
    const delayMs = fault?.kind === "delay" ? fault.options.delayMs ?? 100 : this.answerDelayMs;
    if (!isLost) connection.client.answer(answer, delayMs);
    this.#note(connection, request, now, isLost ? 0 : status, answer);
    this.outbox.release();
    if (close) connection.client.disconnect();
    this.#host.onActivity();
  }

  /** Forgets all timers. */
  close(): void {
    this.outbox.close();
    for (const keys of this.listenKeys.values()) keys.close();
    for (const connection of this.connections) this.userStreams.drop(connection);
  }

  #answer(connection: ApiConnection, request: ApiRequest | ApiFault, fault: Disturbed | undefined, now: number) {
    const { venue } = connection;
    const method = request instanceof ApiFault ? undefined : venue.methods.get(request.method);
    const call = request instanceof ApiFault ? undefined : new RunningCall(connection, request, now);
    const outcome = attempt(() => {
      const weight = typeof method?.weight === "function" && call !== undefined
        ? method.weight(call.params)
        : method?.weight;
      const charged = typeof weight === "number" ? weight : 1;
      venue.weights.charge(charged, now);
      if (request instanceof ApiFault) throw request;
      // Binance errors.md, UNSUPPORTED_OPERATION.
      if (method === undefined || call === undefined) throw new ApiFault(-1020, "This operation is not supported.");
      const planned = fault?.kind === "error" ? plannedError(fault) : undefined;
      if (planned !== undefined && fault?.options.obey !== true) throw planned;
      const result = this.#run(call, request.method, method);
      if (planned !== undefined) throw planned;
      if (method.isFreeOnSuccess === true) venue.weights.window.add(-charged, now);
      return { result };
    });
    const isError = outcome instanceof ApiFault;
    const status = isError ? outcome.status : 200;
    const id = request instanceof ApiFault || (isError && !outcome.hasId) ? "null" : request.id;
    const body = isError
      ? `"error":${connection.text({ code: outcome.code, msg: outcome.message, data: outcome.data })}`
      : `"result":${connection.text(outcome.result)}`;
    const isWanted = call?.wantsLimits ?? connection.returnRateLimits;
    const limits = isWanted ? `,"rateLimits":${jsonText(this.#usage(venue, method, call, now))}` : "";
    const isMalformed = isError && outcome.code === -1135 && ++connection.malformed >= MALFORMED_BEFORE_CLOSE;
    const isBadKey = isError && outcome.code === -2015 && this.closeOnBadKey;
    return {
      answer: `{"id":${id},"status":${status},${body}${limits}}`,
      status,
      close: isError && (outcome.close || isMalformed || isBadKey),
    };
  }

  #run(call: RunningCall, name: string, method: Method): unknown {
    const { params } = call;
    for (const each of method.required ?? []) if (params.text(each) === undefined) missing(each);
    const { only } = method;
    const unread = only === undefined ? undefined : params.names.find((each) => !only.includes(each));
    if (unread !== undefined) {
      const [sent, read] = [params.names.length, params.names.filter((each) => only?.includes(each)).length];
      throw new ApiFault(
        -1104,
        `Not all sent parameters were read; read '${read}' parameter(s) but was sent '${sent}'.`,
      );
    }
    call.authorised = authorise(name, method, params, call.connection, (key) => this.keys.get(key), call.now);
    if (method.orders !== undefined) chargeOrders(call.venue.orderWindows(call.account), method.orders, call.now);
    return method.run(call);
  }

  #usage(venue: Venue, method: Method | undefined, call: RunningCall | undefined, now: number) {
    const ofOrders = method?.orders === undefined || call?.authorised === undefined
      ? []
      : venue.orderWindows(call.account).map((window) => window.usage(now));
    return [...ofOrders, venue.weights.window.usage(now)];
  }

  #note(connection: ApiConnection, request: ApiRequest | ApiFault, at: number, status: number, answer?: string): void {
    const isRead = !(request instanceof ApiFault);
    this.requests.push({
      connectionId: connection.client.id,
      api: connection.venue.name,
      at,
      id: isRead ? request.id : "null",
      method: isRead ? request.method : "",
      clientOrderId: isRead ? request.params.text("newClientOrderId") : undefined,
      status,
      answer,
    });
  }

  #push(key: ListenKey, event: AccountEvent): void {
    const text = jsonText(event);
    this.outbox.push(() => this.#host.pushToKey(key.key, String(event.e), text));
  }

  #expired(product: ListenKeyProduct, key: ListenKey): void {
    const now = this.now();
    // The derivatives don't agree about this event (Binance options and portfolio margin "User Data Streams").
    const E = product === "options" ? String(now) : now;
    const named = product === "portfolioMargin" ? {} : { listenKey: key.key };
    this.#push(key, { e: "listenKeyExpired", E, ...named });
  }
}

function attempt<T>(action: () => T): T | ApiFault {
  try {
    return action();
  } catch (error) {
    if (error instanceof ApiFault) return error;
    throw error;
  }
}

function plannedError({ options }: Disturbed): ApiFault {
  const { status, code, msg, data } = options.error ?? {
    status: 500,
    code: -1001,
    msg: "Internal error; unable to process your request. Please try again.",
    data: undefined,
  };
  return new ApiFault(code, msg, { status, data });
}
