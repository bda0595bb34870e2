/**
 * Candle intervals: their names and where a candle starts and ends.
 *
 * @module
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Length of the intervals in ms; months differ and are computed (Binance web-socket-streams.md, "Kline/Candlestick"). */
const LENGTHS: ReadonlyMap<string, number> = new Map([
  ["1s", 1000],
  ["1m", MINUTE],
  ["3m", 3 * MINUTE],
  ["5m", 5 * MINUTE],
  ["15m", 15 * MINUTE],
  ["30m", 30 * MINUTE],
  ["1h", HOUR],
  ["2h", 2 * HOUR],
  ["4h", 4 * HOUR],
  ["6h", 6 * HOUR],
  ["8h", 8 * HOUR],
  ["12h", 12 * HOUR],
  ["1d", DAY],
  ["3d", 3 * DAY],
  ["1w", 7 * DAY],
]);

/** 1970-01-01 was a Thursday, candles of a week start on Monday. */
const FIRST_MONDAY = 4 * DAY;

/** Whether `interval` is the name of an interval. */
export function isInterval(interval: string): boolean {
  return interval === "1M" || LENGTHS.has(interval);
}

/** First and last ms of the candle that contains `time`; `offset` ms are the time zone in which candles begin. */
export function candleOf(interval: string, time: number, offset = 0): { start: number; end: number } {
  const local = time + offset;
  if (interval === "1M") {
    const date = new Date(local);
    const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    return { start: start - offset, end: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - offset - 1 };
  }
  const length = LENGTHS.get(interval) ?? MINUTE;
  const origin = interval === "1w" ? FIRST_MONDAY : 0;
  const start = origin + Math.floor((local - origin) / length) * length - offset;
  return { start, end: start + length - 1 };
}
