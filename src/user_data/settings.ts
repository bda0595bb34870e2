/**
 * What the manager gives to a stream of account events.
 *
 * @module
 */

import type { Signer } from "../api/mod.ts";
import type { Exchange } from "../exchange/mod.ts";
import type { DataOf, Output, StreamSettings } from "../stream/mod.ts";
import type { UserDataOptions } from "./options.ts";
import type { UserDataStream } from "./user_data_stream.ts";
import type { UserDataApi } from "./user_data_api.ts";

/** What a REST request says. */
export interface RestInit {
  /** The method. */
  readonly method: string;
  /** Headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts it. */
  readonly signal: AbortSignal;
}

/** Makes a REST request under the proxy rules of the manager; redirects are errors. */
export type RestFetch = (url: string, init: RestInit) => Promise<Response>;

/** Opens a connection to the WebSocket API that belongs to one stream of account events. */
export type OpenUserDataApi = (options: {
  /** Who signs. */
  readonly signer: Signer;
  /** Whether it logs on after each connect, before anything else. */
  readonly logon: boolean;
  /** Label of the stream. */
  readonly label: string | undefined;
  /** An attempt to connect failed; it is tried again. */
  readonly onConnectFailed: (url: string, error: unknown) => void;
}) => UserDataApi;

/** What a stream of account events is made of; what is not here is as for a {@linkcode BinanceStream}. */
export interface UserDataSettings<O extends Output> extends
  Pick<
    StreamSettings<O>,
    "id" | "label" | "link" | "delivery" | "namedBuffer" | "onCallbackError" | "sampler" | "signalListeners" | "onEnd"
  > {
  /** Whose events. */
  readonly exchange: Exchange;
  /** Where listen keys connect to, without a slash at the end. */
  readonly streamBaseUrl: string;
  /** Where listen keys and tokens are made, without a slash at the end. */
  readonly restBaseUrl: string;
  /** What the user wants, checked. */
  readonly userData: UserDataOptions;
  /** The manager's signer, for accounts without one of their own. */
  readonly signer: Signer | undefined;
  /** Makes REST requests. */
  readonly fetch: RestFetch;
  /** Opens a WebSocket API connection. */
  readonly openApi: OpenUserDataApi;
  /** Takes the events. */
  readonly onData: ((data: DataOf<O, "!userData@arr">, stream: UserDataStream<O>) => unknown) | undefined;
}
