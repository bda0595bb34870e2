/**
 * The schemas behind the options that are about requests and account events: every check says what was expected.
 *
 * @module
 */

import * as z from "zod/mini";
import type { Signer } from "../api/mod.ts";
import {
  checkedOptions,
  checkThat,
  flag,
  integer,
  InvalidOptionsError,
  label,
  quoted,
  throwProblems,
} from "../base/mod.ts";
import { exchangeOf } from "../exchange/mod.ts";
import type { Output } from "../stream/mod.ts";
import type { AccountOption, ApiStreamOptions, ManagerOptions, UserDataStreamOptions } from "./account_options.ts";
import type { Platform } from "./parts.ts";
import { checkedOptionsWith } from "./schema.ts";
import { baseUrl, bufferName, checkBufferCombination, DAY_MS, deliveryShape } from "./schema_parts.ts";

const signer = z.optional(z.custom<Signer>(
  (value: unknown) =>
    typeof value === "object" && value !== null &&
    // The cast: any object may be asked for its methods.
    typeof (value as Partial<Signer>).signWebSocket === "function",
  "what `createSigner()` returns",
));

const accountShape: Readonly<Record<AccountOption, z.ZodMiniType>> = {
  signer,
  websocketApiBaseUrl: z.optional(z.string("a URL").check(checkThat(baseUrl("websocketApiBaseUrl", ["ws", "wss"])))),
  restBaseUrl: z.optional(z.string("a URL").check(checkThat(baseUrl("restBaseUrl", ["http", "https"])))),
  apiTimeoutMs: integer(1, DAY_MS),
  onRateLimit: z.optional(z.enum(["wait", "error"], '"wait" or "error"')),
  returnRateLimits: flag,
};

const apiStreamSchema = z.strictObject({
  api: z.literal(true, "true"),
  label,
  signer,
  logon: flag,
}, "an object with `api: true`");

const userDataStreamSchema = z.strictObject({
  // Checked by the layer that knows what it means.
  userData: z.custom<UserDataStreamOptions["userData"]>(
    (value: unknown) => value === true || (typeof value === "object" && value !== null),
    "true or an object",
  ),
  label,
  ...deliveryShape,
  streamBuffer: z.optional(bufferName),
}, "an object with `userData`").check(checkThat(checkBufferCombination));

/** A checked copy of a manager's options; throws for all problems at once. */
export function checkedManagerOptions<O extends Output>(
  options: ManagerOptions<O>,
  platform: Platform,
): ManagerOptions<O> {
  const checked = checkedOptionsWith(options, platform, accountShape);
  const { websocketApiUrl, key } = exchangeOf(checked.exchange ?? "binance.com");
  const useless = websocketApiUrl === undefined ? API_OPTIONS.filter((name) => checked[name] !== undefined) : [];
  if (useless.length > 0) throwProblems(useless.map((path) => withoutApi(path, key)));
  return checked;
}

/** What only requests have. */
const API_OPTIONS = ["websocketApiBaseUrl", "apiTimeoutMs", "onRateLimit", "returnRateLimits"] as const;

function withoutApi(path: string, exchange: string): InvalidOptionsError {
  return new InvalidOptionsError(
    `Cannot use \`${path}\` with the exchange ${quoted(exchange)}: expected it left out, there is no WebSocket API`,
    { path },
  );
}

/** A checked copy of the options of a stream of requests; throws for all problems at once. */
export function checkedApiStreamOptions(options: ApiStreamOptions): ApiStreamOptions {
  return checkedOptions(apiStreamSchema, options, Object.keys(apiStreamSchema.shape));
}

/** A checked copy of the options of a stream of account events, but for `userData`; throws for all problems at once. */
export function checkedUserDataStreamOptions<O extends Output>(
  options: UserDataStreamOptions<O>,
): UserDataStreamOptions<O> {
  return checkedOptions(userDataStreamSchema, options, Object.keys(userDataStreamSchema.shape));
}
