/**
 * What a request is made of: its id, who signs it, what it costs, a client order id.
 *
 * @module
 */

import { InvalidOptionsError, quoted } from "../base/mod.ts";
import type { InternalRequestOptions, RateLimitPolicy } from "./api_options.ts";
import type { RequestInit } from "./api_request.ts";
import type { KnownMethod } from "./api_settings.ts";
import { newClientOrderId } from "./client_order_id.ts";
import { withoutVersion } from "./logon_state.ts";
import { type Params, paramsJson } from "./params.ts";
import type { PendingRequests } from "./pending_requests.ts";
import type { Signer } from "./signer.ts";

/** What holds for all requests of a stream. */
export interface RequestDefaults {
  readonly methods: ReadonlyMap<string, KnownMethod>;
  readonly signer: Signer | undefined;
  readonly timeoutMs: number;
  readonly onRateLimit: RateLimitPolicy;
}

/** Of these parameters, the first one that a method has names its order. */
const NEW_CLIENT_IDS = ["newClientOrderId", "listClientOrderId", "clientAlgoId"] as const;
/** What is not known may act, so that it is never sent twice. */
const UNKNOWN: KnownMethod = { security: "NONE", changesState: true, weight: () => 1, orders: 0 };

/**
 * Prepares a request.
 *
 * @param now The monotonic time in ms.
 * @throws {InvalidOptionsError} if the id can't be used, or a signer is missing.
 * @throws {TypeError} if a parameter can't be sent.
 */
export function preparedRequest(
  pending: PendingRequests,
  defaults: RequestDefaults,
  now: number,
  method: string,
  params: Params,
  options: InternalRequestOptions,
): RequestInit {
  const timeoutMs = options.timeoutMs ?? defaults.timeoutMs;
  const known = defaults.methods.get(method) ?? defaults.methods.get(withoutVersion(method)) ?? UNKNOWN;
  const facts: KnownMethod = options.facts === undefined ? known : { ...known, ...options.facts };
  const signer = options.signer ?? defaults.signer;
  const needsKey = facts.security === "API_KEY" && params.apiKey === undefined;
  if (signer === undefined && (needsKey || facts.security === "SIGNED")) {
    throw new InvalidOptionsError(`Cannot ask for ${quoted(method)} without an API key: expected a \`signer\``, {
      path: "signer",
    });
  }
  // What can't be sent is told now, not when there is a connection.
  paramsJson(params);
  const { orders } = facts;
  return {
    id: pending.idOf(options.id),
    method,
    params: withClientId(method, facts, needsKey && signer ? { ...params, apiKey: signer.apiKey } : { ...params }),
    facts,
    cost: { weight: checkedWeight(facts.weight(params)), orders, account: orders > 0 ? signer?.apiKey : undefined },
    signer,
    onRateLimit: options.onRateLimit ?? defaults.onRateLimit,
    timeoutMs,
    dueAt: now + timeoutMs,
    onResult: options.onResult,
    isUrgent: options.isUrgent ?? false,
  };
}

/** What `facts.weight` of the user says. */
function checkedWeight(weight: number): number {
  if (Number.isFinite(weight) && weight >= 0) return weight;
  throw new InvalidOptionsError("Cannot use what `facts.weight` returns: expected a number that is at least 0", {
    path: "facts",
  });
}

/** A question of the stream itself, over a connection that is not ready for requests yet. */
export function question(
  pending: PendingRequests,
  { methods, timeoutMs }: RequestDefaults,
  now: number,
  method: string,
): RequestInit {
  const facts: KnownMethod = { security: "NONE", changesState: false, weight: () => 2, orders: 0 };
  return {
    id: pending.idOf(undefined),
    method,
    params: {},
    facts,
    cost: { weight: (methods.get(method) ?? facts).weight({}), orders: 0, account: undefined },
    signer: undefined,
    onRateLimit: "wait",
    timeoutMs,
    dueAt: now + timeoutMs,
    onResult: undefined,
    isUrgent: true,
  };
}

/** A new order gets a client order id, so that it can be asked for if its outcome is unknown. */
function withClientId(method: string, { optional = [], orders, changesState }: KnownMethod, params: Params): Params {
  if (!changesState || (orders === 0 && method !== "algoOrder.place")) return params;
  const name = NEW_CLIENT_IDS.find((name) => optional.includes(name));
  return name === undefined || params[name] !== undefined ? params : { ...params, [name]: newClientOrderId() };
}
