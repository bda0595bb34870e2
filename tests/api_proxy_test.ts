/**
 * Requests, account events and listen keys go through the manager's proxy, and nothing goes around it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { BinanceWebSocketApiManager, createSigner } from "@rawtick/binance";
import { startLocalExchange, startLocalProxy } from "@rawtick/binance/testing";
import { HMAC_KEY } from "./api_clients.ts";
import { testEachLibrary, until } from "./support.ts";

testEachLibrary("requests of the WebSocket API go through the proxy, over one tunnel", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  await using proxy = await startLocalProxy({ scheme: "socks5", username: "user", password: "secret" });
  exchange.account(HMAC_KEY);
  await using manager = new BinanceWebSocketApiManager({
    websocketLibrary: library,
    websocketApiBaseUrl: exchange.url,
    proxy: proxy.url,
    signer: createSigner(HMAC_KEY),
  });
  await manager.createStream({ api: true }).ready;
  const { serverTime } = await manager.api.spot.time();
  await manager.api.spot.accountStatus();
  assert(serverTime > 0);
  assertEquals([proxy.tunnels, exchange.totalConnections], [1, 1]);
});

testEachLibrary("a futures account's listen key and its stream go through the proxy", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  await using proxy = await startLocalProxy({ scheme: "http", username: "user", password: "secret" });
  const account = exchange.account(HMAC_KEY);
  await using manager = new BinanceWebSocketApiManager({
    exchange: "binance.com-futures",
    websocketLibrary: library,
    websocketBaseUrl: exchange.url,
    websocketApiBaseUrl: exchange.url,
    restBaseUrl: exchange.restUrl,
    proxy: proxy.url,
    signer: createSigner(HMAC_KEY),
  });
  const events: string[] = [];
  const stream = manager.createStream({ userData: true, onData: (text: string) => void events.push(text) });
  await stream.ready;
  const rest = exchange.api.restRequests.length;
  assert(rest > 0);
  // Each REST request and the stream have a tunnel of their own.
  assertEquals(proxy.tunnels, rest + 1);
  account.sendEvent({ e: "ACCOUNT_CONFIG_UPDATE", E: 1, T: 1, ac: { s: "BTCUSDT", l: 25 } }, "usdm");
  await until(() => events.length === 1, "the event");
});
