/**
 * Opening a stream of account events.
 *
 * @module
 */

import type { Output } from "../stream/mod.ts";
import type { UserDataSettings } from "./settings.ts";
import { UserDataStream } from "./user_data_stream.ts";

/**
 * Opens a stream of account events.
 *
 * @throws {InvalidOptionsError} if the exchange can't do what is wanted.
 */
export function openUserData<O extends Output>(settings: UserDataSettings<O>): UserDataStream<O> {
  return new UserDataStream(settings);
}
