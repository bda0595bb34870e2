/**
 * Where a message stands in its stream: the numbers by which messages can be ordered, and holes be seen.
 *
 * @module
 */

import { channelOf } from "./stream_names.ts";

/** Where a message stands in its stream. */
export interface Sequence {
  /**
   * `"consecutive"`: each message goes on where the one before ended, so what is missing can be told, and no number comes
   * twice. `"increasing"`: numbers only never go back; a hole can't be seen, and several messages may have the same one.
   */
  readonly kind: "consecutive" | "increasing";
  /** First number that the message covers. */
  readonly first: number;
  /** Last number that the message covers. */
  readonly last: number;
  /** The `last` of the message before, where the message says so: futures depth, whose numbers have holes of their own. */
  readonly previous?: number;
}

/**
 * Where a message stands in its stream; `undefined` if it has no number that orders the stream, or if that number is
 * beyond 2^53, where `JSON.parse` loses digits.
 *
 * | stream | number | source |
 * |---|---|---|
 * | `@trade`, `@aggTrade` | `t`, `a`, consecutive | Binance web-socket-streams.md; USD-M `@trade` fills unused ids with `"X":"NA"` (measured) |
 * | `@depth`, `@rpiDepth` | `U` to `u`, with `pu` on futures and options, consecutive | "How to manage a local order book correctly" of spot and futures |
 * | `@depth5`, `@depth10`, `@depth20` | `lastUpdateId`, or `u` on futures: snapshots, increasing | "Partial Book Depth Streams" |
 * | `<symbol>@bookTicker` | `u`, increasing | "Individual Symbol Book Ticker Streams" |
 * | `@blockTrade`, `@referencePrice`, an option's `@optionTrade` | `t`, increasing | their pages; that these ids have no holes is said nowhere |
 * | other streams of one symbol, and arrays | `E`, increasing; the latest of an array | their pages |
 *
 * Nothing says that the events of different symbols come in the order of their times. So streams that bring one event
 * of any symbol at a time have no sequence: `!bookTicker`, `!forceOrder@arr`, `!contractInfo`, `!optionSymbol`,
 * `tradingSession`, options by their underlying, and account events.
 *
 * @param stream Name of the stream, as Binance writes it.
 * @param data The payload, parsed: in the combined form, what is in `data`.
 */
export function sequenceOf(stream: string, data: unknown): Sequence | undefined {
  if (Array.isArray(data)) return latestOf(data);
  if (typeof data !== "object" || data === null) return undefined;
  // The cast: any object may be asked for its members.
  const event = data as Readonly<Record<string, unknown>>;
  const channel = channelOf(stream);
  switch (channel) {
    case "trade":
      return single("consecutive", event.t);
    case "aggTrade":
      return single("consecutive", event.a);
    case "depth":
    case "rpiDepth":
      return depthSequence(event);
    case "depth5":
    case "depth10":
    case "depth20":
      return single("increasing", event.lastUpdateId ?? event.u);
    case "bookTicker":
      return single("increasing", event.u);
    case "blockTrade":
    case "referencePrice":
      return single("increasing", event.t);
    case "optionTrade":
      return isOption(stream) ? single("increasing", event.t) : undefined;
    case "optionTicker":
      return isOption(stream) ? single("increasing", event.E) : undefined;
    default:
      // Without a symbol it is of any symbol, or an account's.
      return channel.startsWith("!") || channel === stream ? undefined : single("increasing", event.E);
  }
}

/**
 * Whether nothing is missing between two messages of a stream, as far as their sequences tell: always `true` for
 * increasing ones. A message that begins before the other one ended still follows: the two servers of an overlap may
 * have cut the same updates differently.
 */
export function follows(before: Sequence, next: Sequence): boolean {
  if (before.kind === "increasing" || next.kind === "increasing") return true;
  return next.previous === undefined ? next.first <= before.last + 1 : next.previous <= before.last;
}

function single(kind: Sequence["kind"], value: unknown): Sequence | undefined {
  return isNumber(value) ? { kind, first: value, last: value } : undefined;
}

function depthSequence({ U, u, pu }: Readonly<Record<string, unknown>>): Sequence | undefined {
  if (!isNumber(U) || !isNumber(u)) return undefined;
  const sequence = { kind: "consecutive", first: U, last: u } as const;
  return isNumber(pu) ? { ...sequence, previous: pu } : sequence;
}

/**
 * The latest time in an array: rows are about different symbols, only those that changed are there, and the first one
 * may be of a contract that nobody trades.
 */
function latestOf(rows: readonly unknown[]): Sequence | undefined {
  let latest: number | undefined;
  for (const row of rows) {
    const time: unknown = typeof row === "object" && row !== null && "E" in row ? row.E : undefined;
    if (isNumber(time) && (latest === undefined || time > latest)) latest = time;
  }
  return single("increasing", latest);
}

/** Whether a stream is of one option, such as `btc-251123-126000-c`, and not of all with an underlying. */
function isOption(stream: string): boolean {
  return stream.slice(0, stream.indexOf("@")).includes("-");
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
