/**
 * A clock that processes of one machine share.
 *
 * @module
 */

/**
 * Now in µs since 1970. Between processes it is right to about 20 µs (seen on Bun and Deno, by looking at it when
 * `Date.now()` changes), as long as nobody sets the system's clock in between.
 */
export function nowMicros(): number {
  return (performance.timeOrigin + performance.now()) * 1000;
}
