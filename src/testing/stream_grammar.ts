/**
 * What the exchange takes for a stream name, whether or not there is such a stream.
 *
 * @module
 */

/**
 * `<symbol>@<channel>` with any number of modifiers, or a stream of the whole market. Symbols may be Chinese; options
 * have hyphens, futures underscores.
 */
const STREAM = /^(?:[\p{L}\p{N}_.-]+(?:@[A-Za-z0-9_.:+-]+)+|![A-Za-z0-9_]+(?:@[A-Za-z0-9_.:+-]+)*|tradingSession)$/u;

/** A listen key is subscribed like a stream. Binance's have 64 characters; a shorter word is a forgotten channel. */
const LISTEN_KEY = /^[A-Za-z0-9]{40,}$/;

/** Whether `name` is well-formed: what isn't is answered with code 2 and ends the connection. */
export function isWellFormedStream(name: string): boolean {
  return STREAM.test(name) || LISTEN_KEY.test(name);
}
