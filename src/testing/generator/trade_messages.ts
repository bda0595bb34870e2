/**
 * Trade messages of both markets: each id is the previous one + 1.
 *
 * @module
 */

import { hundredths, thousandths } from "./numbers.ts";
import { contractOf, type StreamContext } from "./stream_context.ts";
import type { MessageWriter } from "./stream_kind.ts";

/** Trades in one aggregate trade. */
const TRADES_PER_AGGREGATE = 2;

/** `trade`. The stream is undocumented on futures. */
export function trade(context: StreamContext): MessageWriter {
  const { symbol, ticksPerMs, idBase } = context;
  if (context.shape === "spot") {
    return (n) => {
      const bits = context.draw(n, 1);
      const time = context.timeMs(n) * ticksPerMs;
      return `{"e":"trade","E":${time},"s":"${symbol}","t":${idBase + n},"p":"${hundredths(context.cents(n))}000000",` +
        `"q":"${thousandths(1 + bits % 100_000)}00000","T":${time},"m":${bits > 0x7fffffff},"M":true}`;
    };
  }
  const { st } = contractOf(symbol);
  return (n) => {
    const bits = context.draw(n, 1);
    const time = context.timeMs(n);
    return `{"e":"trade","E":${time},"T":${time - 5},"s":"${symbol}","t":${idBase + n},` +
      `"p":"${hundredths(context.cents(n))}","q":"${thousandths(1 + bits % 100_000)}","X":"MARKET",` +
      `"m":${bits > 0x7fffffff},"st":${st}}`;
  };
}

/** `aggTrade`: the ids of the trades in it continue those of the message before. */
export function aggTrade(context: StreamContext): MessageWriter {
  const { symbol, ticksPerMs, idBase } = context;
  const lastTrade = (n: number) => idBase + n * TRADES_PER_AGGREGATE + TRADES_PER_AGGREGATE - 1;
  if (context.shape === "spot") {
    return (n) => {
      const bits = context.draw(n, 1);
      const time = context.timeMs(n) * ticksPerMs;
      const last = lastTrade(n);
      return `{"e":"aggTrade","E":${time},"s":"${symbol}","a":${idBase + n},` +
        `"p":"${hundredths(context.cents(n))}000000","q":"${thousandths(1 + bits % 100_000)}00000",` +
        `"f":${last - TRADES_PER_AGGREGATE + 1},"l":${last},"T":${time},"m":${bits > 0x7fffffff},"M":true}`;
    };
  }
  const { st } = contractOf(symbol);
  return (n) => {
    const bits = context.draw(n, 1);
    const time = context.timeMs(n);
    const last = lastTrade(n);
    const quantity = thousandths(1 + bits % 100_000);
    // COIN-M has no `nq` (quantity without RPI orders).
    const normal = st === 1 ? `"nq":"${quantity}",` : "";
    return `{"e":"aggTrade","E":${time},"a":${idBase + n},"s":"${symbol}","p":"${hundredths(context.cents(n))}",` +
      `"q":"${quantity}",${normal}"f":${last - TRADES_PER_AGGREGATE + 1},"l":${last},"T":${time - 5},` +
      `"m":${bits > 0x7fffffff},"st":${st}}`;
  };
}
