/**
 * The demo as a newcomer runs it, only shorter.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { run } from "./command.ts";

test("the demo taps through both libraries, survives a disconnect with each, and ends with a table and code 0", async () => {
  const { code, lines, errors } = await run("examples/demo.ts", ["--seconds", "1"]);
  assertEquals(code, 0, errors);
  for (const library of ["builtin", "native"]) {
    const row = lines.find((line) => line.startsWith(library)) ?? "";
    const cells = /^\w+ +([\d,]+) +([\d,]+) +([\d.]+) +(\d+) +yes, data again after \d+ ms$/.exec(row);
    const [messages, rate, cpu, reconnects] = (cells ?? []).slice(1).map((cell) => Number(cell.replaceAll(",", "")));
    assert(messages !== undefined && rate !== undefined && cpu !== undefined, row || errors);
    assert(messages > 0 && rate > 0 && cpu > 0, row);
    assertEquals(reconnects, 1);
  }
  assertMatch(lines.at(-1) ?? "", /^Next: (npx -y )?(deno task|bun run) cli tap /);
});

test("the demo refuses arguments that it can't use with code 2 and one line", async () => {
  for (const args of [["--seconds", "soon"], ["--fast"]]) {
    const { code, output, errors } = await run("examples/demo.ts", args);
    assertEquals([code, output], [2, ""]);
    assertMatch(errors, /^error: [^\n]+\n$/);
  }
});
