/**
 * Reads what the page of examples/browser shows.
 *
 * @module
 */

import type { Page } from "puppeteer-core";

/** Longest time in ms that a server may take to start, and the page to show something. */
export const PATIENCE_MS = 15_000;

/** What the page shows. */
export interface Shown {
  readonly connection: string;
  readonly upstream: string;
  readonly price: string;
  readonly title: string;
  readonly spread: string;
  /** Texts of the cells, from top to bottom. */
  readonly asks: readonly (readonly string[])[];
  readonly bids: readonly (readonly string[])[];
  /** Number and price of each, from top to bottom. */
  readonly trades: readonly (readonly [id: number, price: string])[];
  readonly connects: string;
  readonly dropped: string;
  readonly missed: string;
  readonly lastEventId: string;
  /** Lines without their times, the newest first. */
  readonly log: readonly string[];
}

/** Runs in the page. */
const READ = `(() => {
  const element = (id) => document.getElementById(id);
  const text = (id) => element(id).textContent;
  const rows = (id) => [...element(id).rows].map(({ cells }) => [...cells].map(({ textContent }) => textContent));
  return JSON.stringify({
    connection: element("connection").dataset.state,
    upstream: element("upstream").dataset.state,
    price: text("price"),
    title: document.title,
    spread: text("spread"),
    asks: rows("asks"),
    bids: rows("bids"),
    trades: [...element("trades").rows]
      .filter((row) => row.dataset.trade)
      .map((row) => [Number(row.dataset.trade), row.cells[0].textContent]),
    connects: text("connects"),
    dropped: text("dropped"),
    missed: text("missed"),
    lastEventId: text("last-event-id"),
    log: [...element("log").children].map(({ lastChild }) => lastChild.textContent),
  });
})()`;

/** Reads what the page shows until that is as expected; fails with all of it if it is not in time. */
export async function untilShown(page: Page, what: string, isSo: (shown: Shown) => boolean): Promise<Shown> {
  const end = performance.now() + PATIENCE_MS;
  while (true) {
    // The cast: it is what the script above writes.
    const shown = JSON.parse(String(await page.evaluate(READ))) as Shown;
    if (isSo(shown)) return shown;
    if (performance.now() > end) throw new Error(`The page does not show ${what}, but ${JSON.stringify(shown)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
