/**
 * What a tap says to requests: what it serves, and the answers to what it does not.
 *
 * @module
 */

import { connect } from "node:net";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import {
  BinanceWebSocketApiManager,
  InvalidOptionsError,
  tap,
  type TapOptions,
  TapRefusedError,
} from "@rawtick/binance";
import { formats, startTap, TapClient } from "./tap_support.ts";
import { until } from "./support.ts";

const TRADES = "btcusdt@trade";

/** Status and code of an answer. */
async function answer(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; code: string; response: Response }> {
  const response = await fetch(url, init);
  if (response.status < 400) {
    await response.body?.cancel();
    return { status: response.status, code: "", response };
  }
  assertEquals(response.headers.get("content-type"), "application/json");
  const { error: { code, message } } = await response.json();
  assertMatch(message, /^(Cannot|Unknown) /);
  assert(message.length < 300, message);
  return { status: response.status, code, response };
}

test("a request whose `Host` is missing or wrong is answered, and tells nobody anything", async () => {
  await using tapped = await startTap({ streams: TRADES, token: "the-secret-token" });
  const ask = async (version: string, lines: readonly string[]): Promise<string> => {
    const socket = connect(tapped.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `GET /?access_token=wrong-token HTTP/${version}\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`,
    );
    let text = "";
    await new Promise<void>((resolve) => {
      socket.on("close", () => resolve()).on("data", (chunk) => {
        text += chunk.toString();
        if (text.includes("\r\n\r\n")) socket.destroy();
      });
    });
    assertEquals(text.includes("wrong-token") || text.includes("request_handler"), false, text);
    return /^HTTP\/1\.\d (\d+)/.exec(text)?.[1] ?? "";
  };
  for (const host of ["[", "a b", "x:99999", "x:y", "", "\u0001"]) {
    assertMatch(await ask("1.1", [`Host: ${host}`]), /^40[01]$/, host);
  }
  assertMatch(await ask("1.1", []), /^40[01]$/);
  assertEquals(await ask("1.0", []), "401");
  assertEquals(tapped.market.statistics.clients, 0);
});

test("what can't be served is refused with a status and a code that say why", async () => {
  const many = Array.from({ length: 150 }, (_, index) => `s${index}usdt@trade`);
  await using tapped = await startTap({ streams: [TRADES, ...many] });
  const cases: [query: string, status: number, code: string, init?: RequestInit][] = [
    [`?streams=${TRADES}`, 200, ""],
    [`?streams=BTCUSDT@trade`, 200, ""],
    [`?streams=${TRADES}&streams=s1usdt@trade`, 200, ""],
    [`any/path?streams=${encodeURIComponent(TRADES)}&format=ndjson`, 200, ""],
    [`?streams=${TRADES}`, 200, "", { headers: { accept: "text/html, text/event-stream;q=0.9" } }],
    ["", 400, "STREAMS_MISSING"],
    ["?streams=", 400, "STREAMS_MISSING"],
    ["?streams=btcusdt", 400, "INVALID_STREAM_NAME"],
    [`?streams=${TRADES},`, 400, "INVALID_STREAM_NAME"],
    ["?streams=btcusdt@trade@@/../?", 400, "INVALID_STREAM_NAME"],
    ["?streams=!userData@arr", 400, "INVALID_STREAM_NAME"],
    ["?streams=ethusdt@trade", 403, "STREAM_NOT_ALLOWED"],
    ["?streams=btcusdt@TRADE", 403, "STREAM_NOT_ALLOWED"],
    [`?streams=${many.slice(0, 101)}`, 400, "TOO_MANY_STREAMS"],
    [`?streams=${"x@y,".repeat(3_000)}`, 414, "QUERY_TOO_LONG"],
    [`?symbol=btcusdt`, 400, "UNKNOWN_PARAMETER"],
    [`?streams=${TRADES}&format=xml`, 400, "UNKNOWN_FORMAT"],
    [`?streams=${TRADES}&conflateMs=-1`, 400, "INVALID_CONFLATE_MS"],
    [`?streams=${TRADES}&conflateMs=3600001`, 400, "INVALID_CONFLATE_MS"],
    [`?streams=${TRADES}`, 406, "NOT_ACCEPTABLE", { headers: { accept: "text/html" } }],
    [`?streams=${TRADES}`, 405, "METHOD_NOT_ALLOWED", { method: "POST", body: "x".repeat(1_000) }],
    [`?streams=${TRADES}`, 405, "METHOD_NOT_ALLOWED", { method: "DELETE" }],
  ];
  for (const [query, status, code, init] of cases) {
    const got = await answer(tapped.url + query, init);
    assertEquals([got.status, got.code], [status, code], query.slice(0, 80));
    if (status === 405) assertEquals(got.response.headers.get("allow"), "GET, OPTIONS");
  }
  await until(() => tapped.market.statistics.clients === 0, "no clients");
  const { refusedRequests, totalClients } = tapped.market.statistics;
  assertEquals([totalClients, refusedRequests], [5, cases.length - 5]);
});

test("a client that names no streams gets all that are on offer, if it may have so many", async () => {
  await using tapped = await startTap({ channels: ["trade", "aggTrade"], markets: ["btcusdt", "ethusdt"] });
  using client = new TapClient(tapped.port);
  await until(() => client.status === 200, "the answer");
  assertEquals(tapped.market.statistics.streams.length, 4);
});

test("a token is asked for in the header or the query, and nothing is told without one", async () => {
  const tokens = ["first-token.~+/==", "second"];
  await using tapped = await startTap({ streams: TRADES, token: tokens });
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  for (const token of tokens) {
    assertEquals((await answer(tapped.url, bearer(token))).status, 200);
    assertEquals((await answer(`${tapped.url}?access_token=${encodeURIComponent(token)}`)).status, 200);
  }
  assertEquals((await answer(tapped.url, { headers: { authorization: "bearer second" } })).status, 200);
  const wrong = [bearer("secon"), bearer("second2"), bearer(""), bearer("x".repeat(4_000)), {
    headers: { authorization: "second" },
  }];
  for (const init of [...wrong, { headers: { authorization: "Basic c2Vjb25k" } }]) {
    const { status, response } = await answer(`${tapped.url}?streams=nonsense&format=xml`, init);
    assertEquals(status, 401, JSON.stringify(init).slice(0, 60));
    assertEquals(response.headers.get("www-authenticate"), "Bearer");
  }
  // The password of a proxy on the way is none of ours.
  const basic = { headers: { authorization: "Basic c2Vjb25k" } };
  assertEquals((await answer(`${tapped.url}?access_token=second`, basic)).status, 200);
  // A wrong header is not mended by a right query.
  assertEquals((await answer(`${tapped.url}?access_token=second`, bearer("wrong"))).status, 401);
  assertEquals((await answer(tapped.url)).code, "TOKEN_MISSING");
  assertEquals((await answer(`${tapped.url}?access_token=`)).code, "TOKEN_UNKNOWN");
  using socket = new TapClient(tapped.port, "?access_token=wrong", { format: "websocket" });
  await until(() => socket.head !== "", "an answer");
  assertEquals(socket.status, 401);
  await until(() => tapped.market.statistics.clients === 0, "no clients");
});

test("pages of other origins get what CORS needs, only if they are allowed, also with errors", async () => {
  await using tapped = await startTap({ streams: TRADES, cors: ["https://a.example", "http://localhost:8080"] });
  const allowed = async (origin: string, query = "") => {
    const { response } = await answer(tapped.url + query, { headers: { origin } });
    assertEquals(response.headers.get("vary"), "Origin");
    return response.headers.get("access-control-allow-origin");
  };
  assertEquals(await allowed("https://a.example"), "https://a.example");
  assertEquals(await allowed("http://localhost:8080", "?streams=nonsense"), "http://localhost:8080");
  for (const origin of ["https://b.example", "http://a.example", "https://a.example.evil", "null"]) {
    assertEquals(await allowed(origin), null);
  }
  const preflight = await fetch(tapped.url, {
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-method": "GET" },
  });
  assertEquals([preflight.status, await preflight.text()], [204, ""]);
  assertStringIncludes(preflight.headers.get("access-control-allow-headers") ?? "", "Authorization");
  await using open = await startTap({ streams: TRADES, cors: "*" });
  assertEquals((await answer(open.url)).response.headers.get("access-control-allow-origin"), "*");
  await using closed = await startTap({ streams: TRADES });
  const { response } = await answer(closed.url, { headers: { origin: "https://a.example" } });
  assertEquals(response.headers.get("access-control-allow-origin"), null);
});

test("WebSockets of pages of other origins are refused, which browsers leave to the server", async () => {
  await using tapped = await startTap({ streams: TRADES, cors: "https://a.example" });
  const statusFor = async (origin: string) => {
    using client = new TapClient(tapped.port, "", { format: "websocket", headers: { origin } });
    await until(() => client.head !== "", "an answer");
    return client.status;
  };
  assertEquals(await statusFor("https://a.example"), 101);
  assertEquals(await statusFor(`http://127.0.0.1:${tapped.port}`), 101);
  for (const origin of ["https://b.example", "null", "http://127.0.0.1:1"]) assertEquals(await statusFor(origin), 403);
});

test("a handshake that is none is refused, and leaves no client behind", async () => {
  await using tapped = await startTap({ streams: TRADES });
  const cases: [headers: Record<string, string>, status: number][] = [
    [{ "sec-websocket-key": "" }, 400],
    [{ "sec-websocket-key": "short" }, 400],
    [{ "sec-websocket-version": "" }, 426],
    [{ "sec-websocket-version": "7" }, 426],
  ];
  for (const [headers, status] of cases) {
    using client = new TapClient(tapped.port, "", { format: "websocket", headers });
    await until(() => client.head !== "" || client.hasEnded, "an answer or the end");
    // Deno sees no upgrade at all in some of them, and answers as to any other request.
    assert(client.status === status || ("Deno" in globalThis && client.status === 400), client.head);
    if (client.status === 426) assertMatch(client.head, /sec-websocket-version: 13/i);
  }
  using xml = new TapClient(tapped.port, "?format=xml", { format: "websocket" });
  await until(() => xml.head !== "", "an answer");
  assertEquals(xml.status, 400);
  assertEquals(tapped.market.statistics.totalClients, 0);
});

test("what a WebSocket client sends is not read, but ends it", async () => {
  await using tapped = await startTap({ streams: TRADES });
  using client = new TapClient(tapped.port, "", { format: "websocket" });
  await until(() => client.status === 101, "the handshake");
  // A masked text message "hi".
  client.write(Uint8Array.of(0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69));
  await until(() => client.hasEnded, "the end");
  assertEquals(client.closeCode, 1008);
  await until(() => tapped.market.statistics.clients === 0, "no clients");
});

test("there are never more clients than allowed, whatever they are connected by; who leaves makes room", async () => {
  await using tapped = await startTap({ streams: TRADES, maxClients: 3 });
  const clients = formats.map((format) => new TapClient(tapped.port, "", { format }));
  await until(() => tapped.market.statistics.clients === 3, "three clients");
  for (const format of formats) {
    using late = new TapClient(tapped.port, "", { format });
    await until(() => late.head !== "", "an answer");
    assertEquals(late.status, 429);
    assertMatch(late.head, /retry-after: 10/i);
  }
  clients[0]?.[Symbol.dispose]();
  await until(() => tapped.market.statistics.clients === 2, "room");
  using next = new TapClient(tapped.port);
  await until(() => next.status === 200, "a client");
  for (const client of clients) client[Symbol.dispose]();
});

test("without anything that accepts a WebSocket, that is said", async () => {
  const headers = {
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
  await using market = tap(manager, { streams: TRADES });
  const response = await market.fetch(new Request("https://tap.example/", { headers }));
  assertEquals([response.status, (await response.json()).error.code], [501, "WEBSOCKET_UNAVAILABLE"]);
  assertEquals(market.statistics.clients, 0);
});

test("a manager that can't open the stream is an answer, and no client is left behind", async () => {
  const manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
  await using market = tap(manager, { streams: TRADES });
  await manager.stopManager();
  const response = await market.fetch(new Request("https://tap.example/"));
  assertEquals([response.status, (await response.json()).error.code], [503, "STREAM_UNAVAILABLE"]);
  assertEquals([market.statistics.clients, market.statistics.feeds, market.statistics.streams.length], [0, 0, 0]);
});

test("a response that nobody reads is let go of", async () => {
  await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
  await using market = tap(manager, { streams: TRADES, clientTimeoutMs: 100, heartbeatMs: 100, lingerMs: 0 });
  market.response();
  await market.response().body?.cancel();
  assertEquals(market.statistics.clients, 1);
  await until(() => market.statistics.clients === 0, "no clients");
  await until(() => market.statistics.streams.length === 0, "no streams");
  assertEquals(manager.streams, []);
});

test("a tap whose options can't be used is refused at once, with all problems", async () => {
  await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
  const cases: [options: unknown, expected: RegExp][] = [
    [{}, /either `streams`, or both/],
    [{ streams: [] }, /streams/],
    [{ streams: "btcusdt" }, /"<symbol>@<channel>"/],
    [{ streams: "!ticker@arr" }, /!ticker@arr/],
    [{ streams: TRADES, token: "" }, /token.*expected a token/s],
    [{ streams: TRADES, token: [] }, /token/],
    [{ streams: TRADES, token: "two words" }, /token/],
    [{ streams: TRADES, cors: "a.example" }, /"https:\/\/charts.example"/],
    [{ streams: TRADES, cors: "https://a.example/" }, /cors/],
    [{ streams: TRADES, cors: "https://A.example" }, /cors/],
    [{ streams: TRADES, cors: ["https://a.example:443"] }, /cors/],
    [{ streams: TRADES, maxClients: 0 }, /maxClients.*1 to 1000000/],
    [{ streams: TRADES, max_clients: 1 }, /did you mean `maxClients`/],
    [{ streams: TRADES, upgrade: true }, /upgrade.*a function/],
    [{ streams: TRADES, heartbeatMs: 1, retryMs: -1 }, /heartbeatMs[^]*retryMs/],
    // The cast: without exactOptionalPropertyTypes, a variable that is not set is an option like any other.
    [{ streams: TRADES, token: undefined } as unknown as TapOptions, /undefined as `token`: expected a token/],
    [undefined, /an object with `streams`/],
  ];
  for (const [options, expected] of cases) {
    // The cast: what callers without a compiler may write.
    const { message } = assertThrows(() => tap(manager, options as TapOptions), InvalidOptionsError);
    assertMatch(message, expected);
    assert(!message.includes("two words"), "a token is shown to nobody");
  }
});

test("who reads requests itself gets the same checks as errors, and asks for no token", async () => {
  await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
  await using market = tap(manager, { streams: TRADES, token: "secret" });
  const refused = assertThrows(() => market.response({ streams: "ethusdt@trade" }), TapRefusedError);
  assertEquals([refused.status, refused.code], [403, "STREAM_NOT_ALLOWED"]);
  assertThrows(() => market.response({ streams: [] }), TapRefusedError, "expected names");
  const response = market.response({ streams: TRADES, conflateMs: 5 }, "ndjson");
  assertEquals(response.headers.get("content-type"), "application/x-ndjson");
  await response.body?.cancel();
  assertEquals(market.statistics.clients, 0);
  await market.stop();
  assertThrows(() => market.response(), TapRefusedError, "stopped");
});
