/**
 * The request target of a handshake: which streams it names, in which form, or with which status it is refused.
 *
 * @module
 */

import type { MarketRules, ServedRoute } from "./markets.ts";

/** A target that is served. */
export interface StreamTarget {
  /** Whether the connection carries streams, or requests of the WebSocket API. */
  readonly kind: "streams" | "api";
  /** Whether messages come as `{"stream":…,"data":…}` (`/stream`) or bare (`/ws`). */
  readonly isCombined: boolean;
  /** What stands before `/ws` or `/stream`, such as `public`; `""` if nothing does. */
  readonly prefix: string;
  readonly route: ServedRoute;
  /** The streams that the target names; listen keys of the query are streams too. */
  readonly streams: readonly string[];
  readonly isMicroseconds: boolean;
}

/** A target that is refused. */
export interface RefusedTarget {
  readonly status: number;
  readonly body: string;
}

/** Binance web-socket-api.md, and the derivatives' "General Info" of the WebSocket API. */
const API_PATH = /^\/(?:ws-api\/v3|ws-fapi\/v1|ws-dapi\/v1)$/;

const TIME_UNITS = new Set(["MICROSECOND", "microsecond", "MILLISECOND", "millisecond"]);

/** Reads a request target such as `/stream?streams=btcusdt@trade/btcusdt@depth`. */
export function readTarget(target: string, rules: MarketRules): StreamTarget | RefusedTarget {
  const [path = "", query = ""] = target.split(/\?(.*)/s, 2);
  if (API_PATH.test(path)) {
    return { kind: "api", isCombined: false, prefix: "", route: "all", streams: [], isMicroseconds: false };
  }
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
    // Binance errors.md, -1194.
    const msg = "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.";
    return { status: 400, body: JSON.stringify({ code: -1194, msg }) };
  }
  const named = isCombined ? valuesOf("streams").flatMap((names) => names.split("/")) : rest;
  const streams = [...named, ...valuesOf("listenKey")].filter((name) => name !== "");
  const isMicroseconds = unit?.toUpperCase() === "MICROSECOND";
  return { kind: "streams", isCombined, prefix, route, streams, isMicroseconds };
}
