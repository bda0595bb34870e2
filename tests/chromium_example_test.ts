/**
 * The page of examples/browser in a real Chromium, served as a user does it: what it shows, and what it survives.
 *
 * @module
 */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "puppeteer-core";
import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import { type Chromium, chromiumBinary, inChromium } from "./chromium/browser.ts";
import { PATIENCE_MS, untilShown } from "./chromium/example_page.ts";
import { Command } from "./command.ts";
import { startCuttingRelay } from "./cutting_relay.ts";

const skip = chromiumBinary() === undefined
  ? "no Chromium is installed: Debian's package is chromium, another one's path goes into CHROMIUM"
  : false;
const timeout = 60_000;

const BOOK = "btcusdt@depth20@100ms";
const TRADES = "btcusdt@trade";

/** A trade's price, which no other has. */
function priceOf(id: number): string {
  return (50_000 + id / 100).toFixed(2);
}

/** The same as the page writes it. */
function shownPrice(id: number): string {
  return priceOf(id).replace(/^(..)/, "$1,");
}

/** A tap's upstream that sends what the test says. */
class Market {
  readonly exchange: LocalExchange;
  #last = 0;

  constructor(exchange: LocalExchange) {
    this.exchange = exchange;
  }

  /** Numbers of the trades that were pushed, the newest first, and what the page shows of their prices. */
  trades(first = 1): [id: number, price: string][] {
    return Array.from({ length: this.#last - first + 1 }, (_, index) => {
      const id = this.#last - index;
      return [id, shownPrice(id)];
    });
  }

  /** Pushes the next trades. */
  trade(count: number): void {
    for (let n = 0; n < count; n++) {
      const t = ++this.#last;
      const time = 1672515782136 + t;
      const [p, m] = [priceOf(t), t % 2 === 0];
      this.exchange.push(TRADES, { e: "trade", E: time, s: "BTCUSDT", t, p, q: "0.5", T: time, m, M: true });
    }
  }

  /** The exchange counts on while nobody listens. */
  skip(count: number): void {
    this.#last += count;
  }

  /** Pushes a book with this best bid, and the best ask 0.25 above. */
  book(bid: number): void {
    const side = (best: number, step: number) =>
      Array.from({ length: 20 }, (_, level) => [(best + level * step).toFixed(8), (level + 1).toFixed(8)]);
    this.exchange.push(BOOK, { lastUpdateId: bid, bids: side(bid, -1), asks: side(bid + 0.25, 1) });
  }

  /** Waits until the tap listens; its waits between attempts to connect grow quickly. */
  untilTapped(): Promise<void> {
    const isTapped = () => this.exchange.openConnections.some(({ streams }) => streams.includes(TRADES));
    return this.exchange.waitFor(isTapped, PATIENCE_MS);
  }
}

/** Starts the example's server as a user does. */
async function startServer({ exchange }: Market, port: number): Promise<Command> {
  const env = { UPSTREAM_URL: exchange.url, PORT: `${port}` };
  const command = new Command("examples/browser/server.ts", [], undefined, env);
  await command.untilLines(1, PATIENCE_MS);
  assertEquals(command.lines, [`http://127.0.0.1:${port}/`]);
  return command;
}

/** A server that is unwell, as a proxy before a dead one is; with port 0, at a free one. */
async function serveUnavailable(port: number): Promise<AsyncDisposable & { readonly port: number; answers(): number }> {
  let answers = 0;
  const server = createServer((_, response) => {
    answers++;
    response.writeHead(503, { "connection": "close" }).end("Unavailable\n");
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port, // the cast: a listening TCP server has an address with a port
    answers: () => answers,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port where nobody listens just now. */
async function freePort(): Promise<number> {
  await using server = await serveUnavailable(0);
  return server.port;
}

/** What Chromium has complained about, except for connections that were lost or refused, or the status of `allowed`. */
function complaints({ errors }: Chromium, allowed = "none"): string[] {
  return errors.filter((text) =>
    !/^Failed to load resource: (net::ERR_|the server responded with a status of )/.test(text) ||
    text.includes("status of") && !text.includes(`status of ${allowed} `)
  );
}

/** Opens the page before there is anything to show, and then shows it a book and trades. */
async function openLive(chromium: Chromium, market: Market, port: number): Promise<Page> {
  const page = await chromium.open(`http://127.0.0.1:${port}/`);
  await market.untilTapped();
  await untilShown(page, "that it is live", ({ connection }) => connection === "live");
  market.book(50_000);
  market.trade(3);
  return page;
}

test(
  "the example's page shows the book and the trades of the tap, goes on behind a cut, and says what the exchange does",
  {
    skip,
    timeout,
  },
  async () => {
    await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
    const market = new Market(exchange);
    const port = await freePort();
    using _server = await startServer(market, port);
    await using relay = await startCuttingRelay(port);
    await inChromium(async (chromium) => {
      const page = await openLive(chromium, market, relay.port);
      const first = await untilShown(
        page,
        "a book and trades",
        ({ trades, price, asks, lastEventId }) =>
          trades.length === 3 && price !== "–" && asks.at(-1)?.[0] !== "" && lastEventId !== "–",
      );
      assertEquals(first.trades, [[3, "50,000.03"], [2, "50,000.02"], [1, "50,000.01"]]);
      assertEquals([first.price, first.title], ["50,000.03", "50,000.03 BTC/USDT"]);
      assertEquals([first.asks.length, first.bids.length, first.spread], [20, 20, "0.25"]);
      assertEquals([first.asks.at(-1), first.bids[0]], [["50,000.25", "1.00000", "1.00000"], [
        "50,000.00",
        "1.00000",
        "1.00000",
      ]]);
      assertEquals([first.asks[0], first.bids.at(-1)], [["50,019.25", "20.00000", "210.00000"], [
        "49,981.00",
        "20.00000",
        "210.00000",
      ]]);
      assertEquals([first.upstream, first.connects, first.missed], ["connected", "1", "0"]);
      assertMatch(first.lastEventId, /^[0-9a-f]{8}-\d+$/);

      // What happens while it is away comes once it is back.
      relay.cut();
      const cut = await untilShown(page, "the cut", ({ connection }) => connection === "reconnecting");
      assertEquals(cut.upstream, "unknown");
      market.trade(10);
      market.book(50_100);
      const back = await untilShown(
        page,
        "that it goes on",
        (shown) => shown.trades.length === 13 && shown.bids[0]?.[0] === "50,100.00" && shown.connects === "2",
      );
      assertEquals(back.trades, market.trades());
      assertEquals([back.connection, back.upstream], ["live", "connected"]);
      assertEquals([back.dropped, back.missed], ["0", "0"]);
      assertEquals(back.lastEventId.split("-")[0], first.lastEventId.split("-")[0]);
      assertEquals(exchange.totalHandshakes, 1);
      assertEquals(back.log.toReversed().slice(-2), ["connection to the tap lost", "connected to the tap again"]);

      await exchange.acceptConnections(false);
      exchange.killConnections();
      const lost = await untilShown(page, "that the exchange is lost", ({ upstream }) => upstream === "lost");
      assertEquals([lost.connection, lost.log[0]], ["live", "connection to the exchange lost"]);
      const newcomer = await chromium.open(`http://127.0.0.1:${port}/`);
      await untilShown(newcomer, "that the exchange is lost", ({ upstream }) => upstream === "lost");
      await newcomer.close();
      await page.bringToFront();
      market.skip(2);
      await exchange.acceptConnections(true);
      await market.untilTapped();
      market.trade(1);
      const mended = await untilShown(page, "that the exchange is back", ({ missed }) => missed !== "0");
      assertEquals([mended.upstream, mended.missed, mended.dropped], ["connected", "2", "0"]);
      assertEquals(mended.trades[0], market.trades()[0]);
      assertEquals(mended.log.slice(0, 2), ["the exchange's btcusdt@trade: 2 missed", "connected to the exchange"]);
      assertEquals(complaints(chromium), []);
    });
  },
);

test(
  "the example's page survives that its server is killed, and what answers in its place; it says that events are lost",
  {
    skip,
    timeout,
  },
  async () => {
    await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
    const market = new Market(exchange);
    const port = await freePort();
    await inChromium(async (chromium) => {
      let page: Page;
      {
        using server = await startServer(market, port);
        page = await openLive(chromium, market, port);
        await untilShown(page, "trades", ({ trades }) => trades.length === 3);
        server.kill("SIGKILL");
        await server.ended;
      }
      await untilShown(page, "that the connection is lost", ({ connection }) => connection === "reconnecting");
      {
        await using unavailable = await serveUnavailable(port);
        await untilShown(page, "that there is no answer", ({ connection }) => connection === "waiting");
        await untilShown(page, "that it tries again", () => unavailable.answers() >= 2);
      }
      market.skip(4);
      using _server = await startServer(market, port);
      await untilShown(page, "that it is live", ({ connection }) => connection === "live");
      await market.untilTapped();
      market.book(50_200);
      market.trade(2);
      const shown = await untilShown(
        page,
        "what is new",
        ({ trades, bids, missed }) => trades.length === 5 && bids[0]?.[0] === "50,200.00" && missed !== "0",
      );
      assertEquals(shown.trades, [...market.trades(8), ...market.trades().slice(-3)]);
      assertEquals([shown.upstream, shown.connects, shown.dropped, shown.missed], ["connected", "2", "unknown", "4"]);
      assert(shown.log.includes("events dropped, nobody knows how many"), shown.log.join("\n"));
      assertEquals(complaints(chromium, "503"), []);
    });
  },
);

test("the example's page runs no script and loads nothing but its own", { skip, timeout }, async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const market = new Market(exchange);
  const port = await freePort();
  using _server = await startServer(market, port);
  await inChromium(async (chromium) => {
    const page = await openLive(chromium, market, port);
    await untilShown(page, "trades", ({ trades }) => trades.length === 3);
    assertEquals(complaints(chromium), []);
    await page.evaluate(`(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'injected'";
      document.body.append(script);
      const image = document.createElement("img");
      image.src = "http://127.0.0.1:1/";
      document.body.append(image);
    })()`);
    assertEquals(await page.evaluate(`fetch("http://127.0.0.1:1/").catch(({ name }) => name)`), "TypeError");
    const broken = complaints(chromium);
    for (const directive of ["script-src", "img-src", "connect-src"]) {
      assert(broken.some((text) => text.includes("Content Security Policy") && text.includes(directive)), `${broken}`);
    }
    assertEquals(await page.title(), "50,000.03 BTC/USDT");
  });
});
