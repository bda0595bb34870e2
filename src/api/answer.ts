/**
 * Reading what comes over a WebSocket API connection: answers and account events.
 *
 * @module
 */

import type { ApiRateLimit } from "../base/mod.ts";
import { MICROSECONDS_FROM } from "./time_offset.ts";

/** An answer (Binance web-socket-api.md, "Response format"). */
export interface ApiAnswer {
  /** The request's id, or null where the exchange could not read or does not tell it. */
  readonly id: unknown;
  readonly status: number;
  readonly result: unknown;
  /** The error, if it is one. */
  readonly error: { readonly code: number | undefined; readonly msg: string; readonly data: unknown } | undefined;
  readonly rateLimits: readonly ApiRateLimit[];
}

/** An account event. */
export interface ApiEvent {
  readonly subscriptionId: number | undefined;
  /** The JSON of the event alone. */
  readonly text: string;
}

const NO_LIMITS: readonly ApiRateLimit[] = [];
/** `{"subscriptionId":0,"event":{…}}` (web-socket-api.md, "Event format"). */
const EVENT_HEAD = /^\s*\{\s*"subscriptionId"\s*:\s*(\d+|null)\s*,\s*"event"\s*:\s*(?=\{)/;
const BARE_EVENT_HEAD = /^\s*\{\s*"event"\s*:\s*(?=\{)/;
const EVENT_TAIL = /,\s*"subscriptionId"\s*:\s*(\d+|null)\s*\}\s*$/;
/** The longest that the tail can be, with some white space. */
const TAIL_CHARACTERS = 64;
const LETTER_I = 0x69;

/** The account event in a message, cut out as it is; `undefined` if the message is none. */
export function eventOf(text: string): ApiEvent | undefined {
  // An answer starts with `{"id"`: nothing else has to be looked at.
  if (text.charCodeAt(2) === LETTER_I) return undefined;
  const head = EVENT_HEAD.exec(text);
  if (head !== null) {
    return { subscriptionId: idOf(head[1]), text: text.slice(head[0].length, text.lastIndexOf("}")).trimEnd() };
  }
  const bare = BARE_EVENT_HEAD.exec(text);
  if (bare === null) return undefined;
  const tailFrom = Math.max(0, text.length - TAIL_CHARACTERS);
  const tail = EVENT_TAIL.exec(text.slice(tailFrom));
  const end = tail === null ? text.lastIndexOf("}") : tailFrom + tail.index;
  return { subscriptionId: idOf(tail?.[1]), text: text.slice(bare[0].length, end).trimEnd() };
}

function idOf(digits: string | undefined): number | undefined {
  return digits === undefined || digits === "null" ? undefined : Number(digits);
}

/** The answer in a message that was parsed; `undefined` if it is none. */
export function answerOf(value: unknown): ApiAnswer | undefined {
  if (!isRecord(value) || typeof value.status !== "number") return undefined;
  const { id, status, result, rateLimits } = value;
  const isLimited = Array.isArray(rateLimits);
  return {
    id,
    status,
    result,
    error: status === 200 && value.error === undefined ? undefined : errorOf(value.error),
    // The cast: what is not a rate limit in this list is skipped where it is read.
    rateLimits: isLimited ? rateLimits.filter(isRateLimit) as ApiRateLimit[] : NO_LIMITS,
  };
}

function errorOf(error: unknown): NonNullable<ApiAnswer["error"]> {
  if (!isRecord(error)) return { code: undefined, msg: "an error without a text", data: undefined };
  const { code, msg, data } = error;
  return {
    code: typeof code === "number" ? code : undefined,
    msg: typeof msg === "string" ? msg : "an error without a text",
    data,
  };
}

function isRateLimit(value: unknown): boolean {
  return isRecord(value) && typeof value.rateLimitType === "string" && typeof value.interval === "string" &&
    typeof value.intervalNum === "number" && typeof value.limit === "number" && typeof value.count === "number";
}

/** When the exchange says that it may be asked again, in ms since 1970; `undefined` if it does not. */
export function retryAtOf(data: unknown): number | undefined {
  const at = isRecord(data) ? Number(data.retryAfter) : NaN;
  if (!Number.isFinite(at) || at <= 0) return undefined;
  return at >= MICROSECONDS_FROM ? at / 1_000 : at;
}

/** Whether a value has properties to be read. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
