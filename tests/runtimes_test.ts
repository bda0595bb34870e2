/**
 * What runs where: the probes run on this runtime, and in workerd and a browser, and docs/runtimes.md and the README say
 * what they say. The whole table is `deno task runtimes`.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { currentRuntime } from "../tools/runtimes.ts";
import { readmeWith } from "./runtimes/document.ts";
import { FEATURES } from "./runtimes/features.ts";
import { missing, type Run, runOn, type RuntimeName } from "./runtimes/runs.ts";
import { COLUMNS, differences, readCells, shortTableOf, tablesOf, textOf } from "./runtimes/table.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const documented = readCells(read("../docs/runtimes.md"));
const timeout = 120_000;

async function compare(runtime: RuntimeName): Promise<void> {
  const result = await runOn(runtime);
  for (const line of result.lines) console.log(`${result.version}, ${line.library}: ${line.feature}: ${textOf(line)}`);
  assertEquals(result.lines.length, 2 * FEATURES.length);
  assertEquals(differences(documented, result), [], "`deno task runtimes --markdown` writes the document anew");
}

test("the table of docs/runtimes.md is what the probes measure on this runtime", { timeout }, async () => {
  await compare(currentRuntime);
});

const noWorkerd = missing("workerd") !== undefined
  ? "the npm package workerd has no binary that runs on this platform"
  : false;
const noChromium = missing("chromium") !== undefined
  ? "no Chromium is installed: Debian's package is chromium, another one's path goes into CHROMIUM"
  : false;

// Once is enough: neither depends on the runtime of the tests.
if (currentRuntime === "deno") {
  test(
    "the table of docs/runtimes.md is what the probes measure in workerd",
    { skip: noWorkerd, timeout },
    async () => {
      await compare("workerd");
    },
  );
  test(
    "the table of docs/runtimes.md is what the probes measure in Chromium",
    { skip: noChromium, timeout },
    async () => {
      await compare("chromium");
    },
  );
}

test("the table of docs/runtimes.md has every cell, and the README's says the same", () => {
  assertEquals(documented.size, FEATURES.length * COLUMNS.length);
  assertEquals(
    Array.from(documented.values()).filter(({ outcome }) => !/^(yes|no|refused|not known)$/.test(outcome)),
    [],
  );
  const readme = read("../README.md");
  const squeezed = (text: string): string => text.replaceAll(/ {2,}/g, " ").replaceAll(/-{2,}/g, "-");
  assertEquals(squeezed(readmeWith(readme, shortTableOf(documented))), squeezed(readme));
});

test("a cell that differs from the document is told", () => {
  const result: Run = {
    runtime: "deno",
    version: "deno",
    lines: FEATURES.flatMap(({ id }) => [
      { feature: id, library: "builtin", outcome: "yes", why: "" },
      { feature: id, library: "native", outcome: "no", why: "it has several words, and (brackets)" },
    ]),
  };
  const cells = readCells(tablesOf([result]).join("\n"));
  assertEquals(differences(cells, result), []);
  const [first, ...others] = result.lines;
  assert(first !== undefined);
  const [told = "", ...more] = differences(cells, {
    ...result,
    lines: [{ ...first, outcome: "no", why: "x" }, ...others],
  });
  assertEquals(more, []);
  assertStringIncludes(told, 'the document says "yes", measured "no: x"');
});
