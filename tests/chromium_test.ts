/**
 * The edge door in a real browser: a page with a manager, against the local exchange.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { startLocalExchange } from "@rawtick/binance/testing";
import { chromiumBinary, inChromium } from "./chromium/browser.ts";
import type { PageState } from "./chromium/manager_page.ts";
import { servePage } from "./chromium/page_server.ts";
import { bundle } from "../tools/bundle.ts";
import { trade } from "./support.ts";

const noChromium = chromiumBinary() === undefined
  ? "no Chromium is installed: Debian's package is chromium, another one's path goes into CHROMIUM"
  : false;

test("a manager of ./edge in a page in Chromium survives a cut", { skip: noChromium, timeout: 60_000 }, async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  await using pages = await servePage(
    bundle(new URL("./chromium/manager_page.ts", import.meta.url), { format: "iife" }),
  );
  await inChromium(async (chromium) => {
    const page = await chromium.open(`${pages.url}/?stream=btcusdt@trade&exchange=${encodeURIComponent(exchange.url)}`);
    const texts: string[] = [];
    /** Pushes a trade on the connection with this number, and takes what the page has once it has that many messages. */
    const deliver = async (id: number, connection: number): Promise<PageState> => {
      await exchange.waitFor(() =>
        exchange.openConnections.some((one) => one.id === connection && one.streams.length === 1)
      );
      const { stream, text } = trade(id);
      assertEquals(exchange.push(stream, JSON.parse(text).data), 1);
      texts.push(text);
      await page.waitForFunction(`state.messages.length >= ${texts.length}`);
      return JSON.parse(String(await page.evaluate("JSON.stringify(state)")));
    };

    const { messages, refusal } = await deliver(1, 0);
    assertEquals(messages, texts);
    assertStringIncludes(refusal, "raw sockets are not part of");

    exchange.killConnections();
    const afterCut = await deliver(2, 1);
    assertEquals(afterCut.messages, texts);
    assertEquals(afterCut.signals, ["CONNECT", "FIRST_RECEIVED_DATA", "DISCONNECT", "CONNECT"]);

    // The browser shows neither status nor reason of a refused handshake: it is tried again all the same.
    exchange.refuseConnections(503);
    exchange.killConnections();
    await exchange.waitFor(() => exchange.refusedHandshakes > 0);
    exchange.refuseConnections(undefined);
    assertEquals((await deliver(3, 2)).messages, texts);

    await page.close();
    await exchange.waitForConnections(0);
    assertEquals(chromium.errors.filter((text) => !text.includes("Unexpected response code: 503")), []);
  });
});
