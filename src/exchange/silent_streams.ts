/**
 * Streams that are known to be acknowledged and never to deliver.
 *
 * @module
 */

import { InvalidOptionsError, quoted, throwProblems } from "../base/mod.ts";
import type { Exchange } from "./exchanges.ts";
import { WITHOUT_ARR } from "./stream_names.ts";

/**
 * Why a stream is known to be acknowledged by the exchange and then never to deliver, with what to use instead;
 * `undefined` for all others.
 */
export function silenceReason({ key, market }: Exchange, name: string): string | undefined {
  const refuse = (reason: string) => `Cannot stream ${quoted(name)} from ${quoted(key)}: ${reason}`;
  if (market === "spot" && name === "!ticker@arr") {
    // Spot change log: deprecated 2025-11-14, retired 2026-03-26.
    return refuse('Binance retired it in 2026; expected "!miniTicker@arr", or "!ticker_1h@arr", "_4h" or "_1d"');
  }
  if (market === "spot" && name === "!bookTicker") {
    return refuse('Binance retired it; expected "<symbol>@bookTicker" for each symbol');
  }
  if (name.endsWith("@arr") && WITHOUT_ARR.has(name.slice(0, -"@arr".length))) {
    return refuse(`expected ${quoted(name.slice(0, -"@arr".length))}`);
  }
  // Measured on USD-M: the default speed has no name.
  if ((market === "usdm" || market === "coinm") && /@depth(5|10|20)?@250ms$/.test(name)) {
    return refuse(`expected ${quoted(name.slice(0, -"@250ms".length))}, which has this speed`);
  }
  return undefined;
}

/**
 * Throws if one of these streams is known never to deliver: the exchange acknowledges it like any other, and would leave
 * its reader waiting.
 *
 * @throws {InvalidOptionsError} with the path `streams`; several problems come together.
 */
export function checkDeliverable(exchange: Exchange, names: Iterable<string>): void {
  const problems = [...names].flatMap((name) => {
    const reason = silenceReason(exchange, name);
    return reason === undefined ? [] : [new InvalidOptionsError(reason, { path: "streams" })];
  });
  if (problems.length > 0) throwProblems(problems);
}
