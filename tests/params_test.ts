/**
 * Parameters of requests, as they are sent and as they are signed, and client order ids.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "fast-check";
import { newClientOrderId, type Params, parsePrecise } from "@rawtick/binance";
import { paramsJson, plainDecimal, restQuery, signingPayload } from "../src/api/params.ts";

test("numbers are sent as plain decimals, however small or large they are", () => {
  const params = {
    price: 1.2e-7,
    quantity: 3e21,
    stopPrice: -5e-324,
    icebergQty: 1,
    trailingDelta: 40,
    strategyId: 1.5,
  };
  assertEquals(
    paramsJson(params),
    `{"price":"0.00000012","quantity":"3000000000000000000000","stopPrice":"-0.${"0".repeat(323)}5","icebergQty":"1",` +
      '"trailingDelta":40,"strategyId":"1.5"}',
  );
  assertEquals(paramsJson({ price: "0.01000000", callbackRate: 0.1 }), '{"price":"0.01000000","callbackRate":"0.1"}');
});

test("a plain decimal is the same number, has no exponent and no digit too many", () => {
  assertEquals([plainDecimal(0), plainDecimal(-0), plainDecimal(1e21), plainDecimal(-1.5e-9)], [
    "0",
    "0",
    "1000000000000000000000",
    "-0.0000000015",
  ]);
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -40, max: 40 }).chain((exponent) => fc.integer().map((digits) => digits * 10 ** exponent)),
  );
  fc.assert(fc.property(numbers, (n) => {
    const text = plainDecimal(n);
    assertMatch(text, /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
    assertEquals(Number(text), n === 0 ? 0 : n);
  }));
});

test("bigints and texts carry ids beyond 2^53; a number that has lost digits is refused", () => {
  const lost = Number(8389766145050669870n);
  assertEquals(paramsJson({ orderId: 8389766145050669870n }), '{"orderId":8389766145050669870}');
  assertEquals(paramsJson({ orderId: "8389766145050669870" }), '{"orderId":"8389766145050669870"}');
  assertThrows(() => paramsJson({ orderId: lost }), TypeError, 'Cannot send a number beyond 2^53 as "orderId"');
  assertThrows(() => signingPayload({ orderId: lost }), TypeError);
  assertEquals(paramsJson({ orderId: Number.MAX_SAFE_INTEGER }), '{"orderId":9007199254740991}');
  assertEquals(paramsJson({ quantity: 10n ** 20n }), '{"quantity":"100000000000000000000"}');
});

test("what can't be sent is refused by its name, never sent as NaN or null", () => {
  const wrong: [unknown, string][] = [
    [NaN, "Cannot send NaN"],
    [Infinity, "Cannot send Infinity"],
    [null, "Cannot send null"],
    [{ a: 1 }, "Cannot send object"],
    [() => 1, "Cannot send function"],
    [[1, null], "Cannot send such a list"],
    [[NaN], "Cannot send NaN"],
    ["\ud800", "half a surrogate pair"],
  ];
  for (const [value, message] of wrong) {
    // The cast: what JavaScript may pass.
    const params = { price: value } as Params;
    for (const write of [paramsJson, signingPayload, restQuery]) assertThrows(() => write(params), TypeError, message);
  }
});

const values = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
  fc.integer(),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }).filter((n) => !Number.isInteger(n)),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(undefined),
  fc.array(fc.integer({ min: -1000, max: 1000 })),
);
const names = fc.oneof(
  fc.constantFrom("price", "quantity", "orderId", "apiKey", "signature", "timestamp", "stopPrice"),
  fc.string({ unit: fc.constantFrom(..."abcxyzABCXYZ_019"), minLength: 1, maxLength: 8 }).filter((name) =>
    name !== "__proto__"
  ),
);

test("the exchange computes the same signature from what arrives, in whatever order", () => {
  fc.assert(fc.property(fc.dictionary(names, values), (params) => {
    // The cast: the JSON of parameters gives parameters.
    const arrived = parsePrecise(paramsJson(params), "bigint") as Params;
    assertEquals(signingPayload(arrived), signingPayload(params));
    assertEquals(signingPayload(Object.fromEntries(Object.entries(arrived).reverse())), signingPayload(params));
    const fromQuery = Object.fromEntries(new URLSearchParams(restQuery(params)));
    assertEquals(signingPayload(fromQuery), signingPayload(params));
  }));
});

test("client order ids are unique, valid, and begin with the prefix", () => {
  const ids = Array.from({ length: 20_000 }, () => newClientOrderId("my_bot-7-"));
  assertEquals(new Set(ids).size, ids.length);
  for (const id of ids) assertMatch(id, /^my_bot-7-[0-9A-Za-z]{22}$/);
  assertEquals(newClientOrderId().length, 22);
  assertEquals(newClientOrderId("a".repeat(14)).length, 36);
  const used = new Set(ids.flatMap((id) => [...id.slice(9)]));
  assertEquals(used.size, 62, "all letters and digits are used");
  for (const prefix of ["a".repeat(15), "ü", "a b", "a.b", "a\n"]) {
    assertThrows(() => newClientOrderId(prefix), TypeError, "Cannot begin a client order id");
  }
  assert(newClientOrderId("x") !== newClientOrderId("x"));
});
