/**
 * Who is let in: what a request for a WebSocket gets.
 *
 * @module
 */

import type { ApiService } from "./api/api_service.ts";
import type { ConnectLimit } from "./connect_limit.ts";
import type { MarketRules } from "./markets.ts";
import { readTarget, type StreamTarget } from "./request_target.ts";
import type { HttpResponse } from "./server_handshake.ts";
import type { Switches } from "./switches.ts";

/** Decides about handshakes. */
export class Admission {
  readonly #switches: Switches;
  readonly #connectLimit: ConnectLimit;
  readonly #rules: MarketRules;
  readonly #apis: ApiService;

  /** Creates the admission of an exchange. */
  constructor(switches: Switches, connectLimit: ConnectLimit, rules: MarketRules, apis: ApiService) {
    this.#switches = switches;
    this.#connectLimit = connectLimit;
    this.#rules = rules;
    this.#apis = apis;
  }

  /** What a request for `target` gets: a session, a refusal, or nothing. */
  decide(target: string, ip: string): StreamTarget | HttpResponse | undefined {
    const { refusals, ignoreHandshakes } = this.#switches;
    if (ignoreHandshakes) return undefined;
    if (refusals !== undefined) {
      if (--refusals.left <= 0) this.#switches.refusals = undefined;
      return refusals;
    }
    const overLimit = this.#connectLimit.refusal(ip);
    if (overLimit !== undefined) return overLimit;
    const answer = readTarget(target, this.#rules);
    if ("status" in answer) return { ...answer, headers: {} };
    return answer.api === undefined ? answer : this.#apis.refusal(answer.api.name) ?? answer;
  }
}
