/**
 * What `docs/reliability.md` promises is tested: every test that it names is there, and no report is left out.
 *
 * @module
 */

import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";

const text = readFileSync(new URL("../docs/reliability.md", import.meta.url), "utf8");

/** A file of tests in code quotes, a colon, and names of tests in code quotes. */
const REFERENCE = /`(\w+_test\.ts)`:((?:,?\s+`[^`]+`)+)/g;
/** The first argument of `test` and of functions like `testEachLibrary`. */
const DECLARATION = /\btest\w*\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** The tests that a document names, by file. */
function named(document: string): Map<string, Set<string>> {
  const byFile = new Map<string, Set<string>>();
  for (const [, file = "", names = ""] of document.matchAll(REFERENCE)) {
    const list = byFile.get(file) ?? new Set();
    byFile.set(file, list);
    for (const [, name = ""] of names.matchAll(/`([^`]+)`/g)) list.add(name);
  }
  return byFile;
}

/** The names of the tests that a file declares, as they are written. */
function declared(source: string): Set<string> {
  return new Set([...source.matchAll(DECLARATION)].map(([, plain, template]) => {
    return plain === undefined ? template ?? "" : JSON.parse(`"${plain}"`) as string;
  }));
}

/** Throws if a test that a document names does not exist. */
function checkDocument(document: string): void {
  const missing = [...named(document)].flatMap(([file, names]) => {
    const url = new URL(file, import.meta.url);
    if (!existsSync(url)) return [file];
    const there = declared(readFileSync(url, "utf8"));
    return [...names].filter((name) => !there.has(name)).map((name) => `${file}: ${name}`);
  });
  assertEquals(missing, []);
}

test("every test that docs/reliability.md names is there", () => {
  checkDocument(text);
  const names = [...named(text).values()].reduce((sum, { size }) => sum + size, 0);
  assert(names > 100, `${names} tests are named`);
  const files = [...text.matchAll(/`\w+_test\.ts`/g)].length;
  assertEquals([...text.matchAll(REFERENCE)].length, files - 1, "only this file is mentioned without a test of it");
});

test("a test that is not there is found", () => {
  const here = "`reliability_document_test.ts`: `a test that is not there is found`";
  checkDocument(here);
  assertThrows(() => checkDocument(`${here}, \`a test that nobody wrote\``), Error, "nobody wrote");
  assertThrows(() => checkDocument("`no_such_test.ts`: `a test`"), Error, "no_such_test.ts");
});

test("each promise, defect and report has a test or says why it needs none", () => {
  const rows = new Map(
    [...text.matchAll(/^\| ([MCR]\d+) \|[^|]*\| (.*) \|$/gm)].map(([, id = "", here = ""]) => [id, here]),
  );
  const ids = (letter: string, last: number, skipped: readonly number[] = []) =>
    Array.from({ length: last }, (_, index) => index + 1)
      .filter((number) => !skipped.includes(number)).map((number) => letter + number);
  // The numbers that the list of reports does not have.
  const skipped = [9, 31, 32, 34, 40, 48, 50, 51, 53, 54, 59, 67, 69];
  assertEquals([...rows.keys()], [...ids("M", 11), ...ids("C", 30), ...ids("R", 70, skipped)]);
  const unexplained = [...rows].filter(([, here]) => {
    return named(here).size === 0 && !/^(can't occur: |not built yet, issue|as R\d+$)/.test(here);
  });
  assertEquals(unexplained, []);
  const promises = text.slice(0, text.indexOf("# Defects that others had")).split(/^## /m).slice(1);
  assertEquals(promises.filter((section) => named(section).size === 0).map((section) => section.split("\n")[0]), []);
});
