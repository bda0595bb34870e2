/**
 * Ticker and mini-ticker messages of both markets.
 *
 * @module
 */

import { hundredths, signedHundredths, thousandths } from "./numbers.ts";
import { contractOf, type StreamContext } from "./stream_context.ts";
import type { MessageWriter } from "./stream_kind.ts";

const DAY_MS = 86_400_000;

/** The numbers that all tickers are made of. */
function statistics(context: StreamContext, n: number) {
  const bits = context.draw(n, 1);
  const close = context.cents(n);
  const open = context.cents(n - 1);
  const high = Math.max(open, close) + bits % 500;
  const low = Math.max(1, Math.min(open, close) - (bits >>> 8) % 500);
  const volume = 1_000_000 + bits % 1_000_000_000;
  const trades = 10_000;
  const lastTrade = context.idBase + (n + 1) * 10;
  return { bits, close, open, high, low, volume, trades, lastTrade };
}

function pads(context: StreamContext): readonly [price: string, quantity: string] {
  return context.shape === "spot" ? ["000000", "00000"] : ["", ""];
}

/** `miniTicker`. */
export function miniTicker(context: StreamContext): MessageWriter {
  const [pricePad, quantityPad] = pads(context);
  const { pair, st } = contractOf(context.symbol);
  const tail = context.shape === "spot" ? "" : `,"ps":"${pair}","st":${st}`;
  return (n) => {
    const { close, open, high, low, volume } = statistics(context, n);
    return `{"e":"24hrMiniTicker","E":${context.timeMs(n) * context.ticksPerMs},"s":"${context.symbol}",` +
      `"c":"${hundredths(close)}${pricePad}","o":"${hundredths(open)}${pricePad}",` +
      `"h":"${hundredths(high)}${pricePad}","l":"${hundredths(low)}${pricePad}",` +
      `"v":"${thousandths(volume)}${quantityPad}","q":"${thousandths(volume * 10)}${quantityPad}"${tail}}`;
  };
}

/** `ticker`, and `ticker_<window>` on spot, which has fewer fields in another order. */
export function ticker(window: "24hr" | "1h" | "4h" | "1d"): (context: StreamContext) => MessageWriter {
  return (context) => {
    const [pricePad, quantityPad] = pads(context);
    const { symbol, ticksPerMs } = context;
    const { pair, st } = contractOf(symbol);
    const isSpot = context.shape === "spot";
    const windowMs = window === "1h" ? DAY_MS / 24 : window === "4h" ? DAY_MS / 6 : DAY_MS;
    const price = (cents: number) => `"${hundredths(cents)}${pricePad}"`;
    const quantity = (value: number) => `"${thousandths(value)}${quantityPad}"`;
    const best = (n: number, bits: number, open: number, close: number) => ({
      x: `"x":${price(open)},`,
      book: `"b":${price(close - 1)},"B":${quantity(1 + context.draw(n, 5) % 100_000)},` +
        `"a":${price(close + 1)},"A":${quantity(1 + (bits >>> 4))},`,
    });
    return (n) => {
      const { bits, close, open, high, low, volume, trades, lastTrade } = statistics(context, n);
      const time = context.timeMs(n);
      const start = `{"e":"${window}Ticker","E":${time * ticksPerMs},"s":"${symbol}",` +
        `"p":"${signedHundredths(close - open)}${pricePad}",` +
        `"P":"${signedHundredths(Math.round((close - open) * 10_000 / open))}",`;
      const average = price((open + close) >>> 1);
      const end = `"O":${(time - windowMs) * ticksPerMs},"C":${time * ticksPerMs},` +
        `"F":${lastTrade - trades + 1},"L":${lastTrade},"n":${trades}`;
      const range = `"h":${price(high)},"l":${price(low)},`;
      const volumes = `"v":${quantity(volume)},"q":${quantity(volume * 10)},`;
      if (window !== "24hr") {
        return `${start}"o":${price(open)},${range}"c":${price(close)},"w":${average},${volumes}${end}}`;
      }
      const { x, book } = isSpot ? best(n, bits, open, close) : { x: "", book: "" };
      const contract = isSpot ? "" : `,"ps":"${pair}","st":${st}`;
      return `${start}"w":${average},${x}"c":${price(close)},"Q":${quantity(1 + bits % 100_000)},${book}` +
        `"o":${price(open)},${range}${volumes}${end}${contract}}`;
    };
  };
}
