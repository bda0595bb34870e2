/**
 * Account events: over a WebSocket API connection where the exchange has that, else with listen keys.
 *
 * {@linkcode openUserData} opens a stream of them from what the manager gives it ({@linkcode UserDataSettings}); the options of
 * the user go through {@linkcode checkedUserDataOptions} before. What is needed of an API connection is
 * {@linkcode UserDataApi}.
 *
 * @module
 */

export type { UserDataAccount } from "./source.ts";
export type { UserDataApi } from "./user_data_api.ts";
export { checkedUserDataOptions, type UserDataAccountOptions, type UserDataOptions } from "./options.ts";
export type { OpenUserDataApi, RestFetch, RestInit, UserDataSettings } from "./settings.ts";
export { openUserData } from "./open_user_data.ts";
export { UserDataStream } from "./user_data_stream.ts";
