import { test } from "node:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Report } from "../tools/report.ts";
import { currentRuntime } from "../tools/runtimes.ts";
import { hiddenSkips, skipReason } from "../tools/skip_reasons.ts";
import { runFile } from "../tools/suite.ts";

/** Runs a test file with this text on this runtime, as the task `test` does. */
async function report(body: string, limitMs = 30_000): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "rawtick-"));
  try {
    const config = join(folder, "deno.json");
    writeFileSync(config, "{}");
    const file = join(folder, "fixture_test.ts");
    writeFileSync(file, `import { test } from "node:test";\n${body}\n`);
    const report = new Report();
    await runFile(currentRuntime, process.execPath, file, config, limitMs, "fixture", report);
    return report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("each test of a file is counted once, with what failed in the failing one", async () => {
  const result = await report(`
    test("one", () => {});
    test("two <&> 'quoted'", () => { throw new Error("broken & <bad>"); });
    test("three", { skip: "no proxy here" }, () => {});
    test("four", () => {});
  `);
  assertEquals(result.counts, { passed: 2, failed: 1, skipped: 1 });
  assertEquals(result.failures[0]?.name, "fixture: two <&> 'quoted'");
  assertStringIncludes(result.failures[0]?.message ?? "", "broken & <bad>");
});

test("a file whose tests hang is killed and counts as failed", async () => {
  const result = await report(
    `test("hangs", () => new Promise((resolve) => setTimeout(resolve, 60_000)));`,
    1_500,
  );
  assertEquals(result.counts, { passed: 0, failed: 1, skipped: 0 });
  assertStringIncludes(result.failures[0]?.message ?? "", "Hung: it was killed after");
});

test("a file that ends its process counts as failed", async () => {
  const result = await report(`
    import process from "node:process";
    test("crashes", () => void process.kill(process.pid, "SIGKILL"));
  `);
  assertEquals(result.counts, { passed: 0, failed: 1, skipped: 0 });
  assertStringIncludes(result.failures[0]?.message ?? "", "it ended with SIGKILL");
});

test("a file without a test counts as failed", async () => {
  const result = await report(`void test;`);
  assertEquals(result.counts, { passed: 0, failed: 1, skipped: 0 });
  assertStringIncludes(result.failures[0]?.message ?? "", "No test was run");
});

test("a file that throws at its top level counts as failed", async () => {
  const result = await report(`test("one", () => {});\nthrow new Error("at the top");`);
  assert(result.counts.failed > 0);
  assert(result.failures.some(({ message }) => message.includes("at the top")));
});

test("an error that no test awaits counts as failed", async () => {
  for (const late of [`setTimeout(() => { throw new Error("late"); }, 1)`, `Promise.reject(new Error("late"))`]) {
    const result = await report(`
      test("leaves something behind", () => void ${late});
      test("goes on", () => new Promise((resolve) => setTimeout(resolve, 50)));
    `);
    assert(result.counts.failed > 0, late);
    assert(result.failures.some(({ message }) => message.includes("late")), late);
  }
});

test("the reason of a skip is the text in its options, in a condition or in a constant", () => {
  const source = [
    `const noProxy = hasProxy() ? false : "no proxy is installed";`,
    `test("one", { skip: "needs a proxy" }, () => {});`,
    `test("two", { skip: isBun && 'Deno only', timeout: 5 }, () => {});`,
    `test("three", { skip: noProxy }, () => {});`,
    `test(`,
    `  "four",`,
    `  { skip: runtime === "bun" ? "Bun has no SOCKS proxies" : false },`,
    `  () => {},`,
    `);`,
    `test("five", { skip: isEdge() }, () => {});`,
    `test("six", { skip: isBun && "a, b } and c" }, () => {});`,
  ].join("\n");
  assertEquals(skipReason(source, 2), "needs a proxy");
  assertEquals(skipReason(source, 3), "Deno only");
  assertEquals(skipReason(source, 4), "no proxy is installed");
  assertEquals(skipReason(source, 5), "Bun has no SOCKS proxies");
  assertEquals(skipReason(source, 10), "isEdge()");
  assertEquals(skipReason(source, 11), "a, b } and c");
});

test("skips without a reason, skips at run time and exclusive tests are found", () => {
  // Put together here, because this very file is searched too.
  const [t, yes] = ["t", "true"];
  const source = [
    `${t}.skip();`,
    `tes${t}.skip("x");`,
    `{ skip: ${yes} }`,
    `tes${t}.only("x");`,
    `reader.skip(3);`,
    `{ skip: "x" }`,
  ];
  assertEquals(hiddenSkips(source.join("\n")), [1, 2, 3, 4]);
});
