/**
 * Typings of the stand-in for `@std/async/pool`: the real package's signatures.
 *
 * @module
 */

export declare function pooledMap<T, R>(
  poolLimit: number,
  array: Iterable<T> | AsyncIterable<T>,
  iteratorFn: (data: T) => Promise<R>,
): AsyncIterableIterator<R>;
