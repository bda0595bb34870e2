/**
 * What a command needs of the process around it.
 *
 * @module
 */

/**
 * Where a command writes, and what ends it. The default of {@linkcode main} is the process itself.
 *
 * @example
 * ```ts
 * import { type CommandIo, main } from "@rawtick/binance/cli";
 * import { assertEquals } from "@std/assert";
 *
 * let written = "";
 * const io: CommandIo = {
 *   write: (bytes) => Promise.resolve(void (written += new TextDecoder().decode(bytes))),
 *   report: (line) => console.error(line),
 *   signal: AbortSignal.timeout(10_000),
 * };
 * assertEquals(await main(["--version"], io), 0);
 * assertEquals(/^\d+\.\d+\.\d+\n$/.test(written), true);
 * ```
 */
export interface CommandIo {
  /**
   * Writes to stdout, UTF-8. Never called again before the promise of the call before has settled, so that whoever
   * reads sets the pace. Resolves when the bytes were taken; rejects with an error whose `code` is `"EPIPE"` when
   * nobody reads any more.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Writes one line, given without a line feed, to stderr. */
  report(line: string): void;
  /** Once it is aborted, the command comes to a clean end. */
  readonly signal: AbortSignal;
}

/** Whether nobody reads what was written. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
