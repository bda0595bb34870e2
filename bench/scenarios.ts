/**
 * What is sent: the six scenarios of the reference product's benchmark and a ladder of sizes, each a pool of messages
 * that is the same in every run.
 *
 * @module
 */

/** Most different messages of a scenario; a longer run sends them again from the first. */
export const POOL_MESSAGES = 500;
const SEED = 42;

/** One kind of traffic. */
export interface Scenario {
  readonly name: string;
  /** Roughly the size of a message, in bytes; the median where sizes differ. */
  readonly bytes: number;
  /** Messages that one measurement takes at scale 1: enough for half a second on the fastest side. */
  readonly messages: number;
  /** Makes the next message of the pool. */
  readonly make: (random: Random) => string;
}

/** A deterministic source of numbers (mulberry32): the same on every runtime. */
export class Random {
  #state: number;

  /** Starts at a seed, an integer. */
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** The next number from 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** An integer from `low` up to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }
}

const SYMBOLS = ["BTCUSDT", "ETHUSDT", "BNBUSDT", "SOLUSDT", "XRPUSDT", "ADAUSDT", "DOGEUSDT", "LTCUSDT"];
const TIME = 1_767_225_600_000;

const symbol = (random: Random): string => SYMBOLS[random.integer(0, SYMBOLS.length - 1)] ?? "";
const time = (random: Random): number => TIME + random.integer(0, 86_400_000);
const id = (random: Random): number => random.integer(1_000_000_000, 4_000_000_000);

/** 20000 to 70000 with 2 decimals, as a JSON string. */
function price(random: Random): string {
  return `"${random.integer(20_000, 69_999)}.${decimals(random, 2)}"`;
}

/** 0 to 9 with 5 decimals, as a JSON string. */
function quantity(random: Random): string {
  return `"${random.integer(0, 9)}.${decimals(random, 5)}"`;
}

function decimals(random: Random, digits: number): string {
  return String(random.integer(0, 10 ** digits - 1)).padStart(digits, "0");
}

function combined(stream: string, data: string): string {
  return `{"stream":"${stream}","data":${data}}`;
}

function levels(random: Random, count: number): string {
  const texts: string[] = [];
  for (let level = 0; level < count; level++) texts.push(`[${price(random)},${quantity(random)}]`);
  return `[${texts.join(",")}]`;
}

function aggTrade(random: Random): string {
  const name = symbol(random);
  const first = id(random);
  const maker = random.next() < 0.5;
  return combined(
    `${name.toLowerCase()}@aggTrade`,
    `{"e":"aggTrade","E":${time(random)},"s":"${name}","a":${id(random)},"p":${price(random)},"q":${
      quantity(random)
    },` +
      `"f":${first},"l":${first + random.integer(0, 9)},"T":${time(random)},"m":${maker},"M":true}`,
  );
}

function kline(random: Random): string {
  const name = symbol(random);
  const start = time(random);
  const first = id(random);
  return combined(
    `${name.toLowerCase()}@kline_1m`,
    `{"e":"kline","E":${time(random)},"s":"${name}","k":{"t":${start},"T":${start + 59_999},"s":"${name}","i":"1m",` +
      `"f":${first},"L":${first + random.integer(1, 999)},"o":${price(random)},"c":${price(random)},` +
      `"h":${price(random)},"l":${price(random)},"v":${quantity(random)},"n":${random.integer(1, 999)},` +
      `"x":${random.next() < 0.02},"q":${price(random)},"V":${quantity(random)},"Q":${price(random)},"B":"0"}}`,
  );
}

function depth20(random: Random): string {
  return combined(
    `${symbol(random).toLowerCase()}@depth20@100ms`,
    `{"lastUpdateId":${id(random)},"bids":${levels(random, 20)},"asks":${levels(random, 20)}}`,
  );
}

function depthDiff(random: Random): string {
  const name = symbol(random);
  const first = id(random);
  return combined(
    `${name.toLowerCase()}@depth@100ms`,
    `{"e":"depthUpdate","E":${time(random)},"s":"${name}","U":${first},"u":${first + random.integer(1, 999)},` +
      `"b":${levels(random, 200)},"a":${levels(random, 200)}}`,
  );
}

/** One of the entries of `!ticker@arr`, 23 fields. */
function ticker(random: Random): string {
  const opened = time(random);
  const first = random.integer(100_000, 900_000);
  const trades = random.integer(1_000, 9_999);
  return `{"e":"24hrTicker","E":${time(random)},"s":"${symbol(random)}","p":"${random.integer(10, 99)}.${
    decimals(random, 2)
  }","P":"${random.integer(0, 9)}.${decimals(random, 3)}","w":${price(random)},"x":${price(random)},` +
    `"c":${price(random)},"Q":${quantity(random)},"b":${price(random)},"B":${quantity(random)},"a":${price(random)},` +
    `"A":${quantity(random)},"o":${price(random)},"h":${price(random)},"l":${price(random)},"v":${quantity(random)},` +
    `"q":${price(random)},"O":${opened},"C":${opened + 86_400_000},"F":${first},"L":${first + trades},"n":${trades}}`;
}

function tickers(count: number): (random: Random) => string {
  return (random) => {
    const texts: string[] = [];
    for (let entry = 0; entry < count; entry++) texts.push(ticker(random));
    return combined("!ticker@arr", `[${texts.join(",")}]`);
  };
}

/** Many markets in one connection: 60 % aggTrade, 20 % kline, 18 % depth20, 2 % diff. */
function mix(random: Random): string {
  const part = random.next();
  if (part < 0.6) return aggTrade(random);
  if (part < 0.8) return kline(random);
  return part < 0.98 ? depth20(random) : depthDiff(random);
}

/** The scenarios of `test_websocket_library_benchmark.py` of the reference product, same shapes and sizes. */
export const referenceScenarios: readonly Scenario[] = [
  { name: "small_aggtrade", bytes: 200, messages: 3_000_000, make: aggTrade },
  { name: "medium_kline", bytes: 340, messages: 2_000_000, make: kline },
  { name: "large_depth20", bytes: 1_000, messages: 1_000_000, make: depth20 },
  { name: "xlarge_depth_diff", bytes: 9_100, messages: 100_000, make: depthDiff },
  { name: "huge_ticker_arr", bytes: 454_000, messages: 2_000, make: tickers(1_400) },
  { name: "multiplex_mix", bytes: 200, messages: 1_500_000, make: mix },
];

/** `!ticker@arr` with ever more entries: 9, 32, 97, 227, 454 and 908 KB. */
export const ladderScenarios: readonly Scenario[] = [
  { name: "ladder_9kb", bytes: 9_000, messages: 100_000, make: tickers(28) },
  { name: "ladder_32kb", bytes: 32_000, messages: 30_000, make: tickers(100) },
  { name: "ladder_97kb", bytes: 97_000, messages: 10_000, make: tickers(300) },
  { name: "ladder_227kb", bytes: 227_000, messages: 4_000, make: tickers(700) },
  { name: "ladder_454kb", bytes: 454_000, messages: 2_000, make: tickers(1_400) },
  { name: "ladder_908kb", bytes: 908_000, messages: 1_000, make: tickers(2_800) },
];

/** All scenarios, in the order they are measured. */
export const scenarios: readonly Scenario[] = [...referenceScenarios, ...ladderScenarios];

/** Finds a scenario by its name. */
export function scenarioOf(name: string): Scenario | undefined {
  return scenarios.find((scenario) => scenario.name === name);
}

/** The first `count` messages of a scenario's pool. */
export function* poolOf(scenario: Scenario, count: number = POOL_MESSAGES): Generator<string> {
  const random = new Random(SEED);
  for (let made = 0; made < Math.min(count, POOL_MESSAGES); made++) yield scenario.make(random);
}
