/**
 * Which message of the generator a text is. It knows nothing of the manager's sequences: it only looks for the message
 * whose text is the same, character by character.
 *
 * @module
 */

import { generateMessage } from "@rawtick/binance/testing";
import { GENERATOR_SEED } from "./protocol.ts";

/** The numbers with which Binance numbers what a message covers; `undefined` where a hole can't be seen in them. */
export interface Ids {
  readonly first: number;
  readonly last: number;
}

/** Message `n` of a stream in the combined form, as the soak's exchanges send it. */
export function textOf(stream: string, n: number): string {
  const payload = generateMessage(stream, n, { seed: GENERATOR_SEED, market: "spot" });
  return `{"stream":"${stream}","data":${payload}}`;
}

/** The ids of message `n` of a stream. */
export function idsOf(stream: string, n: number): Ids | undefined {
  const { data } = JSON.parse(textOf(stream, n));
  switch (stream.split("@")[1]) {
    case "trade":
      return { first: data.t, last: data.t };
    case "aggTrade":
      return { first: data.a, last: data.a };
    case "depth":
      return { first: data.U, last: data.u };
    default:
      return undefined;
  }
}

/** The field that grows with the number of the message. */
function ordinalOf(text: string): number {
  const { data } = JSON.parse(text);
  return data.E ?? data.u;
}

/** Finds the numbers of a stream's messages. */
export class Numbering {
  readonly #stream: string;
  readonly #first: number;
  readonly #step: number;

  constructor(stream: string) {
    this.#stream = stream;
    this.#first = ordinalOf(textOf(stream, 0));
    // Over many messages, since update ids grow unevenly.
    this.#step = (ordinalOf(textOf(stream, 100_000)) - this.#first) / 100_000;
  }

  /** The number of the message; `undefined` if the exchange never sends such a text. */
  numberOf(text: string): number | undefined {
    const about = Math.round((ordinalOf(text) - this.#first) / this.#step);
    for (const n of [about, about - 1, about + 1]) {
      if (n >= 0 && textOf(this.#stream, n) === text) return n;
    }
    return undefined;
  }
}
