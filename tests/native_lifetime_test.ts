/**
 * The life of a native connection: each way out ends in one onClose, and leaves nothing behind.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ConnectionClosedError, WebSocketProtocolError } from "../src/base/mod.ts";
import type { CloseInfo, Connection, ConnectOptions, OpenConnection } from "../src/transport/connection.ts";
import { encodeClose, encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { Command } from "./command.ts";
import { bytesOf, frame } from "./frame_events.ts";
import { type Pair, testEachConnection } from "./native_each.ts";
import { paths, settle, TestServer } from "./native_server.ts";

const UNMASKED = { mask: false };

/** Registers a test for each kind of socket, over TCP and over TLS, and checks what holds whatever happened. */
function testEachLife(name: string, run: (pair: Pair) => Promise<void>, options: ConnectOptions = {}): void {
  testEachConnection(name, run, options, async ({ server, connection, recorder }) => {
    connection.terminate();
    const info = await connection.closed;
    while (server.connections > 0) await settle();
    await settle();
    assertEquals(recorder.closes, [info], "onClose came exactly once");
    assertEquals(recorder.events.at(-1), "close", "and nothing after it");
    assertEquals([connection.isOpen, connection.bufferedAmount], [false, 0]);
    assertThrows(() => connection.send("x"), ConnectionClosedError);
    assertThrows(() => connection.ping(), ConnectionClosedError);
    connection.close();
  });
}

testEachLife("a close is answered by the server, and clean", async ({ connection, peer, recorder }) => {
  connection.close(4001, "enough");
  connection.close(1000);
  assertEquals(connection.isOpen, false);
  assertThrows(() => connection.send("x"), ConnectionClosedError);
  assertEquals(await peer.next(), ["close", 4001, "enough"]);
  assertEquals(recorder.closes, []);
  peer.send(encodeClose(4001, "", UNMASKED));
  assertEquals(await connection.closed, { code: 4001, reason: "", wasClean: true });
  assertEquals(await peer.next(), ["end"]);
});

for (const [code, reason] of [[1000, "bye"], [1001, ""], [1012, "restart"], [4999, "é"], [1005, ""]] as const) {
  testEachLife(
    `a close by the server with ${code} is answered, TCP ended, and reported`,
    async ({ peer, recorder }) => {
      peer.send(encodeClose(code, reason, UNMASKED));
      assertEquals(await peer.next(), ["close", code, ""]);
      assertEquals(await peer.next(), ["end"]);
      assertEquals(recorder.closes, [{ code, reason, wasClean: true }]);
    },
  );
}

testEachLife("both sides may close at once", async ({ connection, peer, recorder }) => {
  connection.close(4000);
  peer.send(encodeClose(4001, "mine", UNMASKED));
  assertEquals(await peer.next(), ["close", 4000, ""]);
  assertEquals(await peer.next(), ["end"]);
  assertEquals(recorder.closes, [{ code: 4001, reason: "mine", wasClean: true }]);
});

testEachLife("a close that is never answered ends with 1006 after its timeout", async ({ connection, peer }) => {
  const before = performance.now();
  connection.close();
  assertEquals(await peer.next(), ["close", 1000, ""]);
  assertEquals(await connection.closed, { code: 1006, reason: "", wasClean: false });
  const took = performance.now() - before;
  assert(took > 90 && took < 1_000, `${took} ms`);
  assertEquals(await peer.next(), ["end"]);
}, { closeTimeoutMs: 100 });

testEachLife(
  "a close is answered even if the server sends pings and data before it",
  async ({ connection, peer, recorder }) => {
    connection.close();
    assertEquals(await peer.next(), ["close", 1000, ""]);
    peer.send(
      encodeText("late", UNMASKED),
      encodeFrame(Opcode.Ping, bytesOf("p"), UNMASKED),
      encodeClose(1000, "", UNMASKED),
    );
    assertEquals(await connection.closed, { code: 1000, reason: "", wasClean: true });
    assertEquals(recorder.events, ["open", "close"]);
  },
);

testEachLife("terminate ends it before it returns, with 1006", async ({ connection, peer, recorder }) => {
  connection.terminate();
  assertEquals(recorder.closes, [{ code: 1006, reason: "", wasClean: false }]);
  connection.terminate();
  assertEquals(await peer.next(), ["end"]);
});

testEachLife("terminate ends a close that waits for its answer", async ({ connection, peer, recorder }) => {
  connection.close();
  assertEquals(await peer.next(), ["close", 1000, ""]);
  connection.terminate();
  assertEquals(recorder.closes, [{ code: 1006, reason: "", wasClean: false }]);
}, { closeTimeoutMs: 60_000 });

testEachLife("the end of TCP without a Close frame is 1006", async ({ connection, peer }) => {
  peer.send(encodeText("last", UNMASKED));
  peer.socket.end();
  assertEquals((await connection.closed).code, 1006);
  assertEquals((await connection.closed).wasClean, false);
});

testEachLife("a reset of TCP is 1006", async ({ connection, server }) => {
  server.reset();
  const { code, reason, wasClean } = await connection.closed;
  assertEquals({ code, reason, wasClean }, { code: 1006, reason: "", wasClean: false });
});

testEachLife(
  "the end of TCP inside of a frame is 1006, and the piece is not delivered",
  async ({ connection, peer, recorder }) => {
    peer.send(encodeText("x".repeat(100_000), UNMASKED).subarray(0, 50_000));
    peer.socket.end();
    assertEquals((await connection.closed).code, 1006);
    assertEquals(recorder.events, ["open", "close"]);
  },
);

testEachLife("the end of TCP after our Close frame is 1006: the server's never came", async ({ connection, peer }) => {
  connection.close();
  assertEquals(await peer.next(), ["close", 1000, ""]);
  peer.socket.end();
  assertEquals((await connection.closed).code, 1006);
});

for (
  const [name, bytes, closeCode, code] of [
    ["reserved bits", frame(0xc1, "x"), 1002, "RESERVED_BITS"],
    ["text that is not UTF-8", frame(0x81, bytesOf(0xff)), 1007, "INVALID_UTF8"],
    ["a message over the limit", frame(0x82, "x".repeat(2_000)), 1009, "MESSAGE_TOO_LARGE"],
    ["a masked frame", bytesOf(0x81, 0x80, 1, 2, 3, 4), 1002, "MASKED_FRAME"],
    ["a Close frame with code 1005", frame(0x88, bytesOf(0x03, 0xed)), 1002, "INVALID_CLOSE_CODE"],
  ] as const
) {
  testEachLife(
    `${name}: the server is told ${closeCode}, the listener 1006 and why`,
    async ({ connection, peer, recorder }) => {
      peer.send(bytesOf(frame(0x81, "good"), bytes, frame(0x81, "never")));
      assertEquals(await peer.next(), ["close", closeCode, ""]);
      assertEquals(await peer.next(), ["end"]);
      const info = await connection.closed;
      assertEquals([info.code, info.reason, info.wasClean], [1006, "", false]);
      assert(info.error instanceof WebSocketProtocolError);
      assertEquals([info.error.code, info.error.closeCode], [code, closeCode]);
      assertEquals([recorder.events, recorder.texts], [["open", "text", "close"], ["good"]]);
    },
    { maxMessageBytes: 1_000 },
  );
}

testEachLife(
  "a violation right behind what is being answered still gets its Close frame",
  async ({ connection, peer }) => {
    // The answer is on its way to the system when the violation is read.
    peer.send(bytesOf(frame(0x89, "ping"), frame(0xc1, "x")));
    assertEquals(await peer.next(), ["pong", bytesOf("ping")]);
    assertEquals(await peer.next(), ["close", 1002, ""]);
    assertEquals(await peer.next(), ["end"]);
    assertEquals((await connection.closed).code, 1006);
  },
);

testEachLife(
  "a violation after our Close frame ends it at once, without a second Close frame",
  async ({ connection, peer }) => {
    connection.close();
    assertEquals(await peer.next(), ["close", 1000, ""]);
    peer.send(frame(0xc1, "x"));
    assertEquals((await connection.closed).code, 1006);
    assertEquals(await peer.next(), ["end"]);
  },
  { closeTimeoutMs: 60_000 },
);

testEachLife(
  "pings are answered with their payload, and ours come back as pongs",
  async ({ connection, peer, recorder }) => {
    for (const payload of ["", "1672515782136", "x".repeat(125)]) {
      peer.send(encodeFrame(Opcode.Ping, bytesOf(payload), UNMASKED));
      assertEquals(await peer.next(), ["pong", bytesOf(payload)]);
    }
    connection.ping();
    assertEquals(await peer.next(), ["ping", bytesOf("")]);
    connection.ping(bytesOf("x".repeat(125)));
    assertEquals(await peer.next(), ["ping", bytesOf("x".repeat(125))]);
    assertThrows(() => connection.ping(bytesOf("x".repeat(126))), TypeError, "at most 125");
    peer.send(encodeFrame(Opcode.Pong, bytesOf("x"), UNMASKED));
    await recorder.wait(5);
    assertEquals(recorder.events, ["open", "ping", "ping", "ping", "pong"]);
  },
);

/** Opens a connection whose listener calls `act` with each text. */
async function openActing(
  open: OpenConnection,
  server: TestServer,
  act: (text: string, connection: Connection) => void,
): Promise<{ connection: Connection; texts: string[]; closes: CloseInfo[] }> {
  const texts: string[] = [];
  const closes: CloseInfo[] = [];
  let opened: Connection | undefined;
  const connection = await open(`ws://127.0.0.1:${server.port}`, {
    onOpen: (connection) => void (opened = connection),
    onText(text) {
      texts.push(text);
      if (opened !== undefined) act(text, opened);
    },
    onClose: (info) => void closes.push(info),
  });
  return { connection, texts, closes };
}

for (const [path, open] of paths) {
  for (const act of ["close", "terminate"] as const) {
    test(`${path}: ${act} from inside of onText delivers nothing more of the chunk`, { timeout: 30_000 }, async () => {
      await using server = await TestServer.start();
      const { connection, texts } = await openActing(open, server, (text, connection) => {
        if (text === "stop") connection[act]();
      });
      const peer = await server.peer();
      const after = [encodeText("late", UNMASKED), encodeFrame(Opcode.Binary, bytesOf("late"), UNMASKED)];
      peer.send(
        bytesOf(encodeText("é", UNMASKED), encodeText("stop", UNMASKED), ...after, encodeClose(1000, "", UNMASKED)),
      );
      const { code } = await connection.closed;
      assertEquals([code, texts], [act === "close" ? 1000 : 1006, ["é", "stop"]]);
      assertEquals(await peer.next(), act === "close" ? ["close", 1000, ""] : ["end"]);
    });
  }

  test(`${path}: terminate from inside of onOpen still resolves, with a closed connection`, async () => {
    await using server = await TestServer.start({ greeting: encodeText("hello", UNMASKED) });
    const events: string[] = [];
    const connection = await open(`ws://127.0.0.1:${server.port}`, {
      onOpen(connection) {
        events.push("open");
        connection.terminate();
      },
      onText: (text) => void events.push(text),
      onClose: () => void events.push("close"),
    });
    assertEquals([connection.isOpen, events], [false, ["open", "close"]]);
  });

  test(
    `${path}: an exception of the listener is an uncaught error, and the connection goes on`,
    { timeout: 60_000 },
    async () => {
      await using server = await TestServer.start();
      // In a process of its own, because a test runner has its own idea of uncaught errors.
      const command = new Command("tests/native_throwing_listener.ts", [path, `ws://127.0.0.1:${server.port}`]);
      const peer = await server.peer();
      peer.send(bytesOf(encodeText("one", UNMASKED), frame(0x82, "bytes"), encodeText("two", UNMASKED)));
      peer.send(encodeFrame(Opcode.Ping, bytesOf("p"), UNMASKED));
      assertEquals(await peer.next(), ["pong", bytesOf("p")]);
      peer.send(encodeClose(1000, "", UNMASKED));
      assertEquals(await peer.next(), ["close", 1000, ""]);
      assertEquals(await command.ended, 0, command.errors);
      const thrown = ["onOpen", "onText one", "onBinary", "onText two", "onPing", "onClose 1000"];
      assertEquals(command.output.trim().split("\n"), [
        ...thrown.map((what) => `uncaught: ${what}`),
        "ended with 1000",
      ]);
    },
  );
}
