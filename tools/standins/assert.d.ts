/**
 * Typings of the stand-in for `@std/assert`: the real package's signatures.
 *
 * @module
 */

// deno-lint-ignore-file no-explicit-any -- constructors with any parameters, as in the real typings

export declare class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions);
}
export type Falsy = false | 0 | 0n | "" | null | undefined;
export type ArrayLikeArg<T> = ArrayLike<T> & object;
export type AnyConstructor = new (...args: any[]) => any;
export type GetConstructorType<T extends AnyConstructor> = InstanceType<T>;

export declare function assert(expr: unknown, msg?: string): asserts expr;
export declare function assertFalse(expr: unknown, msg?: string): asserts expr is Falsy;
export declare function assertEquals<T>(actual: T, expected: T, msg?: string): void;
export declare function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;
export declare function assertStrictEquals<T>(actual: unknown, expected: T, msg?: string): asserts actual is T;
export declare function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void;
export declare function assertAlmostEquals(actual: number, expected: number, tolerance?: number, msg?: string): void;
export declare function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T>;
export declare function assertInstanceOf<T extends abstract new (...args: any[]) => any>(
  actual: unknown,
  expectedType: T,
  msg?: string,
): asserts actual is InstanceType<T>;
export declare function assertNotInstanceOf<A, T>(
  actual: A,
  unexpectedType: abstract new (...args: any[]) => T,
  msg?: string,
): asserts actual is Exclude<A, T>;
export declare function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: abstract new (...args: any[]) => E,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E;
export declare function assertStringIncludes(actual: string, expected: string, msg?: string): void;
export declare function assertMatch(actual: string, expected: RegExp, msg?: string): void;
export declare function assertNotMatch(actual: string, expected: RegExp, msg?: string): void;
export declare function assertArrayIncludes<T>(
  actual: ArrayLikeArg<T>,
  expected: ArrayLikeArg<T>,
  msg?: string,
): void;
export declare function assertObjectMatch(
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void;
export declare function assertGreater<T>(actual: T, expected: T, msg?: string): void;
export declare function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void;
export declare function assertLess<T>(actual: T, expected: T, msg?: string): void;
export declare function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void;
export declare function assertThrows(fn: () => unknown, msg?: string): unknown;
export declare function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: abstract new (...args: any[]) => E,
  msgIncludes?: string,
  msg?: string,
): E;
export declare function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
export declare function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: abstract new (...args: any[]) => E,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export declare function equal(a: unknown, b: unknown): boolean;
export declare function fail(msg?: string): never;
export declare function unimplemented(msg?: string): never;
export declare function unreachable(msg?: string): never;
