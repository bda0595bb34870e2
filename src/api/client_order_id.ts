/**
 * Client order ids that no other order has, also after a restart.
 *
 * @module
 */

/** Letters and digits, which every exchange's rule allows (Binance rest-api.md: `^[a-zA-Z0-9-_]{1,36}$`). */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 22 characters of 62 are 130 bits: more than a random UUID has. */
const RANDOM_CHARACTERS = 22;
/** Bytes from here on would favour the first letters of the alphabet. */
const FAIR_BYTES = 256 - 256 % ALPHABET.length;
/** Longest prefix that leaves room for the rest within 36 characters. */
const MAXIMUM_PREFIX = 36 - RANDOM_CHARACTERS;

/**
 * A new id for the parameter `newClientOrderId`: 22 random letters and digits after the prefix. It needs neither a counter
 * nor a clock, so it is unique across restarts, processes and machines.
 *
 * @param prefix What your orders begin with, 0 to 14 characters of `a` to `z`, `A` to `Z`, `0` to `9`, `-` and `_`.
 * @throws {TypeError} for another prefix.
 *
 * @example
 * ```ts
 * import { newClientOrderId } from "@rawtick/binance";
 * import { assertMatch } from "@std/assert";
 *
 * assertMatch(newClientOrderId("grid7-"), /^grid7-[0-9A-Za-z]{22}$/);
 * ```
 */
export function newClientOrderId(prefix = ""): string {
  if (prefix.length > MAXIMUM_PREFIX || /[^\w-]/.test(prefix)) {
    throw new TypeError(
      `Cannot begin a client order id with ${JSON.stringify(prefix)}: ` +
        `expected at most ${MAXIMUM_PREFIX} letters, digits, "-" and "_"`,
    );
  }
  let id = prefix;
  const end = prefix.length + RANDOM_CHARACTERS;
  while (id.length < end) {
    for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_CHARACTERS + 2))) {
      if (byte < FAIR_BYTES && id.length < end) id += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return id;
}
