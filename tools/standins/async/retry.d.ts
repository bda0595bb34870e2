/**
 * Typings of the stand-in for `@std/async/retry`: the real package's signatures.
 *
 * @module
 */

export declare class RetryError extends Error {
  constructor(cause: unknown, attempts: number);
}
export interface RetryOptions {
  multiplier?: number;
  maxTimeout?: number;
  maxAttempts?: number;
  minTimeout?: number;
  jitter?: number;
  isRetriable?: (err: unknown) => boolean;
  signal?: AbortSignal;
}
export declare function retry<T>(fn: (() => Promise<T>) | (() => T), options?: RetryOptions): Promise<T>;
