/**
 * What account events need of a connection to the WebSocket API.
 *
 * @module
 */

import type { ApiStreamListener, InternalRequestOptions, Params, Signer } from "../api/mod.ts";
import type { LinkStatistics } from "../stream/mod.ts";

/** A connection to the WebSocket API, as account events see it: {@linkcode ApiStream} is one. */
export interface UserDataApi {
  /** What it tells about itself. */
  readonly linkStatistics: LinkStatistics;
  /**
   * Sends a request, with a timestamp and a signature as its method needs them, and resolves with the result.
   *
   * @throws {ApiError} if the exchange refuses.
   */
  request(method: string, params?: Params, options?: InternalRequestOptions): Promise<unknown>;
  /** Whether the connection is logged on with this key now. */
  isLoggedOnAs(signer: Signer): boolean;
  /** Tells `listener` from now on; call what it returns to end that. */
  attachUserData(listener: ApiStreamListener): () => void;
  /** Ends the connection. */
  stop(): Promise<void>;
}
