/**
 * The codec of permessage-deflate, with the documented streams of `node:zlib` as the other end.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { WebSocketProtocolError } from "../src/base/mod.ts";
import { OneShotDeflater, StreamDeflater } from "../src/transport/native/deflater.ts";
import { type Inflater, OneShotInflater, StreamInflater } from "../src/transport/native/inflater.ts";
import { zlibStreamsWork } from "../src/transport/native/zlib_stream.ts";
import { compressAll, decompressAll, fromHex, messages, noise, trades, windowBits } from "./deflate_support.ts";
import { bytesOf, hex } from "./frame_events.ts";

/** Both ways to decompress: the one in use, and the one for runtimes whose zlib can't do that. */
const inflaters: readonly (readonly [string, (bits: number, takeover: boolean) => Inflater])[] = [
  ["zlib stream", (bits, takeover) => new StreamInflater(bits, takeover)],
  ["one-shot calls", (bits, takeover) => new OneShotInflater(takeover ? 2 ** bits : 0)],
];

const LIMIT = 1 << 20;

function inflate(inflater: Inflater, payload: Uint8Array, limit = LIMIT): Uint8Array {
  // The payload lies anywhere in a chunk.
  const bytes = bytesOf("before", payload, "behind");
  return inflater.inflate(bytes, 6, 6 + payload.length, limit).slice();
}

function codeOf(run: () => unknown): readonly [string, number] {
  const error = assertThrows(run, WebSocketProtocolError);
  return [error.code, error.closeCode];
}

const CORRUPT = ["INVALID_COMPRESSED_DATA", 1007] as const;
/** Equal as text, which is quick to compare. */
const same = (got: readonly Uint8Array[], expected: readonly Uint8Array[]) =>
  assertEquals(got.map(hex), expected.map(hex));

test("this runtime's zlib can be driven synchronously", () => {
  assert(zlibStreamsWork());
});

for (const [name, create] of inflaters) {
  test(`${name}: the examples of RFC 7692 are read`, () => {
    const read = (...payloads: string[]): string[] => {
      const inflater = create(15, true);
      return payloads.map((payload) => new TextDecoder().decode(inflate(inflater, fromHex(payload))));
    };
    // 7.2.3.1 and 7.2.3.2: the second message refers to the first.
    assertEquals(read("f248cdc9c90700", "f200110000"), ["Hello", "Hello"]);
    // 7.2.3.3: a block without compression. 7.2.3.4: a final block. 7.2.3.5: two blocks. 7.2.3.6: nothing.
    assertEquals(read("000500faff48656c6c6f00"), ["Hello"]);
    assertEquals(read("f348cdc9c9070000"), ["Hello"]);
    assertEquals(read("f248050000 00ffffcac9c90700".replace(" ", "")), ["Hello"]);
    assertEquals(read("00", "f248cdc9c90700", "00", "f200110000"), ["", "Hello", "", "Hello"]);
  });

  test(`${name}: an empty payload, as npm ws sends it, is an empty message and changes nothing`, () => {
    const inflater = create(15, true);
    const texts = ["", "f248cdc9c90700", "", "f200110000"].map((payload) => inflate(inflater, fromHex(payload)));
    same(texts, ["", "Hello", "", "Hello"].map((text) => bytesOf(text)));
  });

  test(`${name}: final blocks may follow each other in a message, and end it`, () => {
    const inflater = create(15, true);
    same([inflate(inflater, fromHex("f348cdc9c90700f348cdc9c9070000"))], [bytesOf("HelloHello")]);
    same([inflate(create(15, false), fromHex("f348cdc9c90700f348cdc9c90700"))], [bytesOf("HelloHello")]);
    same([inflate(inflater, fromHex("f348cdc9c90700"))], [bytesOf("Hello")]);
    same([inflate(inflater, fromHex("f248cdc9c90700"))], [bytesOf("Hello")]);
  });

  test(`${name}: a message that refers to one before is corrupt without context takeover`, () => {
    const inflater = create(15, false);
    inflate(inflater, fromHex("f248cdc9c90700"));
    assertEquals(codeOf(() => inflate(inflater, fromHex("f200110000"))), CORRUPT);
  });

  test(`${name}: whatever a sender compresses is read, with each window and with and without takeover`, async () => {
    await fc.assert(
      fc.asyncProperty(messages, windowBits, fc.boolean(), async (list, bits, takeover) => {
        const inflater = create(bits, takeover);
        const payloads = await compressAll(list, bits, takeover);
        same(payloads.map((payload) => inflate(inflater, payload)), list);
        inflater.close();
      }),
      { numRuns: 60 },
    );
  });

  test(`${name}: a payload that was cut off anywhere is corrupt; with takeover at the latest the next one is`, async () => {
    for (const message of [bytesOf("Hello"), bytesOf(trades(700)), bytesOf(trades(9_000)), new Uint8Array(70_000)]) {
      const [payload = message, next = message] = await compressAll([message, bytesOf(trades(300))]);
      for (let length = 1; length < payload.length; length++) {
        const cut = payload.subarray(0, length);
        assertEquals(codeOf(() => inflate(create(15, false), cut)), CORRUPT, `${length} bytes`);
        const inflater = create(15, true);
        assertEquals(codeOf(() => [inflate(inflater, cut), inflate(inflater, next)]), CORRUPT, `${length} bytes`);
      }
    }
  });

  test(`${name}: any bytes are a message or one violation`, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }), fc.boolean(), (payloads, takeover) => {
        const inflater = create(12, takeover);
        for (const payload of payloads) {
          try {
            assert(inflate(inflater, payload, 500).length <= 500);
          } catch (error) {
            assert(error instanceof WebSocketProtocolError && [1007, 1009].includes(error.closeCode), String(error));
            break;
          }
        }
        inflater.close();
      }),
      { numRuns: 1_000 },
    );
  });

  test(`${name}: the limit is for the decompressed message, to the byte`, async () => {
    for (const length of [1, 2, 1_000, 16_383, 16_384, 16_385, 65_536, 300_000]) {
      for (const message of [new Uint8Array(length), noise(length), bytesOf(trades(length))]) {
        const payload = (await compressAll([message]))[0] ?? new Uint8Array();
        same([inflate(create(15, true), payload, length)], [message]);
        assertEquals(codeOf(() => inflate(create(15, true), payload, length - 1)), ["MESSAGE_TOO_LARGE", 1009]);
      }
    }
  });
}

for (
  const [name, create] of [
    ["zlib stream", (bits: number, takeover: boolean) => new StreamDeflater(bits, takeover)],
    ["one-shot calls", (bits: number) => new OneShotDeflater(bits)],
  ] as const
) {
  test(`${name}: whatever is compressed can be read by zlib, with each window and with and without takeover`, async () => {
    await fc.assert(
      fc.asyncProperty(messages, windowBits, fc.boolean(), async (list, bits, takeover) => {
        const filled = list.filter(({ length }) => length > 0);
        const deflater = create(bits, takeover);
        const payloads = filled.map((message) => deflater.deflate(message).slice());
        deflater.close();
        same(await decompressAll(payloads, bits, takeover), filled);
      }),
      { numRuns: 60 },
    );
  });
}

test("with context takeover a message that came before costs next to nothing", () => {
  const message = bytesOf(trades(2_000));
  const sizes = (deflater: StreamDeflater) => [deflater.deflate(message).length, deflater.deflate(message).length];
  const [first = 0, second = 0] = sizes(new StreamDeflater(15, true));
  assert(second < first / 5, `${first}, then ${second}`);
  assertEquals(sizes(new StreamDeflater(15, false)), [first, first]);
});
