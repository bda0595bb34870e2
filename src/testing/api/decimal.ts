/**
 * Exact decimals with 8 places, as the exchange counts prices and quantities.
 *
 * @module
 */

/** A decimal times 10^8. */
export type Decimal = bigint;

const PLACES = 8;
const ONE = 10n ** BigInt(PLACES);

/** Whether `text` is a plain decimal: what is none, such as `1e-7`, is refused with -1100. */
export function isPlainDecimal(text: string): boolean {
  return /^[0-9]{1,20}(?:\.[0-9]{1,20})?$/.test(text);
}

/** Reads a plain decimal; `undefined` if it has more than 8 places that are not 0. */
export function parseDecimal(text: string): Decimal | undefined {
  const [whole = "0", places = ""] = text.split(".");
  if (/[1-9]/.test(places.slice(PLACES))) return undefined;
  return BigInt(whole) * ONE + BigInt(places.slice(0, PLACES).padEnd(PLACES, "0"));
}

/** The decimal of a constant of this code. */
export function decimal(text: string): Decimal {
  const isNegative = text.startsWith("-");
  const value = parseDecimal(isNegative ? text.slice(1) : text) ?? 0n;
  return isNegative ? -value : value;
}

/** With all 8 places, such as `0.01000000`. */
export function formatDecimal(value: Decimal): string {
  const digits = String(value < 0n ? -value : value).padStart(PLACES + 1, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

/** Without trailing zeros, such as `0.01`, as the derivatives write. */
export function formatShort(value: Decimal): string {
  return formatDecimal(value).replace(/\.?0+$/, "");
}

/** The product, rounded towards 0. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return a * b / ONE;
}

/** The quotient, rounded towards 0; 0 if `b` is 0. */
export function divide(a: Decimal, b: Decimal): Decimal {
  return b === 0n ? 0n : a * ONE / b;
}

/** The smaller one. */
export function smaller(a: Decimal, b: Decimal): Decimal {
  return a < b ? a : b;
}
