/**
 * The schemas behind the options: every check says what was expected.
 *
 * @module
 */

import * as z from "zod/mini";
import type { Signer } from "../api/mod.ts";
import { checkedOptions, InvalidOptionsError, type Logger, UnknownExchangeError } from "../base/mod.ts";
import { checkTimeUnit, exchangeKeys, exchangeOf, isExchangeKey, timeUnits } from "../exchange/mod.ts";
import { type Output, selectionShape, type StreamBufferOptions } from "../stream/mod.ts";
import { type LibraryTable, proxySchema, selectLibrary, tlsSchema } from "../transport/portable.ts";
import { checkProxyCombination } from "./proxy.ts";
import type { ApiStreamOptions, ManagerOptions, StreamOptions, UserDataStreamOptions } from "./options.ts";
import type { ReplaceOptions } from "./proof.ts";

function integer(minimum: number, maximum: number) {
  const expected = `an integer from ${minimum} to ${maximum}`;
  return z.optional(z.int(expected).check(z.minimum(minimum, expected), z.maximum(maximum, expected)));
}

const DAY_MS = 86_400_000;

function isZeroOr(minimum: number, maximum: number) {
  return (value: unknown) =>
    value === 0 || (Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum);
}

function zeroOr(minimum: number, maximum: number) {
  const isUsable = isZeroOr(minimum, maximum);
  return z.optional(z.custom<number>(isUsable, `0 or an integer from ${minimum} to ${maximum}`));
}

const silence = z.custom<number>(isZeroOr(100, DAY_MS), `0 or an integer from 100 to ${DAY_MS}`);

const callable = z.optional(z.custom<() => unknown>((value) => typeof value === "function", "a function"));

/** Makes a zod check of a function that throws: what it throws becomes the problem. */
function problem<T>(check: (value: T) => void): z.core.CheckFn<T> {
  return (context) => {
    try {
      check(context.value);
    } catch (error) {
      if (!(error instanceof InvalidOptionsError)) throw error;
      context.issues.push({ code: "custom", input: undefined, message: error.message, params: { error } });
    }
  };
}

const logger = z.custom<Logger>(
  (value: unknown) =>
    typeof value === "object" && value !== null &&
    // The cast: any object may be asked for its methods.
    ["debug", "info", "warn", "error"].every((name) => typeof (value as Record<string, unknown>)[name] === "function"),
  "an object with the methods debug, info, warn and error",
);

const output = z.optional(z.enum(["raw", "json", "typed", "normalized"], '"raw", "json", "typed" or "normalized"'));
const signer = z.optional(z.custom<Signer>(
  (value: unknown) =>
    typeof value === "object" && value !== null &&
    // The cast: any object may be asked for its methods.
    typeof (value as Partial<Signer>).signWebSocket === "function",
  "what `createSigner()` returns",
));
const overflow = z.optional(z.enum(["drop-oldest", "drop-newest", "error"], '"drop-oldest", "drop-newest" or "error"'));
const bufferSize = integer(1, 2 ** 24);
const deliveryShape = {
  output,
  onData: callable,
  onCallbackError: z.optional(z.enum(["crash", "continue"], '"crash" or "continue"')),
  maxConcurrentCallbacks: integer(1, 2 ** 16),
  deliverControlResponses: z.optional(z.boolean("true or false")),
  bufferSize,
  overflow,
};

/** A string, and no message shows what was given in its place. */
function secret(path: string) {
  const check = (value: unknown): void => {
    if (typeof value === "string") return;
    throw new InvalidOptionsError(`Cannot use this as \`${path}\`: expected a string`, { path });
  };
  return z.optional(z.custom<string>().check(problem(check)));
}

function checkExchange(key: string): void {
  if (!isExchangeKey(key)) throw new UnknownExchangeError(key, exchangeKeys);
}

/** A check of an option that is a base URL with one of two schemes. */
function baseUrl(path: string, schemes: readonly [string, string]): (url: string) => void {
  return (url) => {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    const isUsable = parsed !== undefined && schemes.includes(parsed.protocol.slice(0, -1)) &&
      [parsed.search, parsed.hash, parsed.username, parsed.password].every((part) => part === "");
    if (isUsable) return;
    throw new InvalidOptionsError(
      `Cannot use this \`${path}\`: expected ` +
        `"${schemes[0]}://host:port" or "${schemes[1]}://host:port", without credentials, query and fragment`,
      { path },
    );
  };
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

/** A named buffer takes everything, and has a size and a policy of its own. */
function checkBufferCombination(options: {
  readonly streamBuffer?: unknown;
  readonly onData?: unknown;
  readonly bufferSize?: unknown;
  readonly overflow?: unknown;
}): void {
  if (options.streamBuffer === undefined) return;
  const path = (["onData", "bufferSize", "overflow"] as const).find((name) => options[name] !== undefined);
  if (path === undefined) return;
  const expected = path === "onData" ? "one of them" : "it in `manager.streamBuffer(name, { capacity, overflow })`";
  throw new InvalidOptionsError(`Cannot use \`${path}\` together with \`streamBuffer\`: expected ${expected}`, {
    path,
  });
}

function checkReconnectDelays(
  { reconnectMinDelayMs = 250, reconnectMaxDelayMs = 60_000 }: {
    reconnectMinDelayMs?: number | undefined;
    reconnectMaxDelayMs?: number | undefined;
  },
): void {
  if (reconnectMinDelayMs <= reconnectMaxDelayMs) return;
  throw new InvalidOptionsError(
    `Cannot wait at least ${reconnectMinDelayMs} ms and at most ${reconnectMaxDelayMs} ms: ` +
      "expected `reconnectMinDelayMs` up to `reconnectMaxDelayMs`",
    { path: "reconnectMinDelayMs" },
  );
}

function managerSchema(libraries: LibraryTable) {
  return z.strictObject({
    exchange: z.optional(z.string("the key of an exchange").check(problem(checkExchange))),
    websocketLibrary: z.optional(
      z.string('"builtin" or "native"').check(problem((name) => void selectLibrary(libraries, name))),
    ),
    websocketBaseUrl: z.optional(z.string("a URL").check(problem(checkBaseUrl))),
    proxy: proxySchema,
    socks5ProxyServer: secret("socks5ProxyServer"),
    socks5ProxyUser: secret("socks5ProxyUser"),
    socks5ProxyPass: secret("socks5ProxyPass"),
    socks5ProxySslVerification: z.optional(z.boolean("true or false")),
    tls: z.optional(tlsSchema),
    ...deliveryShape,
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
    signer,
    websocketApiBaseUrl: z.optional(
      z.string("a URL").check(problem(baseUrl("websocketApiBaseUrl", ["ws", "wss"]))),
    ),
    restBaseUrl: z.optional(z.string("a URL").check(problem(baseUrl("restBaseUrl", ["http", "https"])))),
    apiTimeoutMs: integer(1, DAY_MS),
    onRateLimit: z.optional(z.enum(["wait", "error"], '"wait" or "error"')),
    integers: z.optional(z.enum(["string", "bigint"], '"string" or "bigint"')),
    returnRateLimits: z.optional(z.boolean("true or false")),
  }, "an object").check(
    problem(checkReconnectDelays),
    problem(checkProxyCombination),
    problem(({ exchange = "binance.com", timeUnit }) => {
      if (timeUnit !== undefined && isExchangeKey(exchange)) checkTimeUnit(exchangeOf(exchange), timeUnit);
    }),
  );
}

const name = z.string("a name").check(z.minLength(1, "a name"));

const streamBufferSchema = z.strictObject({
  order: z.optional(z.enum(["fifo", "lifo"], '"fifo" or "lifo"')),
  capacity: bufferSize,
  overflow,
}, "an object");

const streamSchema = z.strictObject({
  ...selectionShape,
  label: z.optional(z.string("a string")),
  onSignal: callable,
  ...deliveryShape,
  streamBuffer: z.optional(name),
}, "an object with `streams`, or with `channels` and `markets`").check(problem(checkBufferCombination));

const apiStreamSchema = z.strictObject({
  api: z.literal(true, "true"),
  label: z.optional(z.string("a string")),
  signer,
  logon: z.optional(z.boolean("true or false")),
}, "an object with `api: true`");

const userDataStreamSchema = z.strictObject({
  // Checked by the layer that knows what it means.
  userData: z.custom<UserDataStreamOptions["userData"]>(
    (value: unknown) => value === true || (typeof value === "object" && value !== null),
    "true or an object",
  ),
  label: z.optional(z.string("a string")),
  output,
  onData: callable,
  onCallbackError: deliveryShape.onCallbackError,
  maxConcurrentCallbacks: deliveryShape.maxConcurrentCallbacks,
  streamBuffer: z.optional(name),
  bufferSize,
  overflow,
}, "an object with `userData`").check(problem(checkBufferCombination));

const replaceSchema = z.strictObject({ dataTimeoutMs: integer(0, 600_000) }, "an object");

/** A checked copy of what `replaceStream` is told beside the options of the new stream. */
export function checkedReplaceOptions(options: ReplaceOptions): ReplaceOptions {
  return checkedOptions(replaceSchema, options, Object.keys(replaceSchema.shape));
}

/** A checked copy of a manager's options; throws for all problems at once. */
export function checkedManagerOptions<O extends Output>(
  options: ManagerOptions<O>,
  libraries: LibraryTable,
): ManagerOptions<O> {
  const schema = managerSchema(libraries);
  return checkedOptions(schema, options, Object.keys(schema.shape));
}

/** A checked copy of a stream's options; throws for all problems at once. */
export function checkedStreamOptions<O extends Output, S extends string, C extends string>(
  options: StreamOptions<O, S, C>,
): StreamOptions<O, S, C> {
  return checkedOptions(streamSchema, options, Object.keys(streamSchema.shape));
}

/** A checked copy of the options of a stream of requests; throws for all problems at once. */
export function checkedApiStreamOptions(options: ApiStreamOptions): ApiStreamOptions {
  return checkedOptions(apiStreamSchema, options, Object.keys(apiStreamSchema.shape));
}

/** A checked copy of the options of a stream of account events, but for `userData`; throws for all problems at once. */
export function checkedUserDataStreamOptions<O extends Output>(
  options: UserDataStreamOptions<O>,
): UserDataStreamOptions<O> {
  return checkedOptions(userDataStreamSchema, options, Object.keys(userDataStreamSchema.shape));
}

/** A checked copy of a named buffer's options; throws for all problems at once, also with its name. */
export function checkedStreamBufferOptions(bufferName: string, options: StreamBufferOptions): StreamBufferOptions {
  if (!name.safeParse(bufferName).success) {
    throw new InvalidOptionsError("Cannot use this name for a stream buffer: expected a string that is not empty", {
      path: "name",
    });
  }
  return checkedOptions(streamBufferSchema, options, Object.keys(streamBufferSchema.shape));
}
