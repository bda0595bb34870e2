/**
 * The examples as a user runs them: one command, data, and an end that is asked for.
 *
 * @module
 */

import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startLocalExchange } from "@rawtick/binance/testing";
import { Command, run, TemporaryFolder } from "./command.ts";
import { workerdBinary } from "./workerd/workerd.ts";

const isBun = "Bun" in globalThis;
const noWorkerd = workerdBinary() === undefined
  ? "the npm package workerd has no binary that runs on this platform"
  : false;
/** Longest time in ms for what an example sends. */
const PATIENCE_MS = 30_000;
const timeout = 120_000;

/** The examples that serve a tap on this runtime, and where their tap is. */
const taps = [
  { script: isBun ? "bun_serve_tap" : "deno_serve_tap", path: "/", skip: false },
  { script: "browser/server", path: "/tap", skip: false },
  { script: "cloudflare/run_local", path: "/", skip: noWorkerd },
];

/** How an example is run, and by which signal it is asked to end. */
interface ServingOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: "SIGINT" | "SIGTERM";
}

/** Runs an example that serves, at a port of its own, until `use` is done; then asks it to end. */
async function serving(
  script: string,
  { env = {}, signal = "SIGTERM" }: ServingOptions,
  use: (url: URL) => Promise<void>,
): Promise<void> {
  const all = { UPSTREAM_URL: "", TOKEN: "", PORT: "0", ...env };
  using command = new Command(`examples/${script}.ts`, [], undefined, all);
  await command.untilLines(1, PATIENCE_MS);
  try {
    await use(new URL(command.lines[0] ?? ""));
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}; it wrote: ${command.errors}`, { cause: error });
  }
  command.kill(signal);
  assertEquals(await command.ended, 0, command.errors);
}

/** Reads Server-Sent Events until `isEnough`, and lets them go on. */
async function eventsOf(url: URL, isEnough: (text: string) => boolean): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (isEnough(text)) break;
  }
  return text;
}

for (const { script, path, skip } of taps) {
  test(`the example ${script} hands on trades, and ends with code 0 while it has clients`, {
    skip: noWorkerd && skip,
    timeout,
  }, async () => {
    const client = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      await serving(script, { signal }, async (url) => {
        const trades = new URL(`${path}?streams=btcusdt@trade`, url);
        const text = await eventsOf(trades, (text) => text.split("\ndata: {").length > 4);
        assertMatch(text, /^retry: \d+\n\n/);
        assertMatch(text, /\nid: \S+\ndata: \{"stream":"btcusdt@trade","data":\{"e":"trade",.*\}\}\n\n/);
        await fetch(trades, { signal: client.signal }); // one that stays
      });
    }
    client.abort();
  });

  test(`the example ${script} taps the exchange of UPSTREAM_URL`, { skip: noWorkerd && skip, timeout }, async () => {
    await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
    await serving(script, { env: { UPSTREAM_URL: exchange.url } }, async (url) => {
      const events = eventsOf(new URL(`${path}?streams=btcusdt@trade`, url), (text) => text.includes("ours"));
      await exchange.waitFor(() => exchange.openConnections.some(({ streams }) => streams.includes("btcusdt@trade")));
      exchange.push("btcusdt@trade", { e: "trade", ours: 1 });
      assertStringIncludes(await events, '{"stream":"btcusdt@trade","data":{"e":"trade","ours":1}}');
    });
  });

  if (path !== "/") continue;
  test(`the example ${script} demands the token of TOKEN`, { skip: noWorkerd && skip, timeout }, async () => {
    await serving(script, { env: { TOKEN: "a-token" } }, async (url) => {
      const refused = await fetch(url);
      assertEquals(refused.status, 401);
      await refused.body?.cancel();
      url.searchParams.set("access_token", "a-token");
      assertStringIncludes(await eventsOf(url, (text) => text.includes("e")), "retry: ");
    });
  });
}

test(
  "the example browser/server serves its page with everything that it loads, and nothing else",
  { timeout },
  async () => {
    await serving("browser/server", {}, async (url) => {
      const page = await (await fetch(url)).text();
      const loaded = [...page.matchAll(/ (?:src|href)="(?!data:)([^"]+)"/g)].map(([, file = ""]) => file);
      assertEquals(loaded, ["style.css", "page.js"]);
      for (const file of [...loaded, "tap_source.js", "views.js"]) {
        const response = await fetch(new URL(file, url));
        assertEquals(response.status, 200, file);
        const text = await response.text();
        assertEquals(text, readFileSync(new URL(`../examples/browser/${file}`, import.meta.url), "utf8"));
        for (const [, imported = ""] of text.matchAll(/^import .* from "\.\/(.+)";$/gm)) {
          assert(["tap_source.js", "views.js"].includes(imported), `${file} imports ${imported}`);
        }
        assert(!/\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval)\b/.test(text), file);
      }
      for (const path of ["/server.ts", "/..%2fserver.ts", "/package.json"]) {
        const response = await fetch(new URL(path, url));
        assertEquals(response.status, 404, path);
        await response.body?.cancel();
      }
    });
  },
);

test(
  "the example bun_script prints trades and quotes until it has so many, or is interrupted",
  { timeout },
  async () => {
    const { code, lines, errors } = await run("examples/bun_script.ts", ["6"]);
    assertEquals([code, lines.length], [0, 6], errors);
    assert(lines.some((line) => /^(sold {2}|bought) [\d.]+ at [\d.]+$/.test(line)), lines.join("\n"));
    assert(lines.some((line) => /^quote {2}[\d.]+ to [\d.]+$/.test(line)), lines.join("\n"));

    using command = new Command("examples/bun_script.ts", []);
    await command.untilLines(3, PATIENCE_MS);
    command.kill("SIGINT");
    assertEquals(await command.ended, 0, command.errors);
  },
);

test(
  "the example record_and_replay replays what it has recorded, also when it is interrupted",
  { timeout },
  async () => {
    using folder = new TemporaryFolder();
    const file = folder.file("session.ndjson");
    using command = new Command("examples/record_and_replay.ts", [file]);
    // It records: neither the file nor the first rows are there at once.
    while (command.exitCode === undefined && !(existsSync(file) && readFileSync(file, "utf8").split("\n").length > 5)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    command.kill("SIGINT");
    assertEquals(await command.ended, 0, command.errors);
    const [recorded, replayed] = command.lines;
    assertEquals(recorded, `Recorded into ${file}`);
    const [, same, all] =
      /^Replayed: (\d+) of (\d+) messages came byte for byte, in their order$/.exec(replayed ?? "") ??
        [];
    assert(Number(all) >= 4 && same === all, replayed);
  },
);

test("every example says at its top how it is run, and how it is pointed at the real exchange", () => {
  const examples = fileURLToPath(new URL("../examples/", import.meta.url));
  for (
    const script of [
      "deno_serve_tap",
      "bun_serve_tap",
      "bun_script",
      "record_and_replay",
      "browser/server",
      "cloudflare/run_local",
    ]
  ) {
    const head = readFileSync(`${examples}${script}.ts`, "utf8").split("*/", 1)[0] ?? "";
    assertMatch(
      head,
      new RegExp(`\\n \\* {5}(deno task|bun run) (example ${script}|examples/${script}\\.ts) `),
      script,
    );
    assertMatch(head, /\n \* {5}UPSTREAM_URL=wss:\/\/stream\.binance\.com:9443 (deno task|bun run) ex/, script);
  }
});
