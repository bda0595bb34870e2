/**
 * What a part of the fuzzer is.
 *
 * @module
 */

/** How a part is run. */
export interface PartOptions {
  /** Number of random inputs. */
  readonly runs: number;
  readonly seed: number;
  /** Where fast-check found a failure before: runs only that. */
  readonly path?: string;
}

/** One property. */
export interface Part {
  readonly name: string;
  /** What holds, as a sentence. */
  readonly claim: string;
  /** Its share of all runs, in percent. */
  readonly share: number;
  /**
   * Runs it.
   *
   * @returns Counts that show what the inputs were like.
   * @throws What does not hold, with the input.
   */
  run(options: PartOptions): Promise<Readonly<Record<string, number>>>;
}

/** fast-check's parameters for a part. */
export function parametersOf({ runs, seed, path }: PartOptions): { numRuns: number; seed: number; path?: string } {
  return { numRuns: runs, seed, ...(path !== undefined && { path }) };
}

/** Throws unless enough of the inputs were of a kind: otherwise the part would prove little. */
export function expectEnough(counts: Readonly<Record<string, number>>, name: string, least: number): void {
  if ((counts[name] ?? 0) < least) {
    throw new Error(`Only ${counts[name]} inputs were "${name}", expected at least ${least}: the generator is wrong`);
  }
}
