/**
 * The frame level and sending in place, through the public door: frames as they are, without copies, and as strict as
 * everything else.
 *
 * @module
 */

import { test as register } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type CloseInfo,
  type Connection,
  ConnectionClosedError,
  type ConnectOptions,
  type Frame,
  FRAME_HEAD_ROOM,
  openConnection,
  WebSocketProtocolError,
} from "@rawtick/binance/transport";
import { encodeClose, encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { bytesOf, frame, hex } from "./frame_events.ts";
import { type Peer, settle, TestServer } from "./native_server.ts";
import { until } from "./support.ts";
import { openPair } from "./transport_pair.ts";

const UNMASKED = { mask: false };

/** Registers a test that may not hang. */
function test(name: string, run: () => Promise<void>): void {
  register(name, { timeout: 30_000 }, run);
}

/** A connection at the frame level, what it told, and its peer. */
interface FramePair extends AsyncDisposable {
  readonly connection: Connection;
  readonly peer: Peer;
  readonly seen: string[];
  readonly closes: CloseInfo[];
}

/** Opens a connection whose frames are written down as `opcode fin hex`. */
async function openFrames(options: ConnectOptions = {}, more: (frame: Frame) => void = () => {}): Promise<FramePair> {
  const server = await TestServer.start();
  const seen: string[] = [];
  const closes: CloseInfo[] = [];
  const connection = await openConnection("native", `ws://127.0.0.1:${server.port}/`, {
    onFrame(frame) {
      seen.push(`${frame.opcode} ${frame.fin ? "fin" : "..."} ${hex(frame.bytes())}`);
      assertEquals([frame.length, hex(frame.payload)], [frame.bytes().length, hex(frame.bytes())]);
      more(frame);
    },
    onClose: (info) => void closes.push(info),
  }, options);
  return {
    connection,
    peer: await server.peer(),
    seen,
    closes,
    async [Symbol.asyncDispose]() {
      connection.terminate();
      await server[Symbol.asyncDispose]();
      assertEquals(closes.length, 1, "onClose came exactly once");
    },
  };
}

const some = [
  frame(0x81, "hello"),
  frame(0x01, "frag"),
  frame(0x89, "ping"),
  frame(0x00, ""),
  frame(0x80, "ment"),
  frame(0x82, new Uint8Array(70_000).fill(7)),
  frame(0x8a, "pong"),
  frame(0x82, ""),
];
const shown = [
  `1 fin ${hex("hello")}`,
  `1 ... ${hex("frag")}`,
  `9 fin ${hex("ping")}`,
  "0 ... ",
  `0 fin ${hex("ment")}`,
  `2 fin ${"07".repeat(70_000)}`,
  `10 fin ${hex("pong")}`,
  "2 fin ",
];

test("every frame is shown as it is, pings are answered", async () => {
  await using pair = await openFrames();
  const { peer, seen } = pair;
  peer.send(bytesOf(...some));
  await until(() => seen.length === some.length, "the frames");
  assertEquals(seen, shown);
  assertEquals(await peer.next(), ["pong", bytesOf("ping")]);
});

test("frames are the same however the stream is chopped", async () => {
  await using pair = await openFrames();
  const { peer, seen } = pair;
  peer.socket.setNoDelay(true);
  const bytes = bytesOf(...some);
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + (at < 60 || at > 70_060 ? 1 : 9_000));
    peer.send(bytes.subarray(at, end));
    at = end;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await until(() => seen.length === some.length, "the frames");
  assertEquals(seen, shown);
});

test("a payload is a view of the socket's chunk, and the frame is empty after the call", async () => {
  const views: Uint8Array[] = [];
  const frames: Frame[] = [];
  await using pair = await openFrames({}, (frame) => {
    views.push(frame.payload);
    frames.push(frame);
  });
  pair.peer.send(bytesOf(frame(0x82, "one"), frame(0x82, "two")));
  await until(() => views.length === 2, "two frames");
  const [first, second] = views;
  assert(first !== undefined && second !== undefined && frames[0] === frames[1]);
  assertEquals([first.buffer === second.buffer, second.byteOffset - first.byteOffset], [true, 5]);
  await settle();
  assertEquals([frames[0]?.length, frames[0]?.payload.length, frames[0]?.lastInChunk], [0, 0, true]);
});

test("the last frame of a chunk is known, also when the next one has only begun", async () => {
  const last: boolean[] = [];
  await using pair = await openFrames({}, (frame) => void last.push(frame.lastInChunk));
  const next = frame(0x82, new Uint8Array(70_000));
  for (const cut of [1, 2, 5, 10, 300]) {
    last.length = 0;
    pair.peer.send(
      bytesOf(frame(0x81, "a"), frame(0x82, new Uint8Array(200)), frame(0x81, "c"), next.subarray(0, cut)),
    );
    await until(() => last.length === 3, "three frames");
    assertEquals(last, [false, false, true], `cut after ${cut}`);
    pair.peer.send(next.subarray(cut));
    await until(() => last.length === 4, "the fourth frame");
    assertEquals(last[3], true);
  }
});

test("text is read as text, as ASCII or as bytes", async () => {
  const texts: string[] = [];
  await using pair = await openFrames({}, (frame) => {
    if (!frame.fin || frame.opcode === 0) {
      assertThrows(() => frame.text(), TypeError, "fragment");
      texts.push(frame.asciiText());
    } else texts.push(frame.text(), frame.asciiText());
  });
  pair.peer.send(
    bytesOf(frame(0x81, "plain"), frame(0x81, "é🚀"), frame(0x01, "x"), frame(0x80, "y"), frame(0x81, "")),
  );
  await until(() => texts.length === 8, "the texts");
  assertEquals(texts, ["plain", "plain", "é🚀", "Ã©ð\x9f\x9a\x80", "x", "y", "", ""]);
});

test("UTF-8 is checked only when text is asked for", async () => {
  await using pair = await openFrames();
  pair.peer.send(bytesOf(frame(0x81, bytesOf(0xff)), frame(0x81, "next")));
  await until(() => pair.seen.length === 2, "both frames");
  assert(pair.connection.isOpen);
});

for (const [name, isCaught] of [["caught", true], ["not caught", false]] as const) {
  test(`text that is not UTF-8 fails the connection with 1007 when it is asked for, ${name}`, async () => {
    await using pair = await openFrames({}, (frame) => {
      if (!isCaught) frame.text();
      else assertThrows(() => frame.text(), WebSocketProtocolError, "UTF-8");
    });
    const { peer, connection, seen } = pair;
    peer.send(bytesOf(frame(0x81, bytesOf(0xff)), frame(0x81, "never")));
    assertEquals(await peer.next(), ["close", 1007, ""]);
    const { code, error } = await connection.closed;
    assert(error instanceof WebSocketProtocolError);
    assertEquals([code, error.code, seen.length], [1006, "INVALID_UTF8", 1]);
  });
}

for (
  const [name, bytes, closeCode, code, options] of [
    ["reserved bits", frame(0xc1, "x"), 1002, "RESERVED_BITS", {}],
    ["a reserved opcode", frame(0x83, "x"), 1002, "RESERVED_OPCODE", {}],
    ["a masked frame", bytesOf(0x81, 0x80, 1, 2, 3, 4), 1002, "MASKED_FRAME", {}],
    ["a continuation of nothing", frame(0x80, "x"), 1002, "UNEXPECTED_CONTINUATION", {}],
    ["a message inside of another", bytesOf(frame(0x01, "x"), frame(0x81, "y")), 1002, "EXPECTED_CONTINUATION", {}],
    ["a fragmented ping", frame(0x09, "x"), 1002, "FRAGMENTED_CONTROL_FRAME", {}],
    ["a long ping", frame(0x89, "x".repeat(126)), 1002, "CONTROL_FRAME_TOO_LONG", {}],
    ["a length that is not minimal", bytesOf(0x82, 126, 0, 1, 0), 1002, "LENGTH_NOT_MINIMAL", {}],
    ["a bad close code", frame(0x88, bytesOf(0x03, 0xed)), 1002, "INVALID_CLOSE_CODE", {}],
    ["a close reason that is not UTF-8", frame(0x88, bytesOf(0x03, 0xe8, 0xff)), 1007, "INVALID_UTF8", {}],
    ["a large frame", frame(0x82, "x".repeat(101)), 1009, "MESSAGE_TOO_LARGE", { maxMessageBytes: 100 }],
    [
      "a large message in fragments",
      bytesOf(frame(0x02, "x".repeat(60)), frame(0x80, "x".repeat(60))),
      1009,
      "MESSAGE_TOO_LARGE",
      { maxMessageBytes: 100 },
    ],
    [
      "many fragments",
      bytesOf(frame(0x02, ""), frame(0x00, ""), frame(0x80, "")),
      1009,
      "TOO_MANY_FRAGMENTS",
      { maxFragments: 2 },
    ],
    [
      "a large frame that comes in pieces",
      frame(0x82, new Uint8Array(5_000)).subarray(0, 1_000),
      1009,
      "TOO_MANY_BUFFERED_BYTES",
      { maxBufferedBytes: 4_000 },
    ],
  ] as const
) {
  test(`frame level: ${name} is refused with ${closeCode}`, async () => {
    await using pair = await openFrames(options);
    pair.peer.send(bytesOf(frame(0x81, "good"), bytes));
    assertEquals(await pair.peer.next(), ["close", closeCode, ""]);
    const info = await pair.connection.closed;
    assert(info.error instanceof WebSocketProtocolError);
    assertEquals([info.code, info.error.code, info.error.closeCode], [1006, code, closeCode]);
    assertEquals(pair.seen[0], `1 fin ${hex("good")}`);
  });
}

test("frame level: a Close frame is shown and answered", async () => {
  await using pair = await openFrames();
  pair.peer.send(bytesOf(encodeClose(4001, "bye", UNMASKED), frame(0x81, "never")));
  assertEquals(await pair.peer.next(), ["close", 4001, ""]);
  assertEquals(await pair.connection.closed, { code: 4001, reason: "bye", wasClean: true });
  assertEquals(pair.seen, [`8 fin 0fa1${hex("bye")}`]);
});

for (const act of ["terminate", "close", "pause"] as const) {
  test(`frame level: ${act} inside of onFrame`, async () => {
    const opened: Connection[] = [];
    await using pair = await openFrames({}, ({ opcode }) => {
      if (opcode === 2) opened[0]?.[act]();
    });
    opened.push(pair.connection);
    pair.peer.send(bytesOf(frame(0x81, "a"), frame(0x82, "b"), frame(0x81, "c"), encodeClose(1000, "", UNMASKED)));
    await settle();
    // What has been read already is delivered in spite of a pause.
    assertEquals(pair.seen.length, act === "pause" ? 4 : 2);
    assertEquals(pair.closes[0]?.code, act === "terminate" ? 1006 : 1000);
  });
}

test("a frame level connection sends like any other", async () => {
  await using pair = await openFrames();
  pair.connection.send("text");
  pair.connection.ping(bytesOf("p"));
  assertEquals(await pair.peer.next(), ["text", "text"]);
  assertEquals(await pair.peer.next(), ["ping", bytesOf("p")]);
  pair.peer.send(encodeFrame(Opcode.Pong, bytesOf("p"), UNMASKED));
  await until(() => pair.connection.latencyMs !== undefined, "the round trip");
});

test("a send in place arrives as it was, for every length of head", async () => {
  await using pair = await openPair("native");
  const { connection, peer } = pair;
  for (const length of [0, 1, 125, 126, 65_535, 65_536, 300_000]) {
    for (const shift of [0, 1, 2, 3]) {
      const payload = new Uint8Array(length).map((_, index) => index * 31);
      const buffer = new Uint8Array(FRAME_HEAD_ROOM + shift + length + 5).fill(0xee);
      buffer.set(payload, FRAME_HEAD_ROOM + shift);
      connection.sendInPlace(buffer, FRAME_HEAD_ROOM + shift, length);
      const [type, bytes] = await peer.next();
      assert(type === "binary" && bytes instanceof Uint8Array);
      assertEquals([bytes.length, hex(bytes) === hex(payload)], [length, true], `${length} bytes, shifted by ${shift}`);
      // Nothing outside of the room and the payload is touched.
      assertEquals([...buffer.subarray(-5)], Array(5).fill(0xee));
      assertEquals([...buffer.subarray(0, FRAME_HEAD_ROOM + shift - 14)].every((byte) => byte === 0xee), true);
    }
  }
});

test("a payload is masked where it is, with a fresh key each time", async () => {
  await using pair = await openPair("native");
  const heads = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const buffer = new Uint8Array(FRAME_HEAD_ROOM + 64);
    pair.connection.sendInPlace(buffer, FRAME_HEAD_ROOM, 64, { opcode: 2 });
    // A payload of zeros shows the key.
    heads.add(hex(buffer.subarray(FRAME_HEAD_ROOM, FRAME_HEAD_ROOM + 4)));
    assertEquals(
      hex(buffer.subarray(FRAME_HEAD_ROOM + 60)),
      hex(buffer.subarray(FRAME_HEAD_ROOM - 4, FRAME_HEAD_ROOM)),
    );
    await pair.peer.next();
  }
  assertEquals(heads.size, 20);
});

test("a message is sent in fragments in place, and nothing can come between but controls", async () => {
  await using pair = await openPair("native");
  const { connection, peer } = pair;
  const put = (text: string, options: Parameters<Connection["sendInPlace"]>[3]): boolean => {
    const buffer = bytesOf("\0".repeat(FRAME_HEAD_ROOM), text);
    return connection.sendInPlace(buffer, FRAME_HEAD_ROOM, buffer.length - FRAME_HEAD_ROOM, options);
  };
  assertThrows(() => put("x", { opcode: 0 }), TypeError, "no message was begun");
  assertEquals(put("frag", { opcode: 1, fin: false }), true);
  assertThrows(() => put("x", { opcode: 1 }), TypeError, "continuation");
  assertThrows(() => connection.send("x"), TypeError, "the rest");
  connection.ping(bytesOf("p"));
  put("men", { opcode: 0, fin: false });
  put("ted", { opcode: 0 });
  connection.send("whole");
  assertEquals(await peer.next(), ["ping", bytesOf("p")]);
  assertEquals(await peer.next(), ["text", "fragmented"]);
  assertEquals(await peer.next(), ["text", "whole"]);
});

test("arguments of a send in place that can't be used are refused, and the buffer left alone", async () => {
  await using pair = await openPair("native");
  const { connection, peer } = pair;
  const buffer = new Uint8Array(100);
  const room = FRAME_HEAD_ROOM;
  for (
    const [offset, length] of [[room - 1, 1], [-1, 1], [NaN, 1], [room + 0.5, 1], [room, 85], [room, -1], [room, 1.5]]
  ) {
    assertThrows(() => connection.sendInPlace(buffer, offset ?? 0, length ?? 0), RangeError);
  }
  for (const opcode of [3, 8, 9, -1, "1"]) {
    // The cast: a wrong opcode is what is tested.
    assertThrows(() => connection.sendInPlace(buffer, room, 1, { opcode: opcode as 1 }), TypeError);
  }
  assertEquals(buffer.every((byte) => byte === 0), true);
  connection.send("fine");
  assertEquals(await peer.next(), ["text", "fine"]);
  connection.terminate();
  assertThrows(() => connection.sendInPlace(buffer, room, 1), ConnectionClosedError);
});

test("a send in place waits its turn behind other messages", async () => {
  await using pair = await openPair("native");
  const { connection, peer } = pair;
  peer.socket.pause();
  while (connection.send(new Uint8Array(1 << 20)));
  const buffer = bytesOf("\0".repeat(FRAME_HEAD_ROOM), "in place");
  assertEquals(connection.sendInPlace(buffer, FRAME_HEAD_ROOM, 8, { opcode: 1 }), false);
  peer.socket.resume();
  let event = await peer.next();
  while (event[0] === "binary") event = await peer.next();
  assertEquals(event, ["text", "in place"]);
});

test("builtin: a send in place is refused", async () => {
  await using pair = await openPair("builtin");
  assertThrows(() => pair.connection.sendInPlace(new Uint8Array(100), 16, 1), TypeError, '"native"');
});

test("listener: more than maxBufferedBytes of a message that is not complete fails it with 1009", async () => {
  for (
    const bytes of [
      encodeText("x".repeat(2_000), UNMASKED).subarray(0, 500),
      bytesOf(frame(0x02, "x".repeat(200)), frame(0x00, "x".repeat(200))),
    ]
  ) {
    await using pair = await openPair("native", { maxBufferedBytes: 300 });
    // What comes whole is not held back, however large it is; the smallest chunk that is read has 512 bytes.
    pair.peer.send(encodeText("y".repeat(400), UNMASKED));
    await pair.recorder.wait(2);
    pair.peer.send(bytes);
    assertEquals(await pair.peer.next(), ["close", 1009, ""]);
    const { error } = await pair.connection.closed;
    assert(error instanceof WebSocketProtocolError);
    assertEquals([error.code, pair.recorder.events], ["TOO_MANY_BUFFERED_BYTES", ["open", "text", "close"]]);
  }
});

test("listener: more than maxFragments fails a message with 1009", async () => {
  await using pair = await openPair("native", { maxFragments: 2 });
  pair.peer.send(bytesOf(frame(0x01, "a"), frame(0x80, "b"), frame(0x01, "a"), frame(0x00, "b"), frame(0x80, "c")));
  assertEquals(await pair.peer.next(), ["close", 1009, ""]);
  assertEquals(pair.recorder.texts, ["ab"]);
});
