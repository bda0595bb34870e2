/**
 * Typings of the stand-in for `@std/async/abortable`: the real package's signatures.
 *
 * @module
 */

export declare function abortable<T>(p: Promise<T>, signal: AbortSignal): Promise<T>;
export declare function abortable<T>(p: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T>;
