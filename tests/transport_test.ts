/**
 * The one transport interface, the same on both libraries: what opens, what is refused, and how it ends.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects, assertThrows } from "@std/assert";
import {
  type CloseInfo,
  type Connection,
  ConnectionClosedError,
  ConnectionFailedError,
  type ConnectionListener,
  type ConnectOptions,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  InvalidOptionsError,
  openConnection,
  UnknownWebSocketLibraryError,
  type WebSocketLibrary,
} from "@rawtick/binance/transport";
import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import { startRawServer, switchingProtocols, testEachLibrary, trade, until } from "./support.ts";

/** What a connection told its listener. */
class Recorder implements ConnectionListener {
  readonly events: string[] = [];
  readonly texts: string[] = [];
  readonly binaries: Uint8Array[] = [];
  readonly closes: CloseInfo[] = [];
  onOpen(connection: Connection): void {
    assert(connection.isOpen);
    this.events.push("open");
  }
  onText(text: string): void {
    this.events.push("text");
    this.texts.push(text);
  }
  onBinary(bytes: Uint8Array): void {
    this.events.push("binary");
    this.binaries.push(bytes);
  }
  onClose(info: CloseInfo): void {
    this.events.push("close");
    this.closes.push(info);
  }
}

async function open(library: WebSocketLibrary, exchange: LocalExchange, options: ConnectOptions = {}) {
  const recorder = new Recorder();
  const connection = await openConnection(library, `${exchange.url}/stream`, recorder, options);
  return { recorder, connection };
}

/** Lets everything that is under way arrive. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

testEachLibrary("a connection opens, carries text and bytes both ways, and closes cleanly once", async (library) => {
  await using exchange = await startLocalExchange();
  const { recorder, connection } = await open(library, exchange);
  assertEquals([connection.isOpen, connection.subprotocol, connection.url], [true, "", `${exchange.url}/stream`]);
  const text = `{"method":"LIST_SUBSCRIPTIONS","id":7}`;
  connection.send(text);
  await until(() => recorder.texts.length === 1, "an answer");
  assertEquals([exchange.controlMessages[0]?.text, recorder.texts], [text, ['{"result":[],"id":7}']]);
  exchange.send(0, new Uint8Array([0, 1, 254, 255]));
  await until(() => recorder.binaries.length === 1, "bytes");
  assertInstanceOf(recorder.binaries[0], Uint8Array);
  assertEquals([...(recorder.binaries[0] ?? [])], [0, 1, 254, 255]);
  connection.close(3001, "done");
  connection.close();
  assertEquals(connection.isOpen, false);
  assertEquals((await connection.closed).wasClean, true);
  await settle();
  assertEquals(recorder.events, ["open", "text", "binary", "close"]);
});

for (
  const [code, reason] of [[1000, ""], [1001, "going away"], [1008, "Too many requests"], [1011, "…"], [
    4999,
    "x",
  ]] as const
) {
  testEachLibrary(`a close by the server with ${code} is reported once, with its reason`, async (library) => {
    await using exchange = await startLocalExchange();
    const { recorder, connection } = await open(library, exchange);
    exchange.closeConnections(code, reason);
    assertEquals(await connection.closed, { code, reason, wasClean: true });
    await settle();
    assertEquals(recorder.closes, [{ code, reason, wasClean: true }]);
    assertThrows(() => connection.send("x"), ConnectionClosedError);
  });
}

testEachLibrary("a lost TCP connection is 1006, however it is lost", async (library) => {
  for (const lose of ["killConnections", "endConnections"] as const) {
    await using exchange = await startLocalExchange();
    const { recorder, connection } = await open(library, exchange);
    exchange[lose]();
    const { code, wasClean } = await connection.closed;
    assertEquals([code, wasClean], [1006, false], lose);
    await settle();
    assertEquals(recorder.events, ["open", "close"]);
  }
});

testEachLibrary("terminate ends the connection before it returns", async (library) => {
  await using exchange = await startLocalExchange();
  const { recorder, connection } = await open(library, exchange);
  connection.terminate();
  assertEquals(recorder.events, ["open", "close"]);
  assertEquals(await connection.closed, { code: 1006, reason: "", wasClean: false });
  connection.terminate();
  connection.close();
  exchange.broadcast("late");
  await until(() => exchange.connections === 0, "the socket gone");
  await settle();
  assertEquals(recorder.events, ["open", "close"]);
});

testEachLibrary("a close that the server never answers ends after the close timeout", async (library) => {
  await using exchange = await startLocalExchange();
  const { recorder, connection } = await open(library, exchange, { closeTimeoutMs: 150 });
  exchange.ignoreClose(true);
  const before = performance.now();
  connection.close();
  assertEquals((await connection.closed).code, 1006);
  const tookMs = performance.now() - before;
  assert(tookMs > 100 && tookMs < 1_000, `took ${tookMs} ms`);
  exchange.broadcast("late");
  await settle();
  assertEquals(recorder.events, ["open", "close"]);
  exchange.killConnections();
});

for (const status of [301, 400, 403, 404, 418, 429, 451, 500, 503]) {
  testEachLibrary(`a handshake answered with ${status} is an error with that status`, async (library) => {
    await using exchange = await startLocalExchange();
    exchange.refuseConnections(status, {
      headers: { "Retry-After": "120", Location: "ws://127.0.0.1:1/" },
      body: "no",
    });
    const recorder = new Recorder();
    const error = await assertRejects(
      () => openConnection(library, `${exchange.url}/stream`, recorder),
      HandshakeRejectedError,
      String(status),
    );
    assertEquals(error.status, status);
    if (library === "native") {
      assertEquals([error.retryAfterMs, error.body, error.headers?.["retry-after"]], [120_000, "no", "120"]);
    }
    await settle();
    assertEquals([recorder.events, exchange.totalConnections], [[], 1]);
  });
}

testEachLibrary(
  "a refused connection, an unknown host and a silent server are errors of their own",
  async (library) => {
    const recorder = new Recorder();
    const refused = await assertRejects(
      () => openConnection(library, "ws://127.0.0.1:1/", recorder),
      ConnectionFailedError,
    );
    assertEquals(refused instanceof HandshakeRejectedError, false);
    await assertRejects(() => openConnection(library, "ws://no-such-host.invalid/", recorder), ConnectionFailedError);
    await using exchange = await startLocalExchange();
    exchange.ignoreHandshakes(true);
    const before = performance.now();
    await assertRejects(
      () => openConnection(library, `${exchange.url}/stream`, recorder, { handshakeTimeoutMs: 150 }),
      HandshakeTimeoutError,
      "150 ms",
    );
    assert(performance.now() - before < 1_000);
    await until(() => exchange.connections === 0, "the socket gone");
    assertEquals(recorder.events, []);
  },
);

testEachLibrary("a server that hangs up during the handshake is an error", async (library) => {
  await using exchange = await startLocalExchange();
  exchange.ignoreHandshakes(true);
  const opening = openConnection(library, `${exchange.url}/stream`, new Recorder());
  const failed = assertRejects(() => opening, ConnectionFailedError);
  await until(() => exchange.totalConnections === 1, "the connection");
  exchange.killConnections();
  await failed;
});

testEachLibrary("an abort ends the opening with its reason, and touches no open connection", async (library) => {
  await using exchange = await startLocalExchange();
  const recorder = new Recorder();
  await assertRejects(
    () =>
      openConnection(library, `${exchange.url}/stream`, recorder, { signal: AbortSignal.abort(new Error("early")) }),
    Error,
    "early",
  );
  exchange.ignoreHandshakes(true);
  const controller = new AbortController();
  const opening = openConnection(library, `${exchange.url}/stream`, recorder, { signal: controller.signal });
  await until(() => exchange.totalConnections === 1, "the connection");
  controller.abort(new Error("changed my mind"));
  await assertRejects(() => opening, Error, "changed my mind");
  await until(() => exchange.connections === 0, "the socket gone");
  exchange.ignoreHandshakes(false);

  const later = new AbortController();
  const { connection } = await open(library, exchange, { signal: later.signal });
  later.abort();
  await settle();
  assert(connection.isOpen);
  connection.close();
  await connection.closed;
  assertEquals(recorder.events, []);
});

testEachLibrary("arguments that can't be used are refused before anything is opened", async (library) => {
  const recorder = new Recorder();
  for (
    const url of ["http://127.0.0.1/", "127.0.0.1", "", "ws://", "ws://user:pass@127.0.0.1/", "ws://127.0.0.1/#top"]
  ) {
    const error = await assertRejects(() => openConnection(library, url, recorder), InvalidOptionsError, "Cannot open");
    assertEquals([error.path, error.message.includes("pass")], ["url", false]);
  }
  await assertRejects(
    () => openConnection("hyperws" as WebSocketLibrary, "ws://127.0.0.1/", recorder),
    UnknownWebSocketLibraryError,
  );
  await using exchange = await startLocalExchange();
  const { connection } = await open(library, exchange);
  for (const code of [0, 999, 1001, 1005, 1006, 1015, 2999, 5000, 1000.5, NaN]) {
    assertThrows(() => connection.close(code), TypeError, "expected 1000 or 3000 to 4999");
  }
  assertThrows(() => connection.close(1000, "…".repeat(42)), TypeError, "123 bytes");
  assertEquals(connection.isOpen, true);
  connection.close(1000, "…".repeat(41));
  await connection.closed;
});

testEachLibrary(
  "pings and pongs are seen where the library can, and refused loudly where it can't",
  async (library) => {
    await using exchange = await startLocalExchange();
    const pings: Uint8Array[] = [];
    const pongs: Uint8Array[] = [];
    const connection = await openConnection(library, `${exchange.url}/stream`, {
      onText: () => {},
      onClose: () => {},
      onPing: (payload) => void pings.push(payload),
      onPong: (payload) => void pongs.push(payload),
    });
    const isDenoBuiltin = library === "builtin" && "Deno" in globalThis;
    assertEquals(connection.canPing, !isDenoBuiltin);
    exchange.ping("1672515782136");
    await until(() => exchange.pongsReceived === 1, "the pong");
    if (connection.canPing) {
      await until(() => pings.length === 1, "the ping");
      assertEquals(new TextDecoder().decode(pings[0]), "1672515782136");
      connection.ping(new Uint8Array([1, 2, 3]));
      await until(() => pongs.length === 1, "our pong");
      assertEquals([...(pongs[0] ?? [])], [1, 2, 3]);
      assertThrows(() => connection.ping(new Uint8Array(126)), TypeError, "at most 125");
    } else {
      assertThrows(() => connection.ping(), TypeError, "has no pings");
    }
    connection.close();
    await connection.closed;
  },
);

testEachLibrary("headers and subprotocols are sent, and the server's choice is known", async (library) => {
  await using server = await startRawServer((head, socket) =>
    socket.write(switchingProtocols(head, "Sec-WebSocket-Protocol: b\r\n"))
  );
  const connection = await openConnection(library, server.url, new Recorder(), {
    headers: { "X-Test": "1 2", "User-Agent": "bot/1.0" },
    protocols: ["a", "b"],
  });
  assertEquals(connection.subprotocol, "b");
  const head = server.heads[0] ?? "";
  assertMatch(head, /^x-test: 1 2\r$/im);
  assertMatch(head, /^user-agent: bot\/1\.0\r$/im);
  assertMatch(head, /^sec-websocket-protocol: a, ?b\r$/im);
  assertEquals(/^sec-websocket-extensions:/im.test(head), false, "no extension is offered");
  connection.terminate();
});

testEachLibrary("a subprotocol that was not offered fails the opening", async (library) => {
  await using server = await startRawServer((head, socket) =>
    socket.write(switchingProtocols(head, "Sec-WebSocket-Protocol: x\r\n"))
  );
  await assertRejects(
    () => openConnection(library, server.url, new Recorder(), { protocols: ["a"] }),
    ConnectionFailedError,
  );
});

testEachLibrary("a burst of small messages arrives whole and in order", async (library) => {
  await using exchange = await startLocalExchange();
  const { recorder, connection } = await open(library, exchange);
  const sent = Array.from({ length: 20_000 }, (_, id) => trade(id).text);
  for (const text of sent) exchange.broadcast(text);
  await until(() => recorder.texts.length === sent.length, "the burst");
  assertEquals(recorder.texts.every((text, id) => text === sent[id]), true);
  connection.close();
  await connection.closed;
});

test("an open connection leaves nothing behind when it ends", async () => {
  await using exchange = await startLocalExchange();
  for (let i = 0; i < 50; i++) {
    const { connection } = await open(i % 2 === 0 ? "builtin" : "native", exchange);
    connection.close();
    assertEquals((await connection.closed).code, 1000);
  }
  await until(() => exchange.connections === 0, "all sockets gone");
  assertMatch(exchange.url, /^ws:/);
});
