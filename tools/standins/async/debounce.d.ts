/**
 * Typings of the stand-in for `@std/async/debounce`: the real package's signatures.
 *
 * @module
 */

export interface DebouncedFunction<T extends unknown[]> {
  (...args: T): void;
  clear(): void;
  flush(): void;
  readonly pending: boolean;
}
export interface DebounceOptions {
  signal?: AbortSignal | undefined;
}
export declare function debounce<T extends unknown[]>(
  fn: (this: DebouncedFunction<T>, ...args: T) => void,
  wait: number,
  options?: DebounceOptions,
): DebouncedFunction<T>;
