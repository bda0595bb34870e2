/**
 * Parameters of requests: how they are written into a request, and the text that is signed.
 *
 * @module
 */

/**
 * Value of a parameter. Prices, quantities and rates may be texts (sent as they are) or numbers (sent as plain decimals, never
 * with an exponent). An id beyond 2^53 has to be a bigint or a text: such a number has already lost digits, and is refused.
 *
 * @example
 * ```ts
 * import type { ParamValue } from "@rawtick/binance";
 *
 * const quantities: ParamValue[] = ["0.00000012", 0.00000012, 1.2e-7];
 * console.log(quantities);
 * ```
 */
export type ParamValue = string | number | bigint | boolean | readonly (string | number)[] | undefined;

/**
 * Parameters of a request by name; `undefined` is left out.
 *
 * @example
 * ```ts
 * import type { Params } from "@rawtick/binance";
 *
 * const params: Params = { symbol: "BTCUSDT", quantity: 0.00000012, orderId: 8389766145050669870n, price: undefined };
 * console.log(params);
 * ```
 */
export type Params = Readonly<Record<string, ParamValue>>;

/** Parameters of Binance's type DECIMAL, which are JSON strings; INT and LONG are JSON integers. */
const DECIMAL_NAME = /(?:price|quantity|qty|rate)$/i;

/**
 * A number without an exponent, with no more digits than it takes to tell it from other numbers: `1e-7` is `"0.0000001"`.
 *
 * @throws {TypeError} for NaN and infinity.
 */
export function plainDecimal(n: number): string {
  if (!Number.isFinite(n)) throw new TypeError(`Cannot write ${n} as a decimal: expected a finite number`);
  const text = String(n);
  const end = text.indexOf("e");
  if (end === -1) return text;
  const sign = n < 0 ? "-" : "";
  const digits = text.slice(sign.length, end).replace(".", "");
  const exponent = Number(text.slice(end + 1));
  // ECMA-262 Number::toString: one digit stands before the point, and a positive exponent is 21 or more.
  return sign + (exponent < 0 ? `0.${"0".repeat(-exponent - 1)}${digits}` : digits.padEnd(exponent + 1, "0"));
}

/**
 * The text that is signed for the WebSocket API: all parameters but `signature`, sorted by name, not percent-encoded
 * (Binance web-socket-api.md, "SIGNED request security").
 *
 * @throws {TypeError} for a value that can't be sent.
 */
export function signingPayload(params: Params): string {
  return entriesOf(params)
    .filter(([name]) => name !== "signature")
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, { text }]) => `${name}=${text}`)
    .join("&");
}

/**
 * The JSON object to send as `params`. Unlike `JSON.stringify` it takes bigints and never writes an exponent, and what it
 * writes has the very texts that {@linkcode signingPayload} signs.
 *
 * @throws {TypeError} for a value that can't be sent.
 */
export function paramsJson(params: Params): string {
  const members = entriesOf(params).map(([name, { text, isString }]) =>
    `${JSON.stringify(name)}:${isString ? JSON.stringify(text) : text}`
  );
  return `{${members.join(",")}}`;
}

/**
 * The parameters as the query of a REST request, percent-encoded, in the given order.
 *
 * @throws {TypeError} for a value that can't be sent.
 */
export function restQuery(params: Params): string {
  return entriesOf(params).map(([name, { text }]) => `${percentEncoded(name)}=${percentEncoded(text)}`).join("&");
}

/** Also encodes what `encodeURIComponent` leaves alone: a `'` would be encoded by `fetch` after it was signed (URL standard 1.3). */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A value as it is sent: as a JSON string of `text`, or as the JSON that `text` is. */
interface Written {
  readonly text: string;
  readonly isString: boolean;
}

function entriesOf(params: Params): [name: string, written: Written][] {
  const entries: [string, Written][] = [];
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) entries.push([name, written(name, value)]);
  }
  return entries;
}

function written(name: string, value: NonNullable<ParamValue>): Written {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) {
        throw unsendable(name, "a text with half a surrogate pair", "expected well-formed UTF-16");
      }
      return { text: value, isString: true };
    case "number":
      return { text: numberText(name, value), isString: DECIMAL_NAME.test(name) || !Number.isInteger(value) };
    case "bigint":
      return { text: String(value), isString: DECIMAL_NAME.test(name) };
    case "boolean":
      return { text: String(value), isString: false };
  }
  if (!Array.isArray(value)) {
    const kind = value === null ? "null" : typeof value;
    throw unsendable(
      name,
      kind,
      "expected a text, a number, a bigint, a boolean or a list, or undefined to leave it out",
    );
  }
  return { text: `[${value.map((item) => itemJson(name, item)).join(",")}]`, isString: false };
}

function itemJson(name: string, item: unknown): string {
  if (typeof item === "number") return numberText(name, item);
  if (typeof item === "string") return JSON.stringify(item);
  throw unsendable(name, "such a list", "expected texts and numbers in it");
}

function numberText(name: string, value: number): string {
  if (!Number.isFinite(value)) throw unsendable(name, String(value), "expected a finite number");
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && !DECIMAL_NAME.test(name)) {
    throw unsendable(name, "a number beyond 2^53", "it has lost digits already, pass a bigint or a text");
  }
  return plainDecimal(value);
}

function unsendable(name: string, what: string, reason: string): TypeError {
  return new TypeError(`Cannot send ${what} as ${JSON.stringify(name)}: ${reason}`);
}
