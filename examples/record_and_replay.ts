/**
 * Records streams into a file, byte for byte, and replays the file through a local exchange: for tests that run on what was
 * really sent.
 *
 *     deno task example record_and_replay # records a local exchange, which it starts; bun run example … on Bun
 *     UPSTREAM_URL=wss://stream.binance.com:9443 deno task example record_and_replay session.ndjson # records Binance
 *
 * It records for 3 s, or until Ctrl-C, into the file of the argument or one in the folder for temporary files. The command
 * line does the same with `cli tap … --record session.ndjson` and `cli exchange --replay session.ndjson`.
 *
 * @module
 */

import { closeSync, mkdtempSync, openSync, readFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { BinanceWebSocketApiManager } from "@rawtick/binance";
import { parseRecording, RecordingWriter, startLocalExchange } from "@rawtick/binance/testing";

const STREAMS = ["btcusdt@trade", "btcusdt@depth@100ms"];
const RECORD_MS = 3_000;
/** Longest time in ms for the replay. */
const PATIENCE_MS = 10_000;

/** Writes what comes into a file, until it is time or `signal` is aborted. */
async function record(file: string, websocketBaseUrl: string, signal: AbortSignal): Promise<void> {
  const descriptor = openSync(file, "w");
  const writer = new RecordingWriter((row) => void writeSync(descriptor, row));
  try {
    await using manager = new BinanceWebSocketApiManager({
      websocketBaseUrl,
      onData: (text) => writer.text(text),
      onSignal: (signal) => signal.type === "CONNECT" && writer.url(signal.url),
    });
    manager.createStream({ streams: STREAMS });
    await sleep(RECORD_MS, undefined, { signal }).catch(() => {});
    await manager.stopManager();
  } finally {
    closeSync(descriptor);
  }
}

/** Takes what a file holds from a local exchange; returns how many messages were recorded and came the same. */
async function replay(file: string): Promise<{ readonly recorded: number; readonly same: number }> {
  const recording = parseRecording(readFileSync(file, "utf8"));
  const texts = recording.rows.flatMap((row) => "text" in row && !("http" in row) ? [row.text] : []);
  if (texts.length === 0) return { recorded: 0, same: 0 };
  // At speed 1, the messages would come at the pace of the recording.
  await using exchange = await startLocalExchange({ replay: recording, speed: "max" });
  await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
  const timer = setTimeout(() => void manager.stopManager(), PATIENCE_MS);
  const replayed: string[] = [];
  for await (const text of manager.createStream({ streams: STREAMS })) {
    if (replayed.push(text) >= texts.length) break;
  }
  clearTimeout(timer);
  return { recorded: texts.length, same: texts.filter((text, index) => text === replayed[index]).length };
}

const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => ending.abort());

await using resources = new AsyncDisposableStack();
const { UPSTREAM_URL } = process.env;
const file = process.argv[2] ?? join(mkdtempSync(join(tmpdir(), "recording-")), "session.ndjson");
await record(file, UPSTREAM_URL || resources.use(await startLocalExchange()).url, ending.signal);
console.log(`Recorded into ${file}`);
const { recorded, same } = await replay(file);
console.log(`Replayed: ${same} of ${recorded} messages came byte for byte, in their order`);
if (recorded === 0 || same < recorded) process.exitCode = 1;
