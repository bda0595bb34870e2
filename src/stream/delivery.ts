/**
 * The last step of a message: from text to the stream's one sink, a callback, a buffer or a named buffer.
 *
 * @module
 */

import { BufferOverflowError, type Clock } from "../base/mod.ts";
import type { NormalizedMessage, TypedMessage } from "../events/mod.ts";
import { AsyncDelivery, isThenable } from "./async_delivery.ts";
import { DropReport } from "./drop_report.ts";
import { MessageBuffer, type OverflowPolicy, type PushResult } from "./message_buffer.ts";

/**
 * What a stream delivers: `"raw"`, the text as it was received; `"json"`, the text parsed; `"typed"`, the same with a type for
 * each event, and integers beyond 2^53 exact; `"normalized"`, flat objects with long names in place of Binance's letters.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type Output } from "@rawtick/binance";
 *
 * const output: Output = "json";
 * await using manager = new BinanceWebSocketApiManager({ output });
 * ```
 */
export type Output = "raw" | "json" | "typed" | "normalized";

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
   * use the output `"typed"` where they matter.
   */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The type of a stream's messages, by its output and, with `"typed"`, by the names of its streams as far as the compiler
 * knows them.
 *
 * @example
 * ```ts
 * import type { DataOf } from "@rawtick/binance";
 *
 * const data: DataOf<"raw"> = '{"stream":"btcusdt@trade","data":{}}';
 * const price = ({ data }: DataOf<"typed", "btcusdt@trade">) => data.p;
 * ```
 */
export type DataOf<O extends Output, N extends string = string> = O extends "raw" ? string
  : O extends "json" ? StreamMessage
  : O extends "typed" ? TypedMessage<N>
  : NormalizedMessage;

/** How messages are delivered. */
export interface DeliverySettings {
  readonly clock: Clock;
  readonly output: Output;
  /** Makes of each text what is delivered, chosen once for the output; throws for what is not JSON. Without it, the text itself is. */
  readonly parse: ((text: string) => unknown) | undefined;
  /** Takes each message; without it, messages wait in a buffer for a reader. */
  readonly callback: ((data: unknown) => unknown) | undefined;
  /** How many promises of the callback may be pending. */
  readonly maxConcurrentCallbacks: number;
  /** Takes the messages instead of a buffer of the stream's own. */
  readonly namedBuffer: MessageBuffer<unknown> | undefined;
  /** Of the stream's own buffer, and of what waits for an async callback. */
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
  /** Messages were dropped: so many since the last call, and so many in all. At most once per second. */
  onDropped(dropped: number, total: number): void;
  /** The buffer is full and its policy is to give the stream up. */
  onOverflow(error: Error): void;
  /** The exchange should be held back, or not any more. */
  setPaused(isPaused: boolean): void;
}

/** What fails at every message shall not turn the log into the hot path. */
const REPORT_INTERVAL_MS = 1_000;

/** Hands messages to the user and counts them. */
export class Delivery {
  /** Where messages wait for readers, unless there is a callback. */
  readonly buffer: MessageBuffer<unknown> | undefined;
  readonly #settings: DeliverySettings;
  readonly #listener: DeliveryListener;
  readonly #parse: ((text: string) => unknown) | undefined;
  /** Called at once, without a detour, until it returns a promise. */
  #callback: ((data: unknown) => unknown) | undefined;
  readonly #drops: DropReport;
  /** Calls the callback from then on. */
  #async: AsyncDelivery | undefined;
  #messages = 0;
  #characters = 0;
  #callbackErrors = 0;
  #invalidMessages = 0;
  #hasDelivered = false;
  #lastData: unknown;
  #lastReportAt = -Infinity;

  constructor(settings: DeliverySettings, listener: DeliveryListener) {
    const { callback, bufferSize, overflow, namedBuffer } = settings;
    this.#settings = settings;
    this.#listener = listener;
    this.#parse = settings.parse;
    this.#callback = callback;
    this.#drops = new DropReport(settings.clock, (dropped, total) => listener.onDropped(dropped, total));
    if (callback === undefined) this.buffer = namedBuffer ?? new MessageBuffer(bufferSize, overflow);
  }

  /** Messages received. */
  get messages(): number {
    return this.#messages;
  }

  /** UTF-16 code units received: bytes, as long as symbols are ASCII. */
  get characters(): number {
    return this.#characters;
  }

  /** Messages that were dropped: there was no room for them, or they waited for an async callback at the end. */
  get dropped(): number {
    return this.#drops.total;
  }

  /** Messages that wait for a reader or for an async callback. */
  get buffered(): number {
    return this.buffer?.size ?? this.#async?.waiting ?? 0;
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
    if (this.#parse === undefined) return this.#handOver(text);
    let data: unknown;
    try {
      data = this.#parse(text);
    } catch (error) {
      this.#invalidMessages++;
      this.#listener.onInvalidMessage(error, this.#mayReport());
      return;
    }
    this.#handOver(data);
  }

  /** Delivers an answer to a control message, which is no data and not counted as such. Never throws. */
  deliverControlResponse(text: string): void {
    this.#put(this.#parse === undefined ? text : this.#parse(text));
  }

  /**
   * No more messages come.
   *
   * @param isDiscarding Whether what waits for an async callback is not delivered any more.
   */
  end(isDiscarding: boolean): void {
    const discarded = isDiscarding ? this.#async?.discard() ?? 0 : 0;
    if (discarded > 0) this.#drops.note(discarded);
    this.#async?.end();
    this.#drops.end();
  }

  #handOver(data: unknown): void {
    this.#lastData = data;
    // Not through #put(): one call less is 3 of 7 ns (Bun).
    if (this.#callback !== undefined) this.#call(this.#callback, data);
    else this.#put(data);
    if (this.#hasDelivered) return;
    this.#hasDelivered = true;
    this.#listener.onFirstData(data);
  }

  #put(data: unknown): void {
    if (this.#callback !== undefined) this.#call(this.#callback, data);
    else if (this.#async !== undefined) this.#pushed(this.#async.push(data));
    else if (this.buffer !== undefined) this.#pushed(this.buffer.push(data));
  }

  #pushed(result: PushResult): void {
    if (result === "taken") return;
    if (result === "dropped") return this.#drops.note();
    this.#listener.onOverflow(new BufferOverflowError(this.buffer?.capacity ?? this.#settings.bufferSize));
  }

  #call(callback: (data: unknown) => unknown, data: unknown): void {
    try {
      const result = callback(data);
      // Nearly always undefined, which this tells faster than the question itself.
      if (result !== undefined && isThenable(result)) this.#becomeAsync(callback).track(result);
    } catch (error) {
      this.#callbackFailed(error);
    }
  }

  #becomeAsync(callback: (data: unknown) => unknown): AsyncDelivery {
    const { clock, maxConcurrentCallbacks, bufferSize, overflow } = this.#settings;
    this.#callback = undefined;
    return this.#async = new AsyncDelivery({
      clock,
      callback,
      maxConcurrent: maxConcurrentCallbacks,
      waiting: new MessageBuffer(bufferSize, overflow),
      onError: (error) => this.#callbackFailed(error),
      setPaused: (isPaused) => this.#listener.setPaused(isPaused),
    });
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
