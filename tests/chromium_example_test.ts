/**
 * The page of `examples/browser` in a real Chromium: what it shows, and what it survives.
 *
 * @module
 */

/// <reference lib="dom" />

import { createServer } from "node:http";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import type { Page } from "puppeteer-core";
import { chromiumBinary, inChromium } from "./chromium/browser.ts";
import { Command } from "./command.ts";
import { startCuttingRelay } from "./cutting_relay.ts";
import { pushTrades } from "./tap_support.ts";
import { range, until } from "./support.ts";

const noChromium = chromiumBinary() === undefined
  ? "no Chromium is installed: Debian's package is chromium, another one's path goes into CHROMIUM"
  : false;
const BOOK = "btcusdt@depth20@100ms";
const TRADES = "btcusdt@trade";

/** What the page shows. */
interface Shown {
  readonly connection: string;
  readonly upstream: string;
  readonly bids: readonly string[];
  readonly asks: readonly string[];
  /** Rows of trades, the newest first. */
  readonly trades: readonly string[];
  readonly dropped: string;
  readonly missed: string;
  readonly connects: string;
}

function shown(page: Page): Promise<Shown> {
  return page.evaluate(() => {
    const element = (id: string) => {
      const found = document.getElementById(id);
      if (found === null) throw new Error(`There is no #${id}`);
      return found;
    };
    const rows = (id: string) =>
      [...element(id).querySelectorAll("tr")].map((row) =>
        [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim()).join(" ")
      );
    return {
      connection: element("connection").dataset.state ?? "",
      upstream: element("upstream").dataset.state ?? "",
      bids: rows("bids"),
      asks: rows("asks"),
      // Rows that wait for a trade have no digits.
      trades: rows("trades").filter((row) => /\d/.test(row)),
      dropped: element("dropped").textContent ?? "",
      missed: element("missed").textContent ?? "",
      connects: element("connects").textContent ?? "",
    };
  });
}

/** Waits until the page shows what is meant. */
async function untilShown(page: Page, isIt: (shown: Shown) => boolean, what: string): Promise<Shown> {
  const end = performance.now() + 15_000;
  let last = await shown(page);
  while (!isIt(last)) {
    if (performance.now() > end) throw new Error(`The page does not show ${what}: ${JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    last = await shown(page);
  }
  return last;
}

/** A book whose best bid and ask are known. */
function book(lastUpdateId: number, bid: number): object {
  const side = (step: number) =>
    range(0, 19).map((level) => [(bid + (step > 0 ? 1 : 0) + step * level).toFixed(2), "1.5"]);
  return { lastUpdateId, bids: side(-1), asks: side(1) };
}

function startServer(port: number, exchange: LocalExchange): Command {
  return new Command("examples/browser/server.ts", [], undefined, { PORT: String(port), UPSTREAM_URL: exchange.url });
}

test("the page of examples/browser shows the tap's data and survives cuts and the tap's restart", {
  skip: noChromium,
  timeout: 90_000,
}, async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  let server = startServer(0, exchange);
  try {
    await server.untilLines(1, 30_000);
    const port = Number(new URL(server.lines[0] ?? "").port);
    await using relay = await startCuttingRelay(port);
    await inChromium(async (chromium) => {
      const page = await chromium.open(`http://127.0.0.1:${relay.port}/`);
      await exchange.waitFor(() => exchange.openConnections[0]?.streams.includes(TRADES) === true);
      exchange.push(BOOK, book(1, 60_000));
      pushTrades(exchange, 1, 5);
      const first = await untilShown(
        page,
        ({ trades }) => trades.length === 5,
        "five trades",
      );
      assertEquals([first.connection, first.upstream], ["live", "connected"]);
      assertEquals([first.bids.length, first.asks.length], [20, 20]);
      const { bids, asks } = await untilShown(page, ({ bids }) => /60,?000\.00/.test(bids[0] ?? ""), "the best bid");
      assert(/60,?001\.00/.test(asks.at(-1) ?? ""), `the best ask: ${asks.at(-1)}`);
      assert(/59,?981\.00/.test(bids.at(-1) ?? ""), `the last bid: ${bids.at(-1)}`);

      // The connection between page and tap is lost while trades go on: none is missed.
      relay.cut();
      pushTrades(exchange, 6, 5);
      const resumed = await untilShown(page, ({ connects }) => connects === "2", "the second connection");
      assertEquals(resumed.connection, "live");
      pushTrades(exchange, 11, 5);
      await untilShown(page, ({ trades }) => trades.length === 15, "all trades");
      assertEquals((await shown(page)).missed, "0");

      // The tap's own connection is lost.
      exchange.killConnections();
      await untilShown(page, ({ upstream }) => upstream === "connected", "that the exchange is back");
      await exchange.waitFor(() => exchange.openConnections[0]?.streams.includes(TRADES) === true);
      pushTrades(exchange, 18, 1);
      await untilShown(page, ({ missed }) => missed === "2", "two trades that nobody has");

      // The tap is killed. Somebody else answers 503 for a while, after which an EventSource gives up; then it is back.
      server.kill("SIGKILL");
      await server.ended;
      relay.cut();
      const refusing = createServer((_, response) => response.writeHead(503).end());
      await new Promise<void>((resolve) => refusing.listen(port, "127.0.0.1", resolve));
      await untilShown(page, ({ connection }) => connection === "waiting", "that it waits");
      refusing.closeAllConnections();
      await new Promise((resolve) => refusing.close(resolve));
      server = startServer(port, exchange);
      await server.untilLines(1, 30_000);
      await untilShown(page, ({ connection }) => connection === "live", "that it is live again");
      await exchange.waitFor(() => exchange.openConnections[0]?.streams.includes(TRADES) === true);
      pushTrades(exchange, 30, 1);
      exchange.push(BOOK, book(2, 61_000));
      await untilShown(page, ({ bids }) => /61,?000\.00/.test(bids[0] ?? ""), "the new book");
      await untilShown(page, ({ dropped }) => dropped.includes("unknown"), "that nobody knows how much was dropped");
      // But for the connections that were lost and the 503, its console is clean.
      assertEquals(chromium.errors.filter((text) => !/net::ERR_|status of 503/.test(text)), []);
    });
    server.kill("SIGTERM");
    assertEquals(await server.ended, 0, server.errors);
  } finally {
    server[Symbol.dispose]();
  }
  await until(() => exchange.connections === 0, "the end of the upstream");
});
