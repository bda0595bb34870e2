/**
 * What callers without types send: the same values are refused with every library, and what is accepted arrives whole.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { connect, FRAME_HEAD_ROOM } from "@rawtick/binance/transport";
import { startLocalExchange } from "@rawtick/binance/testing";
import { testEachLibrary } from "./support.ts";
import { canDoMore, openPair } from "./transport_pair.ts";

const bytes = new Uint8Array([1, 2, 3, 4]);

/** Values that are neither text nor bytes, and what the error says to send in their place. */
const OTHERS: readonly (readonly [value: unknown, message: string])[] = [
  [5, "the type Number: expected a string"],
  [10n, "the type BigInt"],
  [true, "the type Boolean"],
  [null, "the type Null"],
  [undefined, "the type Undefined"],
  [Symbol.iterator, "the type Symbol"],
  [() => {}, "the type Function"],
  [{ method: "PING" }, "the type Object: expected a string (`JSON.stringify(value)` of an object) or a Uint8Array"],
  [[1, 2], "the type Array"],
  [{ length: 3 }, "the type Object"],
  [new String("text"), "the type String"],
  [
    bytes.buffer,
    "the type ArrayBuffer: expected a string (`JSON.stringify(value)` of an object) or a Uint8Array, such as " +
    "`new Uint8Array(buffer)`",
  ],
  [new SharedArrayBuffer(2), "`new Uint8Array(buffer)`"],
  [new DataView(bytes.buffer), "`new Uint8Array(view.buffer, view.byteOffset, view.byteLength)`"],
  [new Uint16Array(2), "the type Uint16Array"],
  [new Uint8ClampedArray(2), "the type Uint8ClampedArray"],
  [new Blob(["text"]), "`new Uint8Array(await blob.arrayBuffer())`"],
];

testEachLibrary(
  "a message is a string or a Uint8Array: anything else is a TypeError, and nothing is sent",
  async (library) => {
    await using pair = await openPair(library);
    const { connection, peer } = pair;
    for (const [value, message] of OTHERS) {
      // The cast: a wrong type is what is tested.
      assertThrows(() => connection.send(value as string), TypeError, message);
    }
    assert(connection.isOpen);
    for (const value of ["", "text", new Uint8Array(0), bytes.subarray(1, 3), Buffer.from("node")]) {
      connection.send(value);
      const [type, payload] = await peer.next();
      assertEquals(type, typeof value === "string" ? "text" : "binary");
      assertEquals(payload, typeof value === "string" ? value : new Uint8Array(value));
    }
  },
);

testEachLibrary("messages of pulled connections are checked the same", async (library) => {
  await using exchange = await startLocalExchange();
  await using ws = await connect(`${exchange.url}/stream`, { websocketLibrary: library });
  for (const [value, message] of OTHERS) await assertRejects(() => ws.send(value as string), TypeError, message);
  await ws.send('{"method":"LIST_SUBSCRIPTIONS","id":1}');
  assertEquals(await ws.recv(), '{"result":[],"id":1}');
  assertEquals(exchange.controlMessages.length, 1);
});

testEachLibrary(
  "pings, frames in place and reasons of closes that are no bytes or text are refused",
  async (library) => {
    await using pair = await openPair(library);
    const { connection, peer } = pair;
    for (const [value] of OTHERS) {
      const given = value as Uint8Array; // The cast: a wrong type is what is tested.
      // Left out, the payload is empty.
      if (value !== undefined) assertThrows(() => connection.ping(given), TypeError, "expected a Uint8Array");
      if (library === "native") {
        assertThrows(() => connection.sendInPlace(given, FRAME_HEAD_ROOM, 0), TypeError, "expected a Uint8Array");
      }
      if (value !== undefined) {
        assertThrows(
          () => connection.close(1000, value as string),
          TypeError,
          "expected a string",
        );
      }
    }
    assertThrows(() => connection.ping("text" as unknown as Uint8Array), TypeError, "send a ping of the type String");
    assert(connection.isOpen);
    if (!canDoMore(library)) return;
    connection.ping(bytes);
    assertEquals((await peer.next())[0], "ping");
  },
);
