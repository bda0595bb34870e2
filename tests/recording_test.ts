/**
 * Recordings: reading, writing, and being served by the local exchange.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import {
  formatRow,
  InvalidRecordingError,
  ManualClock,
  parseRecording,
  type Recording,
  type RecordingRow,
  RecordingWriter,
  startLocalExchange,
} from "@rawtick/binance/testing";
import { Client } from "./exchange_clients.ts";

const wrapped = (stream: string, data: string) => `{"stream":${JSON.stringify(stream)},"data":${data}}`;

/** A recording of these messages, one every 100 ms. */
function recordingOf(...texts: string[]): Recording {
  const url = "wss://stream.binance.com:9443/stream";
  return { rows: [{ t: 1000, url }, ...texts.map((text, index) => ({ t: 1100 + 100 * index, text }))] };
}

test("a line that is no row is refused by its number, with what was expected", () => {
  const cases: [line: string, problem: string][] = [
    ["{", "expected one JSON object"],
    ["[1]", "expected one JSON object"],
    ["null", "expected one JSON object"],
    ['{"text":"x"}', 'expected "t" with a time in ms since 1970'],
    ['{"t":"1","text":"x"}', 'expected "t" with a time in ms since 1970'],
    ['{"t":1}', 'expected "url", "text", or "http" and "text"'],
    ['{"t":1,"text":5}', 'expected "url", "text", or "http" and "text"'],
    ['{"t":1,"url":"wss://x","text":"y"}', 'expected "url", "text", or "http" and "text"'],
    ['{"t":1,"http":"https://x"}', 'expected "url", "text", or "http" and "text"'],
  ];
  for (const [line, problem] of cases) {
    const error = assertThrows(
      () => parseRecording(`{"t":1,"text":"{}"}\r\n\n${line}\n{"t":2,"text":"{}"}\n`),
      InvalidRecordingError,
      `line 3 of the recording: ${problem}`,
    );
    assertEquals([error.line, error.code], [3, "INVALID_RECORDING"]);
  }
});

test("what is written is read back as it was, whatever the texts contain", () => {
  const t = fc.double({ min: 0, max: 2e12, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  const text = fc.string({ unit: "binary" });
  const row: fc.Arbitrary<RecordingRow> = fc.oneof(
    fc.record({ t, url: text }),
    fc.record({ t, text }),
    fc.record({ t, http: text, text }),
  );
  fc.assert(fc.property(fc.array(row), (rows) => {
    assertEquals(parseRecording(rows.map(formatRow).join("")).rows, rows);
  }));
});

test("a writer notes the time of each row", () => {
  const clock = new ManualClock(1633998511159);
  let file = "";
  const writer = new RecordingWriter((line) => void (file += line), clock);
  writer.url("wss://stream.binance.com:9443/ws");
  clock.advance(5);
  writer.text("a\nb");
  clock.advance(1);
  writer.http("https://api.binance.com/api/v3/time", "{}");
  assertEquals(parseRecording(file).rows, [
    { t: 1633998511159, url: "wss://stream.binance.com:9443/ws" },
    { t: 1633998511164, text: "a\nb" },
    { t: 1633998511165, http: "https://api.binance.com/api/v3/time", text: "{}" },
  ]);
});

test("at max, streams subscribed together keep the recorded order, and the connection then stays open", async () => {
  const texts = Array.from({ length: 300 }, (_, n) => wrapped(`${"abc"[n % 3]}usdt@trade`, `{"n":${n}}`));
  await using exchange = await startLocalExchange({ replay: recordingOf(...texts), speed: "max" });
  await using client = await Client.open(exchange, "/stream?streams=busdt@trade/ausdt@trade");
  const expected = texts.filter((_, n) => n % 3 !== 2);
  assertEquals(await client.take(expected.length), expected);
  assertEquals(
    await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}'),
    '{"result":["busdt@trade","ausdt@trade"],"id":1}',
    "no message more, and answers still come",
  );
});

test("at max, a stream starts with its first row whenever it is subscribed, on each connection", async () => {
  const texts = Array.from({ length: 40 }, (_, n) => wrapped(`${"ab"[n % 2]}usdt@trade`, `{"n":${n}}`));
  await using exchange = await startLocalExchange({ replay: recordingOf(...texts), speed: "max" });
  const [ofA, ofB] = [0, 1].map((rest) => texts.filter((_, n) => n % 2 === rest)) as [string[], string[]];
  for (const _ of ["first connection", "second connection"]) {
    await using client = await Client.open(exchange, "/stream?streams=ausdt@trade");
    assertEquals(await client.take(20), ofA);
    assertEquals(await client.ask('{"method":"SUBSCRIBE","params":["busdt@trade"],"id":1}'), '{"result":null,"id":1}');
    assertEquals(await client.take(20), ofB);
    assertEquals(
      await client.ask('{"method":"UNSUBSCRIBE","params":["ausdt@trade"],"id":2}'),
      '{"result":null,"id":2}',
    );
    assertEquals(await client.ask('{"method":"SUBSCRIBE","params":["ausdt@trade"],"id":3}'), '{"result":null,"id":3}');
    assertEquals(await client.take(20), ofA);
  }
});

test("combined connections get the recorded text, raw ones the inner data, both byte for byte", async () => {
  const data = [
    '{ "price" : 1.50,"big":12345678901234567890 ,"e\\u0301":"é€\\n" }',
    '[1, {"data":"x"}]',
    '"text"',
    "null",
  ];
  const texts = [
    ...data.map((inner) => wrapped("ausdt@trade", inner)),
    `{"data" : ${data[0]} ,\n "x":{"data":1}, "stream":"ausdt\\u0040trade"}`,
    wrapped("ausdt@trade", `{"long":"${"€x".repeat(50_000)}"}`),
  ];
  await using exchange = await startLocalExchange({ replay: recordingOf(...texts), speed: "max" });
  await using combined = await Client.open(exchange, "/stream?streams=ausdt@trade");
  assertEquals(await combined.take(texts.length), texts);
  await using raw = await Client.open(exchange, "/ws/ausdt@trade");
  assertEquals(await raw.take(texts.length), [...data, data[0]!, `{"long":"${"€x".repeat(50_000)}"}`]);
});

test("rows that belong to no stream are not served", async () => {
  const replay: Recording = {
    rows: [
      { t: 1, url: "wss://stream.binance.com:9443/stream?streams=ausdt@trade" },
      { t: 2, text: '{"result":null,"id":1}' },
      { t: 3, text: '{"stream":"ausdt@trade"}' },
      { t: 4, text: '{"e":"trade","data":1}' },
      { t: 5, text: "no JSON" },
      { t: 6, http: "https://api.binance.com/x", text: wrapped("ausdt@trade", "6") },
      { t: 7, text: wrapped("ausdt@trade", "7") },
    ],
  };
  await using exchange = await startLocalExchange({ replay, speed: "max" });
  await using client = await Client.open(exchange, "/stream?streams=ausdt@trade");
  assertEquals(await client.next(), wrapped("ausdt@trade", "7"));
  await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}');
  assertEquals([client.received.length, exchange.messagesSent], [2, 1]);
});

test("at a factor, rows come at their times since the connection's first subscription", async () => {
  const clock = new ManualClock();
  const texts = Array.from({ length: 10 }, (_, n) => wrapped(`${"ab"[n % 2]}usdt@trade`, `{"n":${n}}`));
  await using exchange = await startLocalExchange({ replay: recordingOf(...texts), speed: 2, clock });
  await using client = await Client.open(exchange, "/stream");
  clock.advance(60_000);
  await client.ask('{"method":"SUBSCRIBE","params":["ausdt@trade"],"id":1}');
  clock.advance(49);
  assertEquals(await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":2}'), '{"result":["ausdt@trade"],"id":2}');
  clock.advance(1);
  assertEquals(await client.next(), texts[0], "row 0 was recorded after 100 ms and comes after 50");
  clock.advance(99);
  assertEquals(await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":3}'), '{"result":["ausdt@trade"],"id":3}');
  clock.advance(1);
  assertEquals(await client.next(), texts[2]);
  await client.ask('{"method":"SUBSCRIBE","params":["busdt@trade"],"id":4}');
  clock.advance(10_000);
  assertEquals(await client.take(7), texts.slice(3), "a later stream gets the rows from now on");
  await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":5}');
  assertEquals(exchange.messagesSent, 9);
});

/** Real sessions lie beside the repository and are never copied into it. */
const folder = process.env.RAWTICK_RECORDINGS ?? fileURLToPath(new URL("../../shared/recordings", import.meta.url));

for (const name of ["spot", "us", "usdm_futures"]) {
  const file = `${folder}/${name}.ndjson`;
  const reason = !existsSync(file) && "the real session is missing: set RAWTICK_RECORDINGS to the folder that has it";
  test(`the real session ${name} arrives byte for byte, in order, combined and raw`, { skip: reason }, async () => {
    const replay = parseRecording(readFileSync(file, "utf8"));
    const texts = replay.rows.flatMap((row) => "text" in row && !("http" in row) ? [row.text] : []);
    const streams = [...new Set(texts.map((text) => String(JSON.parse(text).stream)))].join("/");
    assert(texts.length > 200);
    await using exchange = await startLocalExchange({ replay, speed: "max" });
    await using combined = await Client.open(exchange, `/stream?streams=${streams}`);
    assertEquals(await combined.take(texts.length), texts);
    await using raw = await Client.open(exchange, `/ws/${streams}`);
    const inner = texts.map((text) => text.slice(text.indexOf('"data":') + '"data":'.length, -1));
    assertEquals(await raw.take(texts.length), inner);
    await raw.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}');
    assertEquals(exchange.messagesSent, 2 * texts.length);
  });
}
