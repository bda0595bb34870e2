/**
 * What the types of `createStream` let through: `deno check` is the test, as in `api_types_test.ts`. Running it only sees that
 * the options are accepted.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type ApiStream, BinanceWebSocketApiManager, createSigner, type UserDataStream } from "@rawtick/binance";

/** Whether two types are the same, `any` and `unknown` told apart from everything else. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles for `true` only. */
const isTrue = <T extends true>(value: T): T => value;

const signer = createSigner({ apiKey: "key", apiSecret: "secret" });
const addresses = {
  websocketBaseUrl: "ws://127.0.0.1:1",
  websocketApiBaseUrl: "ws://127.0.0.1:1",
  restBaseUrl: "http://127.0.0.1:1",
  signer,
};

test("an inline onData knows what it takes, whatever kind of stream it is for", async () => {
  await using manager = new BinanceWebSocketApiManager(addresses);
  const events = manager.createStream({
    userData: true,
    output: "typed",
    onData: ({ stream, data }, source) => {
      isTrue<Same<typeof stream, string>>(true);
      isTrue<Same<typeof source, UserDataStream<"typed">>>(true);
      if (data.e === "executionReport") isTrue<Same<typeof data.s, string>>(true);
      // @ts-expect-error there is no such field
      console.log(data.nothing);
    },
  });
  isTrue<Same<typeof events, UserDataStream<"typed">>>(true);
  manager.createStream({ userData: { signer }, onData: (text) => isTrue<Same<typeof text, string>>(true) });
  manager.createStream({ userData: true, output: "normalized", onData: (event) => console.log(event.stream) });
  const api = manager.createStream({ api: true, signer });
  isTrue<Same<typeof api, ApiStream>>(true);
  const trades = manager.createStream({
    streams: ["btcusdt@trade"],
    output: "typed",
    onData: ({ data }) => isTrue<Same<typeof data.p, string>>(true),
  });
  assertEquals([manager.userDataStreams.length, manager.apiStreams.length, manager.streams], [3, 1, [trades]]);
});

test("an inline onData takes the manager's output, if the stream has none of its own", async () => {
  await using manager = new BinanceWebSocketApiManager({ ...addresses, output: "typed" });
  const events = manager.createStream({
    userData: true,
    onData: ({ data }) => void (data.e === "balanceUpdate" && isTrue<Same<typeof data.d, string>>(true)),
  });
  isTrue<Same<typeof events, UserDataStream<"typed">>>(true);
  manager.createStream({ streams: "btcusdt@trade", onData: ({ data }) => isTrue<Same<typeof data.p, string>>(true) });
  assertEquals(events.state, "starting");
});
