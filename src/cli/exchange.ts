/**
 * The command `exchange`: runs the local exchange until it is told to end.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { InvalidOptionsError } from "../base/mod.ts";
import { InvalidRecordingError, parseRecording, type Recording, startLocalExchange } from "../testing/mod.ts";
import { messageOf } from "../base/mod.ts";
import { CommandFailedError, UsageError } from "./failures.ts";
import { aborted, type CommandIo, isBrokenPipe } from "./io.ts";

/** The options of the command, as they were parsed. */
export interface ExchangeCommandOptions {
  readonly port: number;
  readonly replay?: string;
  readonly speed: number | "max";
  readonly seed: number;
}

/** Runs the local exchange; resolves after `io.signal` was aborted. */
export async function runExchange({ port, replay, speed, seed }: ExchangeCommandOptions, io: CommandIo): Promise<void> {
  const options = {
    port,
    speed,
    seed,
    ...(replay !== undefined && { replay: readRecording(replay) }),
  };
  await using exchange = await startLocalExchange(options).catch((error: unknown) => {
    if (error instanceof InvalidOptionsError) throw error;
    throw new CommandFailedError(`Cannot listen on port ${port}: ${messageOf(error)}`, { cause: error });
  });
  try {
    await io.write(new TextEncoder().encode(`${exchange.url}\n`));
  } catch (error) {
    // Whoever knows the port does not need the URL.
    if (!isBrokenPipe(error)) throw error;
  }
  await aborted(io.signal);
}

function readRecording(file: string): Recording {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read ${JSON.stringify(file)}: ${messageOf(error)}`, { cause: error });
  }
  try {
    return parseRecording(text);
  } catch (error) {
    if (!(error instanceof InvalidRecordingError)) throw error;
    throw new UsageError(`${file}: ${error.message}`, { cause: error });
  }
}
