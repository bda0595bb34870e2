/**
 * Nothing keeps the process alive after `stopManager`.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { startLocalExchange } from "@rawtick/binance/testing";
import { testEachLibrary } from "./support.ts";

const script = fileURLToPath(new URL("./fixtures/stop_and_exit.ts", import.meta.url));
const root = fileURLToPath(new URL("../", import.meta.url));

/** Runs the script on the runtime that runs this test, until it exits by itself. */
function run(args: string[]): Promise<{ code: number | null; output: string; tookMs: number }> {
  const config = existsSync(`${root}deno.offline.json`) ? "deno.offline.json" : "deno.json";
  const prefix = "Deno" in globalThis ? ["run", "-A", "--no-check", "--config", `${root}${config}`] : [];
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...prefix, script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => output += chunk);
    child.stderr.on("data", (chunk) => output += chunk);
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output, tookMs: performance.now() - startedAt });
    });
  });
}

testEachLibrary("a process ends by itself once its manager is stopped", async (library) => {
  await using exchange = await startLocalExchange();
  for (const phase of ["running", "connecting", "restarting", "subscribing", "replacing", "replaced", "rolling over"]) {
    exchange.refuseConnections(phase === "restarting" ? 503 : undefined);
    exchange.ignoreHandshakes(phase === "connecting");
    exchange.silenceAcks(phase === "subscribing");
    // Without data, neither a new stream nor a new connection is proven: both stay open beside the old one.
    exchange.muteStreams(["replacing", "rolling over"].includes(phase) ? ["btcusdt@trade"] : undefined);
    const { code, output } = await run([library, exchange.url, phase]);
    assertEquals(code, 0, `${phase}: ${output}`);
    assertStringIncludes(output, "stopped");
  }
});
