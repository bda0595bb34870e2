/**
 * Checking what a request is made with: its method, its parameters and its options.
 *
 * @module
 */

import { InvalidOptionsError, listOf, quoted } from "../base/mod.ts";
import type { InternalRequestOptions } from "./api_options.ts";
import type { Params } from "./params.ts";

const NAMES: Readonly<Record<keyof InternalRequestOptions, true>> = {
  timeoutMs: true,
  signal: true,
  id: true,
  signer: true,
  onRateLimit: true,
  facts: true,
  onResult: true,
  isUrgent: true,
};
/** What a user may know; the others are for this package. */
const PUBLIC_NAMES = ["timeoutMs", "signal", "id", "signer", "onRateLimit", "facts"];

/** What is often meant by an option that there is not. */
const HINTS: Readonly<Record<string, string>> = {
  timeout: "did you mean `timeoutMs`?",
  signed: 'expected `facts: { security: "SIGNED" }` for a method that is not in the table',
  security: "expected it in `facts`, for a method that is not in the table",
  recvWindow: "expected it among the parameters",
  stream: "it belongs to the functions of `manager.api`",
};

const MAX_TIMEOUT_MS = 86_400_000;

/**
 * Checks what a request is made with, since JavaScript passes anything.
 *
 * @throws {InvalidOptionsError} if something of it would be of no effect, or can't be used.
 */
export function checkRequest(method: string, params: Params, options: InternalRequestOptions): void {
  if (typeof method !== "string" || method === "") {
    throw new InvalidOptionsError('Cannot make this request: expected the name of a method, such as "time"', {
      path: "method",
    });
  }
  checkObject(method, params, "the parameters, or nothing");
  checkObject(method, options, "the options, or nothing");
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(NAMES, name)) {
      const hint = Object.hasOwn(HINTS, name) ? HINTS[name] : `expected ${listOf(PUBLIC_NAMES)}`;
      throw new InvalidOptionsError(`Unknown option \`${name}\` of ${quoted(method)}: ${hint}`, { path: name });
    }
  }
  const { timeoutMs = 1, signal, signer, onRateLimit = "wait", facts } = options;
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    throw unusable("timeoutMs", `an integer from 1 to ${MAX_TIMEOUT_MS}`);
  }
  // One of another realm, or made by something else, is one too.
  if (signal !== undefined && typeof signal?.addEventListener !== "function") {
    throw unusable("signal", "an AbortSignal");
  }
  if (signer !== undefined && typeof signer?.signWebSocket !== "function") {
    throw unusable("signer", "what `createSigner()` returns");
  }
  if (!["wait", "error"].includes(onRateLimit)) throw unusable("onRateLimit", '"wait" or "error"');
  if (options.onResult !== undefined && typeof options.onResult !== "function") {
    throw unusable("onResult", "a function");
  }
  if (facts !== undefined) checkFacts(facts);
}

/**
 * Checks that something is an object whose properties can be read.
 *
 * @throws {InvalidOptionsError} if it is not.
 */
export function checkObject(method: string, value: unknown, what: string): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new InvalidOptionsError(`Cannot send ${quoted(method)}: expected an object with ${what}`);
}

function checkFacts(facts: NonNullable<InternalRequestOptions["facts"]>): void {
  const { security = "NONE", weight, orders = 0, changesState = true, ...others } = facts ?? {};
  const isUsable = typeof facts === "object" && facts !== null && ["NONE", "API_KEY", "SIGNED"].includes(security) &&
    (weight === undefined || typeof weight === "function") && Number.isInteger(orders) && orders >= 0 &&
    typeof changesState === "boolean" && Object.keys(others).length === 0;
  if (isUsable) return;
  throw unusable(
    "facts",
    'an object with `security` ("NONE", "API_KEY" or "SIGNED"), `changesState` (true or false), `weight` (a function) ' +
      "or `orders` (how many it counts for)",
  );
}

function unusable(path: string, expected: string): InvalidOptionsError {
  return new InvalidOptionsError(`Cannot use this as \`${path}\`: expected ${expected}`, { path });
}
