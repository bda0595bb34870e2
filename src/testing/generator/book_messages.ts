/**
 * Order book messages: price levels, and update ids that let a reader prove that no update is missing.
 *
 * @module
 */

import { hundredths, thousandths } from "./numbers.ts";
import { contractOf, type StreamContext } from "./stream_context.ts";
import type { MessageWriter } from "./stream_kind.ts";

/** Writes `[["price","quantity"],…]`; `side` is -1 for bids (best one first: falling) and 1 for asks (rising). */
function levels(context: StreamContext, n: number, side: -1 | 1, count: number, isDiff: boolean): string {
  const [pricePad, quantityPad] = context.shape === "spot" ? ["000000", "00000"] : ["", ""];
  const middle = context.cents(n);
  let distance = 0;
  let text = "[";
  for (let i = 0; i < count; i++) {
    const bits = context.draw(n, 10 + i * 2 + (side > 0 ? 1 : 0));
    distance += isDiff ? 1 + bits % 20 : 1;
    const quantity = isDiff && bits % 4 === 0 ? 0 : 1 + (bits >>> 8) % 1_000_000;
    if (i > 0) text += ",";
    text += `["${hundredths(middle + side * distance)}${pricePad}","${thousandths(quantity)}${quantityPad}"]`;
  }
  return text + "]";
}

/** Last update id of the spot diff `n`: it grows by 1 to 9. */
function spotUpdateId(context: StreamContext, n: number): number {
  return context.idBase + 5 * (n + 1) + context.draw(n, 1) % 5;
}

/** Last update id of the futures diff `n`: ids are shared by all symbols, so they jump. */
function futuresUpdateId(context: StreamContext, n: number): number {
  return context.idBase * 1000 + 1000 * (n + 1) + context.draw(n, 1) % 500;
}

/** `depth[@100ms]`: each `U` is the previous `u` + 1 on spot; on futures `pu` is the previous `u`. */
export function depthDiff(context: StreamContext): MessageWriter {
  const { symbol, ticksPerMs } = context;
  const sides = (n: number) =>
    `"b":${levels(context, n, -1, 1 + context.draw(n, 2) % 5, true)},` +
    `"a":${levels(context, n, 1, 1 + context.draw(n, 3) % 5, true)}`;
  if (context.shape === "spot") {
    return (n) =>
      `{"e":"depthUpdate","E":${context.timeMs(n) * ticksPerMs},"s":"${symbol}",` +
      `"U":${spotUpdateId(context, n - 1) + 1},"u":${spotUpdateId(context, n)},${sides(n)}}`;
  }
  return (n) => {
    const previous = futuresUpdateId(context, n - 1);
    const time = context.timeMs(n);
    return `{"e":"depthUpdate","E":${time},"T":${time - 5},"s":"${symbol}",` +
      `"U":${previous + 1 + context.draw(n, 4) % 100},"u":${futuresUpdateId(context, n)},"pu":${previous},${sides(n)}}`;
  };
}

/** `depth<levels>`: a snapshot, on spot without event type, time and symbol. */
export function depthSnapshot(count: number): (context: StreamContext) => MessageWriter {
  return (context) => {
    const { symbol } = context;
    if (context.shape === "spot") {
      return (n) =>
        `{"lastUpdateId":${spotUpdateId(context, n)},"bids":${levels(context, n, -1, count, false)},` +
        `"asks":${levels(context, n, 1, count, false)}}`;
    }
    const { pair, st } = contractOf(symbol);
    return (n) => {
      const previous = futuresUpdateId(context, n - 1);
      const time = context.timeMs(n);
      return `{"e":"depthUpdate","E":${time},"T":${time - 5},"s":"${symbol}","ps":"${pair}",` +
        `"U":${previous + 1 + context.draw(n, 4) % 100},"u":${futuresUpdateId(context, n)},"pu":${previous},` +
        `"b":${levels(context, n, -1, count, false)},"a":${levels(context, n, 1, count, false)},"st":${st}}`;
    };
  };
}

/** `bookTicker`: best bid and ask; `u` grows. */
export function bookTicker(context: StreamContext): MessageWriter {
  const { symbol } = context;
  const quantity = (n: number, salt: number) => thousandths(1 + context.draw(n, salt) % 1_000_000);
  if (context.shape === "spot") {
    return (n) => {
      const cents = context.cents(n);
      return `{"u":${spotUpdateId(context, n)},"s":"${symbol}","b":"${hundredths(cents - 1)}000000",` +
        `"B":"${quantity(n, 5)}00000","a":"${hundredths(cents + 1)}000000","A":"${quantity(n, 6)}00000"}`;
    };
  }
  const { pair, st } = contractOf(symbol);
  return (n) => {
    const cents = context.cents(n);
    const time = context.timeMs(n);
    return `{"e":"bookTicker","u":${futuresUpdateId(context, n)},"s":"${symbol}","ps":"${pair}",` +
      `"b":"${hundredths(cents - 1)}","B":"${quantity(n, 5)}","a":"${hundredths(cents + 1)}",` +
      `"A":"${quantity(n, 6)}","T":${time - 5},"E":${time},"st":${st}}`;
  };
}
