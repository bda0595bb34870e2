/**
 * What a request asks a tap for.
 *
 * @module
 */

import { listOf, quoted, TapRefusedError } from "../base/mod.ts";
import { normalizeStreamName, StreamNameError } from "../exchange/mod.ts";

/** How a client is answered. */
export type TapFormat = "sse" | "ndjson" | "websocket";

/**
 * What a client of a tap wants.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap, type TapClientOptions } from "@rawtick/binance";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market = tap(manager, { channels: ["trade", "bookTicker"], markets: ["btcusdt", "ethusdt"] });
 * const client: TapClientOptions = { streams: ["btcusdt@trade"], lastEventId: "3f2b8c1d-1042" };
 * const response = market.response(client);
 * await response.body?.cancel();
 * ```
 */
export interface TapClientOptions {
  /** Name of a stream, or several, all of them on offer. Default: all that are on offer, if a client may have so many. */
  readonly streams?: string | readonly string[];
  /**
   * Shortest time in ms between two messages of a quote stream (best bid and ask, tickers, partial depth, prices of one
   * symbol): in between, only the newest is kept. From the tap's own `conflateMs` to 3600000. Default: the tap's.
   */
  readonly conflateMs?: number;
  /** Id of the last event that the client has: it goes on behind that, as far as the tap remembers. Default: with what comes next. */
  readonly lastEventId?: string;
}

/** The same, checked. */
export interface TapQuery {
  readonly streams: readonly string[];
  readonly conflateMs: number;
  readonly lastEventId: string | undefined;
}

/** What clients may want. */
export interface TapQueryRules {
  readonly allowed: ReadonlySet<string>;
  readonly maxStreamsPerClient: number;
  /** Shortest time between two messages of a quote, 0 for all. */
  readonly conflateMs: number;
}

/** Longest query: some 500 names. Most servers take no longer heads than 16 KB. */
const MAX_QUERY_CHARACTERS = 8_192;
const PARAMETERS: readonly string[] = ["streams", "format", "conflateMs", "lastEventId", "access_token"];
const MAX_CONFLATE_MS = 3_600_000;

/**
 * The parameters of a request.
 *
 * @throws {TapRefusedError} if they can't be parameters of a tap.
 */
export function parametersOf(url: URL): URLSearchParams {
  if (url.search.length > MAX_QUERY_CHARACTERS) {
    throw new TapRefusedError(
      414,
      "QUERY_TOO_LONG",
      `Cannot read this query: expected ${MAX_QUERY_CHARACTERS} characters at most`,
    );
  }
  for (const name of url.searchParams.keys()) {
    if (PARAMETERS.includes(name)) continue;
    throw new TapRefusedError(
      400,
      "UNKNOWN_PARAMETER",
      `Unknown parameter ${shown(name)}: expected ${listOf(PARAMETERS)}`,
    );
  }
  return url.searchParams;
}

/**
 * How a request wants to be answered: by `format`, else by what it accepts, else with Server-Sent Events.
 *
 * @throws {TapRefusedError} if it asks for something else.
 */
export function formatOf(request: Request, parameters: URLSearchParams): TapFormat {
  const format = parameters.get("format");
  if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
    if (format === null || format === "json" || format === "ndjson") return "websocket";
    throw unknownFormat(format, '"json" or "ndjson"');
  }
  if (format === "sse" || format === "ndjson") return format;
  if (format !== null) throw unknownFormat(format, '"sse" or "ndjson"');
  const types = (request.headers.get("accept") || "*/*").toLowerCase().split(",")
    .map((type) => type.split(";", 1)[0]?.trim());
  if (types.includes("application/x-ndjson") || types.includes("application/jsonl")) return "ndjson";
  if (types.some((type) => type === "text/event-stream" || type === "text/*" || type === "*/*")) return "sse";
  throw new TapRefusedError(
    406,
    "NOT_ACCEPTABLE",
    "Cannot answer with what is accepted: expected text/event-stream or application/x-ndjson",
  );
}

function unknownFormat(format: string, expected: string): TapRefusedError {
  return new TapRefusedError(
    400,
    "UNKNOWN_FORMAT",
    `Cannot answer in the format ${shown(format)}: expected ${expected}`,
  );
}

/**
 * What a request says that its client wants.
 *
 * @throws {TapRefusedError} if that can't be read.
 */
export function clientOptionsOf(request: Request, parameters: URLSearchParams): TapClientOptions {
  const streams = parameters.getAll("streams").flatMap((text) => text.split(","));
  const conflateMs = parameters.get("conflateMs");
  const lastEventId = request.headers.get("last-event-id") ?? parameters.get("lastEventId") ?? "";
  return {
    // Present and empty is no name, and not left out either.
    ...(streams.length === 0 ? {} : { streams: streams.join() === "" ? [] : streams }),
    ...(conflateMs === null ? {} : { conflateMs: /^\d{1,7}$/.test(conflateMs) ? Number(conflateMs) : NaN }),
    // Empty as in a page that has not received any yet.
    ...(lastEventId === "" ? {} : { lastEventId }),
  };
}

/**
 * What a client wants, as far as the rules allow it.
 *
 * @throws {TapRefusedError} if they do not.
 */
export function checkedQuery({ streams, conflateMs, lastEventId }: TapClientOptions, rules: TapQueryRules): TapQuery {
  return { streams: checkedStreams(streams, rules), conflateMs: checkedConflateMs(conflateMs, rules), lastEventId };
}

function checkedStreams(
  given: TapClientOptions["streams"],
  { allowed, maxStreamsPerClient }: TapQueryRules,
): readonly string[] {
  if (given === undefined) {
    if (allowed.size <= maxStreamsPerClient) return [...allowed];
    throw new TapRefusedError(
      400,
      "STREAMS_MISSING",
      `Cannot send all ${allowed.size} streams: expected ${maxStreamsPerClient} at most in \`streams\`, apart by commas`,
    );
  }
  const streams = new Set((typeof given === "string" ? [given] : given).map(nameOf));
  if (streams.size === 0) {
    throw new TapRefusedError(400, "STREAMS_MISSING", "Cannot send no streams: expected names in `streams`");
  }
  for (const stream of streams) {
    if (allowed.has(stream)) continue;
    throw new TapRefusedError(403, "STREAM_NOT_ALLOWED", `Cannot send ${shown(stream)}: this tap does not offer it`);
  }
  if (streams.size <= maxStreamsPerClient) return [...streams];
  throw new TapRefusedError(
    400,
    "TOO_MANY_STREAMS",
    `Cannot send ${streams.size} streams to one client: expected ${maxStreamsPerClient} at most`,
  );
}

function nameOf(given: string): string {
  try {
    return normalizeStreamName(given);
  } catch (error) {
    if (!(error instanceof StreamNameError)) throw error;
    throw new TapRefusedError(
      400,
      "INVALID_STREAM_NAME",
      `Cannot use ${shown(given)}: expected a name such as "btcusdt@trade"`,
    );
  }
}

function checkedConflateMs(given: number | undefined, rules: TapQueryRules): number {
  if (given === undefined) return rules.conflateMs;
  if (Number.isInteger(given) && given >= rules.conflateMs && given <= MAX_CONFLATE_MS) return given;
  throw new TapRefusedError(
    400,
    "INVALID_CONFLATE_MS",
    `Cannot use this \`conflateMs\`: expected an integer from ${rules.conflateMs} to ${MAX_CONFLATE_MS}`,
  );
}

/** What was given, not longer than an answer should be. */
function shown(text: string): string {
  return quoted(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
