/**
 * Candle messages of both markets.
 *
 * @module
 */

import { candleOf } from "./candles.ts";
import { hundredths, thousandths } from "./numbers.ts";
import { FIRST_EVENT_TIME, type StreamContext } from "./stream_context.ts";
import type { MessageWriter } from "./stream_kind.ts";

/** Trades in the time of one message. */
const TRADES_PER_MESSAGE = 10;

/**
 * `kline_<interval>[@+08:00]`: candle bounds follow the interval, and the last message of a candle is closed (`x`).
 *
 * @param zoneMs Time zone in which candles begin, in ms east of UTC.
 * @param head Writes what stands before `"k"`.
 * @param hasSymbol Whether `k` has the symbol.
 */
export function kline(
  interval: string,
  zoneMs: number,
  head: (context: StreamContext, n: number) => string,
  hasSymbol: boolean,
): (context: StreamContext) => MessageWriter {
  return (context) => {
    const { symbol, stepMs, ticksPerMs } = context;
    const [pricePad, quantityPad] = context.shape === "spot" ? ["000000", "00000"] : ["", ""];
    const price = (cents: number) => `"${hundredths(cents)}${pricePad}"`;
    const volume = (value: number) => `"${thousandths(value)}${quantityPad}"`;
    const symbolMember = hasSymbol ? `"s":"${symbol}",` : "";
    return (n) => {
      const { start, end } = candleOf(interval, context.timeMs(n), zoneMs);
      const first = Math.ceil((start - FIRST_EVENT_TIME) / stepMs);
      const open = context.cents(first);
      const close = context.cents(n);
      const bits = context.draw(n, 1);
      const firstTrade = context.idBase + first * TRADES_PER_MESSAGE;
      const lastTrade = context.idBase + n * TRADES_PER_MESSAGE + TRADES_PER_MESSAGE - 1;
      const base = (n - first + 1) * 1000 + bits % 1000;
      const quote = base * 100;
      return `{${head(context, n)},"k":{"t":${start * ticksPerMs},"T":${(end + 1) * ticksPerMs - 1},${symbolMember}` +
        `"i":"${interval}","f":${firstTrade},"L":${lastTrade},"o":${price(open)},"c":${price(close)},` +
        `"h":${price(Math.max(open, close) + bits % 50)},"l":${price(Math.min(open, close) - (bits >>> 8) % 50)},` +
        `"v":${volume(base)},"n":${lastTrade - firstTrade + 1},"x":${context.timeMs(n + 1) > end},` +
        `"q":${volume(quote)},"V":${volume(Math.floor(base / 2))},"Q":${volume(Math.floor(quote / 2))},"B":"0"}}`;
    };
  };
}
