/**
 * The command line: its commands and options, and what becomes of their outcome.
 *
 * @module
 */

import { Command, CommanderError, Option } from "commander";
import config from "../../deno.json" with { type: "json" };
import { integerArgument, secondsArgument, speedArgument } from "./arguments.ts";
import { type ExchangeCommandOptions, runExchange } from "./exchange.ts";
import { describeFailure, EXIT_OK, EXIT_USAGE, UsageError } from "./failures.ts";
import { type CommandIo, isBrokenPipe } from "./io.ts";
import { standardStreams } from "./standard_streams.ts";
import { tap, type TapOptions } from "./tap.ts";

/**
 * Runs a command of the command line.
 *
 * @param args The arguments after the program's name, such as `["tap", "btcusdt@trade", "--count", "10"]`.
 * @param io Where it writes, and what ends it. Default: the process' stdout and stderr, and nothing.
 * @returns The exit code: 0 if all went as asked, also when it was ended by `io.signal`; 1 if a stream crashed or a
 * file could not be written; 2 if the arguments can't be used. What went wrong was reported in one line.
 *
 * @example
 * ```ts
 * import { main } from "@rawtick/binance/cli";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: string[] = [];
 * const code = await main(["tap", "btcusdt@trade", "--library", "picows"], {
 *   write: () => Promise.resolve(),
 *   report: (line) => void lines.push(line),
 *   signal: AbortSignal.timeout(10_000),
 * });
 * assertEquals(code, 2);
 * assertEquals(lines, ['error: Cannot use the websocket library "picows": expected "builtin" or "native"']);
 * ```
 */
export async function main(
  args: readonly string[],
  io: CommandIo = { ...standardStreams, signal: new AbortController().signal },
): Promise<number> {
  const help: string[] = [];
  const program = createProgram(io, help);
  try {
    if (args.length === 0) throw new UsageError('Missing the command: expected "tap" or "exchange"; see --help');
    await program.parseAsync(args, { from: "user" });
    return EXIT_OK;
  } catch (error) {
    // Commander has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? await writeHelp(help, io) : EXIT_USAGE;
    const { code, line } = describeFailure(error);
    io.report(`error: ${line}`);
    return code;
  }
}

function createProgram(io: CommandIo, help: string[]): Command {
  const program = new Command("rawtick")
    .description("Taps Binance's market streams, and plays an exchange to try them on.")
    .version(config.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void help.push(text),
      // Suggestions come as a second line.
      writeErr: (text) => io.report(text.trimEnd().replaceAll(/\s*\n\s*/g, " ")),
    });
  addTap(program, io);
  addExchange(program, io);
  return program.addHelpText("after", "\nExit codes: 0 done or interrupted, 1 something failed, 2 bad arguments");
}

function addTap(program: Command, io: CommandIo): void {
  program.command("tap")
    .summary("write the messages of streams to stdout, one a line")
    .description(
      "Writes the messages of streams to stdout, one a line; everything else goes to stderr.\n" +
        "Reconnects by itself. Ends on Ctrl-C, after --seconds or --count, or when stdout is closed.",
    )
    .argument("<stream...>", 'names of streams, such as btcusdt@trade or "!miniTicker@arr"')
    .option("-e, --exchange <key>", "where the streams come from, such as binance.com-futures", "binance.com")
    .option("-l, --library <name>", "what carries them: builtin or native", "builtin")
    .option("-u, --url <base>", "base URL instead of the exchange's own, such as ws://127.0.0.1:8765")
    .option("--proxy <url>", "proxy to connect through, scheme://user:password@host:port, or env")
    .addOption(
      new Option("-o, --output <form>", "raw: the text as received; json: parsed, printed on one line")
        .choices(["raw", "json"]).default("raw"),
    )
    .option("-s, --stats", "report messages, msgs/s, bytes and reconnects on stderr, once a second")
    .option("-r, --record <file>", "also write a recording, for exchange --replay")
    .option("-t, --seconds <n>", "end after this time", secondsArgument)
    .option("-n, --count <n>", "end after this many messages", integerArgument(1, Number.MAX_SAFE_INTEGER))
    .addHelpText(
      "after",
      `
When stdout is read more slowly than messages come, up to 256 MiB wait in
memory; beyond that the oldest are dropped, and --stats and the last line on
stderr tell how many.

Examples:
  tap btcusdt@trade ethusdt@trade --count 10
  tap btcusdt@aggTrade --exchange binance.com-futures --library native --output json | jq .data.p
  tap btcusdt@depth@100ms --seconds 60 --record depth.ndjson --stats > /dev/null`,
    )
    .action((streams: string[], options: TapOptions) => tap(streams, options, io));
}

function addExchange(program: Command, io: CommandIo): void {
  program.command("exchange")
    .summary("run an exchange on this machine, for tap --url")
    .description(
      "Runs an exchange on loopback that behaves like Binance's market streams, until Ctrl-C.\n" +
        "Its URL is the only line on stdout. It sends made-up messages, or those of a recording.",
    )
    .option("-p, --port <n>", "port to listen on; 0 takes a free one", integerArgument(0, 65_535), 0)
    .option("-r, --replay <file>", "send the messages of a recording, as tap --record writes it")
    .option(
      "--speed <x>",
      "factor of the pace at which messages were recorded, or are made up (10/s of each stream); " +
        "max: each connection gets them as fast as it takes them",
      speedArgument,
      1,
    )
    .option(
      "--seed <n>",
      "what the made-up messages grow from: the same seed, the same messages",
      integerArgument(0, Number.MAX_SAFE_INTEGER),
      1,
    )
    .addHelpText(
      "after",
      `
Examples:
  exchange --port 8765
  exchange --replay depth.ndjson --speed max`,
    )
    .action((options: ExchangeCommandOptions) => runExchange(options, io));
}

async function writeHelp(help: readonly string[], io: CommandIo): Promise<number> {
  try {
    await io.write(new TextEncoder().encode(help.join("")));
  } catch (error) {
    if (!isBrokenPipe(error)) throw error;
  }
  return EXIT_OK;
}
