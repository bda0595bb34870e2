/**
 * Control messages: what the exchange does about one and what it answers (Binance web-socket-streams.md, "Live
 * Subscribing/Unsubscribing to streams", and "Error Messages").
 *
 * @module
 */

import { readId } from "./control_id.ts";
import { JsonScanError, positionText, scanJson, type ScannedJson } from "./json_scanner.ts";
import type { IdRule } from "./markets.ts";
import { isWellFormedStream } from "./stream_grammar.ts";

/** What a control message can depend on. */
export interface ControlState {
  readonly streams: ReadonlySet<string>;
  readonly isCombined: boolean;
}

/** What may be asked. */
export interface ControlRules {
  readonly idRule: IdRule;
  readonly maxBytes: number;
  readonly maxStreams: number;
  readonly closeOnInvalidJson: boolean;
}

/** What the exchange does about a control message. */
export interface ControlAction {
  readonly reply: string;
  /** Whether the connection is closed after the reply. */
  readonly close: boolean;
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** The new value of the property `combined`, if it was set. */
  readonly combined: boolean | undefined;
}

/** A refusal; the body is nested, as on the wire (derivatives change log 2023-06-22), not flat as in the documents. */
class Refusal extends Error {
  readonly code: number;
  readonly options: { readonly close?: boolean; readonly hasId?: boolean };

  constructor(code: number, message: string, options: { close?: boolean; hasId?: boolean } = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }
}

const METHODS = ["SUBSCRIBE", "UNSUBSCRIBE", "LIST_SUBSCRIPTIONS", "SET_PROPERTY", "GET_PROPERTY"];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Decides about the control message `text`. */
export function answerControl(text: string, state: ControlState, rules: ControlRules): ControlAction {
  const bytes = encoder.encode(text).subarray(0, rules.maxBytes);
  let id = "null";
  try {
    const json = scan(bytes, rules);
    id = readId(memberText(bytes, json, "id"), rules.idRule) ?? refuse(2, "request ID must be an unsigned integer");
    return perform(bytes, json, id, state, rules);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...DO_NOTHING, reply: errorText(error, id), close: error.options.close ?? false };
  }
}

/** The id of a control message as JSON text, for a reply that is made up; `null` if it has none or is no JSON. */
export function idOf(text: string): string {
  const bytes = encoder.encode(text);
  try {
    return memberText(bytes, scanJson(bytes), "id") ?? "null";
  } catch {
    return "null";
  }
}

const DO_NOTHING = { close: false, subscribe: [], unsubscribe: [], combined: undefined };

function errorText({ code, message, options }: Refusal, id: string): string {
  const body = JSON.stringify({ code, msg: message });
  return options.hasId === false ? `{"error":${body}}` : `{"error":${body},"id":${id}}`;
}

function refuse(code: number, message: string): never {
  throw new Refusal(code, code === 2 ? `Invalid request: ${message}` : message);
}

function scan(bytes: Uint8Array, rules: ControlRules): ScannedJson {
  try {
    return scanJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonScanError)) throw error;
    throw new Refusal(3, `Invalid JSON: ${error.message}`, { close: rules.closeOnInvalidJson, hasId: false });
  }
}

function memberText(bytes: Uint8Array, json: ScannedJson, name: string): string | undefined {
  const place = json.members.get(name);
  return place === undefined ? undefined : decoder.decode(bytes.subarray(...place));
}

function perform(
  bytes: Uint8Array,
  json: ScannedJson,
  id: string,
  state: ControlState,
  rules: ControlRules,
): ControlAction {
  const method = readMethod(bytes, json);
  const params = readParams(bytes, json);
  const done = { ...DO_NOTHING, reply: `{"result":null,"id":${id}}` };
  switch (method) {
    case "SUBSCRIBE": {
      const subscribe = streamNames(params ?? missing("params", bytes, json));
      checkStreams(subscribe, state.streams, rules.maxStreams);
      return { ...done, subscribe };
    }
    case "UNSUBSCRIBE": {
      const unsubscribe = streamNames(params ?? missing("params", bytes, json));
      checkStreams(unsubscribe, state.streams, Infinity);
      return { ...done, unsubscribe };
    }
    case "LIST_SUBSCRIPTIONS":
      if (params !== undefined && params.length > 0) refuse(2, "too many parameters");
      return { ...done, reply: `{"result":${JSON.stringify([...state.streams])},"id":${id}}` };
    case "SET_PROPERTY": {
      const [name, value] = params ?? missing("params", bytes, json);
      checkProperty(name, params, 2);
      if (typeof value !== "boolean") refuse(1, "Invalid value type: expected Boolean");
      return { ...done, combined: value };
    }
    default: {
      const [name] = params ?? missing("params", bytes, json);
      checkProperty(name, params, 1);
      return { ...done, reply: `{"result":${state.isCombined},"id":${id}}` };
    }
  }
}

function readMethod(bytes: Uint8Array, json: ScannedJson): string {
  const place = json.members.get("method");
  if (!json.isObject || place === undefined) return missing("method", bytes, json);
  const [start, end] = place;
  const value: unknown = JSON.parse(decoder.decode(bytes.subarray(start, end)));
  if (typeof value !== "string") return refuse(2, `expected value ${positionText(bytes, start + 1)}`);
  if (!METHODS.includes(value)) {
    const known = METHODS.map((method) => `\`${method}\``).join(", ");
    refuse(2, `unknown variant \`${value}\`, expected one of ${known} ${positionText(bytes, end)}`);
  }
  return value;
}

function readParams(bytes: Uint8Array, json: ScannedJson): unknown[] | undefined {
  const text = memberText(bytes, json, "params");
  if (text === undefined || text === "null") return undefined;
  const value: unknown = JSON.parse(text);
  // What the exchange says here is not documented; serde's words, as in its other messages.
  if (!Array.isArray(value)) return refuse(2, `invalid type, expected a sequence ${endOf("params", bytes, json)}`);
  return value;
}

function missing(field: string, bytes: Uint8Array, json: ScannedJson): never {
  return refuse(2, `missing field \`${field}\` ${positionText(bytes, json.end)}`);
}

function endOf(member: string, bytes: Uint8Array, json: ScannedJson): string {
  return positionText(bytes, json.members.get(member)?.[1] ?? json.end);
}

function streamNames(params: readonly unknown[]): string[] {
  const names = params.filter((name) => typeof name === "string");
  if (names.length < params.length) refuse(2, "invalid type, expected a string");
  return [...new Set(names)];
}

/**
 * Refuses what ends the connection: a malformed name, or more streams than one connection may carry.
 *
 * @throws {Refusal} with `close`.
 */
function checkStreams(names: readonly string[], streams: ReadonlySet<string>, maximum: number): void {
  if (!names.every(isWellFormedStream)) {
    throw new Refusal(2, "Invalid request: invalid stream", { close: true, hasId: false });
  }
  const added = names.filter((name) => !streams.has(name)).length;
  if (streams.size + added > maximum) {
    throw new Refusal(4, "Too many subscriptions", { close: true, hasId: false });
  }
}

/** The same for the streams that a URL names: the text of the error, or `undefined` if they may be subscribed. */
export function checkUrlStreams(names: readonly string[], maximum: number): string | undefined {
  try {
    checkStreams([...new Set(names)], new Set(), maximum);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return errorText(error, "null");
  }
}

function checkProperty(name: unknown, params: readonly unknown[] | undefined, count: number): void {
  if (typeof name !== "string") refuse(2, "property name must be a string");
  if (name !== "combined") refuse(0, "Unknown property");
  if (params !== undefined && params.length > count) refuse(2, "too many parameters");
}
