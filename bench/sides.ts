/**
 * The sides of a comparison: which library on which runtime, how its process is started, and why one is left out.
 *
 * @module
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ROOT, run } from "../tools/process.ts";
import { currentRuntime, findProgram } from "../tools/runtimes.ts";
import type { NodeBuild } from "./node_build.ts";
import type { Mode } from "./rows.ts";

/** Who runs a client process. */
export type ClientRuntime = "bun" | "deno" | "node" | "python";

/** A library on a runtime. */
export interface Side {
  readonly library: string;
  readonly runtime: ClientRuntime;
  /** Starts its client process; the arguments follow. */
  readonly command: readonly string[];
  /** The modes that it can be measured in. */
  readonly modes: readonly Mode[];
  /** Its part of the messages: slow ones get fewer. */
  readonly share: number;
  /** Whether it can set SO_RCVBUF. */
  readonly hasRcvbuf: boolean;
  /** Such as `native on bun`. */
  readonly title: string;
}

/** A side that can't run, and why. */
export interface LeftOut {
  readonly title: string;
  readonly reason: string;
}

const WHERE: Readonly<Record<string, readonly ClientRuntime[]>> = {
  builtin: [currentRuntime],
  native: [currentRuntime],
  bare: [currentRuntime],
  ws: currentRuntime === "bun" ? ["bun", "node"] : ["node"],
  undici: ["node"],
  websockets: ["python"],
  picows: ["python"],
  "unicorn-binance-websocket-api": ["python"],
  "unicorn-binance-websocket-api+picows": ["python"],
};

const PYTHON_FOLDER = join(ROOT, "bench", "peers", "python");
const PYTHON = process.platform === "win32"
  ? join(PYTHON_FOLDER, ".venv", "Scripts", "python.exe")
  : join(PYTHON_FOLDER, ".venv", "bin", "python");

function modesOf(library: string): readonly Mode[] {
  if (library === "builtin" || library === "native") return ["transport", "manager", "echo", "idle"];
  if (library === "bare") return ["bare"];
  if (library === "ws" || library === "undici") return ["transport", "echo", "idle"];
  return library.startsWith("unicorn") ? ["manager"] : ["transport", "echo"];
}

/** Major version of the `node` on PATH. */
async function nodeMajor(node: string): Promise<number> {
  const { stdout } = await run([node, "--version"]);
  return Number(/^v(\d+)/.exec(stdout)?.[1] ?? 0);
}

/** What Deno is run with, before the script. */
export function denoArguments(...flags: readonly string[]): string[] {
  const offline = join(ROOT, "deno.offline.json");
  const config = existsSync(offline) ? offline : join(ROOT, "deno.json");
  return ["run", "-A", "--no-check", "--config", config, ...flags];
}

/** Why a library can't run on a runtime, or the command that it runs with. */
async function commandOf(library: string, runtime: ClientRuntime, build: NodeBuild): Promise<string[] | string> {
  const client = join(ROOT, "bench", "client.ts");
  if (runtime === "python") {
    if (!existsSync(PYTHON)) return "its packages are not installed: python3 bench/peers/python/install.py";
    return [PYTHON, join(PYTHON_FOLDER, "client.py")];
  }
  if (library === "undici" && !existsSync(join(ROOT, "node_modules", "undici"))) {
    return "it is not installed: npm install --no-save undici";
  }
  const program = runtime === currentRuntime ? process.execPath : findProgram(runtime);
  if (program === undefined) return `${runtime} is not on PATH`;
  if (runtime === "bun") return [program, client];
  if (runtime === "deno") return [program, ...denoArguments("--v8-flags=--expose-gc"), client];
  const isOurs = library === "builtin" || library === "native";
  if (isOurs && await nodeMajor(program) < 22) return "it needs Node 22 or newer";
  return [program, "--expose-gc", build.add("bench/client.ts")];
}

/** Finds the sides that `names` ask for, each a library or `library@runtime`. */
export async function findSides(
  names: readonly string[],
  build: NodeBuild,
): Promise<{ readonly sides: readonly Side[]; readonly leftOut: readonly LeftOut[] }> {
  const sides: Side[] = [];
  const leftOut: LeftOut[] = [];
  const wanted = names.includes("all") ? Object.keys(WHERE).filter((library) => library !== "bare") : names;
  for (const name of wanted) {
    const [library = "", at] = name.split("@");
    const own = WHERE[library];
    if (own === undefined) {
      throw new Error(`Cannot use --libraries "${name}": expected ${Object.keys(WHERE).join(", ")} or all`);
    }
    if (at !== undefined && (!["bun", "deno", "node"].includes(at) || own.includes("python"))) {
      throw new Error(`Cannot use --libraries "${name}": expected a JavaScript library before @bun, @deno or @node`);
    }
    // The cast: `at` was just checked.
    for (const runtime of at === undefined ? own : [at as ClientRuntime]) {
      const title = `${library} on ${runtime}`;
      const command = await commandOf(library, runtime, build);
      if (typeof command === "string") leftOut.push({ title, reason: command });
      else {
        const isPython = runtime === "python";
        const modes = modesOf(library);
        sides.push({ library, runtime, title, command, modes, share: isPython ? 0.1 : 1, hasRcvbuf: isPython });
      }
    }
  }
  return { sides, leftOut };
}

/** The version of a side's library, where it is not its runtime's or this repository's; else `undefined`. */
export function libraryVersion({ library, runtime }: Side): string | undefined {
  if (runtime === "python") {
    const name = library.replace(/\+.*$/, "").replaceAll("-", "_");
    const site = filesIn(join(PYTHON_FOLDER, ".venv", "lib")).map((python) =>
      join(PYTHON_FOLDER, ".venv", "lib", python, "site-packages")
    );
    const info = site.flatMap(filesIn).find((file) => file.startsWith(`${name}-`) && file.endsWith(".dist-info"));
    return info?.slice(name.length + 1, -".dist-info".length);
  }
  const description = join(ROOT, "node_modules", library, "package.json");
  if (!existsSync(description)) return undefined;
  const { version }: { version?: string } = JSON.parse(readFileSync(description, "utf8"));
  return version;
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
