/**
 * A tap as pages in a real Chromium see it: from other origins, after cuts, and after its restart.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "puppeteer-core";
import { BinanceWebSocketApiManager, tap, type TapOptions } from "@rawtick/binance";
import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import { type Chromium, chromiumBinary, inChromium } from "./chromium/browser.ts";
import { type PageServer, servePage } from "./chromium/page_server.ts";
import type { PageEvent } from "./chromium/tap_page.ts";
import { startCuttingRelay } from "./cutting_relay.ts";
import { bundle } from "../tools/bundle.ts";
import { pushTrades, serve, startTap, untilSubscribed, upgradeOptions } from "./tap_support.ts";
import { range, trade, until } from "./support.ts";

const noChromium = chromiumBinary() === undefined
  ? "no Chromium is installed: Debian's package is chromium, another one's path goes into CHROMIUM"
  : false;
const timeout = 60_000;

const TRADES = "btcusdt@trade";

/** Serves the page; each server is an origin of its own, and none is the tap's. */
function startPages(): Promise<PageServer> {
  return servePage(bundle(new URL("./chromium/tap_page.ts", import.meta.url), { format: "iife" }));
}

/** What a call or a member of the page's `tapPage` gives. */
async function ask<T>(page: Page, what: string): Promise<T> {
  // The cast: the types of `TapPage`, by way of JSON.
  return JSON.parse(String(await page.evaluate(`(async () => JSON.stringify(await tapPage.${what} ?? null))()`))) as T;
}

/** Waits until the page has so many messages, and gives all that it has got. */
async function eventsOf(page: Page, messages: number): Promise<PageEvent[]> {
  await page.waitForFunction(`tapPage.events.filter(({ name }) => name === "message").length >= ${messages}`);
  return await ask<PageEvent[]>(page, "events");
}

/** Trade ids of the messages. */
function tradesOf(events: readonly PageEvent[]): number[] {
  // The cast: the tests' messages are trades.
  return events.filter(({ name }) => name === "message").map(({ data }) => (data.data as { readonly t: number }).t);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Takes the errors that pages and the browser itself have written since the last time. */
function takeErrors({ errors }: Chromium): string[] {
  return errors.splice(0);
}

test("pages of allowed origins read a tap by EventSource, fetch and WebSocket, with a token; those of others do not", {
  skip: noChromium,
  timeout,
}, async () => {
  await using allowed = await startPages();
  await using other = await startPages();
  await using tapped = await startTap({ streams: TRADES, cors: allowed.url, token: "secret" });
  const query = `?streams=${TRADES}&access_token=secret`;
  const { exchange } = tapped;

  /** What a page gets of a trade that is pushed as soon as `isReady`. */
  const pushed = async <T>(received: Promise<T>, clients: number): Promise<T> => {
    await untilSubscribed(tapped, TRADES);
    await until(() => tapped.market.statistics.clients === clients, "the client");
    pushTrades(exchange, 1, 1);
    return await received;
  };
  await inChromium(async (chromium) => {
    const page = await chromium.open(allowed.url);
    await ask(page, `listen(${quoted(tapped.url + query)})`);
    const [event] = (await pushed(eventsOf(page, 1), 1)).filter(({ name }) => name === "message");
    assertEquals(event?.data, JSON.parse(trade(1).text));
    assertMatch(event?.id ?? "", /^[0-9a-f]{8}-\d+$/);

    // The header makes Chromium ask first whether it may send it.
    const line = await pushed(ask<string>(page, `fetchMessage(${quoted(tapped.url)}, "secret")`), 2);
    assertEquals(JSON.parse(line).data, JSON.parse(trade(1).text).data);
    await until(() => tapped.market.statistics.clients === 1, "the end of the answer that was aborted");
    assertEquals(await ask(page, `fetchMessage(${quoted(tapped.url)}, "wrong")`), "status 401");
    takeErrors(chromium);

    const webSocketUrl = tapped.url.replace("http:", "ws:") + query;
    const text = await pushed(ask<string>(page, `receiveMessage(${quoted(webSocketUrl)})`), 2);
    assertEquals(JSON.parse(text).data, JSON.parse(trade(1).text).data);
    await until(() => tapped.market.statistics.clients === 1, "the end of the WebSocket");
    await page.close();
    await until(() => tapped.market.statistics.clients === 0, "no client");
    assertEquals(takeErrors(chromium), []);

    const foreign = await chromium.open(other.url);
    await ask(foreign, `listen(${quoted(tapped.url + query)})`);
    await foreign.waitForFunction("tapPage.readyState === 2");
    assertEquals(await ask(foreign, "events"), []);
    assertMatch(takeErrors(chromium).join("\n"), /blocked by CORS policy/);
    assertEquals(await ask(foreign, `fetchMessage(${quoted(tapped.url)}, "secret")`), "TypeError: Failed to fetch");
    assertMatch(takeErrors(chromium).join("\n"), /blocked by CORS policy: Response to preflight request/);
    assertEquals(await ask(foreign, `receiveMessage(${quoted(webSocketUrl)})`), "closed with 1006");
    assertMatch(takeErrors(chromium).join("\n"), /Unexpected response code: 403/);
  });
});

test("a page whose connection is cut goes on by itself where it was, without a loss and without a double", {
  skip: noChromium,
  timeout,
}, async () => {
  await using pages = await startPages();
  await using tapped = await startTap({ streams: TRADES, cors: pages.url, retryMs: 100 });
  await using relay = await startCuttingRelay(tapped.port);
  await inChromium(async (chromium) => {
    const page = await chromium.open(pages.url);
    await ask(page, `listen("http://127.0.0.1:${relay.port}/?streams=${TRADES}")`);
    await untilSubscribed(tapped, TRADES);
    let last = 0;
    const push = (count: number) => {
      pushTrades(tapped.exchange, last + 1, count);
      last += count;
    };
    for (let cut = 1; cut <= 5; cut++) {
      push(20);
      // Every other time in the middle of what is on its way.
      if (cut % 2 === 1) await eventsOf(page, last);
      else push(500);
      relay.cut();
      push(20);
      await page.waitForFunction(`tapPage.opened === ${cut + 1}`);
    }
    push(1);
    const events = await eventsOf(page, last);
    assertEquals(tradesOf(events), range(1, last));
    assertEquals(events.filter(({ name }) => name === "dropped"), []);
    const numbers = events.map(({ id }) => Number(id.split("-")[1]));
    assert(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)), `${numbers}`);
    assertEquals(tapped.exchange.totalConnections, 1);
  });
});

/** A tap on a port, which can be there again after its end. */
function serveOn(
  port: number,
  exchange: LocalExchange,
  options: TapOptions,
): AsyncDisposable & { readonly port: number } {
  const manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
  const market = tap(manager, { ...upgradeOptions, ...options });
  const server = serve(market, port);
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      // At the same time: an EventSource that is answered with 503 gives up for ever.
      await Promise.all([market.stop(), server.stop()]);
      await manager.stopManager();
    },
  };
}

test("a page survives a tap's restart: it is told that something may be missing, and goes on", {
  skip: noChromium,
  timeout,
}, async () => {
  await using pages = await startPages();
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const options = { streams: TRADES, cors: pages.url, retryMs: 200 };
  const first = serveOn(0, exchange, options);
  await inChromium(async (chromium) => {
    const page = await chromium.open(pages.url);
    await ask(page, `listen("http://127.0.0.1:${first.port}/?streams=${TRADES}")`);
    await untilSubscribed({ exchange }, TRADES);
    pushTrades(exchange, 1, 3);
    const before = await eventsOf(page, 3);
    await first[Symbol.asyncDispose]();
    await exchange.waitForConnections(0);
    await page.waitForFunction("tapPage.readyState === 0");
    // It also tries in vain: nobody is there.
    await until(() => chromium.errors.some((text) => text.includes("ERR_CONNECTION_REFUSED")), "an attempt in vain");

    await using _second = serveOn(first.port, exchange, options);
    await page.waitForFunction("tapPage.readyState === 1");
    await untilSubscribed({ exchange }, TRADES);
    pushTrades(exchange, 11, 3);
    const after = (await eventsOf(page, 6)).slice(before.length);
    assertEquals(tradesOf(before), [1, 2, 3]);
    assertEquals(tradesOf(after), [11, 12, 13]);
    const [told, ...others] = after.filter(({ name }) => name === "dropped");
    assertEquals([told?.data, others], [{ count: null }, []]);
    assertEquals(after[0], told);
    // Another tap's ids.
    assert(after.at(-1)?.id.split("-")[0] !== before.at(-1)?.id.split("-")[0]);
  });
});
