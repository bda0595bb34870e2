/**
 * How much comes per second, from counters that are looked at once a second, so that messages cost nothing.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";

/**
 * How much came per second.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type Rate } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * const rate: Rate = manager.statistics.messagesPerSecond;
 * assertEquals(rate, { now: 0, average: 0, peak: 0 });
 * ```
 */
export interface Rate {
  /** In the last full second; 0 before there was one, and after the end. */
  readonly now: number;
  /** From the start until now, or to the end. */
  readonly average: number;
  /** The most that `now` ever was. */
  readonly peak: number;
}

/** What is counted. */
interface Counters {
  readonly messages: number;
  readonly characters: number;
}

/** A shorter time in ms counts as this one: what came in an instant is not so much per second. */
const INTERVAL_MS = 1_000;

class Speed {
  #before = 0;
  #now = 0;
  #peak = 0;

  sample(count: number, elapsedMs: number): void {
    this.#now = (count - this.#before) * 1_000 / Math.max(elapsedMs, INTERVAL_MS);
    this.#peak = Math.max(this.#peak, this.#now);
    this.#before = count;
  }

  rest(): void {
    this.#now = 0;
  }

  rate(count: number, sinceMs: number): Rate {
    return { now: this.#now, average: sinceMs > 0 ? count * 1_000 / sinceMs : 0, peak: this.#peak };
  }
}

/** Measures one pair of counters. */
export class Meter {
  readonly #clock: Clock;
  readonly #counters: Counters;
  readonly #startedAt: number;
  readonly #messages = new Speed();
  readonly #characters = new Speed();
  #sampledAt: number;
  #sampledMessages = 0;
  #changedAt: number | undefined;
  #endedAt: number | undefined;

  /** Measures from now on. */
  constructor(clock: Clock, counters: Counters) {
    this.#clock = clock;
    this.#counters = counters;
    this.#startedAt = this.#sampledAt = clock.monotonic();
  }

  /** Looks at the counters. */
  sample(): void {
    const { messages, characters } = this.#counters;
    const now = this.#clock.monotonic();
    const elapsedMs = now - this.#sampledAt;
    this.#messages.sample(messages, elapsedMs);
    this.#characters.sample(characters, elapsedMs);
    if (messages !== this.#sampledMessages) this.#changedAt = now;
    this.#sampledMessages = messages;
    this.#sampledAt = now;
  }

  /** Nothing is expected for a while. */
  rest(): void {
    this.#messages.rest();
    this.#characters.rest();
  }

  /** Goes on after a rest. */
  resume(): void {
    this.#sampledAt = this.#clock.monotonic();
  }

  /** Nothing comes any more. */
  end(): void {
    this.sample();
    this.rest();
    this.#endedAt = this.#sampledAt;
  }

  /** Time in ms from the start until now, or to the end. */
  get uptimeMs(): number {
    return (this.#endedAt ?? this.#clock.monotonic()) - this.#startedAt;
  }

  /** How much of both came per second. */
  get rates(): { readonly messagesPerSecond: Rate; readonly charactersPerSecond: Rate } {
    const { messages, characters } = this.#counters;
    return {
      messagesPerSecond: this.#messages.rate(messages, this.uptimeMs),
      charactersPerSecond: this.#characters.rate(characters, this.uptimeMs),
    };
  }

  /** Time in ms since the last message came, at most a second less than it really is; `undefined` if none did. */
  get lastDataAgeMs(): number | undefined {
    if (this.#counters.messages !== this.#sampledMessages) return 0;
    return this.#changedAt === undefined ? undefined : this.#clock.monotonic() - this.#changedAt;
  }
}

/** Looks at all meters once a second, with one timer, and with none while there is nothing to measure. */
export class RateSampler {
  readonly #clock: Clock;
  readonly #meters = new Map<Meter, Counters>();
  /** What is counted no more. */
  #endedMessages = 0;
  #endedCharacters = 0;
  readonly #total: Meter;
  #timer: Timer | undefined;

  /** Creates a sampler that has nothing to measure. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#total = new Meter(clock, this);
  }

  /** What all have counted together, also those that have ended. */
  get messages(): number {
    let sum = this.#endedMessages;
    for (const { messages } of this.#meters.values()) sum += messages;
    return sum;
  }

  /** The same for the other counter. */
  get characters(): number {
    let sum = this.#endedCharacters;
    for (const { characters } of this.#meters.values()) sum += characters;
    return sum;
  }

  /** Measures all together. */
  get total(): Meter {
    return this.#total;
  }

  /** Measures these counters from now on. */
  add(counters: Counters): Meter {
    const meter = new Meter(this.#clock, counters);
    this.#meters.set(meter, counters);
    if (this.#timer === undefined) {
      this.#total.resume();
      this.#schedule();
    }
    return meter;
  }

  /** The counters of this meter change no more. */
  end(meter: Meter): void {
    const counters = this.#meters.get(meter);
    if (counters === undefined) return;
    meter.end();
    this.#endedMessages += counters.messages;
    this.#endedCharacters += counters.characters;
    this.#meters.delete(meter);
    if (this.#meters.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#total.sample();
    this.#total.rest();
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(() => {
      for (const meter of this.#meters.keys()) meter.sample();
      this.#total.sample();
      this.#schedule();
    }, INTERVAL_MS);
  }
}
