/**
 * Chooses where the data of an exchange's connections comes from.
 *
 * @module
 */

import type { ResolvedOptions } from "../options.ts";
import type { Feed, FeedClient } from "./feed.ts";
import { firehoseFeed } from "./firehose_feed.ts";
import { LiveHub } from "./live_hub.ts";
import { replayFeed } from "./replay_feed.ts";
import { indexRecording } from "./replay_index.ts";
import { timedReplayFeed } from "./timed_replay_feed.ts";

/** Makes the feed of each connection. */
export interface Feeds {
  create(client: FeedClient): Feed;
  /** How many messages of each stream have fallen due, where that is known. */
  published(): ReadonlyMap<string, number>;
  close(): void;
}

/** Generator or recording, at a pace or as fast as each client takes it. */
export function createFeeds(options: ResolvedOptions): Feeds {
  const { replay, speed, clock } = options;
  const unpaced = { published: () => new Map<string, number>(), close: () => {} };
  if (replay !== undefined) {
    const rows = indexRecording(replay);
    return {
      create: (client) => speed === "max" ? replayFeed(client, rows) : timedReplayFeed(client, rows, clock, speed),
      ...unpaced,
    };
  }
  if (speed === "max") return { create: (client) => firehoseFeed(client, options), ...unpaced };
  const hub = new LiveHub(clock, options.messagesPerSecond * speed, options);
  return { create: (client) => hub.feed(client), published: () => hub.published(), close: () => hub.close() };
}
