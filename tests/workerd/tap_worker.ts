/**
 * A worker with a Durable Object that owns a tap of `./edge`. What is asked for below `/control/` is for the tests, all
 * else is for the tap.
 *
 * @module
 */

import { BinanceWebSocketApiManager, type Tap, tap, type TapOptions, type TapStatistics } from "@rawtick/binance/edge";

/** What tests see of the tap. */
export interface TapState {
  readonly statistics: TapStatistics;
  /** Warnings and errors in the log. */
  readonly log: readonly string[];
}

/** What the configuration gives the worker. */
interface Env {
  /** URL of the local exchange. */
  readonly EXCHANGE: string;
  /** The tap's options, as JSON. */
  readonly OPTIONS: string;
  readonly TAP: DurableObjectNamespace;
}

/** What is used of a namespace of Durable Objects (`@cloudflare/workers-types` would be 1 MB for these lines). */
interface DurableObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** Owns the tap, which outlives every request. */
export class TapObject {
  readonly #log: string[] = [];
  readonly #tap: Tap;

  constructor(_state: unknown, { EXCHANGE, OPTIONS }: Env) {
    const keep = (text: string): void => void this.#log.push(text);
    const manager = new BinanceWebSocketApiManager({
      websocketBaseUrl: EXCHANGE,
      reconnectMinDelayMs: 20,
      logger: { debug() {}, info() {}, warn: keep, error: keep },
    });
    // The cast: the tests write it so.
    this.#tap = tap(manager, JSON.parse(OPTIONS) as TapOptions);
  }

  /** Does what the path says. */
  async fetch(request: Request): Promise<Response> {
    switch (new URL(request.url).pathname) {
      case "/control/stop":
        await this.#tap.stop();
        break;
      case "/control/state":
        break;
      default:
        return await this.#tap.fetch(request);
    }
    const state: TapState = { statistics: this.#tap.statistics, log: this.#log };
    return Response.json(state);
  }
}

export default {
  /** Everything goes to the one Durable Object. */
  fetch(request: Request, { TAP }: Env): Promise<Response> {
    return TAP.get(TAP.idFromName("the tap")).fetch(request);
  },
};
