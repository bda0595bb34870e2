/**
 * The pull interface: messages taken one by one, bounded, and an end that every waiting call hears of.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  connect,
  ConnectionClosedError,
  ConnectionFailedError,
  type Message,
  type PullConnection,
  type PullOptions,
  UnknownWebSocketLibraryError,
  type WebSocketLibrary,
  WebSocketProtocolError,
} from "@rawtick/binance/transport";
import { encodeClose, encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { bytesOf } from "./frame_events.ts";
import { type Peer, settle, TestServer } from "./native_server.ts";
import { testEachLibrary, until } from "./support.ts";
import { canDoMore } from "./transport_pair.ts";

const UNMASKED = { mask: false };
const MIB = 1 << 20;
const text = (message: string): Uint8Array => encodeText(message, UNMASKED);

/** A connection that is pulled, and its peer. */
interface PullPair extends AsyncDisposable {
  readonly server: TestServer;
  readonly peer: Peer;
  readonly ws: PullConnection;
}

async function openPull(library: WebSocketLibrary, options: PullOptions = {}): Promise<PullPair> {
  const server = await TestServer.start();
  const ws = await connect(`ws://127.0.0.1:${server.port}/`, { websocketLibrary: library, ...options });
  return {
    server,
    peer: await server.peer(),
    ws,
    async [Symbol.asyncDispose]() {
      ws.terminate();
      await server[Symbol.asyncDispose]();
    },
  };
}

testEachLibrary("recv takes messages in their order, whether they came before or after the call", async (library) => {
  await using pair = await openPull(library);
  const { ws, peer } = pair;
  assertEquals([ws.library, ws.isOpen, ws.subprotocol, ws.unread], [library, true, "", 0]);
  peer.send(text("one"), encodeFrame(Opcode.Binary, bytesOf(1, 2), UNMASKED), text(""));
  await until(() => ws.unread === 3, "three messages");
  assertEquals(await ws.recv(), "one");
  assertEquals(await ws.recv(), bytesOf(1, 2));
  assertEquals(await ws.recv(), "");
  const later = ws.recv();
  peer.send(text("later"));
  assertEquals([await later, ws.unread], ["later", 0]);
});

testEachLibrary("several recv at once get one message each, in the order of the calls", async (library) => {
  await using pair = await openPull(library);
  const { ws, peer } = pair;
  const all = Promise.all([ws.recv(), ws.recv(), ws.recv()]);
  peer.send(text("a"), text("b"), text("c"), text("d"));
  assertEquals(await all, ["a", "b", "c"]);
  assertEquals(await ws.recv(), "d");
});

testEachLibrary("ten thousand messages are all taken, in order", async (library) => {
  await using pair = await openPull(library, { maxQueue: 50 });
  const { ws, peer } = pair;
  peer.send(bytesOf(...Array.from({ length: 10_000 }, (_, i) => text(`message ${i}`))));
  for (let i = 0; i < 10_000; i++) assertEquals(await ws.recv(), `message ${i}`);
});

testEachLibrary("send carries text and bytes, and resolves", async (library) => {
  await using pair = await openPull(library);
  const { ws, peer } = pair;
  await ws.send("hello");
  await ws.send(bytesOf(1, 2));
  assertEquals([await peer.next(), await peer.next()], [["text", "hello"], ["binary", bytesOf(1, 2)]]);
});

test("native: send waits while the peer does not read", async () => {
  await using pair = await openPull("native");
  const { ws, peer } = pair;
  peer.socket.pause();
  let sent = 0;
  const sending = (async () => {
    for (; sent < 100; sent++) await ws.send(new Uint8Array(MIB));
  })();
  await settle();
  await settle();
  assert(sent < 60, `${sent} MiB were sent to a peer that does not read`);
  assert(ws.bufferedAmount < 2 * MIB, `${ws.bufferedAmount} bytes wait`);
  peer.socket.resume();
  await sending;
  for (let i = 0; i < 100; i++) assertEquals((await peer.next())[0], "binary");
});

test("native: a send that waits resolves at the end of the connection", async () => {
  await using pair = await openPull("native");
  const { ws, peer } = pair;
  peer.socket.pause();
  const sends = Array.from({ length: 40 }, () => ws.send(new Uint8Array(MIB)));
  ws.terminate();
  await Promise.all(sends);
  await assertRejects(() => ws.send("x"), ConnectionClosedError);
});

for (
  const [code, reason, inOrder] of [
    [1000, "done", true],
    [1001, "", true],
    [1005, "", true],
    [1008, "policy", false],
    [1011, "", false],
    [4000, "mine", false],
  ] as const
) {
  testEachLibrary(
    `after a close by the server with ${code}, what came is taken first, then the end is told`,
    async (library) => {
      await using pair = await openPull(library);
      const { ws, peer } = pair;
      peer.send(bytesOf(text("a"), text("b"), encodeClose(code, reason, UNMASKED)));
      assertEquals((await ws.closed).code, code);
      assertEquals([await ws.recv(), ws.unread], ["a", 1]);
      const taken: Message[] = [];
      const iterate = async (): Promise<void> => {
        for await (const message of ws) taken.push(message);
      };
      if (inOrder) await iterate();
      else await assertRejects(iterate, ConnectionClosedError, `code ${code}`);
      assertEquals(taken, ["b"]);
      // recv() has no other way to tell the end.
      for (let i = 0; i < 2; i++) await assertRejects(() => ws.recv(), ConnectionClosedError, `code ${code}`);
    },
  );
}

testEachLibrary("a lost connection is an error for everyone who waits", async (library) => {
  await using pair = await openPull(library);
  const { ws, server } = pair;
  const waiting = [ws.recv(), ws.recv()].map((receiving) =>
    assertRejects(() => receiving, ConnectionClosedError, "code 1006")
  );
  const iterating = assertRejects(async () => {
    for await (const message of ws) assert(message === undefined);
  }, ConnectionClosedError);
  server.reset();
  await Promise.all([...waiting, iterating]);
  assertEquals((await ws.closed).wasClean, false);
});

testEachLibrary("a violation by the server is the cause of the error", async (library) => {
  await using pair = await openPull(library, { maxMessageBytes: 10 });
  const { ws, peer } = pair;
  peer.send(text("x".repeat(11)));
  const error = await assertRejects(() => ws.recv(), ConnectionClosedError);
  assert(error.cause instanceof WebSocketProtocolError && error.cause.code === "MESSAGE_TOO_LARGE");
});

testEachLibrary("a close of our own ends iterations, also when the server never answers", async (library) => {
  for (const isAnswered of [true, false]) {
    await using pair = await openPull(library, { closeTimeoutMs: 50 });
    const { ws, peer } = pair;
    const iterating = (async () => {
      for await (const _ of ws);
    })();
    const receiving = assertRejects(() => ws.recv(), ConnectionClosedError);
    const closing = ws.close(4000, "bye");
    assertEquals(await peer.next(), ["close", 4000, "bye"]);
    if (isAnswered) peer.send(encodeClose(4000, "", UNMASKED));
    assertEquals((await closing).code, isAnswered ? 4000 : 1006);
    await Promise.all([iterating, receiving]);
    assertEquals((await ws.close()).code, isAnswered ? 4000 : 1006);
    await assertRejects(() => ws.send("x"), ConnectionClosedError);
  }
});

testEachLibrary("a close with arguments that can't be used rejects, and closes nothing", async (library) => {
  await using pair = await openPull(library);
  await assertRejects(() => pair.ws.close(1001), TypeError);
  await assertRejects(() => pair.ws.close(1000, "x".repeat(124)), TypeError);
  assert(pair.ws.isOpen);
});

testEachLibrary("leaving a loop keeps the connection open, and the next loop goes on", async (library) => {
  await using pair = await openPull(library);
  const { ws, peer } = pair;
  peer.send(text("a"), text("b"), text("c"));
  for await (const message of ws) {
    assertEquals(message, "a");
    break;
  }
  assert(ws.isOpen);
  const rest: Message[] = [];
  for await (const message of ws) {
    rest.push(message);
    if (rest.length === 2) break;
  }
  assertEquals(rest, ["b", "c"]);
});

testEachLibrary("an iteration that is left while it waits takes no message along", async (library) => {
  await using pair = await openPull(library);
  const { ws, peer } = pair;
  const [iteration, other] = [ws[Symbol.asyncIterator](), ws[Symbol.asyncIterator]()];
  const abandoned = [iteration.next(), iteration.next()];
  const waiting = other.next();
  const received = ws.recv();
  await iteration.return?.();
  const end: IteratorResult<Message, undefined> = { done: true, value: undefined };
  peer.send(text("a"), text("b"), text("c"));
  assertEquals(await waiting, { done: false, value: "a" });
  assertEquals(await received, "b");
  assertEquals(await Promise.all(abandoned), [end, end]);
  await until(() => ws.unread === 1, "a message");
  assertEquals(await iteration.next(), end);
  assertEquals(await ws.recv(), "c");
});

testEachLibrary("cancelling a ReadableStream of a connection loses no message", async (library) => {
  await using pair = await openPull(library);
  const { ws, peer } = pair;
  const reader = ReadableStream.from(ws).getReader();
  const read = reader.read();
  // Until the stream asks for the message.
  await settle();
  await reader.cancel();
  assertEquals((await read).done, true);
  peer.send(text("kept"), text("next"));
  assertEquals(await ws.recv(), "kept");
});

testEachLibrary("using destroys the socket, await using closes it in order", async (library) => {
  await using server = await TestServer.start();
  const url = `ws://127.0.0.1:${server.port}/`;
  let closed: PullConnection["closed"];
  {
    using ws = await connect(url, { websocketLibrary: library });
    closed = ws.closed;
    await server.peer();
  }
  assertEquals((await closed).code, 1006);
  let answered: Promise<void>;
  {
    await using ws = await connect(url, { websocketLibrary: library });
    closed = ws.closed;
    const peer = await server.peer();
    peer.send(text("unread"));
    await until(() => ws.unread === 1, "a message");
    answered = peer.next().then((event) => {
      assertEquals(event, ["close", 1000, ""]);
      peer.send(encodeClose(1000, "", UNMASKED));
    });
  }
  await answered;
  assertEquals(await closed, { code: 1000, reason: "", wasClean: true });
});

for (const library of ["builtin", "native"] as const) {
  if (!canDoMore(library)) continue;
  test(`${library}: unread messages pause the socket, so that memory is bounded`, { timeout: 60_000 }, async () => {
    await using pair = await openPull(library, { maxQueue: 10 });
    const { ws, peer } = pair;
    const message = encodeFrame(Opcode.Binary, new Uint8Array(100_000), UNMASKED);
    const count = 600;
    for (let i = 0; i < count; i++) peer.socket.write(message);
    await settle();
    await settle();
    const { unread } = ws;
    // The mark, and one chunk that was read already.
    assert(unread >= 10 && unread <= 10 + 12, `${unread} messages are unread`);
    assert(peer.socket.writableLength > 16 * MIB, `${peer.socket.writableLength} bytes wait at the server`);
    for (let i = 0; i < count; i++) assert((await ws.recv()).length === 100_000);
    assertEquals(ws.unread, 0);
    await ws.send("still open");
    assertEquals(await peer.next(), ["text", "still open"]);
  });

  test(`${library}: large messages pause the socket too`, { timeout: 60_000 }, async () => {
    await using pair = await openPull(library);
    const { ws, peer } = pair;
    for (let i = 0; i < 50; i++) peer.socket.write(encodeFrame(Opcode.Binary, new Uint8Array(MIB), UNMASKED));
    await settle();
    await settle();
    assert(ws.unread <= 3, `${ws.unread} messages of 1 MiB are unread`);
    for (let i = 0; i < 50; i++) assert((await ws.recv()).length === MIB);
  });

  test(`${library}: a paused connection closes in order`, { timeout: 60_000 }, async () => {
    await using pair = await openPull(library, { maxQueue: 1 });
    const { ws, peer } = pair;
    peer.send(text("a"), text("b"));
    await until(() => ws.unread > 0, "a message");
    const closing = ws.close();
    assertEquals((await peer.next())[0], "close");
    peer.send(encodeClose(1000, "", UNMASKED));
    assertEquals((await closing).wasClean, true);
  });
}

testEachLibrary(
  "more unread bytes than maxBufferedBytes fail the connection; what came before can be taken",
  async (library) => {
    await using pair = await openPull(library, { maxBufferedBytes: 1_000 });
    const { ws, peer } = pair;
    // In one chunk, which no pause holds back.
    peer.send(bytesOf(...Array.from({ length: 5 }, (_, i) => text(String(i).repeat(300)))));
    const { code, error } = await ws.closed;
    assert(error instanceof WebSocketProtocolError);
    assertEquals([code, error.code, error.closeCode], [1006, "TOO_MANY_BUFFERED_BYTES", 1009]);
    if (library === "native") assertEquals(await peer.next(), ["close", 1009, ""]);
    const taken: Message[] = [];
    const failure = await assertRejects(async () => {
      for await (const message of ws) taken.push(message);
    }, ConnectionClosedError);
    assertEquals([taken.map((message) => message[0]), failure.cause], [["0", "1", "2"], error]);
  },
);

testEachLibrary("an opening that fails rejects, and leaves nothing behind", async (library) => {
  await assertRejects(() => connect("ws://127.0.0.1:1/", { websocketLibrary: library }), ConnectionFailedError);
  await assertRejects(
    // The cast: a library that does not exist is what is tested.
    () => connect("ws://127.0.0.1:1/", { websocketLibrary: "hyperws" as WebSocketLibrary }),
    UnknownWebSocketLibraryError,
  );
  const signal = AbortSignal.abort(new Error("changed my mind"));
  await assertRejects(() => connect("ws://127.0.0.1:1/", { websocketLibrary: library, signal }), Error, "my mind");
});

test("native is the default, and pings tell the round trip", async () => {
  await using server = await TestServer.start();
  using ws = await connect(`ws://127.0.0.1:${server.port}/`);
  assertEquals([ws.library, ws.remoteAddress?.port], ["native", server.port]);
  const peer = await server.peer();
  ws.ping(bytesOf("p"));
  await peer.next();
  peer.send(encodeFrame(Opcode.Pong, bytesOf("p"), UNMASKED));
  await until(() => ws.latencyMs !== undefined, "the round trip");
});
