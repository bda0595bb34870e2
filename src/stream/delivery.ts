/**
 * The last step of a message: from text to the stream's one sink, a callback or a buffer.
 *
 * @module
 */

import { BufferOverflowError, type Clock } from "../base/mod.ts";
import { MessageBuffer, type OverflowPolicy } from "./message_buffer.ts";

/**
 * What a stream delivers: `"raw"`, the text as it was received, or `"json"`, the text parsed.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type Output } from "@rawtick/binance";
 *
 * const output: Output = "json";
 * await using manager = new BinanceWebSocketApiManager({ output });
 * ```
 */
export type Output = "raw" | "json";

/**
 * A message in the combined form, parsed (Binance web-socket-streams.md, "General WSS information").
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type StreamMessage } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url, output: "json" });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * for await (const message of stream) {
 *   const { stream: name }: StreamMessage = message;
 *   assertEquals(name, "btcusdt@trade");
 *   break;
 * }
 * ```
 */
export interface StreamMessage {
  /** Name of the stream that the message belongs to, such as `"btcusdt@trade"`. */
  readonly stream: string;
  /**
   * The payload as Binance sends it, an array for streams such as `!miniTicker@arr`. Numbers beyond 2^53 lose digits here;
   * use the output `"raw"` where they matter.
   */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The type of a stream's messages, by its output.
 *
 * @example
 * ```ts
 * import type { DataOf } from "@rawtick/binance";
 *
 * const data: DataOf<"raw"> = '{"stream":"btcusdt@trade","data":{}}';
 * ```
 */
export type DataOf<O extends Output> = O extends "json" ? StreamMessage : string;

/** How messages are delivered. */
export interface DeliverySettings {
  readonly clock: Clock;
  readonly output: Output;
  /** Takes each message; without it, messages wait in a buffer for a reader. */
  readonly callback: ((data: unknown) => unknown) | undefined;
  readonly bufferSize: number;
  readonly overflow: OverflowPolicy;
}

/** What a delivery tells its stream. */
export interface DeliveryListener {
  /** The first message of the stream's life was delivered. */
  onFirstData(data: unknown): void;
  /** User code threw. `mayReport` is true at most once per second. */
  onCallbackError(error: unknown, mayReport: boolean): void;
  /** A message could not be parsed, and was not delivered. `mayReport` is true at most once per second. */
  onInvalidMessage(error: unknown, mayReport: boolean): void;
  /** The buffer is full and its policy is to give the stream up. */
  onOverflow(error: Error): void;
}

/** What fails at every message shall not turn the log into the hot path. */
const REPORT_INTERVAL_MS = 1_000;

/** Hands messages to the user and counts them. */
export class Delivery {
  readonly buffer: MessageBuffer<unknown> | undefined;
  readonly #settings: DeliverySettings;
  readonly #listener: DeliveryListener;
  readonly #parse: boolean;
  readonly #callback: ((data: unknown) => unknown) | undefined;
  #messages = 0;
  #characters = 0;
  #callbackErrors = 0;
  #invalidMessages = 0;
  #hasDelivered = false;
  #lastData: unknown;
  #lastReportAt = -Infinity;

  constructor(settings: DeliverySettings, listener: DeliveryListener) {
    this.#settings = settings;
    this.#listener = listener;
    this.#parse = settings.output === "json";
    this.#callback = settings.callback;
    this.buffer = settings.callback ? undefined : new MessageBuffer(settings.bufferSize, settings.overflow);
  }

  /** Messages received. */
  get messages(): number {
    return this.#messages;
  }

  /** UTF-16 code units received: bytes, as long as symbols are ASCII. */
  get characters(): number {
    return this.#characters;
  }

  /** How often user code threw. */
  get callbackErrors(): number {
    return this.#callbackErrors;
  }

  /** Messages that could not be parsed. */
  get invalidMessages(): number {
    return this.#invalidMessages;
  }

  /** The message that was delivered last. */
  get lastData(): unknown {
    return this.#lastData;
  }

  /** Delivers one message. Never throws. Once per message: no promise, no closure and no string is made here. */
  deliver(text: string): void {
    this.#messages++;
    this.#characters += text.length;
    if (!this.#parse) return this.#handOver(text);
    let data: unknown;
    try {
      data = JSON.parse(text);
    } catch (error) {
      this.#invalidMessages++;
      this.#listener.onInvalidMessage(error, this.#mayReport());
      return;
    }
    this.#handOver(data);
  }

  #handOver(data: unknown): void {
    this.#lastData = data;
    if (this.#callback !== undefined) this.#call(this.#callback, data);
    else if (this.buffer?.push(data) === false) {
      this.#listener.onOverflow(new BufferOverflowError(this.#settings.bufferSize));
    }
    if (this.#hasDelivered) return;
    this.#hasDelivered = true;
    this.#listener.onFirstData(data);
  }

  #call(callback: (data: unknown) => unknown, data: unknown): void {
    try {
      const result = callback(data);
      // An async callback is not waited for, but its rejection is not lost.
      if (isThenable(result)) Promise.resolve(result).catch((error) => this.#callbackFailed(error));
    } catch (error) {
      this.#callbackFailed(error);
    }
  }

  #callbackFailed(error: unknown): void {
    this.#callbackErrors++;
    this.#listener.onCallbackError(error, this.#mayReport());
  }

  #mayReport(): boolean {
    const now = this.#settings.clock.monotonic();
    if (now - this.#lastReportAt < REPORT_INTERVAL_MS) return false;
    this.#lastReportAt = now;
    return true;
  }
}

/** Whether an async function, or something like it, was called. */
export function isThenable(result: unknown): result is PromiseLike<unknown> {
  return typeof result === "object" && result !== null && "then" in result;
}
