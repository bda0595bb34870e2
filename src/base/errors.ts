/**
 * The errors of this package: one class per thing a caller would catch, each with a stable `code`. Misuse that only a change
 * of code can mend, such as a call on a stopped manager, is a `TypeError`.
 *
 * @module
 */

import { listOf, quoted } from "./text.ts";

/**
 * Base class of all errors of this package. Catch it to tell them from the errors of other code.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, RawtickError } from "@rawtick/binance";
 * import { assert } from "@std/assert";
 *
 * try {
 *   new BinanceWebSocketApiManager({ output: "xml" as "raw" });
 * } catch (error) {
 *   assert(error instanceof RawtickError);
 *   assert(error.code === "INVALID_OPTIONS");
 * }
 * ```
 */
export class RawtickError extends Error {
  /** Stable identifier of the kind of error, upper case with underscores; it does not change between versions. */
  readonly code: string;

  /** Creates an error with a stable code; `options.cause` keeps the error behind it. */
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/**
 * One or more options can't be used. Thrown at construction, before anything is opened. A single problem that has a
 * class of its own (such as {@linkcode UnknownExchangeError}) is thrown as that class, which is a subclass of this one;
 * several problems are thrown together, each of them in `errors`.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, InvalidOptionsError } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * try {
 *   new BinanceWebSocketApiManager({ bufferSize: 0, closeTimeoutMs: -1 });
 * } catch (error) {
 *   if (!(error instanceof InvalidOptionsError)) throw error;
 *   assertEquals(error.errors.map((problem) => problem.path), ["bufferSize", "closeTimeoutMs"]);
 * }
 * ```
 */
export class InvalidOptionsError extends RawtickError {
  /** Where the problem is, such as `"proxy"` or `"streams[2]"`; `""` when there are several or it is the whole object. */
  readonly path: string;
  readonly #errors: readonly InvalidOptionsError[];

  /** Creates an error for one problem at `path`, or for all of `options.errors`. */
  constructor(
    message: string,
    options: ErrorOptions & { path?: string; code?: string; errors?: readonly InvalidOptionsError[] } = {},
  ) {
    super(options.code ?? "INVALID_OPTIONS", message, options);
    this.path = options.path ?? "";
    this.#errors = options.errors ?? [];
  }

  /** Every problem that was found; a single problem lists itself. */
  get errors(): readonly InvalidOptionsError[] {
    return this.#errors.length > 0 ? this.#errors : [this];
  }
}

/**
 * The option `websocketLibrary` names a library that does not exist. The message names those that do.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, UnknownWebSocketLibraryError } from "@rawtick/binance";
 * import { assertThrows } from "@std/assert";
 *
 * assertThrows(
 *   () => new BinanceWebSocketApiManager({ websocketLibrary: "picows" as "native" }),
 *   UnknownWebSocketLibraryError,
 *   'Cannot use the websocket library "picows": expected "builtin" or "native"',
 * );
 * ```
 */
export class UnknownWebSocketLibraryError extends InvalidOptionsError {
  /** Creates the error for the library `library`, listing the `known` ones. */
  constructor(library: string, known: readonly string[], path = "websocketLibrary") {
    super(`Cannot use the websocket library ${quoted(library)}: expected ${listOf(known)}`, {
      path,
      code: "UNKNOWN_WEBSOCKET_LIBRARY",
    });
  }
}

/**
 * The WebSocket library exists, but can't run on this runtime. There is no fallback to another one.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, WebSocketLibraryUnavailableError } from "@rawtick/binance/edge";
 * import { assertThrows } from "@std/assert";
 *
 * assertThrows(
 *   () => new BinanceWebSocketApiManager({ websocketLibrary: "native" }),
 *   WebSocketLibraryUnavailableError,
 * );
 * ```
 */
export class WebSocketLibraryUnavailableError extends InvalidOptionsError {
  /** Creates the error for `library`; `reason` says why it can't run and what to use instead. */
  constructor(library: string, reason: string, path = "websocketLibrary") {
    super(`Cannot use the websocket library ${quoted(library)} here: ${reason}`, {
      path,
      code: "WEBSOCKET_LIBRARY_UNAVAILABLE",
    });
  }
}

/**
 * The option `exchange` is not one of the exchange keys. The message lists them.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, UnknownExchangeError } from "@rawtick/binance";
 * import { assertThrows } from "@std/assert";
 *
 * assertThrows(
 *   () => new BinanceWebSocketApiManager({ exchange: "binance.org" as "binance.com" }),
 *   UnknownExchangeError,
 * );
 * ```
 */
export class UnknownExchangeError extends InvalidOptionsError {
  /** Creates the error for the key `exchange`, listing the `known` keys. */
  constructor(exchange: string, known: readonly string[], path = "exchange") {
    super(`Cannot use the exchange ${quoted(exchange)}: expected ${listOf(known)}`, {
      path,
      code: "UNKNOWN_EXCHANGE",
    });
  }
}

/**
 * The option `proxy` is not a usable proxy URL. The message never contains the password.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, InvalidProxyUrlError } from "@rawtick/binance";
 * import { assertThrows } from "@std/assert";
 *
 * assertThrows(
 *   () => new BinanceWebSocketApiManager({ proxy: "ftp://127.0.0.1:21" }),
 *   InvalidProxyUrlError,
 * );
 * ```
 */
export class InvalidProxyUrlError extends InvalidOptionsError {
  /** Creates the error; `message` must not contain credentials. */
  constructor(message: string, path = "proxy") {
    super(message, { path, code: "INVALID_PROXY_URL" });
  }
}

/**
 * The proxy URL is valid, but this runtime can't connect through a proxy. Nothing ever connects around it.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, ProxyUnavailableError } from "@rawtick/binance/edge";
 * import { assertThrows } from "@std/assert";
 *
 * assertThrows(
 *   () => new BinanceWebSocketApiManager({ proxy: "socks5://user:secret@127.0.0.1:1080" }),
 *   ProxyUnavailableError,
 *   'Cannot use the proxy "socks5://…": this needs raw sockets',
 * );
 * ```
 */
export class ProxyUnavailableError extends InvalidOptionsError {
  /** Creates the error for the proxy `maskedUrl`, which must not contain the password, or for no proxy. */
  constructor(maskedUrl: string | undefined, reason: string, path = "proxy") {
    const wish = maskedUrl === undefined ? "connect without a proxy" : `use the proxy ${JSON.stringify(maskedUrl)}`;
    super(`Cannot ${wish}: ${reason}`, { path, code: "PROXY_UNAVAILABLE" });
  }
}

/**
 * More streams were asked for than one connection may carry.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, MaximumSubscriptionsExceededError } from "@rawtick/binance";
 * import { assertThrows } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ maxLinks: 1 });
 * const streams = Array.from({ length: 1025 }, (_, index) => `symbol${index}@trade`);
 * assertThrows(() => manager.createStream({ streams }), MaximumSubscriptionsExceededError);
 * ```
 */
export class MaximumSubscriptionsExceededError extends InvalidOptionsError {
  /** Creates the error: `wanted` streams where `maximum` are allowed on one connection to `exchange`. */
  constructor(exchange: string, wanted: number, maximum: number, path = "streams") {
    super(
      `Cannot subscribe to ${wanted} streams at one path of ${exchange}: expected at most ${maximum}; ` +
        "allow more connections with `maxLinks`, or spread them over several streams",
      { path, code: "MAXIMUM_SUBSCRIPTIONS_EXCEEDED" },
    );
  }
}

/**
 * The connection could not be opened: the name was not found, the peer refused, TLS failed, the handshake broke.
 *
 * @example
 * ```ts
 * import { ConnectionFailedError, openConnection } from "@rawtick/binance/transport";
 * import { assertRejects } from "@std/assert";
 *
 * const listener = { onText: () => {}, onClose: () => {} };
 * await assertRejects(() => openConnection("builtin", "ws://127.0.0.1:1/ws", listener), ConnectionFailedError);
 * ```
 */
export class ConnectionFailedError extends RawtickError {
  /**
   * HTTP status of the server's answer to the handshake, or of a proxy's refusal, if there was one and the runtime lets
   * it be known: Deno's built-in WebSocket hides the server's on wss://, Node's and those of browsers always.
   */
  readonly status: number | undefined;

  /** Creates the error; `options.cause` is what the runtime reported. */
  constructor(message: string, options: ErrorOptions & { code?: string; status?: number | undefined } = {}) {
    super(options.code ?? "CONNECTION_FAILED", message, options);
    this.status = options.status;
  }
}

/**
 * How far the way through a proxy got before it failed:
 *
 * - `"dns"`: the proxy's name was not found, or the target's, which `socks4` and `socks5` look up here.
 * - `"connect"`: no TCP connection to the proxy.
 * - `"tls"`: no TLS to an `https` proxy, its certificate for instance.
 * - `"handshake"`: the proxy said nothing, hung up or did not speak its protocol before it answered.
 * - `"auth"`: it wants other credentials, or some at all.
 * - `"tunnel"`: it refuses the target, or can't reach it.
 *
 * @example
 * ```ts
 * import type { ProxyStage } from "@rawtick/binance/transport";
 *
 * const isWorthAnAlert = (stage: ProxyStage) => stage === "auth";
 * console.log(isWorthAnAlert("connect"));
 * ```
 */
export type ProxyStage = "dns" | "connect" | "tls" | "handshake" | "auth" | "tunnel";

/**
 * The proxy did not open a way to the server; nothing was sent around it. What fails inside of an open tunnel is the same
 * error as without a proxy. A timeout on the way has a {@linkcode HandshakeTimeoutError} as its `cause`. Neither the error
 * nor its cause contains the password.
 *
 * @example
 * ```ts
 * import { openConnection, ProxyConnectionError } from "@rawtick/binance/transport";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const listener = { onText: () => {}, onClose: () => {} };
 * const proxy = "socks5://user:secret@127.0.0.1:1";
 * const error = await assertRejects(
 *   () => openConnection("native", "ws://127.0.0.1:2/ws", listener, { proxy }),
 *   ProxyConnectionError,
 * );
 * assertEquals([error.stage, error.proxy], ["connect", "socks5://user:***@127.0.0.1:1"]);
 * ```
 */
export class ProxyConnectionError extends ConnectionFailedError {
  /** How far it got. */
  readonly stage: ProxyStage;
  /** The proxy's URL with the password masked. */
  readonly proxy: string;
  /** The first KiB of the body of an HTTP proxy's refusal as text, credentials masked; `undefined` without a refusal. */
  readonly body: string | undefined;

  /** Creates the error for the proxy `options.proxy`; neither it nor the message may contain the password. */
  constructor(
    message: string,
    options: ErrorOptions & {
      stage: ProxyStage;
      proxy: string;
      status?: number | undefined;
      body?: string | undefined;
    },
  ) {
    super(message, { ...options, code: "PROXY_CONNECTION_FAILED" });
    this.stage = options.stage;
    this.proxy = options.proxy;
    this.body = options.body;
  }
}

/**
 * The server answered the opening handshake with something else than 101. Where the runtime hides the status, the error is
 * a plain {@linkcode ConnectionFailedError}.
 *
 * @example
 * ```ts
 * import { HandshakeRejectedError, openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * exchange.refuseConnections(429);
 * const listener = { onText: () => {}, onClose: () => {} };
 * const error = await assertRejects(
 *   () => openConnection("native", `${exchange.url}/ws/btcusdt@trade`, listener),
 *   HandshakeRejectedError,
 * );
 * assertEquals(error.status, 429);
 * ```
 */
export class HandshakeRejectedError extends ConnectionFailedError {
  /** HTTP status of the response. */
  declare readonly status: number;
  /** The response's `Retry-After` in ms, or `undefined` if it had none or the runtime hides it. */
  readonly retryAfterMs: number | undefined;
  /** The response's headers with lower-case names, or `undefined` where the runtime hides them. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The first KiB of the response's body as text, or `undefined` where the runtime hides it. */
  readonly body: string | undefined;

  /** Creates the error for a response. */
  constructor(
    message: string,
    options: ErrorOptions & {
      status: number;
      retryAfterMs?: number | undefined;
      headers?: Readonly<Record<string, string>> | undefined;
      body?: string | undefined;
    },
  ) {
    super(message, { ...options, code: "HANDSHAKE_REJECTED" });
    this.retryAfterMs = options.retryAfterMs;
    this.headers = options.headers;
    this.body = options.body;
  }
}

/**
 * The connection was not open within `handshakeTimeoutMs`.
 *
 * @example
 * ```ts
 * import { HandshakeTimeoutError, openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertRejects } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * exchange.ignoreHandshakes(true);
 * const listener = { onText: () => {}, onClose: () => {} };
 * await assertRejects(
 *   () => openConnection("native", `${exchange.url}/stream`, listener, { handshakeTimeoutMs: 50 }),
 *   HandshakeTimeoutError,
 * );
 * ```
 */
export class HandshakeTimeoutError extends ConnectionFailedError {
  /** Creates the error for a handshake that took longer than `timeoutMs`. */
  constructor(url: string, timeoutMs: number) {
    super(`Cannot open ${url}: no answer to the handshake within ${timeoutMs} ms`, { code: "HANDSHAKE_TIMEOUT" });
  }
}

/**
 * The peer broke RFC 6455. `closeCode` is what the connection was failed with.
 *
 * @example
 * ```ts
 * import { WebSocketProtocolError } from "@rawtick/binance/transport";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new WebSocketProtocolError("Cannot read a frame: reserved bits are set", "RESERVED_BITS", 1002);
 * assertEquals(error.closeCode, 1002);
 * ```
 */
export class WebSocketProtocolError extends RawtickError {
  /** Close code of RFC 6455 7.4.1 that tells the peer: 1002, 1007 or 1009. */
  readonly closeCode: number;

  /** Creates the error for the violation `code`. */
  constructor(message: string, code: string, closeCode: number) {
    super(code, message);
    this.closeCode = closeCode;
  }
}

/**
 * Something was asked of a connection that is not open any more.
 *
 * @example
 * ```ts
 * import { ConnectionClosedError, openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertThrows } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const connection = await openConnection("native", `${exchange.url}/stream`, { onText: () => {}, onClose: () => {} });
 * connection.terminate();
 * assertThrows(() => connection.send("hello"), ConnectionClosedError);
 * ```
 */
export class ConnectionClosedError extends RawtickError {
  /** Creates the error; `message` says what was asked. */
  constructor(message: string, options?: ErrorOptions) {
    super("CONNECTION_CLOSED", message, options);
  }
}

/**
 * The exchange refused a SUBSCRIBE or UNSUBSCRIBE. The streams it names are no longer wanted.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, SubscriptionRejectedError } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertRejects } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * await stream.ready;
 * exchange.rejectControl({ code: 2, msg: "Invalid request: made up for this example" });
 * await assertRejects(
 *   () => manager.subscribeToStream(stream, { streams: ["ethusdt@trade"] }),
 *   SubscriptionRejectedError,
 *   "made up for this example",
 * );
 * ```
 */
export class SubscriptionRejectedError extends RawtickError {
  /** Names of the streams that were refused. */
  readonly streams: readonly string[];
  /** Binance's error code (Binance web-socket-streams.md, "Error Messages"), or `undefined` if there was none. */
  readonly exchangeCode: number | undefined;

  /** Creates the error for `streams`. */
  constructor(message: string, streams: readonly string[], exchangeCode?: number) {
    super("SUBSCRIPTION_REJECTED", message);
    this.streams = streams;
    this.exchangeCode = exchangeCode;
  }
}

/**
 * The exchange did not acknowledge a SUBSCRIBE or UNSUBSCRIBE in time, after retries.
 *
 * @example
 * ```ts
 * import { SubscriptionTimeoutError } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new SubscriptionTimeoutError(["btcusdt@trade"], 10_000);
 * assertEquals(error.code, "SUBSCRIPTION_TIMEOUT");
 * ```
 */
export class SubscriptionTimeoutError extends RawtickError {
  /** Names of the streams that were not acknowledged. */
  readonly streams: readonly string[];

  /** Creates the error for `streams` that got no answer within `timeoutMs`. */
  constructor(streams: readonly string[], timeoutMs: number) {
    super("SUBSCRIPTION_TIMEOUT", `Cannot confirm ${listOf(streams, "and", 5)}: no answer within ${timeoutMs} ms`);
    this.streams = streams;
  }
}

/**
 * The stream was stopped by the user while, or before, something was asked of it.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, StreamStoppedError } from "@rawtick/binance";
 * import { assertRejects } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * await manager.stopStream(stream);
 * await assertRejects(() => stream.subscribe({ streams: ["ethusdt@trade"] }), StreamStoppedError);
 * ```
 */
export class StreamStoppedError extends RawtickError {
  /** Creates the error for the stream `streamId`. */
  constructor(streamId: string, options?: ErrorOptions) {
    super("STREAM_STOPPED", `The stream ${streamId} is stopped`, options);
  }
}

/**
 * The stream can't be repaired by reconnecting and has given up; `cause` says why.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, StreamCrashedError } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertRejects } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * exchange.refuseConnections(429);
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * await assertRejects(() => stream.ready, StreamCrashedError);
 * ```
 */
export class StreamCrashedError extends RawtickError {
  /** Creates the error for the stream `streamId` and the reason why it gave up. */
  constructor(streamId: string, reason: string, options?: ErrorOptions) {
    super("STREAM_CRASHED", `The stream ${streamId} has crashed: ${reason}`, options);
  }
}

/**
 * A rate limit of the exchange (Binance web-socket-api.md, "Rate limits"), as its answers tell it.
 *
 * @example
 * ```ts
 * import type { ApiRateLimit } from "@rawtick/binance";
 *
 * const limit: ApiRateLimit = { rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: 6000, count: 70 };
 * console.log(limit.limit - limit.count);
 * ```
 */
export interface ApiRateLimit {
  /** What is counted: `"REQUEST_WEIGHT"` by IP address, `"ORDERS"` by account, or what else the exchange names. */
  readonly rateLimitType: string;
  /** Unit of the window, which starts at a full one: `"SECOND"`, `"MINUTE"`, `"HOUR"` or `"DAY"` (UTC). */
  readonly interval: string;
  /** Length of the window in that unit. */
  readonly intervalNum: number;
  /** How much a window takes. */
  readonly limit: number;
  /** How much of it is used. */
  readonly count: number;
}

/**
 * The exchange has refused a request of the WebSocket API: it had no effect, or with status 409 (`order.cancelReplace`) a
 * part of it, which `data` tells.
 *
 * @example
 * ```ts
 * import { ApiError } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * const answer = { code: -2010, msg: "Account has insufficient balance for requested action." };
 * const error = new ApiError("order.place", 400, answer);
 * assertEquals([error.code, error.status, error.apiCode], ["API_ERROR", 400, -2010]);
 * ```
 */
export class ApiError extends RawtickError {
  /** The method that was asked for. */
  readonly method: string;
  /** Status of the answer: 400 refused, 401 not logged on, 403 firewall, 409 in part, 418 banned, 429 limited, 5xx. */
  readonly status: number;
  /** Binance's error code (Binance errors.md), or `undefined` if there was none. */
  readonly apiCode: number | undefined;
  /** Binance's text. */
  readonly msg: string;
  /** What the exchange says beside it, such as `{ retryAfter }`. */
  readonly data: unknown;
  /** The rate limits that came with the answer; empty if none did. */
  readonly rateLimits: readonly ApiRateLimit[];

  /** Creates the error for an answer to `method`. */
  constructor(
    method: string,
    status: number,
    answer: { readonly code?: number | undefined; readonly msg: string; readonly data?: unknown },
    rateLimits: readonly ApiRateLimit[] = [],
  ) {
    super("API_ERROR", `Cannot ${quoted(method)}: ${answer.msg} (status ${status}, code ${answer.code ?? "none"})`);
    this.method = method;
    this.status = status;
    this.apiCode = answer.code;
    this.msg = answer.msg;
    this.data = answer.data;
    this.rateLimits = rateLimits;
  }
}

/**
 * Nobody knows whether a request that changes something took effect: it was sent, and its connection was lost, its time was
 * over or its wait was aborted before the answer came, or the exchange itself does not know (status 5xx). It was sent once,
 * and is not sent again. Ask for the order by `clientOrderId` to find out. `cause` says what happened. Every other error of
 * a request means that it had no effect.
 *
 * @example
 * ```ts
 * import { RequestOutcomeUnknownError } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new RequestOutcomeUnknownError("order.place", 7, "the connection was lost", { clientOrderId: "mine-1" });
 * assertEquals([error.method, error.id, error.clientOrderId], ["order.place", 7, "mine-1"]);
 * ```
 */
export class RequestOutcomeUnknownError extends RawtickError {
  /** The method that was asked for. */
  readonly method: string;
  /** Id of the request. */
  readonly id: string | number;
  /** The client order id that it was sent with, given or made; `undefined` if the method has none. */
  readonly clientOrderId: string | undefined;

  /** Creates the error for the request `id`; `reason` completes the message. */
  constructor(
    method: string,
    id: string | number,
    reason: string,
    options: ErrorOptions & { readonly clientOrderId?: string | undefined } = {},
  ) {
    super(
      "REQUEST_OUTCOME_UNKNOWN",
      `Cannot tell whether ${quoted(method)} took effect: it was sent (id ${id}), and ${reason}`,
      options,
    );
    this.method = method;
    this.id = id;
    this.clientOrderId = options.clientOrderId;
  }
}

/**
 * A request was not answered in time, or not even sent: it had no effect that matters. If it was sent and changes something,
 * this is the `cause` of a {@linkcode RequestOutcomeUnknownError}.
 *
 * @example
 * ```ts
 * import { RequestTimeoutError } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new RequestTimeoutError("time", 10_000, false);
 * assertEquals([error.code, error.wasSent], ["REQUEST_TIMEOUT", false]);
 * ```
 */
export class RequestTimeoutError extends RawtickError {
  /** The method that was asked for. */
  readonly method: string;
  /** Whether it was sent; if not, it never will be. */
  readonly wasSent: boolean;

  /** Creates the error for a request that took longer than `timeoutMs`. */
  constructor(method: string, timeoutMs: number, wasSent: boolean) {
    const why = wasSent ? "no answer" : "it could not be sent";
    super("REQUEST_TIMEOUT", `Cannot ${quoted(method)}: ${why} within ${timeoutMs} ms`);
    this.method = method;
    this.wasSent = wasSent;
  }
}

/**
 * A request was not sent, since a rate limit of the exchange is used up, or the exchange has asked this address to wait
 * (status 429 or 418), and the wait is not allowed (`onRateLimit: "error"`) or longer than the request's timeout.
 *
 * @example
 * ```ts
 * import { RateLimitedError } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(new RateLimitedError("order.place", 7_500, "the limit of orders is used up").retryAfterMs, 7_500);
 * ```
 */
export class RateLimitedError extends RawtickError {
  /** The method that was asked for. */
  readonly method: string;
  /** In how many ms it may be tried again. */
  readonly retryAfterMs: number;

  /** Creates the error; `reason` says which limit it is. */
  constructor(method: string, retryAfterMs: number, reason: string) {
    super("RATE_LIMITED", `Cannot ${quoted(method)} now: ${reason}; expected to be asked again in ${retryAfterMs} ms`);
    this.method = method;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * A stream's buffer was full and its overflow policy is `"error"`.
 *
 * @example
 * ```ts
 * import { BufferOverflowError } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(new BufferOverflowError(1000).code, "BUFFER_OVERFLOW");
 * ```
 */
export class BufferOverflowError extends RawtickError {
  /** Creates the error for a buffer of `size` messages. */
  constructor(size: number) {
    super(
      "BUFFER_OVERFLOW",
      `The stream's buffer of ${size} messages is full: read faster, raise bufferSize, or choose overflow "drop-oldest"`,
    );
  }
}

/**
 * There is no stream with this id in the manager.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, UnknownStreamError } from "@rawtick/binance";
 * import { assertRejects } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager();
 * await assertRejects(() => manager.stopStream("no-such-id"), UnknownStreamError);
 * ```
 */
export class UnknownStreamError extends RawtickError {
  /** Creates the error for `streamId`. */
  constructor(streamId: string) {
    super("UNKNOWN_STREAM", `Cannot find the stream ${quoted(streamId)}: expected a stream of this manager`);
  }
}

/**
 * A tap does not serve a client: what it asks for is not on offer, it may not have it, or there are too many already.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap, TapRefusedError } from "@rawtick/binance";
 * import { assertThrows } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market = tap(manager, { streams: "btcusdt@trade" });
 * const { status, code } = assertThrows(() => market.response({ streams: "ethusdt@trade" }), TapRefusedError);
 * console.log(status, code); // 403 STREAM_NOT_ALLOWED
 * ```
 */
export class TapRefusedError extends RawtickError {
  /** HTTP status that says so: 400 to 499, or 501 and 503. */
  readonly status: number;
  /** In how many ms it may be tried again; `undefined` if that would not help. */
  readonly retryAfterMs: number | undefined;

  /** Creates the error; `code` is the stable identifier of the reason. */
  constructor(status: number, code: string, message: string, retryAfterMs?: number) {
    super(code, message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}
