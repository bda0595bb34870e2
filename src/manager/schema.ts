/**
 * The schemas behind the options that are about market data: every check says what was expected.
 *
 * @module
 */

import * as z from "zod/mini";
import {
  callable,
  checkedOptions,
  checkThat,
  flag,
  integer,
  InvalidOptionsError,
  label,
  type Logger,
  shown,
  UnknownExchangeError,
} from "../base/mod.ts";
import {
  checkSilenceTimes,
  checkTimeUnit,
  exchangeKeys,
  exchangeOf,
  isExchangeKey,
  timeUnits,
} from "../exchange/mod.ts";
import { type Output, selectionShape, type StreamBufferOptions } from "../stream/mod.ts";
import { selectLibrary, tlsSchema } from "../transport/portable.ts";
import type { AccountOption } from "./account_options.ts";
import { DEFAULT_RECONNECT_MAX_DELAY_MS, DEFAULT_RECONNECT_MIN_DELAY_MS } from "./link_settings.ts";
import type { MarketManagerOptions, StreamOptions } from "./options.ts";
import type { Platform } from "./parts.ts";
import type { ReplaceOptions } from "./proof.ts";
import { noProxies } from "./proxy_rules.ts";
import {
  baseUrl,
  bufferName,
  bufferSize,
  checkBufferCombination,
  DAY_MS,
  deliveryShape,
  isZeroOr,
  overflow,
  type Shape,
} from "./schema_parts.ts";

const logger = z.custom<Logger>(
  (value: unknown) =>
    typeof value === "object" && value !== null &&
    // The cast: any object may be asked for its methods.
    ["debug", "info", "warn", "error"].every((name) => typeof (value as Record<string, unknown>)[name] === "function"),
  "an object with the methods debug, info, warn and error",
);

function checkExchange(key: string): void {
  if (!isExchangeKey(key)) throw new UnknownExchangeError(key, exchangeKeys);
}

function checkBaseUrl(url: string): void {
  const refuse = (expected: string): never => {
    throw new InvalidOptionsError(`Cannot use this \`websocketBaseUrl\`: expected ${expected}`, {
      path: "websocketBaseUrl",
    });
  };
  baseUrl("websocketBaseUrl", ["ws", "wss"])(url);
  if (/\/(stream|ws)\/*$/.test(url)) refuse('it without "/stream" or "/ws" at its end, which the manager adds');
}

function zeroOr(minimum: number, maximum: number) {
  const isUsable = isZeroOr(minimum, maximum);
  return z.optional(z.custom<number>(isUsable, `0 or an integer from ${minimum} to ${maximum}`));
}

const silence = z.custom<number>(isZeroOr(100, DAY_MS), `0 or an integer from 100 to ${DAY_MS}`);

type ReconnectDelays = Partial<Record<"reconnectMinDelayMs" | "reconnectMaxDelayMs", number | undefined>>;
type Pings = Partial<Record<"pingIntervalMs" | "pingTimeoutMs", number | undefined>>;

/** An option that was not given is not to blame, but its default may be why another one can't be used. */
function checkReconnectDelays({ reconnectMinDelayMs: min, reconnectMaxDelayMs: max }: ReconnectDelays): void {
  if ((min ?? DEFAULT_RECONNECT_MIN_DELAY_MS) <= (max ?? DEFAULT_RECONNECT_MAX_DELAY_MS)) return;
  const [path, message] = min === undefined
    ? [
      "reconnectMaxDelayMs",
      `Cannot wait at most ${max} ms: expected ${DEFAULT_RECONNECT_MIN_DELAY_MS} or more, the default of ` +
      "`reconnectMinDelayMs`, or a smaller `reconnectMinDelayMs` beside it",
    ]
    : max === undefined
    ? [
      "reconnectMinDelayMs",
      `Cannot wait at least ${min} ms: expected ${DEFAULT_RECONNECT_MAX_DELAY_MS} or less, the default of ` +
      "`reconnectMaxDelayMs`, or a larger `reconnectMaxDelayMs` beside it",
    ]
    : [
      "reconnectMinDelayMs",
      `Cannot wait at least ${min} ms and at most ${max} ms: expected \`reconnectMinDelayMs\` up to ` +
      "`reconnectMaxDelayMs`",
    ];
  throw new InvalidOptionsError(message, { path });
}

/** Without a question there is no answer to wait for. */
function checkPings({ pingIntervalMs, pingTimeoutMs }: Pings): void {
  if (pingTimeoutMs === undefined || pingIntervalMs !== 0) return;
  throw new InvalidOptionsError(
    "Cannot use `pingTimeoutMs` together with `pingIntervalMs: 0`, which asks for no sign of life: expected one of them",
    { path: "pingTimeoutMs" },
  );
}

/** The options that only managers with requests and account events have. */
const ACCOUNT_OPTIONS: Readonly<Record<AccountOption, true>> = {
  signer: true,
  websocketApiBaseUrl: true,
  restBaseUrl: true,
  apiTimeoutMs: true,
  onRateLimit: true,
  returnRateLimits: true,
};

/** What is asked for needs requests or account events, which the manager is made without. */
export function leftOut(path: string): InvalidOptionsError {
  return new InvalidOptionsError(
    `Cannot use \`${path}\`: requests and account events are not part of "@rawtick/binance/edge"; ` +
      'import "@rawtick/binance/edge-full"',
    { path },
  );
}

const refusals: Shape = Object.fromEntries(
  Object.keys(ACCOUNT_OPTIONS).map((path) => {
    const refuse = () => {
      throw leftOut(path);
    };
    return [path, z.optional(z.custom().check(checkThat(refuse)))];
  }),
);

/** The options that all managers have. */
function marketShape({ libraries, proxies = noProxies }: Platform) {
  return {
    exchange: z.optional(z.string("the key of an exchange").check(checkThat(checkExchange))),
    websocketLibrary: z.optional(
      z.string('"builtin" or "native"').check(checkThat((name) => void selectLibrary(libraries, name))),
    ),
    websocketBaseUrl: z.optional(z.string("a URL").check(checkThat(checkBaseUrl))),
    ...proxies.shape,
    tls: z.optional(tlsSchema),
    ...deliveryShape,
    deliverControlResponses: flag,
    onSignal: callable,
    maxErrors: integer(1, 2 ** 16),
    maxResults: integer(1, 2 ** 16),
    logger: z.optional(logger),
    handshakeTimeoutMs: integer(1, 600_000),
    closeTimeoutMs: integer(1, 600_000),
    ackTimeoutMs: integer(1, 600_000),
    pingIntervalMs: integer(0, 600_000),
    pingTimeoutMs: integer(1, 600_000),
    maxMessageBytes: integer(1, 2 ** 31 - 1),
    reconnectMinDelayMs: integer(1, 600_000),
    reconnectMaxDelayMs: integer(1, 3_600_000),
    onRateLimited: z.optional(z.enum(["crash", "wait"], '"crash" or "wait"')),
    connectBudget: z.optional(z.enum(["manager", "process"], '"manager" or "process"')),
    maxLinks: integer(1, 1024),
    maxFinishedStreams: integer(1, 10_000),
    rolloverAgeMs: zeroOr(100, DAY_MS),
    overlapMs: integer(100, 600_000),
    silenceMs: z.optional(z.record(z.string(), silence, "an object of times in ms by stream or channel")),
    timeUnit: z.optional(z.enum(timeUnits, '"millisecond" or "microsecond"')),
    integers: z.optional(z.enum(["string", "bigint"], '"string" or "bigint"')),
  };
}

function checked<T extends object>(options: T, platform: Platform, others: Shape, known: readonly string[]): T {
  const shape = marketShape(platform);
  const schema = z.strictObject({ ...others, ...shape }, "an object").check(
    checkThat(checkReconnectDelays),
    checkThat(checkPings),
    checkThat(platform.proxies?.checkCombination ?? noProxies.checkCombination),
    checkThat(({ exchange = "binance.com", silenceMs = {} }) => {
      if (isExchangeKey(exchange)) checkSilenceTimes(exchangeOf(exchange), silenceMs);
    }),
    checkThat(({ exchange = "binance.com", timeUnit }) => {
      if (timeUnit !== undefined && isExchangeKey(exchange)) checkTimeUnit(exchangeOf(exchange), timeUnit);
    }),
  );
  return checkedOptions(schema, options, [...Object.keys(shape), ...known]);
}

/**
 * A checked copy of the options of a manager that has more than those of {@linkcode checkedMarketOptions}; throws for all
 * problems at once.
 *
 * @param others Schemas of what it has more.
 */
export function checkedOptionsWith<T extends object>(options: T, platform: Platform, others: Shape): T {
  return checked(options, platform, others, Object.keys(others));
}

/** A checked copy of the options of a manager for market data; throws for all problems at once. */
export function checkedMarketOptions<O extends Output>(
  options: MarketManagerOptions<O>,
  platform: Platform,
): MarketManagerOptions<O> {
  return checked(options, platform, refusals, []);
}

const streamBufferSchema = z.strictObject({
  order: z.optional(z.enum(["fifo", "lifo"], '"fifo" or "lifo"')),
  capacity: bufferSize,
  overflow,
}, "an object");

const SELECTION = "an object with `streams`, or with `channels` and `markets`";

/** Throws unless the options of a stream can be asked which kind of stream they are for. */
export function checkIsObject(given: object): void {
  if (Object(given) === given) return;
  throw new InvalidOptionsError(`Cannot use ${shown(given)} as options: expected ${SELECTION}`, { path: "" });
}

const streamSchema = z.strictObject({
  ...selectionShape,
  label,
  ...deliveryShape,
  deliverControlResponses: flag,
  onSignal: callable,
  streamBuffer: z.optional(bufferName),
}, SELECTION).check(checkThat(checkBufferCombination));

const replaceSchema = z.strictObject({ dataTimeoutMs: integer(0, 600_000) }, "an object");

/** A checked copy of what `replaceStream` is told beside the options of the new stream. */
export function checkedReplaceOptions(options: ReplaceOptions): ReplaceOptions {
  return checkedOptions(replaceSchema, options, Object.keys(replaceSchema.shape));
}

/** A checked copy of a stream's options; throws for all problems at once. */
export function checkedStreamOptions<O extends Output, S extends string, C extends string>(
  options: StreamOptions<O, S, C>,
): StreamOptions<O, S, C> {
  return checkedOptions(streamSchema, options, Object.keys(streamSchema.shape));
}

/** A checked copy of a named buffer's options; throws for all problems at once, also with its name. */
export function checkedStreamBufferOptions(name: string, options: StreamBufferOptions): StreamBufferOptions {
  if (!bufferName.safeParse(name).success) {
    throw new InvalidOptionsError("Cannot use this name for a stream buffer: expected a string that is not empty", {
      path: "name",
    });
  }
  return checkedOptions(streamBufferSchema, options, Object.keys(streamBufferSchema.shape));
}
