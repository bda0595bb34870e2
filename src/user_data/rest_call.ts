/**
 * A REST request for listen keys and tokens, and what its answer means.
 *
 * @module
 */

import { isPassing } from "../api/mod.ts";
import {
  ApiError,
  type Clock,
  ConnectionFailedError,
  HandshakeRejectedError,
  messageOf,
  RawtickError,
} from "../base/mod.ts";
import type { RestFetch } from "./settings.ts";
import { within } from "./waiting.ts";

/** One request. */
export interface RestCall {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly path: string;
  /** Parameters of the query. */
  readonly query?: Readonly<Record<string, string>>;
  /** For the header `X-MBX-APIKEY`, all that these endpoints want. */
  readonly apiKey: string;
}

/** How requests are made. */
export interface RestSettings {
  readonly fetch: RestFetch;
  readonly clock: Clock;
  /** Longest time in ms that a request may take. */
  readonly timeoutMs: number;
}

/**
 * Makes the request and returns what the answer says. No error contains the query, or what the answer says beside its code and
 * message.
 *
 * @throws {ApiError} if the exchange refuses, and would again.
 * @throws {HandshakeRejectedError} with status 429 or 418, if it wants no request for a while.
 * @throws {ConnectionFailedError} if there was no usable answer.
 * @throws What `signal` was aborted with.
 */
export async function restCall(
  { method, baseUrl, path, query = {}, apiKey }: RestCall,
  { fetch, clock, timeoutMs }: RestSettings,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const name = `${method} ${path}`;
  const text = new URLSearchParams(query).toString();
  const url = `${baseUrl}${path}${text === "" ? "" : `?${text}`}`;
  try {
    return await within(clock, timeoutMs, signal, async (inner) => {
      const response = await fetch(url, { method, headers: { "X-MBX-APIKEY": apiKey }, signal: inner });
      return checked(name, response, recordOf(await response.text()));
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RawtickError) throw error;
    // What `fetch` says may name the URL, and with it a key.
    const why = withoutQuery(messageOf(error), text);
    throw new ConnectionFailedError(`Cannot ${name} at ${new URL(baseUrl).origin}: ${why}`);
  }
}

function withoutQuery(text: string, query: string): string {
  return query === "" ? text : text.replaceAll(query, "***").replaceAll(decodeURIComponent(query), "***");
}

function checked(
  name: string,
  response: Response,
  answer: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  const { status } = response;
  if (response.ok && answer !== undefined) return answer;
  if (response.ok) throw new ConnectionFailedError(`Cannot ${name}: the answer is not JSON`, { status });
  const code = typeof answer?.code === "number" ? answer.code : undefined;
  const msg = typeof answer?.msg === "string" ? answer.msg : `the exchange answers with status ${status}`;
  if (status === 429 || status === 418) {
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw new HandshakeRejectedError(`Cannot ${name}: ${msg}`, {
      status,
      retryAfterMs: seconds >= 0 ? seconds * 1_000 : undefined,
    });
  }
  if (isPassing(status, code)) {
    throw new ConnectionFailedError(`Cannot ${name}: ${msg}`, { status });
  }
  throw new ApiError(name, status, { code, msg });
}

function recordOf(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // The cast: an object may be asked for any member.
  return typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : undefined;
}
