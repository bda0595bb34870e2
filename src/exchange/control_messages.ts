/**
 * Control messages of the market streams: writing them below the size limit, and reading the answers.
 *
 * @module
 */

/** What a control message asks for: Binance web-socket-streams.md, "Live Subscribing/Unsubscribing to streams". */
export type ControlMethod = "SUBSCRIBE" | "UNSUBSCRIBE" | "LIST_SUBSCRIPTIONS";

/**
 * Largest control message in bytes of JSON that is written. Spot parses only the first 4096 bytes of a frame; the rest
 * is room for the frame's header.
 */
export const MAX_CONTROL_MESSAGE_BYTES = 4096 - 16;

const encoder = new TextEncoder();

/** The text of one control message. */
export function controlMessage(method: ControlMethod, streams: readonly string[] | undefined, id: number): string {
  return JSON.stringify(streams === undefined ? { method, id } : { method, params: streams, id });
}

/** Splits streams into groups of which each fits into one control message. */
export function splitIntoMessages(streams: Iterable<string>): string[][] {
  // The envelope with the longest method and the longest id that a number can have.
  const envelope = controlMessage("UNSUBSCRIBE", [], Number.MAX_SAFE_INTEGER).length;
  const groups: string[][] = [];
  let group: string[] = [];
  let bytes = envelope;
  for (const stream of streams) {
    const size = encoder.encode(JSON.stringify(stream)).length + 1;
    if (group.length > 0 && bytes + size > MAX_CONTROL_MESSAGE_BYTES) {
      groups.push(group);
      group = [];
      bytes = envelope;
    }
    group.push(stream);
    bytes += size;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

/** An answer of the exchange to a control message. */
export interface ControlResponse {
  /** The id of the control message, a string if it is none of ours, `undefined` if there is none: errors may come without. */
  readonly id: number | string | undefined;
  /** The result, when there was no error: null for SUBSCRIBE and UNSUBSCRIBE. */
  readonly result?: unknown;
  /** The error, flat (`{"code":…,"msg":…}`) or nested (`{"error":{…}}`) on the wire. */
  readonly error?: { readonly code: number | undefined; readonly msg: string };
}

const LETTER_S = 0x73;
const LETTER_T = 0x74;
const LETTER_R = 0x72;
const LETTER_E = 0x65;
const QUOTE = 0x22;

/**
 * Whether a message is data, by its first characters in O(1): `{"stream":…` of the combined form, `{"e":…` of the raw
 * one, or an array. Never true for an answer, which starts with `{"result"`, `{"error"`, `{"id"` or `{"code"`; may be
 * false for data of another shape, which {@linkcode parseControlResponse} then tells apart.
 */
export function isCertainlyData(text: string): boolean {
  const third = text.charCodeAt(2);
  // "str", not "status".
  if (third === LETTER_S) return text.charCodeAt(3) === LETTER_T && text.charCodeAt(4) === LETTER_R;
  return third === LETTER_E && text.charCodeAt(3) === QUOTE;
}

/** Answers are short: what is longer is data, whatever words are in it. LIST_SUBSCRIPTIONS of 1024 streams fits. */
const MAX_RESPONSE_CHARACTERS = 256 * 1024;
const RESPONSE_HEAD = /^\s*\{\s*"(?:result|error|id|code|msg|status)"/;

/** Reads an answer to a control message; `undefined` if the text is none. */
export function parseControlResponse(text: string): ControlResponse | undefined {
  if (text.length > MAX_RESPONSE_CHARACTERS || !RESPONSE_HEAD.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const id = typeof value.id === "number" ? value.id : value.id == null ? undefined : String(value.id);
  const error = isRecord(value.error) ? value.error : "code" in value && "msg" in value ? value : undefined;
  if (error !== undefined) {
    const code = typeof error.code === "number" ? error.code : undefined;
    return { id, error: { code, msg: typeof error.msg === "string" ? error.msg : JSON.stringify(error) } };
  }
  return "result" in value ? { id, result: value.result } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
