/**
 * What the connections of an exchange need of it.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { ApiService } from "./api/api_service.ts";
import type { Feed, FeedClient } from "./feed/feed.ts";
import type { LocalExchangeLimits, MarketRules } from "./markets.ts";
import type { Switches } from "./switches.ts";

/** What a session needs of its exchange. */
export interface SessionHost {
  readonly clock: Clock;
  readonly rules: MarketRules;
  readonly limits: LocalExchangeLimits;
  readonly switches: Switches;
  readonly pingIntervalMs: number;
  readonly pongTimeoutMs: number;
  readonly maxConnectionAgeMs: number;
  readonly closeOnInvalidJson: boolean;
  createFeed(client: FeedClient): Feed;
  /** The WebSocket APIs. */
  readonly api: ApiService;
  onMessagesSent(count: number): void;
  onControl(connectionId: number, text: string): void;
  onPing(): void;
  onPong(isAnswer: boolean): void;
}
