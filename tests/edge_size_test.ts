/**
 * What the edge door weighs in a bundle. The table is printed, so that whoever adds to it sees where it goes.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { bundleOf, bundleTable } from "../tools/edge_bundle.ts";

/** Bytes, minified and gzipped. */
const LIMIT = 60_000;

test(`./edge is at most ${LIMIT} bytes minified and gzipped`, () => {
  const bundle = bundleOf("edge.ts");
  console.log(bundleTable(bundle));
  assert(bundle.gzipped <= LIMIT, `${bundle.gzipped} bytes:\n${bundleTable(bundle)}`);
  assert(bundle.gzipped > 20_000, "the door with everything behind it was bundled");
});

test("zod is less than a third of ./edge, and no logging and nothing of requests is in it", () => {
  const { bytes, parts, files } = bundleOf("edge.ts");
  const zod = parts.find(({ name }) => name === "zod")?.bytes ?? 0;
  assert(zod > 0 && zod < bytes / 3, `${zod} of ${bytes} bytes`);
  assertEquals(parts.filter(({ name }) => !name.startsWith("src/") && name !== "zod"), []);
  assertEquals(files.filter((file) => /@std|std_log|src\/(api|user_data|testing|cli)\//.test(file)), []);
});

test("the same bundle of ./edge-full has requests and account events, and is larger", () => {
  const full = bundleOf("edge_full.ts");
  for (const name of ["src/api", "src/user_data"]) assert(full.parts.some((part) => part.name === name), name);
  assert(full.gzipped > bundleOf("edge.ts").gzipped);
});
