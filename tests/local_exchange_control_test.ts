/**
 * The local exchange's answers to control messages.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { type LocalExchangeOptions, ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { Client } from "./exchange_clients.ts";

/** An exchange that sends nothing by itself and whose limits don't get in the way. */
const quiet: LocalExchangeOptions = {
  messagesPerSecond: 0,
  limits: { framesPerSecond: Infinity },
};

const METHODS = "`SUBSCRIBE`, `UNSUBSCRIBE`, `LIST_SUBSCRIPTIONS`, `SET_PROPERTY`, `GET_PROPERTY`";

/** Asks these questions one after the other on one connection. */
async function dialogue(path: string, options: LocalExchangeOptions, steps: [question: string, answer: string][]) {
  await using exchange = await startLocalExchange({ ...quiet, ...options });
  await using client = await Client.open(exchange, path);
  for (const [question, answer] of steps) assertEquals(await client.ask(question), answer, question);
  assertEquals(exchange.openConnections.length, 1, "still open");
}

test("streams are subscribed, listed and unsubscribed", () =>
  dialogue("/ws/btcusdt@trade", {}, [
    ['{"method":"LIST_SUBSCRIPTIONS","id":3}', '{"result":["btcusdt@trade"],"id":3}'],
    ['{"method":"SUBSCRIBE","params":["btcusdt@aggTrade","btcusdt@depth"],"id":1}', '{"result":null,"id":1}'],
    ['{"method":"SUBSCRIBE","params":["btcusdt@depth","btcusdt@depth"],"id":2}', '{"result":null,"id":2}'],
    [
      '{"method":"LIST_SUBSCRIPTIONS","params":[],"id":3}',
      '{"result":["btcusdt@trade","btcusdt@aggTrade","btcusdt@depth"],"id":3}',
    ],
    ['{"method":"UNSUBSCRIBE","params":["btcusdt@depth","never@there"],"id":312}', '{"result":null,"id":312}'],
    ['{"method":"LIST_SUBSCRIPTIONS","id":3}', '{"result":["btcusdt@trade","btcusdt@aggTrade"],"id":3}'],
    ['{"method":"SUBSCRIBE","params":[],"id":4}', '{"result":null,"id":4}'],
  ]));

test("the property combined is false on /ws, true on /stream, and decides the form of what comes then", async () => {
  for (const [path, initially] of [["/ws", false], ["/stream", true]] as const) {
    await using exchange = await startLocalExchange(quiet);
    await using client = await Client.open(exchange, path);
    await client.ask('{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}');
    for (const isCombined of [initially, !initially, initially]) {
      assertEquals(
        await client.ask(`{"method":"SET_PROPERTY","params":["combined",${isCombined}],"id":5}`),
        '{"result":null,"id":5}',
      );
      assertEquals(
        await client.ask('{"method":"GET_PROPERTY","params":["combined"],"id":2}'),
        `{"result":${isCombined},"id":2}`,
      );
      assertEquals(exchange.push("btcusdt@trade", { t: 1 }), 1);
      assertEquals(await client.next(), isCombined ? '{"stream":"btcusdt@trade","data":{"t":1}}' : '{"t":1}');
    }
  }
});

test("an id comes back with its JSON type, and integers beyond 2^53 exactly", () =>
  dialogue(
    "/ws",
    { market: "spot" },
    ["1", "0", "-7", "9223372036854775807", '"a-1"', '"abcdef0123456789abcdef0123456789abcd"', "null"].map((id) => [
      `{"id": ${id} ,"method":"LIST_SUBSCRIPTIONS"}`,
      `{"result":[],"id":${id}}`,
    ]),
  ));

test("a message without an id is answered with null", () =>
  dialogue("/ws", { market: "spot" }, [['{"method":"LIST_SUBSCRIPTIONS"}', '{"result":[],"id":null}']]));

for (
  const [market, ids] of [
    ["spot", ["1.5", "1e3", "9223372036854775808", '""', '"a b"', `"${"x".repeat(37)}"`, "true", "[1]", "{}"]],
    ["futures", ["-1", "18446744073709551616", "1.5", "null", '"a b"']],
    ["options", ["-1", '"abc"', "null"]],
  ] as const
) {
  test(`${market}: an id of the wrong kind is refused with code 2, and the connection stays open`, () =>
    dialogue(
      "/ws",
      { market },
      ids.map((id) => [
        `{"method":"LIST_SUBSCRIPTIONS","id":${id}}`,
        '{"error":{"code":2,"msg":"Invalid request: request ID must be an unsigned integer"},"id":null}',
      ]),
    ));
}

test("futures take unsigned integers and the strings of Binance's SDK", () =>
  dialogue("/ws", { market: "futures" }, [
    ['{"method":"LIST_SUBSCRIPTIONS","id":18446744073709551615}', '{"result":[],"id":18446744073709551615}'],
    ['{"method":"LIST_SUBSCRIPTIONS","id":"0123456789abcdef"}', '{"result":[],"id":"0123456789abcdef"}'],
  ]));

test("an unknown method is refused with its name, the known ones and the column after it", () =>
  dialogue("/ws", {}, [
    [
      '{"method":"SUBSCRIBES","params":[],"id":1}',
      `{"error":{"code":2,"msg":"Invalid request: unknown variant \`SUBSCRIBES\`, expected one of ${METHODS} at line 1 column 22"},"id":1}`,
    ],
    [
      '{"id":7,\n"method":"time"}',
      `{"error":{"code":2,"msg":"Invalid request: unknown variant \`time\`, expected one of ${METHODS} at line 2 column 15"},"id":7}`,
    ],
    [
      '{"method":5,"id":1}',
      '{"error":{"code":2,"msg":"Invalid request: expected value at line 1 column 11"},"id":1}',
    ],
  ]));

test("missing and superfluous members are refused with code 2, wrong properties with 0 and 1", () =>
  dialogue("/ws", {}, [
    [
      '{"params":["btcusdt@trade"],"id":1}',
      '{"error":{"code":2,"msg":"Invalid request: missing field `method` at line 1 column 35"},"id":1}',
    ],
    ["[1,2]", '{"error":{"code":2,"msg":"Invalid request: missing field `method` at line 1 column 5"},"id":null}'],
    [
      '{"method":"SUBSCRIBE","id":1}',
      '{"error":{"code":2,"msg":"Invalid request: missing field `params` at line 1 column 29"},"id":1}',
    ],
    [
      '{"method":"SUBSCRIBE","params":"btcusdt@trade","id":1}',
      '{"error":{"code":2,"msg":"Invalid request: invalid type, expected a sequence at line 1 column 46"},"id":1}',
    ],
    [
      '{"method":"SUBSCRIBE","params":[1],"id":1}',
      '{"error":{"code":2,"msg":"Invalid request: invalid type, expected a string"},"id":1}',
    ],
    [
      '{"method":"LIST_SUBSCRIPTIONS","params":["a"],"id":1}',
      '{"error":{"code":2,"msg":"Invalid request: too many parameters"},"id":1}',
    ],
    [
      '{"method":"GET_PROPERTY","params":["combined",true],"id":1}',
      '{"error":{"code":2,"msg":"Invalid request: too many parameters"},"id":1}',
    ],
    [
      '{"method":"SET_PROPERTY","params":["combined",true,1],"id":1}',
      '{"error":{"code":2,"msg":"Invalid request: too many parameters"},"id":1}',
    ],
    [
      '{"method":"GET_PROPERTY","params":[5],"id":1}',
      '{"error":{"code":2,"msg":"Invalid request: property name must be a string"},"id":1}',
    ],
    [
      '{"method":"GET_PROPERTY","params":["colour"],"id":1}',
      '{"error":{"code":0,"msg":"Unknown property"},"id":1}',
    ],
    [
      '{"method":"SET_PROPERTY","params":["combined","true"],"id":1}',
      '{"error":{"code":1,"msg":"Invalid value type: expected Boolean"},"id":1}',
    ],
  ]));

const BAD_JSON: [text: string, problem: string][] = [
  ["", "EOF while parsing a value at line 1 column 0"],
  ["hello", "expected value at line 1 column 1"],
  ["{", "EOF while parsing an object at line 1 column 1"],
  ['{"method"', "EOF while parsing an object at line 1 column 9"],
  ['{"method":', "EOF while parsing a value at line 1 column 10"],
  ['{"method" 1}', "expected `:` at line 1 column 11"],
  ['{"id":1,}', "trailing comma at line 1 column 9"],
  ['{"id":1 "a"}', "expected `,` or `}` at line 1 column 9"],
  ["{1:2}", "key must be a string at line 1 column 2"],
  ["[1,]", "trailing comma at line 1 column 4"],
  ["[1", "EOF while parsing a list at line 1 column 2"],
  ["[1 2]", "expected `,` or `]` at line 1 column 4"],
  ["{}\n\n x", "trailing characters at line 3 column 2"],
  ["tru", "EOF while parsing a value at line 1 column 3"],
  ["trux", "expected ident at line 1 column 4"],
  ["01", "invalid number at line 1 column 2"],
  ["1.", "EOF while parsing a value at line 1 column 2"],
  ["1.x", "invalid number at line 1 column 3"],
  ["-x", "invalid number at line 1 column 2"],
  ['"é', "EOF while parsing a string at line 1 column 3"],
  ['"\\x"', "invalid escape at line 1 column 3"],
  ['"\\u12g4"', "invalid escape at line 1 column 7"],
  ['"a\u0001"', "control character (\\\\u0000-\\\\u001F) found while parsing a string at line 1 column 3"],
  ["[".repeat(200), "recursion limit exceeded at line 1 column 128"],
];

test("text that is no JSON is answered with code 3 and the place of the error, and the connection is closed", async () => {
  for (const [text, problem] of BAD_JSON) {
    await using exchange = await startLocalExchange(quiet);
    await using client = await Client.open(exchange, "/ws");
    assertEquals(await client.ask(text), `{"error":{"code":3,"msg":"Invalid JSON: ${problem}"}}`, text);
    assertEquals(await client.closed, [1008, "Invalid request"]);
  }
});

test("text that is no JSON leaves the connection open where that is wanted", () =>
  dialogue(
    "/ws",
    { closeOnInvalidJson: false },
    BAD_JSON.map(([text, problem]) => [text, `{"error":{"code":3,"msg":"Invalid JSON: ${problem}"}}`]),
  ));

test("a malformed stream name is answered with code 2, and the connection is closed", async () => {
  for (const name of ["no such stream@", "btcusdt", "@trade", "btcusdt@", "", "btcusdt@tr ade", "a/b@trade", "!"]) {
    await using exchange = await startLocalExchange(quiet);
    await using client = await Client.open(exchange, "/stream?streams=ethusdt@trade");
    client.send(JSON.stringify({ method: "SUBSCRIBE", params: ["btcusdt@trade", name], id: 1 }));
    assertEquals(await client.next(), '{"error":{"code":2,"msg":"Invalid request: invalid stream"}}', name);
    assertEquals(await client.closed, [1008, "Invalid request"]);
  }
});

test("a well-formed name is acknowledged and listed, whether or not there is such a stream, and stays silent", async () => {
  const names = [
    "BTCUSDT@trade",
    "btcusdt@nothing",
    "btcusdt@depth20@250ms",
    "这是测试币456@trade",
    "btcusd_perp@depth",
    "btc-251123-126000-c@depth10@100ms",
    "btcusdt@kline_1m@+08:00",
    "!nothing@arr",
    "!contractInfo",
    "tradingSession",
    "x".repeat(64),
  ];
  await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 1 });
  await using client = await Client.open(exchange, "/ws");
  const params = JSON.stringify(names);
  assertEquals(await client.ask(`{"method":"SUBSCRIBE","params":${params},"id":1}`), '{"result":null,"id":1}');
  const served = await client.take(4);
  assertEquals(served.map((text) => JSON.parse(String(text)).e), ["trade", "depthUpdate", "depthUpdate", "kline"]);
  assertEquals(await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":2}'), `{"result":${params},"id":2}`);
  assertEquals(exchange.messagesSent, 4, "the others are silent");
});

test("a WebSocket API path answers ping and time, and refuses what it doesn't have", async () => {
  const clock = new ManualClock(1656400526260);
  await using exchange = await startLocalExchange({ clock });
  await using client = await Client.open(exchange, "/ws-api/v3");
  const rateLimits = (count: number) =>
    `[{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":6000,"count":${count}}]`;
  assertEquals(
    await client.ask('{"id":"187d3cb2","method":"time"}'),
    `{"id":"187d3cb2","status":200,"result":{"serverTime":1656400526260},"rateLimits":${rateLimits(3)}}`,
    "opening the connection weighs 2",
  );
  assertEquals(
    await client.ask('{"id":1,"method":"v3/ping"}'),
    `{"id":1,"status":200,"result":{},"rateLimits":${rateLimits(4)}}`,
  );
  const refused = JSON.parse(String(await client.ask('{"id":2,"method":"order.nonsense"}')));
  assertEquals([refused.status, refused.error.code], [400, -1020]);
  const malformed = JSON.parse(String(await client.ask('{"id":"a b","method":"time"}')));
  assertEquals([malformed.id, malformed.status, malformed.error.code], [null, 400, -1135]);
  clock.advance(60_000);
  assert(String(await client.ask('{"id":3,"method":"ping"}')).includes(rateLimits(1)), "a new minute, a new window");
});
