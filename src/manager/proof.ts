/**
 * Proves that a new stream works before an old one is given up for it.
 *
 * @module
 */

import { type Clock, StreamStoppedError, SubscriptionTimeoutError } from "../base/mod.ts";
import type { BinanceStream, Output, Signal } from "../stream/mod.ts";

/**
 * How a stream is replaced.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type ReplaceOptions } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * const options: ReplaceOptions = { dataTimeoutMs: 100 };
 * await manager.replaceStream(stream, { streams: ["btcusdt@aggTrade"] }, options);
 * assertEquals(stream.state, "stopped");
 * ```
 */
export interface ReplaceOptions {
  /**
   * How long in ms the first message of the new stream is waited for once the exchange has acknowledged it, 0 to 600000;
   * after that the acknowledgement has to do, for streams that are quiet. Default: 5000.
   */
  readonly dataTimeoutMs?: number;
}

/** Waits for a stream to prove itself. */
export class Proof {
  readonly #clock: Clock;
  readonly #hasData = Promise.withResolvers<void>();
  readonly #hasEnded = Promise.withResolvers<never>();

  /** Waits for nothing before `of()`. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#hasEnded.promise.catch(() => {});
  }

  /** Takes the signals of the stream. */
  readonly onSignal = (signal: Signal): void => {
    if (signal.type === "FIRST_RECEIVED_DATA") this.#hasData.resolve();
    else if (signal.type === "STREAM_UNREPAIRABLE") this.#hasEnded.reject(signal.error);
    else if (signal.type === "STOP") this.#hasEnded.reject(new StreamStoppedError(signal.streamId));
  };

  /**
   * Resolves when the stream has brought data, or is acknowledged and had the time to.
   *
   * @param ackTimeoutMs How long in ms it may take to be acknowledged.
   * @throws {SubscriptionTimeoutError} if it is not, what `ready` throws, and what has ended the stream.
   */
  async of(stream: BinanceStream<Output>, ackTimeoutMs: number, dataTimeoutMs: number): Promise<void> {
    const late = () => new SubscriptionTimeoutError(stream.subscriptions, ackTimeoutMs);
    await this.#within(stream.ready, ackTimeoutMs, () => Promise.reject(late()));
    await this.#within(this.#hasData.promise, dataTimeoutMs, () => Promise.resolve());
  }

  async #within(promise: Promise<void>, ms: number, otherwise: () => Promise<void>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = this.#clock.setTimer(() => late.resolve(otherwise()), ms);
    try {
      await Promise.race([promise, this.#hasEnded.promise, late.promise]);
    } finally {
      timer.cancel();
    }
  }
}
