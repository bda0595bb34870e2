/**
 * What the tables say of one method of a WebSocket API.
 *
 * @module
 */

import type { ApiMethodFacts, ApiSecurity } from "../api_options.ts";
import type { ApiParameterTypes } from "./parameters.ts";
import type { ApiResults } from "./results.ts";
import { type WeightRuleName, weightRules } from "./weights.ts";

/**
 * A method as a table writes it down: literals only, from which the types of the functions are derived.
 *
 * @example
 * ```ts
 * import type { ApiMethodSpec } from "@rawtick/binance";
 *
 * const time: ApiMethodSpec = {
 *   about: "The exchange's clock.",
 *   access: "NONE",
 *   security: "NONE",
 *   weight: 1,
 *   required: [],
 *   optional: [],
 *   returns: "ServerTime",
 * };
 * console.log(time.about);
 * ```
 */
export interface ApiMethodSpec {
  /** What it does, in one sentence. */
  readonly about: string;
  /** What the API key must be allowed to, in Binance's terms; `"SESSION"` is about the connection itself. */
  readonly access: "NONE" | "TRADE" | "USER_DATA" | "USER_STREAM" | "SESSION";
  /** What has to be sent along: nothing, `apiKey`, or `apiKey`, `timestamp` and `signature`. */
  readonly security: ApiSecurity;
  /** Works on a connection that is logged on only, although the request itself is not signed. Default: false. */
  readonly needsLogon?: boolean;
  /** Whether a second request would do something again. Default: false. */
  readonly changesState?: boolean;
  /** Weight of a request, or the rule for it. */
  readonly weight: number | WeightRuleName;
  /** Whether the exchange charges no weight for a request that succeeds. Default: false. */
  readonly freeIfSuccessful?: boolean;
  /** How many orders it counts for in the rate limits of the type `ORDERS`. Default: 0. */
  readonly orders?: number;
  /** Parameters without which it can't be sent. */
  readonly required: readonly (keyof ApiParameterTypes)[];
  /** Further parameters. Those that are not listed are sent too. */
  readonly optional: readonly (keyof ApiParameterTypes)[];
  /** Groups of parameters; at least one of each group has to be given. Default: none. */
  readonly alternatives?: readonly (readonly (keyof ApiParameterTypes)[])[];
  /** What comes back. */
  readonly returns: keyof ApiResults;
  /** Names under which the reference product, unicorn-binance-websocket-api, knows it. Default: none. */
  readonly aliases?: readonly string[];
  /** What else there is to know. Default: nothing. */
  readonly note?: string;
}

/**
 * A table of methods by their name on the wire.
 *
 * @example
 * ```ts
 * import { type ApiMethodSpecs, spotMethodSpecs } from "@rawtick/binance";
 *
 * const table: ApiMethodSpecs = spotMethodSpecs;
 * console.log(Object.keys(table).length);
 * ```
 */
export type ApiMethodSpecs = Readonly<Record<string, ApiMethodSpec>>;

/**
 * A method of a WebSocket API, with everything that has to be known to send it.
 *
 * @example
 * ```ts
 * import { spotMethods } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * const depth = spotMethods.get("depth");
 * assertEquals(depth?.weight({ symbol: "BTCUSDT", limit: 5000 }), 250);
 * assertEquals(depth?.functionName, "depth");
 * ```
 */
export interface ApiMethod extends ApiMethodFacts, Required<Omit<ApiMethodSpec, "weight" | "note">> {
  /** Its name on the wire, such as `"order.place"`. */
  readonly method: string;
  /** Name of its function, such as `"orderPlace"`. */
  readonly functionName: string;
  /** The rule for its weight, in words. */
  readonly weightText: string;
  /** How many orders it counts for in the rate limits of the type `ORDERS`. */
  readonly orders: number;
  /** Whether a second request would do something again. */
  readonly changesState: boolean;
  /** What has to be sent along: nothing, `apiKey`, or `apiKey`, `timestamp` and `signature`. */
  readonly security: ApiSecurity;
  /** What else there is to know. */
  readonly note: string | undefined;
}

/**
 * Methods by their name on the wire.
 *
 * @example
 * ```ts
 * import { type ApiMethods, usdmMethods } from "@rawtick/binance";
 *
 * const methods: ApiMethods = usdmMethods;
 * for (const { method, weightText } of methods.values()) console.log(method, weightText);
 * ```
 */
export type ApiMethods = ReadonlyMap<string, ApiMethod>;

/** The name of the function of a method: `order.place` is `orderPlace`, `v2/account.status` is `accountStatusV2`. */
export function functionNameOf(method: string): string {
  const [, version, name = method] = /^(v\d+)\/(.*)$/.exec(method) ?? [];
  const joined = name.replaceAll(/\.(.)/g, (_, letter: string) => letter.toUpperCase());
  return joined + (version?.toUpperCase() ?? "");
}

/** The methods of a table. */
export function methodsOf(specs: ApiMethodSpecs): ApiMethods {
  return new Map(Object.entries(specs).map(([method, spec]) => [method, methodOf(method, spec)]));
}

function methodOf(method: string, spec: ApiMethodSpec): ApiMethod {
  const { weight } = spec;
  const rule = typeof weight === "number" ? { text: String(weight), of: () => weight } : weightRules[weight];
  return Object.freeze({
    needsLogon: false,
    changesState: false,
    freeIfSuccessful: false,
    orders: 0,
    alternatives: [],
    aliases: [],
    note: undefined,
    ...spec,
    method,
    functionName: functionNameOf(method),
    weight: rule.of,
    weightText: rule.text,
  });
}
