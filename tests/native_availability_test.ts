/**
 * Where the library "native" says that it can run.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { nativeUnavailableReason } from "../src/transport/native/mod.ts";

test("native can run on Deno, Bun and Node, this one among them", () => {
  assertEquals(nativeUnavailableReason(), undefined);
  assertEquals(nativeUnavailableReason({ Deno: { connect: () => {} } }), undefined);
  assertEquals(nativeUnavailableReason({ Bun: { connect: () => {} } }), undefined);
  assertEquals(nativeUnavailableReason({ process: { versions: { node: "22.0.0" } } }), undefined);
});

test("native can't run on a browser, nor on workerd even if that looks like Node, and says what to use", () => {
  const workerd = { process: { versions: { node: "22.0.0" } }, navigator: { userAgent: "Cloudflare-Workers" } };
  for (const runtime of [{}, { navigator: { userAgent: "Mozilla/5.0" } }, { Deno: {} }, workerd]) {
    assertMatch(nativeUnavailableReason(runtime) ?? "", /raw sockets .* use "builtin"/);
  }
});
