/**
 * Events with long names in place of Binance's letters. Nothing is lost: what has no name here keeps its own.
 *
 * @module
 */

import { channelOf } from "../exchange/mod.ts";
import { ACCOUNT_NAMES, MARKET_NAMES, PART_NAMES } from "./names.ts";
import type { NormalizedMessage } from "./normalized_message.ts";

/** An object of JSON. */
type Fields = Record<string, unknown>;

/** A field whose value has fields with names of their own. */
interface Part {
  readonly name: string;
  /** The key of those names. */
  readonly part: string;
  /** Whether they are put in the place of the field. */
  readonly isDissolved: boolean;
}

/** What the fields of an object are called, by the letters that Binance uses. */
type Names = Readonly<Record<string, string | Part>>;

/** Stream type of account events, in the reference product's words. */
const USER_DATA = "!userData@arr";
const DEPTH_LEVEL = /@depth(5|10|20)(?:@|$)/;

/** Names that all events have. Without a prototype: a field may be called `constructor`. */
const UNKNOWN: Names = Object.assign(Object.create(null), { e: "event_type", E: "event_time" });

const named = new Map<string, Names>();
/** All long names: an unknown field may not take one of them. */
const taken = new Set(["stream_type", "event_type", "event_time", "depth_level", "subscription_id", "account", "data"]);

/** What a table says, by event: names of several events are apart by `|`. Read when it is first needed. */
function namesOf(key: string): Names | undefined {
  if (named.size === 0) {
    for (const table of [MARKET_NAMES, ACCOUNT_NAMES]) {
      for (const [events, text] of Object.entries(table)) {
        const names = read(text, UNKNOWN);
        for (const event of events.split("|")) named.set(event, names);
      }
    }
    for (const [part, text] of Object.entries(PART_NAMES)) named.set(`>${part}`, read(text, {}));
  }
  return named.get(key);
}

function read(text: string, common: Names): Names {
  const names: Record<string, string | Part> = Object.assign(Object.create(null), common);
  for (const [, letters = "", name = "", sign, part = ""] of text.matchAll(/(\w+)=(\w+)(?:([>*])(\w+))?/g)) {
    names[letters] = sign === undefined ? name : { name, part: `>${part}`, isDissolved: sign === "*" };
    taken.add(name);
  }
  return names;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Adds a field under a name that is free: its own, or its own and underscores. */
function add(target: Fields, name: string, value: unknown): void {
  while (taken.has(name) || Object.hasOwn(target, name)) name += "_";
  // `__proto__` would not become a field by assignment.
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  } else target[name] = value;
}

/** Copies fields under their long names. With `isShared`, the target has fields of another object that must stay. */
function rename(source: Fields, names: Names, target: Fields, isShared: boolean): Fields {
  for (const letters in source) {
    const value = source[letters];
    const field = names[letters];
    if (typeof field === "string") {
      if (isShared && Object.hasOwn(target, field)) add(target, field, value);
      else target[field] = value;
    } else if (field === undefined) add(target, letters, value);
    else if (field.isDissolved && isFields(value)) rename(value, namesOf(field.part) ?? UNKNOWN, target, true);
    else if (Object.hasOwn(target, field.name)) add(target, field.name, value);
    else target[field.name] = renamePart(value, namesOf(field.part) ?? UNKNOWN);
  }
  return target;
}

function renamePart(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((item) => renamePart(item, names));
  return isFields(value) ? rename(value, names, {}, false) : value;
}

/** Type of an event; the spot market's best bid and ask and its partial depth are told by their fields. */
function typeOf(event: Fields, stream: string): string {
  if (typeof event.e === "string") return event.e;
  if ("lastUpdateId" in event && "bids" in event) return "depth";
  if ("u" in event && "B" in event && "A" in event) return "bookTicker";
  return stream === "" ? "" : channelOf(stream);
}

/** Which names an event has: those of options differ in one that has the same type. */
function keyOf(type: string, event: Fields): string {
  return type === "ACCOUNT_UPDATE" && !("a" in event) ? "ACCOUNT_UPDATE/options" : type;
}

function upperCaseSymbol(stream: string): string {
  return stream.slice(0, Math.max(0, stream.indexOf("@"))).replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/**
 * An event, or an array of them, with long names in place of Binance's letters: `p` of a trade becomes `price`. Fields that
 * are not known keep their names, and so do those of events that are not known, but for `event_type` and `event_time`. Should
 * an unknown field have the name of a known one, an underscore is added to it.
 *
 * An array becomes one object with its rows in `data`. Partial depth gets `event_type`, `symbol` and `depth_level`, and the
 * spot market's best bid and ask `event_type`, which Binance leaves out. The order in {@linkcode OrderTradeUpdateEvent} and
 * the like is not an object of its own any more: its fields stand beside the others.
 *
 * @param event What Binance sends, parsed. What is no object and no array is returned in `data`.
 * @param stream Name of the stream that it belongs to, as far as it is known.
 *
 * @example
 * ```ts
 * import { normalizeEvent } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * const levels = { lastUpdateId: 160, bids: [["0.0024", "10"]], asks: [] };
 * assertEquals(normalizeEvent(levels, "bnbbtc@depth20"), {
 *   stream_type: "bnbbtc@depth20",
 *   event_type: "depth",
 *   symbol: "BNBBTC",
 *   depth_level: 20,
 *   last_update_id: 160,
 *   bids: [["0.0024", "10"]],
 *   asks: [],
 * });
 * ```
 */
export function normalizeEvent(event: unknown, stream: string = ""): NormalizedMessage {
  return eventFields(event, stream);
}

/** Fields of an event, and the two that all have. */
type EventFields = Fields & { stream_type: string; event_type: string };

function eventFields(event: unknown, stream: string): EventFields {
  if (!isFields(event)) {
    const isArray = Array.isArray(event);
    const first: unknown = isArray ? event[0] : undefined;
    const data = isArray ? event.map((row: unknown) => isFields(row) ? rowFields(row, stream) : row) : event;
    return { stream_type: stream, event_type: typeOf(isFields(first) ? first : {}, stream), data };
  }
  const type = typeOf(event, stream);
  const isAccount = Object.hasOwn(ACCOUNT_NAMES, type);
  const target: EventFields = { stream_type: isAccount ? USER_DATA : stream, event_type: type };
  if (isAccount) {
    if (stream !== "" && stream !== USER_DATA) target.account = stream;
  } else if (type === "depth" || type === "depthUpdate") {
    if (event.e === undefined && stream !== "") target.symbol = upperCaseSymbol(stream);
    const level = DEPTH_LEVEL.exec(stream)?.[1];
    if (level !== undefined) target.depth_level = Number(level);
  }
  return renameEvent(event, type, target);
}

function rowFields(row: Fields, stream: string): Fields {
  const type = typeOf(row, stream);
  return renameEvent(row, type, { event_type: type });
}

function renameEvent<T extends Fields>(event: Fields, type: string, target: T): T {
  rename(event, namesOf(keyOf(type, event)) ?? UNKNOWN, target, false);
  return target;
}

/**
 * A message of a connection with long names: in the combined form, in the one of the WebSocket API, or the event alone. What
 * is no event, such as the answer to a control message, stays as it is.
 */
export function normalizeMessage(message: unknown): unknown {
  if (Array.isArray(message)) return eventFields(message, "");
  if (!isFields(message)) return message;
  const { stream, data, event, subscriptionId } = message;
  if (typeof stream === "string" && "data" in message) {
    return withRest(eventFields(data, stream), message, "stream", "data");
  }
  if (isFields(event)) {
    const target = eventFields(event, "");
    if (subscriptionId !== undefined) target.subscription_id = subscriptionId;
    return withRest(target, message, "event", "subscriptionId");
  }
  return typeOf(message, "") === "" ? message : eventFields(message, "");
}

/** Adds what else stands beside an event. */
function withRest(target: Fields, message: Fields, first: string, second: string): Fields {
  for (const name in message) if (name !== first && name !== second) add(target, name, message[name]);
  return target;
}
