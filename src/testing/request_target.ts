/**
 * The request target of a handshake: which streams it names, in which form, or with which status it is refused.
 *
 * @module
 */

import type { ApiTarget } from "./api/api_connection.ts";
import type { LocalApiName } from "./api/venue.ts";
import type { MarketRules, ServedRoute } from "./markets.ts";

/** A target that is served. */
export interface StreamTarget {
  /** The WebSocket API whose requests the connection carries, and how; `undefined` if it carries streams. */
  readonly api: (ApiTarget & { readonly name: LocalApiName }) | undefined;
  /** Whether messages come as `{"stream":…,"data":…}` (`/stream`) or bare (`/ws`). */
  readonly isCombined: boolean;
  /** What stands before `/ws` or `/stream`, such as `public`; `""` if nothing does. */
  readonly prefix: string;
  readonly route: ServedRoute;
  /** The streams that the target names; listen keys of the query are streams too. */
  readonly streams: readonly string[];
  readonly isMicroseconds: boolean;
  /** Which events are wanted of a listen key; all of those that are not in it. */
  readonly events: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A target that is refused. */
export interface RefusedTarget {
  readonly status: number;
  readonly body: string;
}

/** Binance web-socket-api.md, and the derivatives' "General Info" of the WebSocket API. */
const API_PATHS: ReadonlyMap<string, LocalApiName> = new Map([
  ["/ws-api/v3", "spot"],
  ["/ws-fapi/v1", "usdm"],
  ["/ws-dapi/v1", "coinm"],
]);

const TIME_UNITS = new Set(["MICROSECOND", "microsecond", "MILLISECOND", "millisecond"]);

/** Binance errors.md, -1194. */
const WRONG_TIME_UNIT: RefusedTarget = {
  status: 400,
  body: JSON.stringify({
    code: -1194,
    msg: "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.",
  }),
};

/** Reads a request target such as `/stream?streams=btcusdt@trade/btcusdt@depth`. */
export function readTarget(target: string, rules: MarketRules): StreamTarget | RefusedTarget {
  const [path = "", query = ""] = target.split(/\?(.*)/s, 2);
  const api = API_PATHS.get(path);
  if (api !== undefined) return readApiTarget(api, query);
  let segments: string[];
  let parameters: [name: string, value: string][];
  try {
    segments = path.split("/").slice(1).map(decodeURIComponent);
    parameters = query.split("&").map((part) => {
      const [name = "", value = ""] = part.split(/=(.*)/s, 2);
      // A plus sign is itself here and no space: `btcusdt@kline_1m@+08:00`.
      return [decodeURIComponent(name), decodeURIComponent(value)];
    });
  } catch {
    return { status: 400, body: "Malformed percent-encoding" };
  }
  const door = segments.findIndex((segment) => segment === "ws" || segment === "stream");
  const prefix = segments.slice(0, door).join("/");
  const route = door < 0 ? undefined : rules.routeOfPrefix(prefix);
  const rest = segments.slice(door + 1).filter((segment) => segment !== "");
  const isCombined = segments[door] === "stream";
  if (route === undefined || (isCombined && rest.length > 0)) return { status: 404, body: "Not Found" };

  const valuesOf = (wanted: string) => parameters.filter(([name]) => name === wanted).map(([, value]) => value);
  const unit = rules.hasTimeUnit ? valuesOf("timeUnit")[0] : undefined;
  if (unit !== undefined && !TIME_UNITS.has(unit)) {
    return WRONG_TIME_UNIT;
  }
  const named = isCombined ? valuesOf("streams").flatMap((names) => names.split("/")) : rest;
  const streams = [...named, ...valuesOf("listenKey")].filter((name) => name !== "");
  const isMicroseconds = unit?.toUpperCase() === "MICROSECOND";
  return { api: undefined, isCombined, prefix, route, streams, isMicroseconds, events: wantedEvents(parameters) };
}

function readApiTarget(name: LocalApiName, query: string): StreamTarget | RefusedTarget {
  const parameters = new URLSearchParams(query);
  const unit = name === "spot" ? parameters.get("timeUnit") : null;
  if (unit !== null && !TIME_UNITS.has(unit)) return WRONG_TIME_UNIT;
  const api = {
    name,
    returnRateLimits: parameters.get("returnRateLimits") !== "false",
    isMicroseconds: unit?.toUpperCase() === "MICROSECOND",
  };
  return { api, isCombined: false, prefix: "", route: "all", streams: [], isMicroseconds: false, events: new Map() };
}

/** `events=` belongs to the `listenKey=` before it (Binance USD-M "Important WebSocket Change Notice"). */
function wantedEvents(parameters: readonly (readonly [name: string, value: string])[]): Map<string, Set<string>> {
  const wanted = new Map<string, Set<string>>();
  let key: string | undefined;
  for (const [name, value] of parameters) {
    if (name === "listenKey") key = value;
    else if (name === "events" && key !== undefined) wanted.set(key, new Set(value.split("/")));
  }
  return wanted;
}
