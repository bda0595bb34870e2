/**
 * Real sessions of Binance, served by the local exchange, arrive byte for byte on each library.
 *
 * @module
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ExchangeKey } from "@rawtick/binance";
import { parseRecording } from "@rawtick/binance/testing";
import { libraries, startBench, until } from "./support.ts";

const folder = process.env.RAWTICK_RECORDINGS ?? fileURLToPath(new URL("../../shared/recordings/", import.meta.url));
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".ndjson")) : [];

/** Which exchange a recording is from, by the host in its first row. */
const exchanges: Record<string, ExchangeKey> = {
  "stream.binance.com": "binance.com",
  "stream.binance.us": "binance.us",
  "fstream.binance.com": "binance.com-futures",
};

if (files.length === 0) {
  test("recordings of real sessions arrive byte for byte", {
    skip: "no recordings: set RAWTICK_RECORDINGS to their folder",
  });
}

for (const file of files) {
  for (const library of libraries) {
    test(`${library}: the recording ${file} arrives byte for byte, in order, once`, { timeout: 60_000 }, async () => {
      const recording = parseRecording(readFileSync(`${folder}/${file}`, "utf8"));
      const texts = recording.rows.flatMap((row) => "text" in row && !("http" in row) ? [row.text] : []);
      const url = recording.rows.flatMap((row) => "url" in row ? [row.url] : [])[0];
      assert(texts.length > 100 && url !== undefined);
      const exchange = exchanges[new URL(url).hostname];
      assert(exchange !== undefined, url);
      const streams = [...new Set(texts.map((text) => String(JSON.parse(text).stream)))];

      const received: string[] = [];
      await using bench = await startBench(library, { exchange, onData: (text) => void received.push(text) }, {
        replay: recording,
        speed: "max",
      });
      await bench.manager.createStream({ streams }).ready;
      await until(() => received.length >= texts.length, `${texts.length} messages`);
      // Anything sent twice would follow.
      await new Promise((resolve) => setTimeout(resolve, 100));
      // Futures come over two connections: each in its own order. The others in one.
      const paths = exchange === "binance.com-futures" ? [/@(bookTicker|depth)/, /@(aggTrade|kline)/] : [/./];
      for (const path of paths) {
        const ofPath = (all: string[]) => all.filter((text) => path.test(text.slice(0, 60)));
        assertEquals(ofPath(received), ofPath(texts));
      }
      assertEquals(received.length, texts.length);
    });
  }
}
