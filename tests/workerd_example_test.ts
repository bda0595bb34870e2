/**
 * The example for Cloudflare, as it is, in the real workerd against the local exchange.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { startLocalExchange } from "@rawtick/binance/testing";
import { formats, pushTrades, TapClient, untilSubscribed } from "./tap_support.ts";
import { until } from "./support.ts";
import { connectEach } from "./workerd/tap.ts";
import { inWorkerd, workerdBinary } from "./workerd/workerd.ts";

const noWorkerd = workerdBinary() === undefined
  ? "the npm package workerd has no binary that runs on this platform"
  : false;

const TRADES = "btcusdt@trade";

test("the example for Cloudflare serves all formats from one connection, survives a cut, and wants its token", {
  skip: noWorkerd,
  timeout: 60_000,
}, async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  await inWorkerd({
    entry: new URL("../examples/cloudflare_worker_tap.ts", import.meta.url),
    bindings: { UPSTREAM_URL: exchange.url, TOKEN: "secret" },
    durableObjects: { TAP: "MarketTap" },
  }, async ({ port }) => {
    for (const { status } of await connectEach(port, `?streams=${TRADES}`)) assertEquals(status, 401);
    assertEquals(exchange.totalConnections, 0);
    // Pages can't set headers, others can.
    const clients = await connectEach(port, `?streams=${TRADES}&access_token=secret`);
    using other = new TapClient(port, `?streams=ethusdt@trade`, { headers: { authorization: "Bearer secret" } });
    await untilSubscribed({ exchange }, TRADES, "ethusdt@trade");
    await until(() => other.head !== "", "an answer");
    assertEquals([...clients, other].map(({ status }) => status), [200, 200, 101, 200]);
    pushTrades(exchange, 1, 3);
    for (const client of clients) await client.untilMessages(3);
    assertEquals([exchange.connections, exchange.totalConnections], [1, 1]);

    exchange.killConnections();
    for (const client of clients) await client.untilEvent("signal", "DISCONNECT");
    await untilSubscribed({ exchange }, TRADES, "ethusdt@trade");
    pushTrades(exchange, 6, 2);
    pushTrades(exchange, 1, 1, "ethusdt");
    for (const [index, client] of clients.entries()) {
      await client.untilMessages(5);
      assertEquals(client.trades, [1, 2, 3, 6, 7], formats[index]);
      assertEquals((await client.untilEvent("signal", "GAP")).data.missed, 2);
    }
    await other.untilMessages(1);
    assert(/^access-control-allow-origin: \*\r?$/mi.test(other.head), other.head);
    for (const client of clients) client[Symbol.dispose]();
  });
});
