/**
 * A page that taps a stream with the manager of `./edge`: what its query names, from the exchange that it names. Tests
 * read what it knows from `globalThis.state`.
 *
 * @module
 */

import { BinanceWebSocketApiManager } from "@rawtick/binance/edge";

/** What tests see of the page. */
export interface PageState {
  /** The messages so far. */
  readonly messages: readonly string[];
  /** The types of the signals so far. */
  readonly signals: readonly string[];
  /** The error of asking for the library "native". */
  readonly refusal: string;
}

const query = new URLSearchParams(location.search);
const messages: string[] = [];
const signals: string[] = [];

const manager = new BinanceWebSocketApiManager({
  websocketBaseUrl: query.get("exchange") ?? "",
  reconnectMinDelayMs: 20,
  logger: console,
  onSignal: ({ type }) => void signals.push(type),
  onData: (text) => void messages.push(text),
});
manager.createStream({ streams: query.getAll("stream") });

let refusal = "";
try {
  new BinanceWebSocketApiManager({ websocketLibrary: "native" });
} catch (error) {
  refusal = String(error);
}

const state: PageState = { messages, signals, refusal };
Object.assign(globalThis, { state });
