/**
 * The local exchange: paths, handshakes, sending by hand, counters, TLS, options.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { InvalidOptionsError } from "@rawtick/binance";
import {
  generateMessage,
  type LocalExchangeOptions,
  type LocalMarket,
  ManualClock,
  startLocalExchange,
} from "@rawtick/binance/testing";
import { Client, handshakeRequest, maskedFrame, RawClient } from "./exchange_clients.ts";

const certificate = (name: string) => readFileSync(new URL(`./certs/${name}`, import.meta.url), "utf8");
const tls = { cert: certificate("localhost.pem"), key: certificate("localhost.key") };

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
  assertThrows(() => exchange.send(7, "x"), RangeError, "Cannot use the connection 7: open are 0, 1");

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
  await using exchange = await startLocalExchange({ tls, speed: "max", messagesPerStream: 20_000 });
  assertEquals(exchange.url, `wss://127.0.0.1:${exchange.port}`);
  const socket = connectTls({
    host: "127.0.0.1",
    port: exchange.port,
    ca: certificate("ca.pem"),
    servername: "localhost",
  });
  await using client = await RawClient.over(socket, "secureConnect");
  await client.request(handshakeRequest("/stream?streams=btcusdt@trade"));
  for (let n = 0; n < 20_000; n++) {
    const text = await client.text();
    if (text !== wrapped("btcusdt@trade", n)) assertEquals(text, wrapped("btcusdt@trade", n));
  }
  assertEquals(exchange.totalConnections, 1);
  exchange.killConnections();
  // Deno's node:tls has no way to reset the connection below it.
  assertEquals(await client.ended, "Deno" in globalThis ? "fin" : "reset");
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
    [{ tls: { cert: tls.cert } }, "Cannot use undefined as `tls.key`: expected a private key in PEM form"],
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
