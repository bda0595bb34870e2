// @ts-check
/// <reference lib="dom" />

/**
 * What the page shows, drawn at most once a frame, in rows that stay. Nothing that was received becomes HTML.
 *
 * @module
 */

const LEVELS = 20;
const TRADES = 41;
const LOG_LINES = 12;

const priceFormat = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 8 });
const amountFormat = new Intl.NumberFormat("en-US", { minimumFractionDigits: 5, maximumFractionDigits: 5 });
const countFormat = new Intl.NumberFormat("en-US");
const timeFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** @param {number} value */
export const price = (value) => priceFormat.format(value);
/** @param {number} value */
export const count = (value) => countFormat.format(value);

/**
 * An element of the page.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}`);
  return found;
}

/**
 * Makes a function that calls `draw` in the next frame, once, however often it is called before.
 *
 * @param {() => void} draw
 * @returns {() => void}
 */
function oncePerFrame(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };
}

/**
 * Adds rows of three cells to a table.
 *
 * @param {string} id
 * @param {number} length
 */
function rowsIn(id, length) {
  const body = element(id);
  return Array.from({ length }, () => {
    const row = document.createElement("tr");
    const cells = Array.from({ length: 3 }, () => row.appendChild(document.createElement("td")));
    body.append(row);
    return { row, cells };
  });
}

/**
 * @param {ReturnType<typeof rowsIn>[number] | undefined} row
 * @param {readonly string[]} texts
 */
function fill(row, texts) {
  row?.cells.forEach((cell, index) => cell.textContent = texts[index] ?? "");
}

/** The order book, from a partial depth: each message has all of it. */
export class BookView {
  #asks = rowsIn("asks", LEVELS).reverse(); // the best one stands next to the spread
  #bids = rowsIn("bids", LEVELS);
  /** @type {{ asks: [string, string][], bids: [string, string][] }} */
  #book = { asks: [], bids: [] };
  #draw = oncePerFrame(() => {
    const { asks, bids } = this.#book;
    const total = Math.max(...[asks, bids].map((side) => side.reduce((sum, [, amount]) => sum + Number(amount), 0)));
    this.#drawSide(this.#asks, asks, total);
    this.#drawSide(this.#bids, bids, total);
    const ask = Number(asks[0]?.[0]);
    const bid = Number(bids[0]?.[0]);
    if (Number.isNaN(ask - bid)) return;
    element("spread").textContent = price(ask - bid);
    element("spread-share").textContent = `${((ask - bid) / ask * 10_000).toFixed(3)} bp`;
  });

  /** @param {{ asks: [string, string][], bids: [string, string][] }} book */
  show(book) {
    this.#book = book;
    this.#draw();
  }

  /**
   * @param {ReturnType<typeof rowsIn>} rows
   * @param {[string, string][]} levels
   * @param {number} total What the longest bar stands for.
   */
  #drawSide(rows, levels, total) {
    let sum = 0;
    rows.forEach((row, index) => {
      const level = levels[index];
      sum += Number(level?.[1] ?? 0);
      const texts = level === undefined
        ? []
        : [price(Number(level[0])), amountFormat.format(Number(level[1])), amountFormat.format(sum)];
      fill(row, texts);
      row.row.style.setProperty("--share", level === undefined ? "0%" : `${(sum / total * 100).toFixed(1)}%`);
    });
  }
}

/** The last trades, the newest on top. */
export class TradesView {
  #rows = rowsIn("trades", TRADES);
  /** @type {{ t: number, p: string, q: string, T: number, m: boolean }[]} */
  #trades = [];
  #draw = oncePerFrame(() => {
    this.#trades.forEach(({ t, p, q, T, m }, index) => {
      const row = this.#rows[index];
      fill(row, [price(Number(p)), amountFormat.format(Number(q)), timeFormat.format(T)]);
      row?.row.setAttribute("data-side", sideOf(m));
      row?.row.setAttribute("data-trade", String(t));
    });
    const [newest] = this.#trades;
    if (newest === undefined) return;
    element("price").textContent = price(Number(newest.p));
    element("price").dataset.side = sideOf(newest.m);
  });

  /** @param {{ t: number, p: string, q: string, T: number, m: boolean }} trade */
  show(trade) {
    this.#trades.unshift(trade);
    if (this.#trades.length > TRADES) this.#trades.pop();
    this.#draw();
    // Not with the next frame: a page in the background has none, and there the title is all that one sees.
    document.title = `${price(Number(trade.p))} BTC/USDT`;
  }
}

/**
 * Who was in a hurry; `m`: the buyer had waited.
 *
 * @param {boolean} m
 */
const sideOf = (m) => m ? "sell" : "buy";

/**
 * Writes a line into the list of events, the newest on top.
 *
 * @param {string} text
 */
export function log(text) {
  const line = document.createElement("li");
  const time = document.createElement("time");
  time.textContent = timeFormat.format(Date.now());
  line.append(time, text);
  const list = element("log");
  list.prepend(line);
  while (list.children.length > LOG_LINES) list.lastElementChild?.remove();
}
