/**
 * A worker with a Durable Object that owns a manager of `./edge`: what tests ask for comes by its URL, what it knows goes
 * back as JSON.
 *
 * @module
 */

import {
  type BinanceStream,
  BinanceWebSocketApiManager,
  InvalidOptionsError,
  type ManagerOptions,
  ProxyUnavailableError,
  UnknownWebSocketLibraryError,
  WebSocketLibraryUnavailableError,
} from "@rawtick/binance/edge";

/** What tests see of the manager. */
export interface ManagerState {
  /** The messages so far. */
  readonly messages: readonly string[];
  /** The types of the signals so far. */
  readonly signals: readonly string[];
  /** Warnings and errors in the log. */
  readonly log: readonly string[];
  readonly subscriptions: readonly string[];
}

/** The error of a manager that can't be made: the classes of {@linkcode kinds} that it has, and what it says. */
export interface Refusal {
  readonly classes: readonly string[];
  readonly message: string;
}

const kinds = {
  InvalidOptionsError,
  ProxyUnavailableError,
  UnknownWebSocketLibraryError,
  WebSocketLibraryUnavailableError,
};

/** Longest time in ms that `/state` waits for messages. */
const WAIT_MS = 5_000;

/** What the configuration gives the worker. */
interface Env {
  /** URL of the local exchange. */
  readonly EXCHANGE: string;
  readonly MANAGER: DurableObjectNamespace;
}

/** What is used of a namespace of Durable Objects (`@cloudflare/workers-types` would be 1 MB for these lines). */
interface DurableObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** Owns the manager, which outlives every request. */
export class ManagerObject {
  readonly #messages: string[] = [];
  readonly #signals: string[] = [];
  readonly #log: string[] = [];
  readonly #url: string;
  #wake = (): void => {};
  #manager: BinanceWebSocketApiManager | undefined;
  #stream: BinanceStream | undefined;

  constructor(_state: unknown, { EXCHANGE }: Env) {
    this.#url = EXCHANGE;
  }

  /** Does what the path says with the streams of the query. */
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const streams = searchParams.getAll("stream");
    switch (pathname) {
      case "/start":
        this.#stream = this.#start().createStream({ streams, onData: (text) => this.#take(text) });
        await this.#stream.ready;
        break;
      case "/state":
        await this.#untilMessages(Number(searchParams.get("messages")));
        break;
      case "/subscribe":
        await this.#stream?.subscribe({ streams });
        break;
      case "/unsubscribe":
        await this.#stream?.unsubscribe({ streams });
        break;
      case "/stop":
        await this.#manager?.stopManager();
        break;
      case "/refusals":
        return Response.json([
          refusalOf({ websocketLibrary: "native" }),
          refusalOf({ websocketLibrary: "picows" as "native" }), // the cast: there is no such library
          refusalOf({ proxy: "socks5://127.0.0.1:1080" }),
        ]);
    }
    const state: ManagerState = {
      messages: this.#messages,
      signals: this.#signals,
      log: this.#log,
      subscriptions: this.#stream?.subscriptions ?? [],
    };
    return Response.json(state);
  }

  #take(text: string): void {
    this.#messages.push(text);
    this.#wake();
  }

  /** Waits for messages, but not for ever. */
  async #untilMessages(count: number): Promise<void> {
    const end = Date.now() + WAIT_MS;
    while (this.#messages.length < count && Date.now() < end) {
      const timer = setTimeout(() => this.#wake(), end - Date.now());
      await new Promise<void>((resolve) => this.#wake = resolve);
      clearTimeout(timer);
    }
  }

  #start(): BinanceWebSocketApiManager {
    const keep = (text: string): void => {
      console.log(text);
      this.#log.push(text);
    };
    return this.#manager = new BinanceWebSocketApiManager({
      websocketBaseUrl: this.#url,
      reconnectMinDelayMs: 20,
      logger: { debug() {}, info() {}, warn: keep, error: keep },
      onSignal: ({ type }) => void this.#signals.push(type),
    });
  }
}

function refusalOf(options: ManagerOptions): Refusal | undefined {
  try {
    new BinanceWebSocketApiManager(options);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const classes = Object.entries(kinds).filter(([, kind]) => error instanceof kind).map(([name]) => name);
    return { classes, message: error.message };
  }
}

export default {
  /** Everything goes to the one Durable Object. */
  fetch(request: Request, { MANAGER }: Env): Promise<Response> {
    return MANAGER.get(MANAGER.idFromName("the manager")).fetch(request);
  },
};
