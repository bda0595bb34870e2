/**
 * What the user of an exchange can do with its WebSocket APIs.
 *
 * @module
 */

import type { ApiService } from "./api_service.ts";
import { decimal } from "./decimal.ts";
import type { ApiDisturbance, ApiDisturbOptions } from "./faults.ts";
import type { LocalApiLimits, LocalExchangeApi } from "./local_api.ts";
import type { RateLimit } from "./rate_windows.ts";
import type { LocalApiRequest } from "./request_record.ts";
import type { LocalRestRequest, RestDesk, RestFaultOptions } from "./rest.ts";
import { spotListenKeyMethods } from "./spot_methods.ts";
import type { LocalApiName } from "./venue.ts";

/** Implements {@linkcode LocalExchangeApi}, whose docstrings say what its members do. */
export class ApiPanel implements LocalExchangeApi {
  readonly #service: ApiService;
  readonly #rest: RestDesk;

  /** Creates the panel of a service and its REST endpoints. */
  constructor(service: ApiService, rest: RestDesk) {
    this.#service = service;
    this.#rest = rest;
  }

  get requests(): readonly LocalApiRequest[] {
    return this.#service.requests;
  }

  get restRequests(): readonly LocalRestRequest[] {
    return this.#rest.requests;
  }

  methods(api: LocalApiName): ReadonlySet<string> {
    return new Set(this.#service.venues[api].methods.keys());
  }

  usedWeight(api: LocalApiName): number {
    return this.#service.venues[api].weights.window.count(this.#service.now());
  }

  bannedUntil(api: LocalApiName): number | undefined {
    return this.#service.venues[api].weights.bannedUntil(this.#service.now());
  }

  ban(ms: number, api: LocalApiName = "spot"): void {
    this.#service.venues[api].weights.ban(ms, this.#service.now());
  }

  limit(api: LocalApiName, limits: LocalApiLimits): void {
    const venue = this.#service.venues[api];
    const { weightPerMinute, refusalsBeforeBan, ordersPer10Seconds, ordersPerMinute, ordersPerDay } = limits;
    const { weights } = venue;
    if (weightPerMinute !== undefined) weights.window.limit = { ...weights.window.limit, limit: weightPerMinute };
    if (refusalsBeforeBan !== undefined) weights.refusalsBeforeBan = refusalsBeforeBan;
    const ofOrders: RateLimit[] = [];
    const add = (interval: "SECOND" | "MINUTE" | "DAY", intervalNum: number, limit: number | undefined) => {
      if (limit !== undefined) ofOrders.push({ rateLimitType: "ORDERS", interval, intervalNum, limit });
    };
    add("SECOND", 10, ordersPer10Seconds);
    add("MINUTE", 1, ordersPerMinute);
    add("DAY", 1, ordersPerDay);
    if (ofOrders.length > 0) venue.setOrderLimits(ofOrders);
  }

  setPrice(symbol: string, price: string, api: LocalApiName = "spot"): void {
    this.#service.venues[api].engine.setPrice(symbol, decimal(price));
  }

  nextOrderId(id: bigint, api: LocalApiName = "spot"): void {
    this.#service.venues[api].engine.orders.nextId = id;
  }

  get clockOffsetMs(): number {
    return this.#service.clockOffsetMs;
  }

  set clockOffsetMs(ms: number) {
    this.#service.clockOffsetMs = ms;
  }

  disturb(what: ApiDisturbance, options: ApiDisturbOptions = {}): void {
    this.#service.disturbances.add(what, options);
  }

  settle(): void {
    this.#service.disturbances.clear();
  }

  delayAnswers(ms: number): void {
    this.#service.answerDelayMs = ms;
  }

  delayEvents(ms: number): void {
    this.#service.outbox.delayMs = ms;
  }

  dropEvents(count: number): void {
    this.#service.outbox.toDrop = count;
  }

  eventsFirst(on: boolean): void {
    this.#service.eventsFirst = on;
  }

  closeOnBadKey(on: boolean): void {
    this.#service.closeOnBadKey = on;
  }

  spotListenKeys(on: boolean): void {
    this.#rest.hasSpotListenKeys = on;
    const { methods } = this.#service.venues.spot;
    for (const [name, method] of Object.entries(spotListenKeyMethods)) {
      if (on) methods.set(name, method);
      else methods.delete(name);
    }
  }

  failRest(options: RestFaultOptions = {}): void {
    this.#rest.fail(options);
  }
}
