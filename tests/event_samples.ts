/**
 * Events that the tests feed: from Binance's documents, from recordings, and one of each kind with every field that it may have.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { generateMessage } from "@rawtick/binance/testing";

function lines(name: string): string[] {
  return readFileSync(new URL(`fixtures/events/${name}.ndjson`, import.meta.url), "utf8").trimEnd().split("\n");
}

/** Payloads and messages as Binance's documents and captures print them. */
export const documented: readonly string[] = lines("documented");

/** Messages of spot, Binance.US and USD-M as they were recorded. */
export const recorded: readonly string[] = lines("recorded");

/** Each event with all of its fields, all with different values. */
export const allFields: readonly string[] = lines("all_fields");

const SPOT = [
  ..."aggTrade trade kline_1s kline_1d@+08:00 depth depth@100ms depth5 depth10@100ms depth20 bookTicker miniTicker ticker"
    .split(" "),
  ..."ticker_1h ticker_4h ticker_1d avgPrice".split(" "),
].map((channel) => `btcusdt@${channel}`);

const FUTURES = [
  ..."aggTrade trade kline_1m depth depth@500ms depth5 depth20@100ms rpiDepth@500ms bookTicker miniTicker ticker".split(
    " ",
  ),
  ..."markPrice markPrice@1s forceOrder".split(" "),
].map((channel) => `btcusdt@${channel}`);

const generated = (streams: readonly string[], market: "spot" | "futures") =>
  streams.map((stream) => {
    const text = generateMessage(stream, 7, { market });
    if (text === undefined) throw new Error(`The local exchange knows no ${stream} on ${market}`);
    return JSON.stringify({ stream, data: JSON.parse(text) });
  });

/** A message of each stream that the local exchange plays, in the combined form. */
export const generatedMessages: readonly string[] = [
  ...generated([...SPOT, "!miniTicker@arr", "!ticker_1h@arr", "!ticker_4h@arr", "!ticker_1d@arr"], "spot"),
  ...generated([
    ...FUTURES,
    "btcusd_perp@depth",
    "btcusdt_perpetual@continuousKline_1m",
    ..."!miniTicker@arr !ticker@arr !bookTicker !markPrice@arr !markPrice@arr@1s !forceOrder@arr".split(" "),
  ], "futures"),
];
