/**
 * What a user can say about account events, and its check.
 *
 * @module
 */

import * as z from "zod/mini";
import type { ApiStream, Signer } from "../api/mod.ts";
import { checkedOptions, InvalidOptionsError } from "../base/mod.ts";

/**
 * One account whose events are wanted.
 *
 * @example
 * ```ts
 * import { createSigner, type UserDataAccountOptions } from "@rawtick/binance";
 *
 * const signer = createSigner({ apiKey: "key", apiSecret: "secret" });
 * const account: UserDataAccountOptions = { name: "hedge", signer };
 * console.log(account.name);
 * ```
 */
export interface UserDataAccountOptions {
  /**
   * What the account is called in the events, in signals and in the log: 1 to 64 letters, digits, `_`, `-`, `.` or spaces.
   * Default: `"userData"`.
   */
  readonly name?: string;
  /** Its API key. Default: the manager's `signer`. */
  readonly signer?: Signer;
  /** Symbol of an isolated margin account, such as `"BTCUSDT"`: needed by `"binance.com-isolated_margin"`, else not allowed. */
  readonly symbol?: string;
  /**
   * A listen key that something else has made: it is used until it ends, and then replaced by a new one. Only for exchanges
   * with listen keys. Default: one is made; the exchange returns the same one to all who ask for an account.
   */
  readonly listenKey?: string;
}

/**
 * Which account events a stream carries and how it comes to them: `createStream({ userData: … })`. Each event is delivered
 * in the combined form under the name of its account, which stays the same over all reconnects:
 * `{"stream":"userData","data":{"e":"executionReport",…}}`. Every time when events may have been missed is told by the signal
 * USER_DATA_GAP.
 *
 * @example
 * ```ts
 * import { createSigner, type UserDataOptions } from "@rawtick/binance";
 *
 * const main = createSigner({ apiKey: "key of one account", apiSecret: "secret" });
 * const hedge = createSigner({ apiKey: "key of another one", apiSecret: "secret" });
 * const userData: UserDataOptions = { name: "main", signer: main, accounts: [{ name: "hedge", signer: hedge }] };
 * console.log(userData.accounts?.length);
 * ```
 */
export interface UserDataOptions extends UserDataAccountOptions {
  /** Further accounts: on the same connection with the WebSocket API, on one of its own with listen keys. Default: none. */
  readonly accounts?: readonly UserDataAccountOptions[];
  /**
   * How the WebSocket API is asked for the events: of spot accounts by `"signature"` (any key) or `"logon"` (Ed25519 only;
   * only one account, and with `api` the one that it logs on as), of margin accounts by `"listenToken"`, which is renewed
   * before it ends. Default: `"listenToken"` for margin accounts, else `"signature"`. Not for exchanges with listen keys.
   */
  readonly via?: "signature" | "logon" | "listenToken";
  /** The WebSocket API connection to use, from `createStream({ api: true })`. Default: one of its own. */
  readonly api?: ApiStream;
  /**
   * Types of events that are wanted, such as `["ORDER_TRADE_UPDATE"]`. Default: all; of USD-M futures, whose connections
   * only carry what is named, all that are documented.
   */
  readonly events?: readonly string[];
  /** Whether the listen key is kept alive. Default: true; false if something else does that. */
  readonly keepListenKey?: boolean;
  /**
   * Whether the listen key is deleted when the stream is stopped. Everything that uses the account gets the same key, other
   * programs too, and then gets no more events. Default: false; it ends by itself an hour after it was last kept alive.
   */
  readonly deleteListenKey?: boolean;
  /** How long in ms a listen token is valid, 60000 to 86400000; margin accounts only. Default: 86400000, the most there is. */
  readonly listenTokenValidityMs?: number;
  /**
   * How often in ms the WebSocket API is asked whether the subscriptions still exist, 1000 to 3600000, or 0 for never.
   * Costs a weight of 2. Default: 60000.
   */
  readonly auditIntervalMs?: number;
}

const NAME = /^[\w.\- ]{1,64}$/;

/** The message must not show it. */
function checkListenKey({ value, issues }: z.core.ParsePayload<string>): void {
  if (/^[\w-]{1,256}$/.test(value)) return;
  const message = 'Cannot use this text as `listenKey`: expected 1 to 256 letters, digits, "_" or "-"';
  const error = new InvalidOptionsError(message, { path: "userData.listenKey" });
  issues.push({ code: "custom", input: undefined, message, params: { error } });
}

const accountShape = {
  name: z.optional(
    z.string("a name").check(z.regex(NAME, '1 to 64 letters, digits, "_", "-", "." or spaces')),
  ),
  signer: z.optional(z.custom<Signer>((value) => isSigner(value), "what `createSigner()` returns")),
  symbol: z.optional(z.string("a symbol").check(z.regex(/^\w{2,40}$/, 'a symbol such as "BTCUSDT"'))),
  listenKey: z.optional(z.string("a listen key").check(checkListenKey)),
};

const accountSchema = z.strictObject(accountShape, "an object with `name`, `signer`, `symbol` or `listenKey`");

const VALIDITY = "ms from 60000 to 86400000";
const AUDIT = "0, or ms from 1000 to 3600000";
const EVENTS = "a list of event types, none of them empty";

const schema = z.strictObject({
  ...accountShape,
  accounts: z.optional(z.array(accountSchema, "a list of accounts")),
  via: z.optional(z.enum(["signature", "logon", "listenToken"], '"signature", "logon" or "listenToken"')),
  api: z.optional(z.custom<ApiStream>((value) => isApi(value), "a stream made with `api: true`")),
  events: z.optional(
    z.array(z.string(EVENTS).check(z.regex(/^\w{1,64}$/, EVENTS)), EVENTS).check(z.minLength(1, EVENTS)),
  ),
  keepListenKey: z.optional(z.boolean("true or false")),
  deleteListenKey: z.optional(z.boolean("true or false")),
  listenTokenValidityMs: z.optional(
    z.int(VALIDITY).check(z.minimum(60_000, VALIDITY), z.maximum(86_400_000, VALIDITY)),
  ),
  auditIntervalMs: z.optional(
    z.int(AUDIT).check(z.refine((ms) => ms === 0 || (ms >= 1_000 && ms <= 3_600_000), AUDIT)),
  ),
}, "true, or an object");

const wrapper = z.strictObject({ userData: schema });

/**
 * Checks the option `userData` of `createStream()`.
 *
 * @param given `true` stands for `{}`.
 * @throws {InvalidOptionsError} if it can't be used; no listen key is in its message.
 */
export function checkedUserDataOptions(given: UserDataOptions | true): UserDataOptions {
  const userData = given === true ? {} : given;
  return checkedOptions(wrapper, { userData }, ["userData"]).userData;
}

function isSigner(value: unknown): boolean {
  return typeof value === "object" && value !== null && "signWebSocket" in value && "signRest" in value;
}

function isApi(value: unknown): boolean {
  return typeof value === "object" && value !== null && "attachUserData" in value && "request" in value;
}
