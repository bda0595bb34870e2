/**
 * Keys and secrets are seen nowhere: not on the console, in JSON, in texts, nor in errors, caught or not.
 *
 * @module
 */

import { test } from "node:test";
import { inspect } from "node:util";
import { assert, assertEquals, assertNotStrictEquals, assertStringIncludes } from "@std/assert";
import { createSigner } from "@rawtick/binance";
import { run } from "./command.ts";
import { ways } from "./fixtures/print_secrets.ts";
import { API_KEY, API_SECRET, secretsIn, signers } from "./fixtures/secret_signers.ts";

/** The runtimes' own ways to show a value. */
interface Inspecting {
  readonly Deno?: { inspect(value: unknown, options?: object): string };
  readonly Bun?: { inspect(value: unknown, options?: object): string };
}

/** Everything that shows a value, whatever it is told to show. */
function shownBy(value: unknown): string[] {
  // The cast: what this runtime has.
  const { Deno, Bun } = globalThis as Inspecting;
  const options = { depth: 10, showHidden: true, getters: true, showProxy: true, compact: false };
  return [
    inspect(value),
    inspect(value, options),
    inspect(value, { ...options, customInspect: false, getters: false }),
    Deno?.inspect(value, options) ?? "",
    Bun?.inspect(value, options) ?? "",
    JSON.stringify(value) ?? "",
    JSON.stringify([value], null, 2),
  ];
}

test("the check finds what it looks for", () => {
  for (const text of [API_KEY, ` ${API_SECRET} `, btoa(API_SECRET), inspect(new TextEncoder().encode(API_SECRET))]) {
    assert(secretsIn(text).length > 0, text);
  }
});

for (const way of Object.keys(ways)) {
  test(`a signer shows nothing of its keys: ${way}`, { timeout: 30_000 }, async () => {
    const { code, output, errors } = await run("tests/fixtures/print_secrets.ts", [way]);
    assertEquals(secretsIn(output + errors), []);
    assertStringIncludes(output + errors, way === "console" ? "[redacted]" : "");
    assertEquals(code === 0, way === "console", "the process ended as it should");
  });
}

test("a signer in a text, in JSON, in a list or in an error is [redacted]", () => {
  for (const signer of signers) {
    assertEquals([String(signer), `${signer}`, "" + signer, [signer].join()], Array(4).fill("[redacted]"));
    assertEquals(JSON.stringify({ signer, list: [signer] }), '{"signer":"[redacted]","list":["[redacted]"]}');
    const { message, stack } = new Error(`Cannot sign with ${signer}`);
    assertEquals(message, "Cannot sign with [redacted]");
    assertStringIncludes(stack ?? "", "[redacted]");
  }
});

test("inspecting a signer, alone or in other objects, shows [redacted] and nothing of its keys", () => {
  for (const signer of signers) {
    assertEquals(inspect(signer), "[redacted]");
    assertStringIncludes(inspect({ options: { list: [signer] } }), "[redacted]");
    const values = [
      signer,
      { signer },
      { a: { b: { c: [signer] } } },
      new Map([[signer, signer]]),
      new Set([signer]),
      new Error("cause", { cause: signer }),
      Object.assign(new Error("property"), { signer }),
      new AggregateError([signer]),
      new Proxy(signer, {}),
      Object.create(signer),
      { ...signer },
      Object.getPrototypeOf(signer),
    ];
    for (const value of values) for (const text of shownBy(value)) assertEquals(secretsIn(text), [], text);
  }
});

test("a signer that has signed shows no more than one that hasn't", async () => {
  for (const signer of signers) {
    await signer.signRest("timestamp=1");
    for (const text of [...shownBy(signer), ...shownBy({ signer })]) assertEquals(secretsIn(text), [], text);
  }
});

test("a signer has no property to copy, list or clone, and its keys can't be reached through one", () => {
  for (const signer of signers) {
    assertEquals([Reflect.ownKeys(signer), { ...signer }, Object.assign({}, signer)], [[], {}, {}]);
    const clone = structuredClone(signer);
    assertNotStrictEquals(clone, signer);
    assertEquals(Reflect.ownKeys(clone), []);
  }
});

test("the API key is there for those who read the property, the secret for nobody", () => {
  assertEquals(signers.map(({ apiKey, kind }) => [apiKey, kind]), [[API_KEY, "HMAC"], [API_KEY, "Ed25519"]]);
  // An inspection that is told to ignore custom printing, to look for hidden properties and to read them, reads them.
  const text = inspect(signers, { customInspect: false, showHidden: true, getters: true, depth: 10 });
  assertEquals(secretsIn(text.replaceAll(API_KEY, "")), []);
});

const body = btoa(`0.${API_SECRET}`);
/** Mistakes of every kind: keys cut off, swapped, in the wrong place, of the wrong kind. */
const mistakes: readonly unknown[] = [
  { apiKey: `${API_KEY}\n`, apiSecret: API_SECRET },
  { apiKey: API_KEY, apiSecret: ` ${API_SECRET}` },
  { apiKey: API_KEY },
  { apiKey: "", apiSecret: API_SECRET },
  { apiSecret: API_SECRET },
  { apiKey: API_KEY, apiSecret: { secret: API_SECRET } },
  { apiKey: [API_KEY], apiSecret: API_SECRET },
  { apiKey: API_KEY, apiSecret: API_SECRET, privateKey: API_SECRET },
  { apiKey: API_KEY, privateKey: API_SECRET },
  { apiKey: API_KEY, privateKey: new TextEncoder().encode(API_SECRET) },
  { apiKey: API_KEY, apiSecret: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----` },
  ...["PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PUBLIC KEY", "SOMETHING"].flatMap((label) =>
    [body, API_SECRET].flatMap((text) => [
      { apiKey: API_KEY, privateKey: `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----` },
      { apiKey: API_KEY, privateKey: `-----BEGIN ${label}-----\n${text}` },
    ])
  ),
];

test("errors about unusable keys contain nothing of them", () => {
  for (const options of mistakes) {
    let error: unknown;
    try {
      // The cast: what JavaScript may pass.
      createSigner(options as Parameters<typeof createSigner>[0]);
    } catch (thrown) {
      error = thrown;
    }
    assert(error instanceof Error, `refused: ${inspect(options)}`);
    for (const text of [error.message, error.stack ?? "", ...shownBy(error)]) assertEquals(secretsIn(text), [], text);
  }
});

test("the error about a key that the runtime refuses contains nothing of it", async () => {
  const inner = `\x04${String.fromCharCode(API_SECRET.length)}${API_SECRET}`;
  const content = `\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70${inner}`;
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${
    btoa(`\x30${String.fromCharCode(content.length)}${content}`)
  }\n-----END PRIVATE KEY-----`;
  const error: unknown = await createSigner({ apiKey: API_KEY, privateKey }).signRest("timestamp=1").catch((error) =>
    error
  );
  assert(error instanceof Error);
  assertStringIncludes(error.message, "this runtime refuses it as Ed25519 key");
  for (const text of [error.message, error.stack ?? "", ...shownBy(error)]) assertEquals(secretsIn(text), [], text);
});
