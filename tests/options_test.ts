/**
 * Bad options fail at construction, with a class of their own and what to write instead.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import {
  BinanceWebSocketApiManager,
  createSigner,
  InvalidOptionsError,
  InvalidProxyUrlError,
  type ManagerOptions,
  type MarketManagerOptions,
  MaximumSubscriptionsExceededError,
  RawtickError,
  type StreamOptions,
  UnknownExchangeError,
  UnknownWebSocketLibraryError,
  WebSocketLibraryUnavailableError,
} from "@rawtick/binance";
import { BinanceWebSocketApiManager as EdgeManager } from "@rawtick/binance/edge";
import { BinanceWebSocketApiManager as FullEdgeManager } from "@rawtick/binance/edge-full";
import { memoryLogger } from "./support.ts";

/** The cast is the point of these tests: what a user without types may write. */
const construct = (options: unknown) => new BinanceWebSocketApiManager(options as ManagerOptions<"raw">);

const managerCases: [
  what: string,
  options: unknown,
  errorClass: typeof InvalidOptionsError | typeof UnknownExchangeError,
  path: string,
  message: string,
][] = [
  [
    "an unknown library",
    { websocketLibrary: "picows" },
    UnknownWebSocketLibraryError as typeof InvalidOptionsError,
    "websocketLibrary",
    'Cannot use the websocket library "picows": expected "builtin" or "native"',
  ],
  [
    "an unknown exchange",
    { exchange: "binance.je" },
    UnknownExchangeError,
    "exchange",
    'expected "binance.com", "binance.com-testnet"',
  ],
  [
    "a bad proxy URL",
    { proxy: "gopher://127.0.0.1" },
    InvalidProxyUrlError as typeof InvalidOptionsError,
    "proxy",
    'expected "http", "https", "socks4", "socks4a", "socks5" or "socks5h"',
  ],
  [
    "an unknown option",
    { colour: "red" },
    InvalidOptionsError,
    "colour",
    'Unknown option `colour`: expected "exchange", "websocketLibrary"',
  ],
  [
    "an option with too much in its name",
    { bufferSizes: 5 },
    InvalidOptionsError,
    "bufferSizes",
    "Unknown option `bufferSizes`: did you mean `bufferSize`?",
  ],
  [
    "an option with only a part of its name",
    { library: "native" },
    InvalidOptionsError,
    "library",
    "Unknown option `library`: did you mean `websocketLibrary`?",
  ],
  [
    "an option in the reference product's spelling",
    { websocket_library: "native" },
    InvalidOptionsError,
    "websocket_library",
    "did you mean `websocketLibrary`?",
  ],
  [
    "a wrong type",
    { pingIntervalMs: "5000" },
    InvalidOptionsError,
    "pingIntervalMs",
    'Cannot use "5000" as `pingIntervalMs`: expected an integer from 0 to 600000',
  ],
  [
    "a value out of range",
    { bufferSize: 0 },
    InvalidOptionsError,
    "bufferSize",
    "Cannot use 0 as `bufferSize`: expected an integer from 1 to 16777216",
  ],
  ["NaN", { closeTimeoutMs: NaN }, InvalidOptionsError, "closeTimeoutMs", "Cannot use NaN"],
  [
    "an unknown output",
    { output: "dict" },
    InvalidOptionsError,
    "output",
    'expected "raw", "json", "typed" or "normalized"',
  ],
  [
    "an unknown overflow policy",
    { overflow: "block" },
    InvalidOptionsError,
    "overflow",
    'expected "drop-oldest", "drop-newest" or "error"',
  ],
  ["a callback that is none", { onData: "print" }, InvalidOptionsError, "onData", "expected a function"],
  [
    "a logger that is none",
    { logger: { info() {} } },
    InvalidOptionsError,
    "logger",
    "expected an object with the methods debug, info, warn and error",
  ],
  [
    "a base URL that is none",
    { websocketBaseUrl: "127.0.0.1:8765" },
    InvalidOptionsError,
    "websocketBaseUrl",
    'expected "ws://host:port"',
  ],
  [
    "a base URL with credentials",
    { websocketBaseUrl: "wss://me:secret@127.0.0.1" },
    InvalidOptionsError,
    "websocketBaseUrl",
    "without credentials",
  ],
  [
    "a certificate authority that is none",
    { tls: { ca: ["/etc/ca.pem"] } },
    InvalidOptionsError,
    "tls.ca[0]",
    "expected a certificate in PEM",
  ],
  [
    "an unknown TLS option",
    { tls: { verify: false } },
    InvalidOptionsError,
    "tls.verify",
    "Unknown option",
  ],
  [
    "a time of silence for a channel that no exchange has",
    { silenceMs: { tade: 1_000 } },
    InvalidOptionsError,
    "silenceMs.tade",
    'expected the whole name of a stream, or a channel of "binance.com": "aggTrade", "trade"',
  ],
  [
    "a time of silence for a channel that is misspelt, with its speed",
    { silenceMs: { "dpeth20@100ms": 1_000 } },
    InvalidOptionsError,
    "silenceMs.dpeth20@100ms",
    'or a channel of "binance.com"',
  ],
  [
    "a time of silence for a channel with what it does not have",
    { silenceMs: { "kline_1m@+9:00": 1_000 } },
    InvalidOptionsError,
    "silenceMs.kline_1m@+9:00",
    'or a channel of "binance.com"',
  ],
  [
    "a time of silence for a channel without what belongs to it",
    { silenceMs: { trade: 1_000, kline: 1_000 } },
    InvalidOptionsError,
    "silenceMs.kline",
    '"kline_<interval>"',
  ],
  [
    "a time of silence for a channel that this exchange does not have",
    { silenceMs: { markPrice: 1_000 }, exchange: "binance.us" },
    InvalidOptionsError,
    "silenceMs.markPrice",
    'a channel of "binance.us"',
  ],
  [
    "a time of silence for a channel in the wrong case",
    { silenceMs: { "DEPTH20@100MS": 1_000 } },
    InvalidOptionsError,
    "silenceMs.DEPTH20@100MS",
    'expected "depth20@100ms", since channels are case-sensitive',
  ],
  [
    "a time of silence for a stream whose symbol is in upper case",
    { silenceMs: { "BTCUSDT@trade": 1_000 } },
    InvalidOptionsError,
    "silenceMs.BTCUSDT@trade",
    'expected "btcusdt@trade"',
  ],
  [
    "a time of silence for a stream that never delivers",
    { silenceMs: { "!ticker@arr": 1_000 } },
    InvalidOptionsError,
    "silenceMs.!ticker@arr",
    "Binance retired it",
  ],
  [
    "a time of silence where there are no market streams",
    { silenceMs: { trade: 1_000 }, exchange: "binance.com-portfolio_margin" },
    InvalidOptionsError,
    "silenceMs.trade",
    "has no market streams",
  ],
  ["no options object", "native", InvalidOptionsError, "", "expected an object"],
];

for (const [what, options, errorClass, path, message] of managerCases) {
  test(`the manager refuses ${what}`, () => {
    const error = assertThrows(() => construct(options));
    assertInstanceOf(error, errorClass);
    assertEquals(error.constructor.name, errorClass.name);
    assertEquals(error.path, path);
    assert(error.message.includes(message), `${error.message} does not say ${message}`);
    assertEquals(error.message.includes("secret"), false);
    assertEquals(error.errors, [error]);
  });
}

test("times of silence are taken for all channels and names of the exchange, and for streams nobody has documented", () => {
  const times: [exchange: string, names: string[]][] = [
    ["binance.com", ["trade", "kline_1M", "depth", "depth20@100ms", "kline_1d@+08:00", "arr", "a@b", "!new@arr"]],
    ["binance.com-futures", ["arr@1s", "!bookTicker", "tradingSession", "!markPrice@arr@1s", "btcusdt@markPrice@1s"]],
    ["binance.com-vanilla-options", ["optionTicker@251123", "openInterest@251123"]],
    ["unknown", ["trade"]],
  ];
  for (const [exchange, names] of times) {
    const options = { exchange, silenceMs: Object.fromEntries(names.map((name) => [name, 1_000])) };
    if (exchange === "unknown") assertThrows(() => construct(options), UnknownExchangeError);
    else construct(options);
  }
  const error = assertThrows(() => construct({ silenceMs: { tade: 1, trade: 1_000, qoute: 0, "": 0 } }));
  assertInstanceOf(error, InvalidOptionsError);
  assertEquals(error.errors.map(({ path }) => path), ["silenceMs.tade"], "the value first");
  const both = assertThrows(() =>
    construct({ silenceMs: { tade: 0, "": 0 }, timeUnit: "microsecond", exchange: "binance.us" })
  );
  assertInstanceOf(both, InvalidOptionsError);
  assertEquals(both.errors.map(({ path }) => path).slice(0, 2), ["silenceMs.tade", "silenceMs."]);
});

test("the manager refuses combinations that can't work", () => {
  const cases: [options: unknown, path: string, message: string][] = [
    [{ reconnectMinDelayMs: 5_000, reconnectMaxDelayMs: 100 }, "reconnectMinDelayMs", "up to `reconnectMaxDelayMs`"],
    [
      { reconnectMaxDelayMs: 200 },
      "reconnectMaxDelayMs",
      "Cannot wait at most 200 ms: expected 250 or more, the default of `reconnectMinDelayMs`, or a smaller",
    ],
    [
      { reconnectMinDelayMs: 60_001, reconnectMaxDelayMs: undefined },
      "reconnectMinDelayMs",
      "Cannot wait at least 60001 ms: expected 60000 or less, the default of `reconnectMaxDelayMs`, or a larger",
    ],
    [{ pingIntervalMs: 0, pingTimeoutMs: 5 }, "pingTimeoutMs", "together with `pingIntervalMs: 0`"],
    [{ websocketBaseUrl: "wss://stream.binance.com:9443/ws" }, "websocketBaseUrl", 'without "/stream" or "/ws"'],
    [{ websocketBaseUrl: "ws://127.0.0.1:9/stream/" }, "websocketBaseUrl", 'without "/stream" or "/ws"'],
  ];
  for (const [options, path, message] of cases) {
    const error = assertThrows(() => construct(options), InvalidOptionsError);
    assertEquals(error.path, path);
    assert(error.message.includes(message), error.message);
  }
  construct({ reconnectMinDelayMs: 200, reconnectMaxDelayMs: 200, pingTimeoutMs: 5 });
  construct({ reconnectMinDelayMs: undefined, reconnectMaxDelayMs: 250, pingIntervalMs: 0, pingTimeoutMs: undefined });
  // A callback for one form must not get the other.
  const manager = construct({ websocketBaseUrl: "ws://127.0.0.1:1", onData: (text: string) => text.length });
  const error = assertThrows(() => manager.createStream({ streams: "a@b", output: "json" }), InvalidOptionsError);
  assertEquals(error.path, "output");
});

test("a named buffer is what it was made as, and nothing else", () => {
  const manager = construct({ websocketBaseUrl: "ws://127.0.0.1:1", bufferSize: 7, overflow: "drop-newest" });
  const buffer = manager.streamBuffer("quotes", { order: "lifo" });
  assertEquals([buffer.name, buffer.order, buffer.capacity, buffer.overflow], ["quotes", "lifo", 7, "drop-newest"]);
  assertEquals(manager.streamBuffer("quotes"), buffer);
  assertEquals(manager.streamBuffer("quotes", { order: "lifo", capacity: 7 }), buffer);
  const cases: [name: unknown, options: unknown, path: string, message: string][] = [
    ["quotes", { order: "fifo" }, "order", 'expected "lifo", as it was made'],
    ["other", { capacity: 0 }, "capacity", "expected an integer from 1 to 16777216"],
    ["other", { size: 3 }, "size", "Unknown option"],
    ["", {}, "name", "expected a string that is not empty"],
    [5, {}, "name", "expected a string that is not empty"],
  ];
  for (const [name, options, path, message] of cases) {
    // The casts are the point: what a user without types may write.
    const error = assertThrows(() => manager.streamBuffer(name as string, options as object), InvalidOptionsError);
    assertEquals(error.path, path);
    assert(error.message.includes(message), error.message);
  }
  assertEquals(manager.streamBuffers, [buffer]);
  assertEquals([manager.deleteStreamBuffer("quotes"), manager.deleteStreamBuffer("quotes")], [true, false]);
});

test("a library that is not part of the edge door is an error there", () => {
  const error = assertThrows(() => new EdgeManager({ websocketLibrary: "native" }), WebSocketLibraryUnavailableError);
  assertEquals([error.code, error.path], ["WEBSOCKET_LIBRARY_UNAVAILABLE", "websocketLibrary"]);
});

test("all problems are reported at once, each with its path and its own class", () => {
  const error = assertThrows(
    () => construct({ exchange: "nowhere", websocketLibrary: "ws", proxy: "x://y", bufferSize: -1, colour: "red" }),
    InvalidOptionsError,
  );
  const found = Object.fromEntries(error.errors.map((problem) => [problem.path, problem.constructor.name]));
  assertEquals(found, {
    exchange: "UnknownExchangeError",
    websocketLibrary: "UnknownWebSocketLibraryError",
    proxy: "InvalidProxyUrlError",
    bufferSize: "InvalidOptionsError",
    colour: "InvalidOptionsError",
  });
  for (const { message } of error.errors) assert(error.message.includes(message));
});

test("options that are all right construct without opening anything", () => {
  construct(undefined);
  construct({});
  construct({
    exchange: "binance.us",
    websocketLibrary: "native",
    output: "json",
    logger: memoryLogger(),
    bufferSize: 1,
  });
  construct({ logger: console, pingIntervalMs: 0, onData: undefined, websocketBaseUrl: "wss://127.0.0.1:9/base/" });
});

test("options are read once, inherited ones and getters too", () => {
  let reads = 0;
  class Options {
    get websocketLibrary() {
      reads++;
      return "native";
    }
  }
  assertEquals([construct(new Options()).websocketLibrary, reads], ["native", 1]);
  assertEquals(construct(Object.create({ websocketLibrary: "native" })).websocketLibrary, "native");
  assertThrows(() => construct(Object.create({ websocketLibrary: "ws" })), UnknownWebSocketLibraryError);
});

test("no error shows the credentials of a URL that stands in the wrong place", () => {
  const url = "socks5://me:secret@127.0.0.1:1080";
  const manager = construct({ websocketBaseUrl: "ws://127.0.0.1:1" });
  for (
    const attempt of [
      () => construct(url),
      () => construct({ exchange: url }),
      () => construct({ websocketLibrary: url }),
      () => construct({ tls: url }),
      () => construct({ output: url }),
      () => manager.createStream({ streams: url }),
      () => manager.createStream({ channels: url, markets: "a" }),
    ]
  ) {
    const error = assertThrows(attempt, InvalidOptionsError);
    assertEquals(error.message.includes("secret"), false, error.message);
    assertEquals(JSON.stringify({ ...error }).includes("secret"), false);
  }
});

const streamCases: [what: string, options: unknown, path: string, message: string][] = [
  ["no streams at all", {}, "channels", "expected either `streams`, or both `channels` and `markets`"],
  ["channels without markets", { channels: "trade" }, "markets", "both `channels` and `markets`"],
  ["exact names together with markets", { streams: "btcusdt@trade", markets: "btcusdt" }, "streams", "expected either"],
  ["an empty list", { streams: [] }, "streams", "expected a name or a list of names, none of them empty"],
  ["an empty name", { streams: ["btcusdt@trade", ""] }, "streams[1]", "none of them empty"],
  ["a name with a space", { streams: ["btcusdt@trade", "eth usdt@trade"] }, "streams[1]", "without spaces"],
  [
    "a channel in the wrong case",
    { streams: ["BTCUSDT@TRADE"] },
    "streams",
    'Cannot stream "btcusdt@TRADE" from "binance.com": expected "btcusdt@trade", since channels are case-sensitive',
  ],
  [
    "a channel in the wrong case in a cross product",
    { channels: ["trade", "BOOKTICKER"], markets: "BTCUSDT" },
    "streams",
    'expected "btcusdt@bookTicker"',
  ],
  [
    "account events in upper case",
    { streams: "!USERDATA@ARR" },
    "streams",
    "account events are not subscribed by name",
  ],
  ["a name without a channel", { streams: "btcusdt" }, "streams", 'expected "<symbol>@<channel>"'],
  [
    "a special stream with an ordinary channel",
    { channels: "trade", markets: "!ticker" },
    "markets",
    'expected the channel "arr" beside it',
  ],
  ["an unknown option", { streams: "btcusdt@trade", lable: "x" }, "lable", "Unknown option `lable`"],
  ["an onSignal that is none", { streams: "btcusdt@trade", onSignal: true }, "onSignal", "expected a function"],
  [
    "a named buffer and a callback",
    { streams: "btcusdt@trade", onData() {}, streamBuffer: "x" },
    "onData",
    "expected one of them",
  ],
  [
    "a size for a named buffer",
    { streams: "btcusdt@trade", streamBuffer: "x", bufferSize: 9 },
    "bufferSize",
    "expected it in `manager.streamBuffer(name, { capacity, overflow })`",
  ],
  ["a named buffer without a name", { streams: "btcusdt@trade", streamBuffer: "" }, "streamBuffer", "expected a name"],
  [
    "another output than the manager's for a named buffer",
    { streams: "btcusdt@trade", streamBuffer: "x", output: "json" },
    "output",
    "expected the manager's output",
  ],
  [
    "no callbacks at all at a time",
    { streams: "btcusdt@trade", maxConcurrentCallbacks: 0 },
    "maxConcurrentCallbacks",
    "expected an integer from 1 to 65536",
  ],
  [
    "another way with errors",
    { streams: "btcusdt@trade", onCallbackError: "ignore" },
    "onCallbackError",
    'expected "crash" or "continue"',
  ],
];

for (const [what, options, path, message] of streamCases) {
  test(`createStream refuses ${what}`, () => {
    const manager = construct({ websocketBaseUrl: "ws://127.0.0.1:1" });
    const error = assertThrows(() => manager.createStream(options as StreamOptions<"raw">), InvalidOptionsError);
    assertEquals(error.path, path);
    assert(error.message.includes(message), `${error.message} does not say ${message}`);
    assertEquals(manager.streams, []);
  });
}

test("createStream refuses more streams than a connection may carry, also by cross product", () => {
  const markets = Array.from({ length: 513 }, (_, index) => `s${index}`);
  const spot = construct({ websocketBaseUrl: "ws://127.0.0.1:1", maxLinks: 1 });
  const error = assertThrows(
    () => spot.createStream({ channels: ["trade", "depth"], markets }),
    MaximumSubscriptionsExceededError,
  );
  assert(error.message.includes("1026 streams"));
  const options = construct({
    exchange: "binance.com-vanilla-options",
    websocketBaseUrl: "ws://127.0.0.1:1",
    maxLinks: 1,
  });
  assertThrows(
    () => options.createStream({ channels: ["optionTrade"], markets: markets.slice(0, 201) }),
    MaximumSubscriptionsExceededError,
  );
});

const forAccounts: readonly (readonly [option: string, value: unknown])[] = [
  ["signer", createSigner({ apiKey: "key", apiSecret: "secret" })],
  ["websocketApiBaseUrl", "ws://127.0.0.1:1"],
  ["restBaseUrl", "http://127.0.0.1:1"],
  ["apiTimeoutMs", 1_000],
  ["onRateLimit", "error"],
  ["returnRateLimits", false],
];

test("the edge door says which one has requests and account events, whatever of them is asked for", () => {
  const check = (path: string, attempt: () => unknown): void => {
    const error = assertThrows(attempt, InvalidOptionsError);
    assertEquals(error.path, path);
    assert(error.message.includes('import "@rawtick/binance/edge-full"'), error.message);
    assertEquals(error.message.includes("secret"), false);
  };
  const options = Object.fromEntries(forAccounts);
  for (const [name, value] of forAccounts) {
    // The cast is the point: what a user without types may write.
    check(name, () => new EdgeManager({ [name]: value } as MarketManagerOptions<"raw">));
  }
  const all = assertThrows(() => new EdgeManager(options as MarketManagerOptions<"raw">), InvalidOptionsError);
  assertEquals(new Set(all.errors.map(({ path }) => path)), new Set(Object.keys(options)));
  const manager = new EdgeManager();
  for (const path of ["api", "userData"]) {
    const given: object = { [path]: true };
    check(path, () => manager.createStream(given as StreamOptions<"raw">));
  }
  assertEquals(manager.streams, []);
});

test("the full edge door takes what the main door takes, and has the same", async () => {
  const options = Object.fromEntries(forAccounts) as ManagerOptions<"raw">; // the cast: a list has no names
  await using manager = new FullEdgeManager({ ...options, websocketBaseUrl: "ws://127.0.0.1:1" });
  const orders = manager.createStream({ api: true });
  const events = manager.createStream({ userData: true });
  assertEquals([manager.apiStreams, manager.userDataStreams], [[orders], [events]]);
  assertThrows(() => new FullEdgeManager({ websocketLibrary: "native" }), WebSocketLibraryUnavailableError);
});

test("options of requests are errors where there is no WebSocket API", () => {
  const cases = [
    ["websocketApiBaseUrl", "ws://127.0.0.1:1"],
    ["apiTimeoutMs", 5],
    ["onRateLimit", "wait"],
    ["returnRateLimits", false],
  ] as const;
  for (const exchange of ["binance.com-portfolio_margin", "binance.com-vanilla-options", "trbinance.com"] as const) {
    for (const [path, value] of cases) {
      const error = assertThrows(() => construct({ exchange, [path]: value }), InvalidOptionsError);
      assertEquals(error.path, path);
      assert(error.message.includes(`"${exchange}": expected it left out, there is no WebSocket API`), error.message);
    }
    const all = assertThrows(() => construct({ exchange, ...Object.fromEntries(cases) }), InvalidOptionsError);
    assertEquals(all.errors.map(({ path }) => path), cases.map(([path]) => path));
    construct({ exchange, websocketBaseUrl: "ws://127.0.0.1:1", restBaseUrl: "http://127.0.0.1:1" });
  }
});

test("every error has the class, the name and the code to catch it by", () => {
  const error = assertThrows(() => construct({ exchange: "nowhere" }), RawtickError);
  assertEquals([error.name, error.code], ["UnknownExchangeError", "UNKNOWN_EXCHANGE"]);
  assertInstanceOf(error, InvalidOptionsError);
});
