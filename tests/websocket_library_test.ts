/**
 * What a user of the manager sees, the same on both libraries: the scenarios by which the reference product proves its
 * own WebSocket libraries.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  BinanceWebSocketApiManager,
  ConnectionFailedError,
  HandshakeRejectedError,
  InvalidProxyUrlError,
  StreamCrashedError,
  UnknownWebSocketLibraryError,
  WebSocketLibraryUnavailableError,
} from "@rawtick/binance";
import { BinanceWebSocketApiManager as EdgeManager } from "@rawtick/binance/edge";
import { openConnection } from "@rawtick/binance/transport";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

test("the library is builtin unless another is asked for", async () => {
  await using standard = new BinanceWebSocketApiManager();
  await using native = new BinanceWebSocketApiManager({ websocketLibrary: "native" });
  assertEquals([standard.websocketLibrary, native.websocketLibrary], ["builtin", "native"]);
});

testEachLibrary("a connection says which library it runs on", async (library) => {
  await using bench = await startBench(library);
  const connection = await openConnection(library, `${bench.exchange.url}/stream`, { onText() {}, onClose() {} });
  assertEquals(connection.library, library);
  connection.close();
  assertEquals(await connection.closed, { code: 1000, reason: "", wasClean: true });
});

test("an unknown library is an error that names the known ones", () => {
  const error = assertThrows(
    () => new BinanceWebSocketApiManager({ websocketLibrary: "hyperws" as "native" }),
    UnknownWebSocketLibraryError,
  );
  assertEquals(error.message, 'Cannot use the websocket library "hyperws": expected "builtin" or "native"');
  assertEquals(error.path, "websocketLibrary");
});

test("a library that can't run here is an error that says what to use instead", () => {
  assertThrows(
    () => new EdgeManager({ websocketLibrary: "native" }),
    WebSocketLibraryUnavailableError,
    'expected "builtin"',
  );
});

testEachLibrary("an idle stream delivers 25 trades in order, and takes a further subscription", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ channels: ["trade"], markets: ["btcusdt"] });
  await stream.ready;
  // Idle for longer than any poll or timer of the stream loop would take.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const sent = Array.from({ length: 25 }, (_, id) => trade(id));
  for (const { text } of sent) bench.exchange.broadcast(text);
  await until(() => received.length >= 25, "25 trades");
  assertEquals(received, sent.map(({ text }) => text));

  await bench.manager.subscribeToStream(stream, { channels: "trade", markets: "ethusdt" });
  assertEquals(stream.subscriptions, ["btcusdt@trade", "ethusdt@trade"]);
  const methods = bench.exchange.controlMessages.map(({ text }) => JSON.parse(text));
  assertEquals(methods.map(({ method, params }) => [method, params]), [
    ["SUBSCRIBE", ["btcusdt@trade"]],
    ["SUBSCRIBE", ["ethusdt@trade"]],
  ]);
  assertEquals(received.length, 25, "acknowledgements are not data");
  assertEquals(stream.statistics.reconnects, 0);
});

testEachLibrary("a large message that contains the words result and error is data", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: ["!miniTicker@arr"] });
  await stream.ready;
  const rows = Array.from({ length: 10_000 }, (_, i) => ({ i, note: "result of error", "result": null, id: i }));
  const wrapped = JSON.stringify({ stream: "!miniTicker@arr", data: rows });
  const bare = JSON.stringify(rows);
  bench.exchange.broadcast(wrapped);
  bench.exchange.broadcast(bare);
  bench.exchange.broadcast('{"error":{"code":2,"msg":"Invalid request: made up"},"id":424242}');
  bench.exchange.broadcast(trade(1).text);
  await until(() => received.length >= 3, "three data messages");
  assert(received[0] === wrapped && received[1] === bare && received[2] === trade(1).text);
  assertStringIncludes(bench.log.join("\n"), "Invalid request: made up");
});

testEachLibrary("a close by the server is followed by a reconnect that subscribes once", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (let id = 0; id < 5; id++) bench.exchange.broadcast(trade(id).text);
  bench.exchange.closeConnections(1001, "going away");
  await until(() => bench.exchange.controlMessages.length === 2, "a second SUBSCRIBE");
  await until(() => stream.state === "running", "running again");
  for (let id = 5; id < 10; id++) bench.exchange.broadcast(trade(id).text);
  await until(() => received.length >= 10, "ten trades");
  assertEquals(received, Array.from({ length: 10 }, (_, id) => trade(id).text));
  assertEquals(stream.statistics.reconnects, 1);
  assertEquals(bench.exchange.controlMessages.length, 2);
  await bench.manager.stopStream(stream);
  assertEquals(bench.signalTypes, ["CONNECT", "FIRST_RECEIVED_DATA", "DISCONNECT", "CONNECT", "DISCONNECT", "STOP"]);
  const disconnect = bench.signals[2];
  assert(disconnect?.type === "DISCONNECT");
  assertEquals(disconnect.close, { code: 1001, reason: "going away", wasClean: true });
  assertEquals(disconnect.lastData, trade(4).text);
});

testEachLibrary("a message in three fragments arrives whole", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  await bench.manager.createStream({ streams: ["btcusdt@trade"] }).ready;
  const { text } = trade(7);
  bench.exchange.sendFragmented([text.slice(0, 11), text.slice(11, 40), text.slice(40)]);
  await until(() => received.length === 1, "one message");
  assertEquals(received, [text]);
});

testEachLibrary("a message of 450 KB arrives whole on the same connection", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: ["!miniTicker@arr"] });
  await stream.ready;
  const text = JSON.stringify({
    stream: "!miniTicker@arr",
    data: Array.from({ length: 20_000 }, (_, i) => `item number ${i} of many ……`),
  });
  assert(new TextEncoder().encode(text).length > 450_000);
  bench.exchange.broadcast(text);
  await until(() => received.length === 1, "one message");
  assert(received[0] === text);
  assertEquals(stream.statistics.reconnects, 0);
});

testEachLibrary("a message above the limit ends the connection, and the next one delivers", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, {
    maxMessageBytes: 1024 * 1024,
    onData: (text) => void received.push(text),
  });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.broadcast(JSON.stringify({ stream: "btcusdt@trade", data: "x".repeat(1.5 * 1024 * 1024) }));
  await until(() => stream.statistics.reconnects === 1, "a reconnect");
  await until(() => bench.exchange.controlMessages.length === 2, "a second SUBSCRIBE");
  bench.exchange.broadcast(trade(1).text);
  await until(() => received.length === 1, "the next message");
  assertEquals(received, [trade(1).text]);
  const disconnect = bench.signals.find(({ type }) => type === "DISCONNECT");
  assert(disconnect?.type === "DISCONNECT");
  assertMatch(String(disconnect.close.error?.message), /1048576/);
});

testEachLibrary("a ping of the server gets its pong", async (library) => {
  await using bench = await startBench(library);
  await bench.manager.createStream({ streams: ["btcusdt@trade"] }).ready;
  bench.exchange.ping("1672515782136");
  await until(() => bench.exchange.pongsReceived === 1, "a pong", 5_000);
});

testEachLibrary("text beyond ASCII arrives unharmed", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  await bench.manager.createStream({ streams: ["这是测试币456@trade"] }).ready;
  const text = JSON.stringify({ stream: "这是测试币456@trade", data: "€ÜŸ–日本 𝄞" });
  bench.exchange.broadcast(text);
  await until(() => received.length === 1, "one message");
  assertEquals(received, [text]);
  assertEquals(JSON.parse(bench.exchange.controlMessages[0]?.text ?? "").params, ["这是测试币456@trade"]);
});

testEachLibrary("the statistics count messages and characters", async (library) => {
  await using bench = await startBench(library, { onData: () => {} });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  let characters = 0;
  for (let id = 0; id < 100; id++) {
    const { text } = trade(id ** 4);
    characters += text.length;
    bench.exchange.broadcast(text);
  }
  await until(() => stream.statistics.receivedMessages === 100, "100 messages");
  const { receivedMessages, receivedCharacters, droppedMessages, bufferedMessages, reconnects } = stream.statistics;
  const { callbackErrors, invalidMessages } = stream.statistics;
  const counted = {
    receivedMessages,
    receivedCharacters,
    droppedMessages,
    bufferedMessages,
    reconnects,
    callbackErrors,
    invalidMessages,
  };
  assertEquals(counted, {
    receivedMessages: 100,
    receivedCharacters: characters,
    droppedMessages: 0,
    bufferedMessages: 0,
    reconnects: 0,
    callbackErrors: 0,
    invalidMessages: 0,
  });
});

for (const status of [429, 418]) {
  testEachLibrary(`a handshake answered with ${status} crashes the stream at once`, async (library) => {
    await using bench = await startBench(library);
    bench.exchange.refuseConnections(status, { headers: { "Retry-After": "7" } });
    const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
    const error = await assertRejects(() => stream.ready, StreamCrashedError);
    assertInstanceOf(error.cause, HandshakeRejectedError);
    assertEquals(error.cause.status, status);
    assertEquals(error.cause.retryAfterMs, library === "native" ? 7_000 : undefined);
    assertEquals([stream.state, stream.statistics.reconnects], ["crashed", 0]);
    await until(() => bench.signals.length > 0, "a signal");
    assertEquals(bench.signalTypes, ["STREAM_UNREPAIRABLE"]);
    await assertRejects(async () => {
      for await (const _ of stream);
    }, StreamCrashedError);
    assertEquals(bench.exchange.totalConnections, 1, "an IP that is limited must not try again");
  });
}

testEachLibrary("a handshake answered with 404 is tried again, and the stream says restarting", async (library) => {
  await using bench = await startBench(library);
  bench.exchange.refuseConnections(404);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await until(() => bench.exchange.refusedHandshakes >= 3, "three attempts");
  assertEquals(stream.state, "restarting");
  assertEquals(new Set(bench.signalTypes), new Set(["CONNECT_FAILED"]));
  bench.exchange.refuseConnections(undefined);
  await stream.ready;
  assertEquals(stream.state, "running");
});

testEachLibrary("a WebSocket API request gets its answer over a bare connection", async (library) => {
  await using bench = await startBench(library);
  const { promise, resolve } = Promise.withResolvers<string>();
  const connection = await openConnection(library, `${bench.exchange.url}/ws-api/v3`, {
    onText: resolve,
    onClose() {},
  });
  connection.send('{"id":"a-1","method":"time"}');
  const answer = JSON.parse(await promise);
  assertEquals([answer.id, answer.status, typeof answer.result.serverTime], ["a-1", 200, "number"]);
  connection.close();
  await connection.closed;
});

testEachLibrary("a connection on which nothing comes any more is given up and opened anew", async (library) => {
  await using bench = await startBench(library, { pingIntervalMs: 100, pingTimeoutMs: 100, closeTimeoutMs: 100 });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.goSilent(true);
  await until(() => bench.signalTypes.includes("DISCONNECT"), "the silence noticed", 2_000);
  bench.exchange.goSilent(false);
  await until(() => stream.state === "running" && stream.statistics.reconnects >= 1, "running again");
});

testEachLibrary("a silent but living connection is kept", async (library) => {
  await using bench = await startBench(library, { pingIntervalMs: 50, pingTimeoutMs: 200 });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assertEquals(bench.signalTypes, ["CONNECT"]);
  assertEquals(stream.statistics.receivedMessages, 0, "signs of life are not data");
});

testEachLibrary("over wss the certificate is verified, with an own authority if one is given", async (library) => {
  const file = (name: string) => readFileSync(new URL(`./certs/${name}`, import.meta.url), "utf8");
  const tls = { cert: file("localhost.pem"), key: file("localhost.key") };
  await using trusting = await startBench(library, { tls: { ca: [file("ca.pem")] } }, { tls });
  const received: string[] = [];
  const stream = trusting.manager.createStream({ streams: ["a@trade"], onData: (text) => void received.push(text) });
  await stream.ready;
  trusting.exchange.broadcast(trade(1).text);
  await until(() => received.length === 1, "a trade over wss");

  await using doubting = await startBench(library, {}, { tls });
  const refused = doubting.manager.createStream({ streams: ["a@trade"] });
  await until(() => doubting.signalTypes.includes("CONNECT_FAILED"), "the certificate refused");
  assertInstanceOf(refused.lastError, ConnectionFailedError);
  assertEquals(doubting.exchange.totalHandshakes, 0);
});

test("a proxy configuration that can't be used fails loud and shows no password", () => {
  const cases: [unknown, RegExp][] = [
    ["ftp://user:secret@127.0.0.1:21", /scheme "ftp": expected "http", "https", "socks4"/],
    ["socks5://", /find the host/],
    ["http://:8080", /find the host/],
    ["127.0.0.1:1080", /expected "scheme:/],
    ["", /expected "scheme:/],
    ["http://127.0.0.1:0", /port "0": expected a number from 1 to 65535/],
    ["http://127.0.0.1:65536", /port "65536"/],
    ["http://127.0.0.1:secret", /proxy port: expected/],
    ["socks5://user:sec%zzret@127.0.0.1:1080", /credentials .*percent escapes/],
    ["socks5://user:%ffsecret@127.0.0.1:1080", /credentials .*percent escapes/],
    ["socks5://user:sec/ret@127.0.0.1:1080", /"%2F"/],
    ["http://127.0.0.1:8080/path?secret", /path, query or fragment/],
    ["socks4://user:secret@127.0.0.1:1080", /password to a socks4 proxy/],
    ["http://[::zz]:8080", /host "\[::zz\]"/],
    [{ url: "secret" }, /expected a string/],
  ];
  for (const [proxy, expected] of cases) {
    const error = assertThrows(
      () => new BinanceWebSocketApiManager({ proxy: proxy as string }),
      InvalidProxyUrlError,
    );
    assertMatch(error.message, expected);
    assertEquals(error.message.includes("secret"), false, `${error.message} shows a password`);
  }
});
