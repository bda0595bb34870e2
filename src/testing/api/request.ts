/**
 * Requests of the WebSocket API as they came: the text of each parameter is kept, because that is what was signed
 * (Binance web-socket-api.md, "Request format", "SIGNED request example").
 *
 * @module
 */

import { scanJson } from "../json_scanner.ts";
import { ApiFault, missing } from "./api_fault.ts";
import { type Decimal, isPlainDecimal, parseDecimal } from "./decimal.ts";

/** A request that could be read. */
export interface ApiRequest {
  /** The id as JSON text, `null` if it has none. */
  readonly id: string;
  /** Without the prefix `v3/`. */
  readonly method: string;
  readonly params: RequestParams;
}

const STRING_ID = /^[a-zA-Z0-9-_]{1,36}$/;
const INTEGER = /^-?[0-9]+$/;
const DECIMAL_RANGE = "^([0-9]{1,20})(\\.[0-9]{1,20})?$";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Reads a request.
 *
 * @throws {ApiFault} if it can't be read; its answer has no id.
 */
export function readRequest(text: string): ApiRequest {
  const members = readMembers(encoder.encode(text));
  if (members === undefined) throw new ApiFault(-1135, "Malformed JSON request.", { hasId: false });
  const id = members.get("id") ?? "null";
  if (!isId(id)) {
    const msg = `Invalid 'id' in JSON request; expected an integer, a string matching '${STRING_ID.source}', or null.`;
    throw new ApiFault(-1135, msg, { hasId: false });
  }
  const method = textOf(members.get("method"))?.replace(/^v3\//, "") ?? "";
  const params = members.get("params");
  const read = params === undefined || params === "null"
    ? new Map<string, string>()
    : readMembers(encoder.encode(params));
  if (read === undefined) {
    throw new ApiFault(-1135, "Invalid 'params' in JSON request; expected an object.", { hasId: false });
  }
  return { id, method, params: new RequestParams(read) };
}

function isId(json: string): boolean {
  if (json === "null" || INTEGER.test(json)) return true;
  return json.startsWith('"') && STRING_ID.test(textOf(json) ?? "");
}

/** The members of an object as JSON text. */
function readMembers(bytes: Uint8Array): Map<string, string> | undefined {
  try {
    const { isObject, members } = scanJson(bytes);
    if (!isObject) return undefined;
    return new Map([...members].map(([name, place]) => [name, decoder.decode(bytes.subarray(...place))]));
  } catch {
    return undefined;
  }
}

/** A string's value, or the JSON text of anything else; `undefined` for `null`. */
function textOf(json: string | undefined): string | undefined {
  if (json === undefined || json === "null") return undefined;
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** The parameters of a request. */
export class RequestParams {
  readonly #members: ReadonlyMap<string, string>;

  /** Creates the parameters from their JSON texts. */
  constructor(members: ReadonlyMap<string, string>) {
    this.#members = members;
  }

  /** From texts that came by REST. */
  static ofTexts(entries: Iterable<readonly [name: string, text: string]>): RequestParams {
    return new RequestParams(new Map([...entries].map(([name, text]) => [name, JSON.stringify(text)])));
  }

  /** Their names. */
  get names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** The same with other parameters in the place of some, and without those that are `undefined`. */
  with(changes: Readonly<Record<string, string | undefined>>): RequestParams {
    const members = new Map(this.#members);
    for (const [name, text] of Object.entries(changes)) {
      if (text === undefined) members.delete(name);
      else members.set(name, JSON.stringify(text));
    }
    return new RequestParams(members);
  }

  /** What is signed: all but the signature, sorted, joined, unencoded. */
  get payload(): string {
    const names = this.names.filter((name) => name !== "signature").sort();
    return names.map((name) => `${name}=${textOf(this.#members.get(name)) ?? "null"}`).join("&");
  }

  /** The text of a parameter; `undefined` if it wasn't sent, is `null` or `""`. */
  text(name: string): string | undefined {
    const text = textOf(this.#members.get(name));
    return text === "" ? undefined : text;
  }

  /** @throws {ApiFault} -1102 if it wasn't sent. */
  required(name: string): string {
    return this.text(name) ?? missing(name);
  }

  /** @throws {ApiFault} -1100 if it is no plain decimal, -1111 if it has too many places. */
  decimal(name: string): Decimal | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!isPlainDecimal(text)) throw illegal(name, DECIMAL_RANGE);
    const value = parseDecimal(text);
    if (value === undefined) throw new ApiFault(-1111, `Parameter '${name}' has too much precision.`);
    return value;
  }

  /** @throws {ApiFault} -1100 if it is no integer. */
  integer(name: string): bigint | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!INTEGER.test(text)) throw illegal(name, "^[0-9]{1,20}$");
    return BigInt(text);
  }

  /** A number that is small enough for one, such as a limit. */
  number(name: string): number | undefined {
    const value = this.integer(name);
    return value === undefined ? undefined : Number(value);
  }

  /** @throws {ApiFault} -1100 if it is neither `true` nor `false`. */
  boolean(name: string): boolean | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (text !== "true" && text !== "false") throw illegal(name, "^(true|false)$");
    return text === "true";
  }

  /** An array of strings; `undefined` if it wasn't sent. */
  list(name: string): readonly string[] | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value: unknown = text.startsWith("[") ? JSON.parse(text) : undefined;
    if (!Array.isArray(value)) throw illegal(name, "an array");
    return value.map(String);
  }
}

function illegal(name: string, range: string): ApiFault {
  return new ApiFault(-1100, `Illegal characters found in parameter '${name}'; legal range is '${range}'.`);
}
