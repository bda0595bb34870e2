/**
 * The command line: `tap` writes the messages of streams to stdout, `exchange` runs the local exchange.
 *
 * ```ts
 * import { main } from "@rawtick/binance/cli";
 *
 * await main(["tap", "--help"]);
 * ```
 *
 * @module
 */

import { runProcess } from "./src/cli/mod.ts";

export { type CommandIo, main } from "./src/cli/mod.ts";

if (import.meta.main) await runProcess();
