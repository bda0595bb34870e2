import { test } from "node:test";
import { existsSync, readFileSync } from "node:fs";
import { assert, assertEquals } from "@std/assert";

const root = new URL("../", import.meta.url);

/** The package descriptions, as far as they are compared. */
interface Description {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly publish?: { readonly include: readonly string[] };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, root), "utf8"));
}

const deno = read<Description>("deno.json");
const jsr = read<Description>("jsr.json");
const npm = read<Description>("package.json");
const npmRanges = { ...npm.dependencies, ...npm.devDependencies };

test("deno.json, jsr.json and package.json describe the same package", () => {
  for (const other of [jsr, npm]) {
    assertEquals(other.name, deno.name);
    assertEquals(other.version, deno.version);
    assertEquals(other.license, deno.license);
    assertEquals(other.exports, deno.exports);
  }
});

test("jsr.json publishes the same files with the same imports as deno.json", () => {
  assertEquals(jsr.imports, deno.imports);
  assertEquals(jsr.publish, deno.publish);
});

test("every exported file exists and is published", () => {
  for (const [name, file] of Object.entries(deno.exports)) {
    assert(existsSync(new URL(file, root)), `${name} exports ${file}, which does not exist`);
    const path = file.replace(/^\.\//, "");
    const isPublished = deno.publish?.include.some((entry) => path === entry || path.startsWith(`${entry}/`));
    assert(isPublished, `${name} exports ${file}, which is not in publish.include`);
  }
});

test("every npm import of deno.json has the same version range in package.json", () => {
  for (const [name, target] of Object.entries(deno.imports ?? {})) {
    if (target.startsWith("npm:")) assertEquals(target, `npm:${name}@${npmRanges[name]}`);
  }
});

test("every dependency of package.json is an import of deno.json", () => {
  for (const name of Object.keys(npm.dependencies ?? {})) {
    assert(deno.imports?.[name] !== undefined, `${name} is missing in the imports of deno.json`);
  }
});

test("package-lock.json belongs to this package.json and names no registry", () => {
  const { packages } = read<{ packages: Record<string, Partial<Description> & { resolved?: string } | undefined> }>(
    "package-lock.json",
  );
  const own = packages[""];
  assertEquals(own?.name, npm.name);
  assertEquals(own?.version, npm.version);
  assertEquals(own?.dependencies, npm.dependencies);
  assertEquals(own?.devDependencies, npm.devDependencies);
  assertEquals(Object.entries(packages).filter(([, locked]) => locked?.resolved !== undefined), []);
});

test("neither Deno nor Bun is a dependency, because deno task would run the copy in node_modules as JavaScript", () => {
  assertEquals(Object.keys(npmRanges).filter((name) => name === "deno" || name === "bun"), []);
});
