/**
 * JSON whose integers beyond 2^53 arrive with all their digits.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { type IntegerMode, parsePrecise } from "@rawtick/binance";

/** A JSON text, and what it is in each mode. */
interface Case {
  readonly json: string;
  readonly string: unknown;
  readonly bigint: unknown;
}

const same = (json: string): Case => ({ json, string: JSON.parse(json), bigint: JSON.parse(json) });
const bigInteger = (digits: bigint): Case => ({ json: `${digits}`, string: `${digits}`, bigint: digits });

const LIMIT = BigInt(Number.MAX_SAFE_INTEGER);
const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 25 });
const strings = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom(...'\\"\0\b,:{}[] -9u/'), maxLength: 30 }),
  digits,
  fc.tuple(fc.string({ unit: fc.constantFrom(...'\0\\"-') }), digits).map((parts) => parts.join("")),
);
/** Strings in more than one spelling: JSON may escape what it needn't. */
const stringJson = fc.tuple(strings, fc.boolean()).map(([text, isEscaped]) =>
  isEscaped
    ? `"${
      [...text].map((char) => char.length === 1 ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : char).join(
        "",
      )
    }"`
    : JSON.stringify(text)
);
const numberJson = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n))
    .map((n) => JSON.stringify(n)),
  fc.maxSafeInteger().map(String),
  fc.tuple(digits, digits).map(([whole, fraction]) => `${BigInt(whole)}.${fraction}`),
  fc.tuple(digits, fc.constantFrom("e", "E", "e-", "E+"), digits).map(([whole, e, exponent]) =>
    `-${BigInt(whole)}${e}${exponent}`
  ),
);
const bigIntegers = fc.oneof(
  fc.bigInt({ min: LIMIT + 1n, max: 2n ** 90n }),
  fc.bigInt({ min: LIMIT + 1n, max: LIMIT + 3n }),
  fc.bigInt({ min: LIMIT + 1n, max: 99_999_999_999_999_999n }),
).chain((n) => fc.constantFrom(n, -n));
const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 2 });

const { json: anyCase } = fc.letrec<{ json: Case }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.oneof(stringJson, numberJson, fc.constantFrom("true", "false", "null")).map(same),
      bigIntegers.map(bigInteger),
    ),
    fc.tuple(fc.array(tie("json"), { maxLength: 5 }), space).map(([items, gap]) => ({
      json: `[${gap}${items.map(({ json }) => json).join(`${gap},${gap}`)}${gap}]`,
      string: items.map((item) => item.string),
      bigint: items.map((item) => item.bigint),
    })),
    fc.tuple(fc.array(fc.tuple(stringJson, tie("json")), { maxLength: 5 }), space).map(([members, gap]) => ({
      json: `{${members.map(([name, { json }]) => `${gap}${name}${gap}:${gap}${json}`).join(",")}${gap}}`,
      string: Object.fromEntries(members.map(([name, { string }]) => [JSON.parse(name), string])),
      bigint: Object.fromEntries(members.map(([name, { bigint }]) => [JSON.parse(name), bigint])),
    })),
  ),
}));

test("any JSON is what JSON.parse gives, but for the integers beyond 2^53", () => {
  fc.assert(
    fc.property(anyCase, ({ json, string, bigint }) => {
      assertEquals(parsePrecise(json, "string"), string);
      assertEquals(parsePrecise(json, "bigint"), bigint);
    }),
    { numRuns: 500 },
  );
});

/** A text with one character taken out, put in or changed. */
const damaged = fc.tuple(anyCase, fc.nat(), fc.constantFrom("", ...'"\\0123456789-+.eE,:[]{} x'), fc.nat(1)).map((
  [{ json }, position, char, removed],
) => {
  const at = position % (json.length + 1);
  return json.slice(0, at) + char + json.slice(at + removed);
});

/** Texts that would be JSON if a long integer were a string, or nearly so. */
const traps = [
  "{12345678901234567890:1}",
  "{12345678901234567890 \n :1}",
  "{-12345678901234567890:1}",
  "[012345678901234567890]",
  "[-012345678901234567890]",
  "[--12345678901234567890]",
  "[+12345678901234567890]",
  "[12345678901234567890.]",
  "[12345678901234567890e]",
  "[.12345678901234567890]",
  "[1 12345678901234567890]",
  '["a"12345678901234567890]',
  '[12345678901234567890"a"]',
  '["12345678901234567890]',
  '["\\"12345678901234567890]',
  '["\\\\"12345678901234567890]',
  '{"a":"b"12345678901234567890"}',
  "[x12345678901234567890]",
  "[12345678901234567890x]",
  "[12345678901234567890_1]",
  "[0x12345678901234567890]",
  "12345678901234567890:",
  "[1e12345678901234567890.5]",
];

test("what is not JSON is refused, and what is JSON is not", () => {
  const isJson = (parse: () => unknown) => {
    try {
      parse();
      return true;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return false;
    }
  };
  const check = (text: string) => {
    const expected = isJson(() => JSON.parse(text));
    assertEquals(isJson(() => parsePrecise(text, "string")), expected, text);
    assertEquals(isJson(() => parsePrecise(text, "bigint")), expected, text);
  };
  for (const text of traps) {
    assertThrows(() => JSON.parse(text), SyntaxError);
    check(text);
  }
  fc.assert(fc.property(damaged, check), { numRuns: 1_000 });
});

test("an order id keeps its digits, and the fields around it are what they are without it", () => {
  const json =
    '{"e":"ORDER_TRADE_UPDATE","o":{"c":"12345678901234567890","i":8389766145050669870,"t":-9007199254740993,"T":1568879465651}}';
  const order = { c: "12345678901234567890", T: 1568879465651 };
  assertEquals(parsePrecise(json), {
    e: "ORDER_TRADE_UPDATE",
    o: { ...order, i: "8389766145050669870", t: "-9007199254740993" },
  });
  assertEquals(parsePrecise(json, "bigint"), {
    e: "ORDER_TRADE_UPDATE",
    o: { ...order, i: 8389766145050669870n, t: -9007199254740993n },
  });
});

test("the line runs between 2^53 - 1 and 2^53, on both sides of zero", () => {
  const edges: [string, unknown][] = [
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["-9007199254740991", -9007199254740991],
    ["-9007199254740992", "-9007199254740992"],
    ["9999999999999999", "9999999999999999"],
    ["10000000000000000", "10000000000000000"],
    ["1749094553955907", 1749094553955907],
    ["9007199254740993.0", 9007199254740992],
    ["1e300", 1e300],
  ];
  for (const [json, value] of edges) assertStrictEquals(parsePrecise(json), value, json);
});

test("a member called __proto__ stays a member", () => {
  const modes: [IntegerMode, unknown][] = [["string", "12345678901234567890"], ["bigint", 12345678901234567890n]];
  for (const [mode, value] of modes) {
    // The cast: the text is an object's.
    const object = parsePrecise('{"__proto__":12345678901234567890}', mode) as Record<string, unknown>;
    assertEquals(Object.getOwnPropertyDescriptor(object, "__proto__")?.value, value);
    assertStrictEquals(Object.getPrototypeOf(object), Object.prototype);
  }
});

test("deep nesting is no harder than for JSON.parse", () => {
  const depth = 5_000;
  let value = parsePrecise(`${"[".repeat(depth)}12345678901234567890${"]".repeat(depth)}`, "bigint");
  for (let i = 0; i < depth; i++) if (Array.isArray(value)) value = value[0];
  assertStrictEquals(value, 12345678901234567890n);
});
