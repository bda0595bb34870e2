/**
 * The local exchange: paths, streams, generated data, sending by hand, counters, TLS, options.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { connect as connectTls } from "node:tls";
import { test } from "node:test";
import { InvalidOptionsError } from "@rawtick/binance";
import {
  generateMessage,
  type LocalExchangeOptions,
  type LocalMarket,
  ManualClock,
  startLocalExchange,
} from "@rawtick/binance/testing";
import { Buffer } from "node:buffer";
import { Client, handshakeRequest, maskedFrame, RawClient } from "./exchange_clients.ts";
import { authority, server } from "./fixtures/certificates.ts";

const bare = (stream: string, n: number, options = {}) => generateMessage(stream, n, options) ?? "not generated";
const wrapped = (stream: string, n: number, options = {}) =>
  `{"stream":"${stream}","data":${bare(stream, n, options)}}`;

/** HTTP statuses of handshakes on these paths. */
async function statuses(market: LocalMarket, paths: readonly string[]): Promise<number[]> {
  await using exchange = await startLocalExchange({ market, messagesPerSecond: 0 });
  const found: number[] = [];
  for (const path of paths) {
    await using client = await RawClient.open(exchange, path);
    found.push(client.status);
  }
  assertEquals(exchange.refusedHandshakes, found.filter((status) => status !== 101).length);
  assertEquals(exchange.handshakes.map(({ target, status }) => [target, status]), paths.map((p, i) => [p, found[i]]));
  return found;
}

/** The streams of a connection to `path`. */
async function streamsOf(path: string): Promise<readonly string[] | undefined> {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  await using client = await RawClient.open(exchange, path);
  await exchange.waitForConnections(1);
  assertEquals(client.status, 101);
  return exchange.openConnections[0]?.streams;
}

test("spot serves /ws and /stream, and nothing else", async () => {
  const served = ["/ws", "/ws/", "/ws/btcusdt@trade", "/stream", "/stream?streams=", "/stream?streams=btcusdt@trade"];
  assertEquals(await statuses("spot", served), served.map(() => 101));
  const refused = ["/", "/stream/nonsense", "/public/ws", "/market/stream", "/nonsense", "/wss/btcusdt@trade"];
  assertEquals(await statuses("spot", refused), refused.map(() => 404));
});

test("futures serve /public, /market and /private besides", async () => {
  const paths = ["/ws", "/public/ws/a@trade", "/market/stream?streams=", "/private/ws/key", "/pm/ws/key", "/nope/ws"];
  assertEquals(await statuses("futures", paths), [101, 101, 101, 101, 101, 404]);
});

test("any serves the paths of all markets", async () => {
  const paths = ["/ws", "/stream", "/public/ws", "/market/stream", "/private/ws/key", "/ws-api/v3", "/ws-fapi/v1", "/"];
  assertEquals(await statuses("any", paths), [101, 101, 101, 101, 101, 101, 101, 404]);
});

test("the URL names streams in every form that Binance takes", async () => {
  assertEquals(await streamsOf("/ws/btcusdt@trade/ethusdt@depth"), ["btcusdt@trade", "ethusdt@depth"]);
  assertEquals(await streamsOf("/stream?streams=btcusdt@trade/ethusdt@depth"), ["btcusdt@trade", "ethusdt@depth"]);
  assertEquals(await streamsOf("/stream?streams=a%40trade%2Fb@kline_1m@%2B08:00/c@kline_1m@+08:00"), [
    "a@trade",
    "b@kline_1m@+08:00",
    "c@kline_1m@+08:00",
  ]);
  assertEquals(await streamsOf("/stream?streams=%E8%BF%99%E6%98%AF@trade"), ["这是@trade"]);
  assertEquals(await streamsOf("/ws/%E8%BF%99%E6%98%AF@trade"), ["这是@trade"]);
  assertEquals(await streamsOf("/ws?btcusdt@trade"), []);
  const key = "k".repeat(64);
  assertEquals(await streamsOf(`/private/ws/${key}`), [key]);
  assertEquals(await streamsOf(`/private/stream?listenKey=${key}&events=ORDER_TRADE_UPDATE`), [key]);
});

test("broken percent-encoding and an unknown timeUnit are refused", async () => {
  await using exchange = await startLocalExchange({ market: "spot" });
  await using broken = await RawClient.open(exchange, "/ws/%E8%BF");
  assertEquals(broken.status, 400);
  await using unit = await RawClient.open(exchange, "/stream?streams=a@trade&timeUnit=SECOND");
  assertEquals(unit.status, 400);
  const body = "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.";
  assert(unit.response.endsWith(`{"code":-1194,"msg":"${body}"}`), unit.response);
});

test("timeUnit=MICROSECOND gives times in microseconds, on spot and not on futures", async () => {
  for (const [market, timeUnit] of [["spot", "MICROSECOND"], ["futures", "MILLISECOND"]] as const) {
    for (const speed of ["max", 1] as const) {
      await using exchange = await startLocalExchange({ market, speed, messagesPerStream: 1 });
      await using client = await Client.open(exchange, "/ws/btcusdt@trade?timeUnit=microsecond");
      assertEquals(await client.next(), bare("btcusdt@trade", 0, { market, timeUnit }));
    }
  }
});

test("what is no request for a WebSocket is refused", async () => {
  await using exchange = await startLocalExchange();
  const requests: [request: string, status: number][] = [
    ["GET /ws HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["POST /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n", 400],
    ["nonsense\r\n\r\n", 400],
    ["GET /ws HTTP/1.1\r\nno header\r\n\r\n", 400],
    ["GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n\r\n", 426],
    [
      "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: short\r\n\r\n",
      400,
    ],
  ];
  for (const [request, status] of requests) {
    await using client = await RawClient.connect(exchange);
    await client.request(request);
    assertEquals(client.status, status, request);
    assertEquals(await client.ended, "fin");
  }
  assertEquals([exchange.refusedHandshakes, exchange.totalHandshakes], [requests.length, 0]);
});

test("a handshake is understood in any pieces, and proves that its key was read", async () => {
  await using exchange = await startLocalExchange();
  await using client = await RawClient.connect(exchange);
  await client.request(...handshakeRequest("/stream").split(/(?<=\r)|(?<=[:/])/));
  assertEquals(client.status, 101);
  assert(client.response.includes("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "RFC 6455 1.3");
});

test("a message right behind the handshake is read", async () => {
  await using exchange = await startLocalExchange();
  await using client = await RawClient.connect(exchange);
  const list = maskedFrame(1, '{"method":"LIST_SUBSCRIPTIONS","id":1}');
  await client.request(Buffer.concat([Buffer.from(handshakeRequest("/stream")), list]));
  assertEquals(await client.text(), '{"result":[],"id":1}');
});

test("a client that breaks RFC 6455 is told so by a Close frame", async () => {
  const unmasked = Buffer.from([0x81, 0x02, 0x7b, 0x7d]);
  const reserved = Buffer.from([0xc1, 0x80, 0, 0, 0, 0]);
  const badUtf8 = maskedFrame(1, Buffer.from([0xff]));
  for (const [bytes, code] of [[unmasked, 1002], [reserved, 1002], [badUtf8, 1007]] as const) {
    await using exchange = await startLocalExchange();
    await using client = await RawClient.open(exchange);
    client.write(bytes);
    assertEquals(await client.closeFrame(), [code, ""]);
  }
});

test("at max, every connection gets every stream from message 0, none lost, none twice, in order", async () => {
  for (const [path, market] of [["/stream?streams=", "spot"], ["/market/stream?streams=", "futures"]] as const) {
    await using exchange = await startLocalExchange({ speed: "max", seed: 3, messagesPerStream: 5000 });
    const streams = ["btcusdt@aggTrade", "ethusdt@kline_1m", "这是usdt@aggTrade"];
    for (const _ of ["first connection", "second connection"]) {
      await using client = await Client.open(exchange, path + streams.map(encodeURIComponent).join("/"));
      const received = await client.take(15_000);
      for (const stream of streams) {
        const own = received.filter((text) => String(text).startsWith(`{"stream":"${stream}"`));
        const expected = Array.from({ length: 5000 }, (_, n) => wrapped(stream, n, { seed: 3, market }));
        assert(own.length === 5000 && own.every((text, n) => text === expected[n]), stream);
      }
      await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}');
    }
    assertEquals(exchange.messagesSent, 30_000);
  }
});

test("at max, messages larger than a write arrive whole", async () => {
  await using exchange = await startLocalExchange({
    speed: "max",
    messagesPerStream: 30,
    limits: { controlMessageBytes: Infinity },
  });
  await using client = await Client.open(exchange, "/ws");
  const stream = `${"x".repeat(70_000)}@trade`;
  await client.ask(JSON.stringify({ method: "SUBSCRIBE", params: [stream], id: 1 }));
  const received = await client.take(30);
  assert(received.every((text, n) => text === bare(stream, n)));
});

test("at max, a client that reads nothing holds the exchange back, and loses nothing", async () => {
  await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 200_000 });
  await using client = await RawClient.open(exchange, "/ws/btcusdt@trade");
  client.pause();
  let before = -1;
  // Nothing more is written once the buffers of both sockets are full.
  while (before !== exchange.messagesSent) {
    before = exchange.messagesSent;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert(before < 200_000, `${before} messages written to a client that reads nothing`);
  client.resume();
  await exchange.waitFor(() => exchange.messagesSent === 200_000, 20_000);
  let last = "";
  for (let n = 0; n < 200_000; n++) last = await client.text();
  assertEquals(last, bare("btcusdt@trade", 199_999));
});

test("at a factor, all connections get the same message of a stream at the same time", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ clock, speed: 2, messagesPerSecond: 5 });
  await using early = await Client.open(exchange, "/stream?streams=btcusdt@trade");
  await exchange.waitForConnections(1);
  clock.advance(0);
  assertEquals(await early.next(), wrapped("btcusdt@trade", 0), "message 0 comes at once");
  clock.advance(99);
  await early.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}');
  clock.advance(1);
  assertEquals(await early.next(), wrapped("btcusdt@trade", 1));
  await using late = await Client.open(exchange, "/ws/btcusdt@trade");
  await exchange.waitForConnections(2);
  clock.advance(300);
  assertEquals(await late.take(3), [2, 3, 4].map((n) => bare("btcusdt@trade", n)));
  assertEquals(await early.take(3), [2, 3, 4].map((n) => wrapped("btcusdt@trade", n)));
});

test("at a factor, a stream goes on while nobody listens", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ clock });
  await using client = await Client.open(exchange, "/ws");
  await client.ask('{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}');
  clock.advance(0);
  assertEquals(await client.next(), bare("btcusdt@trade", 0));
  await client.ask('{"method":"UNSUBSCRIBE","params":["btcusdt@trade"],"id":2}');
  clock.advance(1_050);
  await client.ask('{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":3}');
  clock.advance(50);
  assertEquals(await client.next(), bare("btcusdt@trade", 11));
});

test("at a factor, a client that reads too little is disconnected instead of filling the memory", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 400_000 });
  await using client = await RawClient.open(exchange, "/ws/btcusdt@depth20");
  client.pause();
  await exchange.waitFor(() => exchange.connections === 0, 20_000);
  assertEquals(exchange.openConnections, []);
});

test("a stream on the wrong path of futures is acknowledged and stays silent", async () => {
  const all = ["btcusdt@bookTicker", "btcusdt@depth", "btcusdt@trade", "btcusdt@markPrice", "btcusdt@aggTrade"];
  for (const [path, served] of [["/public/ws", 3], ["/ws", 3], ["/market/ws", 2], ["/private/ws", 0]] as const) {
    await using exchange = await startLocalExchange({ market: "futures", speed: "max", messagesPerStream: 1 });
    await using client = await Client.open(exchange, path);
    const params = JSON.stringify(all);
    assertEquals(await client.ask(`{"method":"SUBSCRIBE","params":${params},"id":1}`), '{"result":null,"id":1}');
    await client.take(served);
    assertEquals(await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":2}'), `{"result":${params},"id":2}`);
    assertEquals(exchange.messagesSent, served, path);
    assertEquals(all.filter((stream) => exchange.push(stream, "{}") > 0).length, served, path);
  }
});

test("any serves every stream on every path, in the shape of the path's market", async () => {
  for (const [path, market] of [["/ws", "spot"], ["/public/ws", "futures"], ["/market/ws", "futures"]] as const) {
    await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 1 });
    await using client = await Client.open(exchange, `${path}/btcusdt@trade/btcusdt@markPrice`);
    assertEquals(await client.take(2), [
      bare("btcusdt@trade", 0, { market }),
      bare("btcusdt@markPrice", 0, { market: "futures" }),
    ]);
  }
});

test("messages are sent by hand to all, to one, to subscribers, and in fragments", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  await using combined = await Client.open(exchange, "/stream?streams=btcusdt@trade");
  await using raw = await Client.open(exchange, "/ws/btcusdt@trade/ethusdt@trade");
  await exchange.waitForConnections(2);

  exchange.broadcast("to all €");
  assertEquals([await combined.next(), await raw.next()], ["to all €", "to all €"]);
  exchange.send(0, "to the first");
  exchange.send(1, new Uint8Array([1, 2, 255]));
  exchange.send(-1, "to the newest");
  assertEquals(await combined.next(), "to the first");
  assertEquals(await raw.take(2), [new Uint8Array([1, 2, 255]), "to the newest"]);
  assertThrows(() => exchange.send(7, "x"), RangeError, "Cannot send on the connection 7: open are 0, 1");

  assertEquals(exchange.push("btcusdt@trade", { t: 1 }), 2);
  assertEquals([await combined.next(), await raw.next()], ['{"stream":"btcusdt@trade","data":{"t":1}}', '{"t":1}']);
  assertEquals(exchange.push("ethusdt@trade", '{"t": 2}'), 1);
  assertEquals(await raw.next(), '{"t": 2}');
  assertEquals(exchange.push("bnbusdt@trade", {}), 0);

  exchange.sendFragmented(["one ", "message ", "€"]);
  const euro = new TextEncoder().encode("€");
  exchange.sendFragmented([euro.subarray(0, 1), euro.subarray(1)], "text");
  exchange.sendFragmented([new Uint8Array([1]), new Uint8Array([2])]);
  assertEquals(await raw.take(3), ["one message €", "€", new Uint8Array([1, 2])]);
  assertEquals(exchange.messagesSent, 2 + 3 + 3 + 6);
});

test("fragments are frames of one message", async () => {
  await using exchange = await startLocalExchange();
  await using client = await RawClient.open(exchange);
  exchange.sendFragmented(["a", "b", "c"]);
  const frames = [await client.next(), await client.next(), await client.next()];
  assertEquals(frames.map(({ fin, opcode, payload }) => [fin, opcode, String(payload)]), [
    [false, 1, "a"],
    [false, 0, "b"],
    [true, 0, "c"],
  ]);
});

test("counters and lists tell what happened", async () => {
  const clock = new ManualClock(1_700_000_000_000);
  await using exchange = await startLocalExchange({ clock, messagesPerSecond: 0 });
  assertEquals([exchange.connections, exchange.totalConnections, exchange.totalHandshakes], [0, 0, 0]);
  {
    await using client = await RawClient.open(exchange, "/ws/a@trade", "X-Test: yes\r\n");
    assertEquals(exchange.openConnections, [{ id: 0, isCombined: false, streams: ["a@trade"] }]);
    client.send(1, '{"method":"LIST_SUBSCRIPTIONS","id":"€"}');
    await client.next();
    assertEquals(exchange.controlMessages, [
      { connectionId: 0, at: 1_700_000_000_000, text: '{"method":"LIST_SUBSCRIPTIONS","id":"€"}', bytes: 42 },
    ]);
    assertEquals(exchange.handshakes[0]?.headers["x-test"], "yes");
    assertEquals(exchange.handshakes[0]?.at, 1_700_000_000_000);
  }
  await exchange.waitForConnections(0);
  await using idle = await RawClient.connect(exchange);
  await exchange.waitFor(() => exchange.connections === 1);
  assertEquals([exchange.totalConnections, exchange.totalHandshakes, exchange.openConnections], [2, 1, []]);
  idle.destroy();
  await exchange.waitFor(() => exchange.connections === 0);
});

test("waiting ends with an error that says what is the case", async () => {
  await using exchange = await startLocalExchange();
  const error = await assertRejects(() => exchange.waitForConnections(1, 30), DOMException, "0 connections");
  assertEquals(error.name, "TimeoutError");
});

test("a client's close is answered with its code, and the TCP connection is ended by the exchange", async () => {
  await using exchange = await startLocalExchange();
  await using client = await RawClient.open(exchange);
  client.send(8, Buffer.from([0x0f, 0xa1, ...Buffer.from("bye")]));
  assertEquals(await client.closeFrame(), [4001, "bye"]);
  assertEquals(await client.ended, "fin");
  await exchange.waitForConnections(0);
});

test("over TLS, data arrives and the certificate is the one that was given", async () => {
  await using exchange = await startLocalExchange({ tls: server, speed: "max", messagesPerStream: 20_000 });
  assertEquals(exchange.url, `wss://127.0.0.1:${exchange.port}`);
  const socket = connectTls({ host: "127.0.0.1", port: exchange.port, ca: authority, servername: "localhost" });
  await using client = await RawClient.over(socket, "secureConnect");
  await client.request(handshakeRequest("/stream?streams=btcusdt@trade"));
  for (let n = 0; n < 20_000; n++) {
    const text = await client.text();
    if (text !== wrapped("btcusdt@trade", n)) assertEquals(text, wrapped("btcusdt@trade", n));
  }
  assertEquals(exchange.totalConnections, 1);
  exchange.killConnections();
  assertEquals(await client.ended, "reset");
  await exchange.waitForConnections(0);
});

test("closing ends all connections, and may be done twice", async () => {
  const exchange = await startLocalExchange();
  await using client = await RawClient.open(exchange);
  await exchange.close();
  await exchange.close();
  await client.ended;
  assertEquals(exchange.connections, 0);
  await assertRejects(() => Client.open(exchange, "/ws"));
});

test("an option that can't be used is refused by its name", async () => {
  const cases: [options: Record<string, unknown>, problem: string][] = [
    [{ port: 70_000 }, "Cannot use 70000 as `port`: expected a port from 0 to 65535"],
    [{ market: "coin" }, 'Cannot use "coin" as `market`: expected "any", "spot", "futures" or "options"'],
    [{ speed: 0 }, 'Cannot use 0 as `speed`: expected a factor over 0 or "max"'],
    [{ speed: "fast" }, 'Cannot use "fast" as `speed`: expected a factor over 0 or "max"'],
    [{ seed: 1.5 }, "Cannot use 1.5 as `seed`: expected an integer"],
    [{ replay: "file.ndjson" }, 'Cannot use "file.ndjson" as `replay`: expected a recording'],
    [
      { pingIntervalMs: Infinity },
      "Cannot use Infinity as `pingIntervalMs`: expected a time in ms from 0 to 2147483647",
    ],
    [{ tls: { cert: server.cert } }, "Cannot use undefined as `tls.key`: expected a private key in PEM form"],
    [{ limits: { framesPerSecond: -1 } }, "expected a number that is at least 0"],
    [{ ping_interval_ms: 5 }, "Unknown option `ping_interval_ms`: did you mean `pingIntervalMs`?"],
  ];
  for (const [options, problem] of cases) {
    // The cast lets a test do what the types forbid.
    await assertRejects(() => startLocalExchange(options as LocalExchangeOptions), InvalidOptionsError, problem);
  }
  await using exchange = await startLocalExchange();
  const taken = await assertRejects(() => startLocalExchange({ port: exchange.port }), Error);
  assert("code" in taken && taken.code === "EADDRINUSE", String(taken));
});
