/**
 * The API streams of a manager: makes them, and finds the one that a request goes over.
 *
 * @module
 */

import {
  type ApiFunctionOptions,
  type ApiMethod,
  type ApiMethods,
  ApiStream,
  bindApi,
  coinmMethods,
  connectWeight,
  defaultRateLimits,
  type FuturesApi,
  futuresMethodSpecs,
  type Params,
  RateLimits,
  type Signer,
  type SpotApi,
  spotMethods,
  spotMethodSpecs,
  TimeOffset,
  usdmMethods,
} from "../api/mod.ts";
import { InvalidOptionsError, quoted, UnknownStreamError } from "../base/mod.ts";
import type { Exchange, Market } from "../exchange/mod.ts";
import type { ControlRecord, LinkSettings, RingBuffer, Signal } from "../stream/mod.ts";
import type { ApiStreamOptions, ManagerOptions } from "./account_options.ts";
import { notAStream } from "./stream_argument.ts";

/**
 * The typed functions of the WebSocket APIs, `manager.api`: each sends its request over the only API stream of the manager,
 * or over the one in `options.stream`.
 *
 * @example
 * ```ts
 * import type { ManagerApi } from "@rawtick/binance";
 *
 * const price = ({ spot }: ManagerApi) => spot.tickerPrice({ symbol: "BTCUSDT" });
 * console.log(price);
 * ```
 */
export interface ManagerApi {
  /** The functions of the spot WebSocket API, for `"binance.com"` and its relatives. */
  readonly spot: SpotApi;
  /** The functions of the WebSocket APIs of USD-M and COIN-M futures. */
  readonly futures: FuturesApi;
}

/** What the manager gives to its API streams. */
export interface ApiContext {
  readonly exchange: Exchange;
  readonly options: Pick<
    ManagerOptions,
    | "signer"
    | "apiTimeoutMs"
    | "onRateLimit"
    | "integers"
    | "returnRateLimits"
    | "timeUnit"
    | "websocketBaseUrl"
    | "websocketApiBaseUrl"
    | "onSignal"
  >;
  /** For connections to the WebSocket API, whose proxy may be another one than that of the streams. */
  readonly link: LinkSettings;
  readonly errors: RingBuffer<ControlRecord>;
  readonly results: RingBuffer<ControlRecord>;
}

/** How an API stream is made that the manager does not list. */
export interface OpenApiOptions {
  readonly id?: string;
  readonly label: string | undefined;
  readonly signer: Signer | undefined;
  readonly logon: boolean;
  readonly onSignal: ((signal: Signal) => unknown) | undefined;
  readonly onEnd?: () => void;
}

/** The API streams of one manager, and what they share. */
export class ApiStreams {
  readonly #context: ApiContext;
  readonly #streams = new Map<string, ApiStream>();
  /** The one that has ended last: it knows why. */
  #ended: ApiStream | undefined;
  readonly #timeOffset: TimeOffset;
  readonly #rateLimits: RateLimits;
  #api: ManagerApi | undefined;

  constructor(context: ApiContext) {
    this.#context = context;
    const { link: { clock }, exchange: { market } } = context;
    const timeOffset = this.#timeOffset = new TimeOffset(clock);
    this.#rateLimits = new RateLimits(clock, () => timeOffset.offsetMs ?? 0, defaultRateLimits(market));
  }

  /** The streams that have not ended, in the order they were created. */
  get all(): ApiStream[] {
    return [...this.#streams.values()];
  }

  /** The stream with this id. */
  get(id: string): ApiStream | undefined {
    return this.#streams.get(id);
  }

  /** The typed functions; they are made when they are first asked for. */
  get api(): ManagerApi {
    return this.#api ??= Object.freeze({
      spot: bindApi(spotMethodSpecs, (method, params, options) => this.#send("spot", method, params, options)),
      futures: bindApi(futuresMethodSpecs, (method, params, options) => this.#send("futures", method, params, options)),
    });
  }

  /**
   * Creates a stream of requests.
   *
   * @throws {InvalidOptionsError} if there is no WebSocket API, or the signer can't log on.
   */
  create(options: ApiStreamOptions): ApiStream {
    const id = crypto.randomUUID();
    const stream = this.open({
      id,
      label: options.label,
      signer: options.signer ?? this.#context.options.signer,
      logon: options.logon ?? false,
      onSignal: this.#context.options.onSignal,
      onEnd: () => {
        this.#ended = this.#streams.get(id);
        this.#streams.delete(id);
      },
    });
    this.#streams.set(id, stream);
    return stream;
  }

  /** Opens a connection that belongs to something else, such as a stream of account events: it is in no list. */
  open({ id = crypto.randomUUID(), label, signer, logon, onSignal, onEnd = () => {} }: OpenApiOptions): ApiStream {
    const { exchange, options, link, errors, results } = this.#context;
    const url = apiUrl(exchange, options);
    checkLogon(logon, signer);
    return new ApiStream({
      id,
      label,
      url,
      link,
      methods: methodsOf(exchange.market),
      // The only documented method that tells the time of the futures APIs without a key.
      timeMethod: isFutures(exchange.market) ? "session.status" : "time",
      connectWeight: connectWeight(exchange.market),
      signer,
      logon,
      timeoutMs: options.apiTimeoutMs ?? 10_000,
      onRateLimit: options.onRateLimit ?? "wait",
      integers: options.integers ?? "string",
      rateLimits: this.#rateLimits,
      timeOffset: this.#timeOffset,
      onSignal,
      onUnmatched: (text, isError) => {
        const record = { streamId: id, streamLabel: label, timestamp: link.clock.now(), text };
        (isError ? errors : results).push(record);
      },
      onEnd,
    });
  }

  #send(
    api: "spot" | "futures",
    method: ApiMethod,
    params: Params,
    { stream, ...options }: ApiFunctionOptions,
  ): Promise<unknown> {
    const { exchange: { key, market } } = this.#context;
    if (isFutures(market) !== (api === "futures")) {
      const expected = api === "futures" ? "spot" : "futures";
      throw new InvalidOptionsError(
        `Cannot use \`api.${api}\` with a manager for ${quoted(key)}: expected \`api.${expected}\``,
        { path: "exchange" },
      );
    }
    const isKnown = methodsOf(market).has(method.method);
    return this.#choose(stream).request(method.method, params, isKnown ? options : { facts: method, ...options });
  }

  /** The stream that is meant: the object, its id or its label; without any, the only one. */
  #choose(stream: string | ApiStream | undefined): ApiStream {
    if (stream instanceof ApiStream) return stream;
    if (typeof stream === "string") {
      const found = this.#streams.get(stream) ?? this.all.find(({ label }) => label === stream);
      if (found === undefined) throw new UnknownStreamError(stream);
      return found;
    }
    if (stream !== undefined) throw notAStream(stream);
    const [only, ...others] = this.all;
    if (only !== undefined && others.length === 0) return only;
    if (only === undefined && this.#ended !== undefined) return this.#ended;
    throw new InvalidOptionsError(
      only === undefined
        ? "Cannot make a request without an API stream: expected one made with `createStream({ api: true })`"
        : `Cannot tell which of ${
          others.length + 1
        } API streams is meant: expected its id or label in \`options.stream\``,
      { path: "stream" },
    );
  }
}

function isFutures(market: Market): boolean {
  return market === "usdm" || market === "coinm";
}

function methodsOf(market: Market): ApiMethods {
  if (market === "coinm") return coinmMethods;
  return market === "usdm" ? usdmMethods : spotMethods;
}

function checkLogon(logon: boolean, signer: Signer | undefined): void {
  if (!logon || signer?.kind === "Ed25519") return;
  const found = signer === undefined ? "without a `signer`" : `with a key of the kind ${signer.kind}`;
  throw new InvalidOptionsError(`Cannot log on ${found}: expected one with an Ed25519 key`, { path: "logon" });
}

/** URL of the WebSocket API. */
function apiUrl(exchange: Exchange, options: ApiContext["options"]): string {
  const { websocketApiUrl, key } = exchange;
  if (websocketApiUrl === undefined) {
    throw new InvalidOptionsError(`Cannot make requests to ${quoted(key)}: expected an exchange with a WebSocket API`, {
      path: "exchange",
    });
  }
  const { websocketBaseUrl, websocketApiBaseUrl, timeUnit, returnRateLimits } = options;
  // Who tries something out against another address must not trade on the real exchange by mistake.
  if (websocketBaseUrl !== undefined && websocketApiBaseUrl === undefined) {
    throw new InvalidOptionsError(
      "Cannot make requests with `websocketBaseUrl` alone: expected `websocketApiBaseUrl` as well",
      { path: "websocketApiBaseUrl" },
    );
  }
  const { pathname } = new URL(websocketApiUrl);
  const base = websocketApiBaseUrl?.replace(/\/+$/, "");
  const url = new URL(base === undefined ? websocketApiUrl : base.endsWith(pathname) ? base : base + pathname);
  if (timeUnit !== undefined) url.searchParams.set("timeUnit", timeUnit.toUpperCase());
  if (returnRateLimits !== undefined) url.searchParams.set("returnRateLimits", String(returnRateLimits));
  return url.href;
}
