/**
 * One WebSocket API of the exchange: its methods, its limits, its market and its account events.
 *
 * @module
 */

import type { Account } from "./account.ts";
import type { Method } from "./call.ts";
import { Engine, type EngineRefusals, type EngineSink } from "./engine.ts";
import { accountUpdate, orderEvents } from "./futures_events.ts";
import { coinmMethods, marginAsset, usdmMethods } from "./futures_methods.ts";
import type { ListenKeys } from "./listen_keys.ts";
import { type RateLimit, RateWindow, WeightGuard } from "./rate_windows.ts";
import { FuturesSettlement, SpotSettlement } from "./settlement.ts";
import { executionReport, listStatus, outboundAccountPosition } from "./spot_events.ts";
import { spotMethods } from "./spot_methods.ts";
import type { UserStreams } from "./user_streams.ts";

/**
 * A WebSocket API: spot (`/ws-api/v3`), USD-M futures (`/ws-fapi/v1`) or COIN-M futures (`/ws-dapi/v1`).
 *
 * @example
 * ```ts
 * import { type LocalApiName, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const name: LocalApiName = "usdm";
 * await using exchange = await startLocalExchange();
 * console.log(exchange.api.usedWeight(name));
 * ```
 */
export type LocalApiName = "spot" | "usdm" | "coinm";

/**
 * An account event, as JSON writes it; bigints become integers.
 *
 * @example
 * ```ts
 * import { type AccountEvent, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const event: AccountEvent = { e: "externalLockUpdate", E: 1, a: "USDT", d: "5", T: 1 };
 * await using exchange = await startLocalExchange();
 * exchange.account({ apiKey: "key", apiSecret: "secret" }).sendEvent(event);
 * ```
 */
export type AccountEvent = Readonly<Record<string, unknown>>;

/** What a venue needs of its exchange. */
export interface VenueHost {
  /** The exchange's time in ms. */
  now(): number;
  readonly firstBanMs: number;
  readonly userStreams: UserStreams;
  /** Sends an event of an account to all who subscribed it. */
  sendEvent(name: LocalApiName, account: Account, event: AccountEvent): void;
}

/** Binance web-socket-api.md, "Rate limits", and the derivatives' "WebSocket API General Info". */
const WEIGHT_LIMIT = { spot: 6000, usdm: 2400, coinm: 2400 };
const ORDER_LIMITS: Readonly<Record<LocalApiName, readonly RateLimit[]>> = {
  spot: [
    { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: 50 },
    { rateLimitType: "ORDERS", interval: "DAY", intervalNum: 1, limit: 160_000 },
  ],
  usdm: [
    { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: 300 },
    { rateLimitType: "ORDERS", interval: "MINUTE", intervalNum: 1, limit: 1200 },
  ],
  coinm: [{ rateLimitType: "ORDERS", interval: "MINUTE", intervalNum: 1, limit: 1200 }],
};
const METHODS = { spot: spotMethods, usdm: usdmMethods, coinm: coinmMethods };
const SPOT_REFUSALS: EngineRefusals = {
  duplicate: [-2010, "Duplicate order sent."],
  trigger: [-2010, "Stop price would trigger immediately."],
};
const FUTURES_REFUSALS: EngineRefusals = {
  duplicate: [-4116, "ClientOrderId is duplicated."],
  trigger: [-2021, "Order would immediately trigger."],
};

/** One API. */
export class Venue {
  readonly name: LocalApiName;
  readonly engine: Engine;
  readonly weights: WeightGuard;
  readonly userStreams: UserStreams;
  readonly listenKeys: ListenKeys;
  /** Weight of opening a connection. */
  readonly handshakeWeight: number;
  /** The methods by name. */
  readonly methods: Map<string, Method>;
  readonly #host: VenueHost;
  #orderLimits: readonly RateLimit[];
  #orderWindows = new WeakMap<Account, RateWindow[]>();
  #executionId = 8_641_984n;

  /** Creates an API without orders. */
  constructor(name: LocalApiName, listenKeys: ListenKeys, host: VenueHost) {
    this.name = name;
    this.#host = host;
    this.listenKeys = listenKeys;
    this.userStreams = host.userStreams;
    this.handshakeWeight = name === "spot" ? 2 : 5;
    this.methods = new Map(Object.entries(METHODS[name]));
    this.#orderLimits = ORDER_LIMITS[name];
    const weight = {
      rateLimitType: "REQUEST_WEIGHT",
      interval: "MINUTE",
      intervalNum: 1,
      limit: WEIGHT_LIMIT[name],
    } as const;
    this.weights = new WeightGuard(weight, host.firstBanMs);
    if (name === "spot") {
      this.engine = new Engine(new SpotSettlement(), this.#spotSink(), SPOT_REFUSALS);
    } else {
      const settlement = new FuturesSettlement();
      this.engine = new Engine(settlement, this.#futuresSink(settlement), FUTURES_REFUSALS);
    }
  }

  /** All limits. */
  get limits(): readonly RateLimit[] {
    return [this.weights.window.limit, ...this.#orderLimits];
  }

  /** Sets the limits of orders; those of the present windows start at 0. */
  setOrderLimits(limits: readonly RateLimit[]): void {
    this.#orderLimits = limits;
    this.#orderWindows = new WeakMap();
  }

  /** What an account has used of the limits of orders. */
  orderWindows(account: Account): readonly RateWindow[] {
    const windows = this.#orderWindows.get(account) ?? this.#orderLimits.map((limit) => new RateWindow(limit));
    this.#orderWindows.set(account, windows);
    return windows;
  }

  /** The id of the next execution. */
  nextExecutionId(): bigint {
    return this.#executionId++;
  }

  #spotSink(): EngineSink {
    const { now } = this.#host;
    const send = (account: Account, event: AccountEvent) => this.#host.sendEvent("spot", account, event);
    return {
      now,
      order: (order, execution, trade, cancelId) => {
        send(order.account, executionReport(order, execution, trade, cancelId, now(), this.nextExecutionId()));
      },
      list: (list) => send(list.account, listStatus(list, now())),
      balances: (account, assets) => {
        account.updatedAt = now();
        send(account, outboundAccountPosition(account, assets, now()));
      },
    };
  }

  #futuresSink(settlement: FuturesSettlement): EngineSink {
    const { now } = this.#host;
    const send = (account: Account, event: AccountEvent) => this.#host.sendEvent(this.name, account, event);
    return {
      now,
      order: (order, execution, trade, cancelId) => {
        for (const event of orderEvents(order, execution, trade, cancelId, now())) send(order.account, event);
      },
      list: () => {},
      balances: (account, keys) => {
        account.updatedAt = now();
        const asset = marginAsset(keys[0]?.split(" ")[0] ?? "");
        send(account, accountUpdate(account, settlement, asset, keys, now()));
      },
    };
  }
}
