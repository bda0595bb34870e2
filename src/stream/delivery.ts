/**
 * The last step of a message: from text to the stream's one sink, a callback or a buffer.
 *
 * @module
 */

import type { Clock, Logger } from "../base/mod.ts";
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
   * The payload as Binance sends it, an array for streams such as `!ticker@arr`. Numbers beyond 2^53 lose digits here;
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
  readonly logger: Logger;
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
  /** User code threw. Comes at most once per second. */
  onCallbackError(error: unknown): void;
  /** The buffer is full and its policy is to give the stream up. */
  onOverflow(error: Error): void;
}

/** User code that throws at every message shall not turn the log into the hot path. */
const CALLBACK_ERROR_INTERVAL_MS = 1_000;

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

  /** The message that was delivered last. */
  get lastData(): unknown {
    return this.#lastData;
  }

  /** Delivers one message. Never throws. Once per message: no promise, no closure and no string is made here. */
  deliver(text: string): void {
    this.#messages++;
    this.#characters += text.length;
    let data: unknown = text;
    try {
      if (this.#parse) data = JSON.parse(text);
      this.#lastData = data;
      if (this.#callback === undefined) this.#buffered(data);
      else {
        const result = this.#callback(data);
        if (result !== undefined) this.#watchPromise(result);
      }
    } catch (error) {
      this.#failed(error);
    }
    if (this.#messages === 1) this.#listener.onFirstData(data);
  }

  #buffered(data: unknown): void {
    try {
      this.buffer?.push(data);
    } catch (error) {
      // The cast: a push throws nothing but a BufferOverflowError.
      this.#listener.onOverflow(error as Error);
    }
  }

  /** An async callback is not waited for, but its rejection is not lost. */
  #watchPromise(result: unknown): void {
    if (result instanceof Promise) result.catch((error) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#callbackErrors++;
    const now = this.#settings.clock.monotonic();
    if (now - this.#lastReportAt < CALLBACK_ERROR_INTERVAL_MS) return;
    this.#lastReportAt = now;
    this.#listener.onCallbackError(error);
  }
}
