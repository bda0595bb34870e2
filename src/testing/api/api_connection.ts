/**
 * One connection to a WebSocket API: its session, and the way out.
 *
 * @module
 */

import type { KillOptions } from "../fault_options.ts";
import { jsonText } from "./json_text.ts";
import type { ApiKey } from "./keys.ts";
import type { Venue } from "./venue.ts";

/** What an API connection asks of its socket. */
export interface ApiClient {
  /** Number of the connection. */
  readonly id: number;
  /** Sends an answer, as the switches allow. */
  answer(text: string, delayMs: number): void;
  /** Sends an event, unless the connection is silent. */
  send(text: string): void;
  kill(options: KillOptions): void;
  /** Closes with 1008 once what was answered is sent. */
  disconnect(): void;
}

/** How a connection was opened. */
export interface ApiTarget {
  readonly returnRateLimits: boolean;
  readonly isMicroseconds: boolean;
}

/** A session that was logged on. */
export interface Logon {
  readonly key: ApiKey;
  readonly since: number;
}

/** A connection. */
export class ApiConnection {
  readonly client: ApiClient;
  readonly venue: Venue;
  readonly connectedSince: number;
  /** Whether answers carry the limits, unless a request says otherwise. */
  readonly returnRateLimits: boolean;
  readonly isMicroseconds: boolean;
  /** Who is logged on. */
  logon: Logon | undefined;
  /** Whether it is cut, or about to be: nothing that comes now is obeyed. */
  isCut = false;
  /** Requests that could not be read. */
  malformed = 0;

  /** Creates a connection that nobody is logged on to. */
  constructor(client: ApiClient, venue: Venue, target: ApiTarget, now: number) {
    this.client = client;
    this.venue = venue;
    this.connectedSince = now;
    this.returnRateLimits = target.returnRateLimits;
    this.isMicroseconds = target.isMicroseconds;
  }

  /** Whether the account events of the session are subscribed. */
  get hasSessionStream(): boolean {
    return this.venue.userStreams.of(this).some(({ via }) => via === "session");
  }

  /** Logs a key on, in the place of the one that was. */
  logOn(key: ApiKey, now: number): void {
    this.logon = { key, since: now };
  }

  /** Logs off, and ends the subscription of the session and no other one. */
  logOut(): void {
    this.logon = undefined;
    for (const each of this.venue.userStreams.of(this)) {
      if (each.via === "session") this.venue.userStreams.terminate(each);
    }
  }

  /** Writes `value` in the connection's unit of time. */
  text(value: unknown): string {
    return jsonText(value, this.isMicroseconds);
  }
}
