/**
 * Typings of the stand-in for `@std/async/deadline`: the real package's signatures.
 *
 * @module
 */

export interface DeadlineOptions {
  signal?: AbortSignal;
}
export declare function deadline<T>(p: Promise<T>, ms: number, options?: DeadlineOptions): Promise<T>;
