/**
 * The single steps on the way of a message that decisions rest on, each in a loop by itself, ns a call:
 * `deno run -A --config deno.offline.json bench/pieces.ts`, or `bun bench/pieces.ts`.
 *
 * The best of several rounds, in which the steps take turns: what is slower is slower for a reason.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { parsePrecise } from "../mod.ts";
import { StreamTable } from "../src/stream/stream_table.ts";
import { encodeText } from "../src/transport/native/frame_writer.ts";
import { applyMask } from "../src/transport/native/mask.ts";
import { SendBuffer } from "../src/transport/native/send_buffer.ts";
import { decodeAscii } from "../src/transport/native/utf8.ts";

const ROUNDS = 7;

/** Prints the time of each step in ns; `calls` is how many things one call of a step does. */
function compare(title: string, steps: Readonly<Record<string, () => unknown>>, calls = 1): void {
  const best = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, step] of Object.entries(steps)) {
      let count = 0;
      const startedAt = performance.now();
      while (performance.now() - startedAt < 20) {
        for (let i = 0; i < 20; i++) step();
        count += 20;
      }
      const ns = (performance.now() - startedAt) * 1e6 / count / calls;
      // The first round warms up.
      if (round > 0) best.set(name, Math.min(best.get(name) ?? Infinity, ns));
    }
  }
  console.log(`${title}: ${[...best].map(([name, ns]) => `${name} ${ns.toFixed(ns < 100 ? 1 : 0)}`).join(", ")}`);
}

/** A trade in the combined form, `size` characters long. */
const trade = (id: number, size: number): string => {
  const head = `{"stream":"symbol${id % 300}usdt@trade","data":{"e":"trade","t":${100_000 + id},"c":"`;
  return `${head}${"a".repeat(Math.max(1, size - head.length - 3))}"}}`;
};

for (const size of [256, 8_192, 100_000]) {
  const [text, bytes, buffer] = ["a".repeat(size), Buffer.alloc(size + 16, 97), new SendBuffer()];
  compare(`a frame of ${size} bytes`, {
    "mask, words": () => applyMask(bytes, 16, size + 16, 0x12345678, 0),
    "whole, own buffer": () => encodeText(text, { mask: true }),
    "whole, shared buffer": () => buffer.encode(text),
  });
}

for (const size of [200, 1_000, 9_000]) {
  const texts = Array.from({ length: Math.max(8, Math.floor(120_000 / size)) }, (_, id) => trade(id, size));
  const chunk = Buffer.from(texts.join("\0\0\0\0"));
  const starts: number[] = [];
  for (let at = 0; starts.length < texts.length; at += texts[starts.length - 1]!.length + 4) starts.push(at);
  const ends = starts.map((start, index) => start + texts[index]!.length);
  let characters = 0;
  compare(`texts of ${size} characters`, {
    "one by one": () => {
      for (let at = 0; at < starts.length; at++) {
        characters += decodeAscii(chunk, starts[at]!, ends[at]!).charCodeAt(2);
      }
    },
    "slices of blocks of 8": () => {
      for (let at = 0; at < starts.length; at += 8) {
        const last = Math.min(at + 8, starts.length);
        const block = decodeAscii(chunk, starts[at]!, ends[last - 1]!);
        for (let i = at; i < last; i++) {
          characters += block.substring(starts[i]! - starts[at]!, ends[i]! - starts[at]!).charCodeAt(2);
        }
      }
    },
  }, starts.length);
  if (characters === 0) throw new Error("Nothing was decoded");
}

{
  const texts = Array.from({ length: 3_000 }, (_, id) => trade(id, 200));
  const names = new Set(texts.map((text) => text.slice(11, text.indexOf('"', 11))));
  const [table, map] = [new StreamTable(), new Map([...names].map((name) => [name, { last: "" }]))];
  for (const name of names) table.add(name);
  compare("the stream of a message", {
    "StreamTable": () => {
      for (const text of texts) table.note(text);
    },
    "Map of cut-out names": () => {
      for (const text of texts) {
        const entry = map.get(text.slice(11, text.indexOf('"', 11)));
        if (entry !== undefined) entry.last = text;
      }
    },
  }, texts.length);
}

for (const size of [200, 500, 10_000]) {
  const letters = trade(1, size);
  const digits = letters.replace(/a{20,}/, (run) => "1".repeat(run.length));
  for (const [what, text] of [["", letters], [" with a long run of digits", digits]] as const) {
    compare(`JSON of ${size} characters${what}`, {
      parsePrecise: () => parsePrecise(text),
      "JSON.parse": () => JSON.parse(text),
    });
  }
}
