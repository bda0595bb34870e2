/**
 * Typings of the stand-in for `@std/async/delay`: the real package's signatures.
 *
 * @module
 */

export interface DelayOptions {
  signal?: AbortSignal;
  persistent?: boolean;
}
export declare function delay(ms: number, options?: DelayOptions): Promise<void>;
