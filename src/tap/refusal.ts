/**
 * The answers to requests that a tap does not serve.
 *
 * @module
 */

import type { TapRefusedError } from "../base/mod.ts";

/** The answer to a request that was refused: `{"error":{"code":…,"message":…}}`. */
export function refusal(error: TapRefusedError, headers: Readonly<Record<string, string>>): Response {
  const body = JSON.stringify({ error: { code: error.code, message: error.message } });
  const all: Record<string, string> = {
    ...headers,
    "content-type": "application/json",
    "cache-control": "no-store",
  };
  if (error.retryAfterMs !== undefined) all["retry-after"] = String(Math.ceil(error.retryAfterMs / 1_000));
  if (error.status === 401) all["www-authenticate"] = "Bearer";
  if (error.status === 426) Object.assign(all, { upgrade: "websocket", "sec-websocket-version": "13" });
  if (error.status === 405) all.allow = "GET, OPTIONS";
  return new Response(`${body}\n`, { status: error.status, headers: all });
}
