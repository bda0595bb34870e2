/**
 * What the manager gives to an API stream.
 *
 * @module
 */

import type { IntegerMode } from "../base/mod.ts";
import type { LinkSettings, Signal } from "../stream/mod.ts";
import type { ApiMethodFacts, RateLimitPolicy } from "./api_options.ts";
import type { RateLimits } from "./rate_limits.ts";
import type { Signer } from "./signer.ts";
import type { TimeOffset } from "./time_offset.ts";

/** A method as the tables know it. */
export interface KnownMethod extends ApiMethodFacts {
  /** Works on a connection that is logged on only, although it is not signed. */
  readonly needsLogon?: boolean;
  /** Whether the exchange charges no weight for a request that succeeds. */
  readonly freeIfSuccessful?: boolean;
  /** Parameters that may be left out. */
  readonly optional?: readonly string[];
}

/** What all API streams of a manager share. */
export interface ApiShared {
  readonly rateLimits: RateLimits;
  readonly timeOffset: TimeOffset;
}

/** What an API stream is made of. */
export interface ApiStreamSettings extends ApiShared {
  readonly id: string;
  readonly label: string | undefined;
  /** URL of the WebSocket API, with its query. */
  readonly url: string;
  readonly link: LinkSettings;
  /** The table of the exchange's methods. */
  readonly methods: ReadonlyMap<string, KnownMethod>;
  /** A method that tells the exchange's time, and needs no key: `time`, or `session.status` where there is none. */
  readonly timeMethod: string;
  /** What opening a connection weighs. */
  readonly connectWeight: number;
  readonly signer: Signer | undefined;
  /** Whether each connection logs on before anything else. */
  readonly logon: boolean;
  readonly timeoutMs: number;
  readonly onRateLimit: RateLimitPolicy;
  readonly integers: IntegerMode;
  readonly onSignal: ((signal: Signal) => unknown) | undefined;
  /** An answer that belongs to no request. */
  readonly onUnmatched: (text: string, isError: boolean) => void;
  /** Called once when the stream has ended. */
  readonly onEnd: () => void;
}
