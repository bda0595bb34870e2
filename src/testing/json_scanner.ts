/**
 * Checks JSON the way the exchange's parser does: with its error messages, with the columns in them counted in bytes,
 * and with the text of each member of the outermost object kept as it was written.
 *
 * @module
 */

/** JSON that was read: where the members of the outermost object lie. */
export interface ScannedJson {
  /** Whether the outermost value is an object. */
  readonly isObject: boolean;
  /** First and last-plus-one byte of the value of each member of the outermost object. */
  readonly members: ReadonlyMap<string, readonly [start: number, end: number]>;
  /** Last-plus-one byte of the outermost value. */
  readonly end: number;
}

/** JSON that can't be read; the message is `<what> at line <n> column <n>`, as serde_json writes it. */
export class JsonScanError extends Error {}

/** Where a byte is, as serde_json counts: lines from 1, columns in bytes read so far. */
export function positionText(bytes: Uint8Array, index: number): string {
  let line = 1;
  let start = 0;
  for (let i = 0; i < index; i++) {
    if (bytes[i] === LINE_FEED) {
      line++;
      start = i + 1;
    }
  }
  return `at line ${line} column ${index - start}`;
}

/**
 * Reads one JSON value that fills all of `bytes`.
 *
 * @throws {JsonScanError} if it doesn't.
 */
export function scanJson(bytes: Uint8Array): ScannedJson {
  return new Scanner(bytes).scan();
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LETTER_U = 0x75;
/** What may follow a backslash besides `u`: `"`, `\`, `/`, b, f, n, r, t. */
const ESCAPES = new Set([QUOTE, BACKSLASH, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);
/** serde_json refuses what is nested deeper. */
const MAXIMUM_DEPTH = 128;

const decoder = new TextDecoder();

class Scanner {
  readonly #bytes: Uint8Array;
  readonly #members = new Map<string, readonly [number, number]>();
  #at = 0;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  scan(): ScannedJson {
    const first = this.#peek();
    this.#value();
    const end = this.#at;
    if (this.#peek() !== undefined) this.#failAhead("trailing characters");
    return { isObject: first === OPEN_BRACE, members: this.#members, end };
  }

  /** Skips white space and looks at the next byte; `undefined` at the end. */
  #peek(): number | undefined {
    while (true) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== LINE_FEED && byte !== 0x09 && byte !== 0x0d) return byte;
      this.#at++;
    }
  }

  /** Fails at the bytes read so far. */
  #fail(what: string): never {
    throw new JsonScanError(`${what} ${positionText(this.#bytes, this.#at)}`);
  }

  /** Fails at the byte that was looked at and not read. */
  #failAhead(what: string): never {
    throw new JsonScanError(`${what} ${positionText(this.#bytes, Math.min(this.#bytes.length, this.#at + 1))}`);
  }

  #value(): void {
    const byte = this.#peek();
    switch (byte) {
      case undefined:
        return this.#failAhead("EOF while parsing a value");
      case QUOTE:
        return this.#string();
      case OPEN_BRACE:
        return this.#nested(() => this.#object());
      case OPEN_BRACKET:
        return this.#nested(() => this.#array());
      case 0x6e:
        return this.#ident("null");
      case 0x74:
        return this.#ident("true");
      case 0x66:
        return this.#ident("false");
      default:
        if (byte === MINUS || isDigit(byte)) return this.#number();
        return this.#failAhead("expected value");
    }
  }

  #nested(read: () => void): void {
    if (this.#depth + 1 >= MAXIMUM_DEPTH) this.#failAhead("recursion limit exceeded");
    this.#depth++;
    this.#at++;
    read();
    this.#at++;
    this.#depth--;
  }

  #object(): void {
    const outermost = this.#depth === 1;
    for (let first = true;; first = false) {
      let byte = this.#peek();
      if (byte === undefined) this.#failAhead("EOF while parsing an object");
      if (byte === CLOSE_BRACE) return;
      if (!first) {
        if (byte !== COMMA) this.#failAhead("expected `,` or `}`");
        this.#at++;
        byte = this.#peek();
        if (byte === undefined) this.#failAhead("EOF while parsing a value");
        if (byte === CLOSE_BRACE) this.#failAhead("trailing comma");
      }
      if (byte !== QUOTE) this.#failAhead("key must be a string");
      const keyStart = this.#at;
      this.#string();
      const keyEnd = this.#at;
      const colon = this.#peek();
      if (colon === undefined) this.#failAhead("EOF while parsing an object");
      if (colon !== COLON) this.#failAhead("expected `:`");
      this.#at++;
      this.#peek();
      const start = this.#at;
      this.#value();
      if (outermost) this.#members.set(textOf(this.#bytes.subarray(keyStart, keyEnd)), [start, this.#at]);
    }
  }

  #array(): void {
    for (let first = true;; first = false) {
      const byte = this.#peek();
      if (byte === undefined) this.#failAhead("EOF while parsing a list");
      if (byte === CLOSE_BRACKET) return;
      if (!first) {
        if (byte !== COMMA) this.#failAhead("expected `,` or `]`");
        this.#at++;
        if (this.#peek() === CLOSE_BRACKET) this.#failAhead("trailing comma");
      }
      this.#value();
    }
  }

  #ident(word: string): void {
    for (let i = 0; i < word.length; i++) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) this.#fail("EOF while parsing a value");
      this.#at++;
      if (byte !== word.charCodeAt(i)) this.#fail("expected ident");
    }
  }

  #number(): void {
    if (this.#bytes[this.#at] === MINUS) this.#at++;
    if (this.#bytes[this.#at] === ZERO) {
      this.#at++;
      if (isDigit(this.#bytes[this.#at])) this.#failAhead("invalid number");
    } else {
      this.#digitsOrFail();
    }
    if (this.#bytes[this.#at] === POINT) {
      this.#at++;
      if (!isDigit(this.#bytes[this.#at])) this.#failAhead(this.#missingDigit());
      this.#digits();
    }
    const exponent = this.#bytes[this.#at];
    if (exponent === 0x65 || exponent === 0x45) {
      this.#at++;
      const sign = this.#bytes[this.#at];
      if (sign === PLUS || sign === MINUS) this.#at++;
      this.#digitsOrFail();
    }
  }

  #digitsOrFail(): void {
    if (!isDigit(this.#bytes[this.#at])) {
      const what = this.#missingDigit();
      this.#at = Math.min(this.#bytes.length, this.#at + 1);
      this.#fail(what);
    }
    this.#digits();
  }

  #missingDigit(): string {
    return this.#at >= this.#bytes.length ? "EOF while parsing a value" : "invalid number";
  }

  #digits(): void {
    while (isDigit(this.#bytes[this.#at])) this.#at++;
  }

  #string(): void {
    this.#at++;
    while (true) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) this.#fail("EOF while parsing a string");
      this.#at++;
      if (byte === QUOTE) return;
      if (byte < 0x20) this.#fail("control character (\\u0000-\\u001F) found while parsing a string");
      if (byte === BACKSLASH) this.#escape();
    }
  }

  #escape(): void {
    const escape = this.#bytes[this.#at];
    if (escape === undefined) this.#fail("EOF while parsing a string");
    this.#at++;
    if (ESCAPES.has(escape)) return;
    if (escape !== LETTER_U) this.#fail("invalid escape");
    if (this.#at + 4 > this.#bytes.length) {
      this.#at = this.#bytes.length;
      this.#fail("EOF while parsing a string");
    }
    const digits = decoder.decode(this.#bytes.subarray(this.#at, this.#at + 4));
    this.#at += 4;
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail("invalid escape");
  }
}

function isDigit(byte: number | undefined): byte is number {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** The text of a JSON string that was found to be valid. */
function textOf(json: Uint8Array): string {
  return String(JSON.parse(decoder.decode(json)));
}
