/**
 * The connections of one stream: by path of the exchange, and as many as its subscriptions take.
 *
 * @module
 */

import { connectionUrl, type ConnectionUrlOptions, type Exchange, type Route, routeOf } from "../exchange/mod.ts";
import type { SubscriptionAudit } from "./audits.ts";
import { Link, type LinkListener, type LinkState } from "./link.ts";
import type { LinkSettings } from "./link_settings.ts";
import { linkStatistics } from "./link_statistics.ts";
import type { LinkStatistics, StreamState } from "./stream_state.ts";

/** What the links of a stream are made of. */
export interface LinksSettings {
  readonly exchange: Exchange;
  readonly baseUrl: string;
  /** What the URLs say beside the path. */
  readonly urlOptions: ConnectionUrlOptions;
  readonly link: LinkSettings;
}

/** Spreads the subscriptions of a stream over connections. */
export class Links {
  readonly #settings: LinksSettings;
  readonly #listenerOf: (streams: () => string[]) => LinkListener;
  readonly #byRoute = new Map<Route, Link[]>();
  #isPaused = false;

  /** @param listenerOf Makes who listens to a new link, of which it is told how to find out what that carries. */
  constructor(settings: LinksSettings, listenerOf: (streams: () => string[]) => LinkListener) {
    this.#settings = settings;
    this.#listenerOf = listenerOf;
  }

  /** Where they are together: as far as the one that is worst off. */
  get state(): LinkState {
    const states = this.#all.map((link) => link.state);
    return (["restarting", "starting"] as const).find((state) => states.includes(state)) ?? "running";
  }

  /** Why one of them has no connection, in a few words; `undefined` if all have one. */
  get reason(): string | undefined {
    return this.#all.find(({ reason }) => reason !== undefined)?.reason;
  }

  /** The streams that are wanted. */
  get desired(): string[] {
    return this.#all.flatMap((link) => [...link.desired]);
  }

  /** Streams that could still be subscribed to without another connection. */
  get freeSubscriptionSlots(): number {
    const { maxStreamsPerConnection } = this.#settings.exchange;
    return this.#all.reduce((sum, link) => sum + maxStreamsPerConnection - link.desired.size, 0);
  }

  /** When connections were opened again, in ms since 1970, in the order of time. */
  get reconnectTimes(): number[] {
    return this.#all.flatMap((link) => link.reconnectTimes).sort((a, b) => a - b);
  }

  /** @param ended How their stream has ended; `undefined` while it has not. */
  statistics(ended: StreamState | undefined): LinkStatistics[] {
    const { maxStreamsPerConnection } = this.#settings.exchange;
    return this.#all.map((link) => linkStatistics(link, maxStreamsPerConnection, ended));
  }

  /** Wants more streams; resolves when the exchange has acknowledged them all. */
  add(streams: readonly string[]): Promise<void> {
    const byRoute = Map.groupBy(streams, (stream) => routeOf(this.#settings.exchange, stream));
    const settled = [...byRoute].flatMap(([route, group]) => {
      return [...this.#spread(route, group)].map(([link, share]) => link.add(share));
    });
    return Promise.all(settled).then(() => {});
  }

  /** Wants fewer streams; resolves when the exchange has acknowledged that. */
  async delete(streams: readonly string[]): Promise<void> {
    await Promise.all(this.#all.map((link) => link.delete(streams.filter((stream) => link.desired.has(stream)))));
  }

  /** Asks the exchange what they carry, and mends what differs. */
  async audit(): Promise<SubscriptionAudit> {
    const audits = await Promise.all(this.#all.map((link) => link.audit()));
    return {
      missing: audits.flatMap(({ missing }) => missing),
      surplus: audits.flatMap(({ surplus }) => surplus),
    };
  }

  /** Stops reading, or goes on, where the library can do that: those that come later too. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    for (const link of this.#all) link.setPaused(isPaused);
  }

  /** Ends them at once; resolves when they have ended. `reason` is what those who wait for a subscription get. */
  async stop(reason: Error): Promise<void> {
    const links = this.#all;
    for (const link of links) link.stop(reason);
    await Promise.all(links.map((link) => link.ended));
  }

  get #all(): Link[] {
    return [...this.#byRoute.values()].flat();
  }

  /** Spreads streams over the links to one path: those that carry them, then those with room, then new ones. */
  #spread(route: Route, streams: readonly string[]): Map<Link, string[]> {
    const links = this.#byRoute.get(route) ?? [];
    this.#byRoute.set(route, links);
    const { maxStreamsPerConnection } = this.#settings.exchange;
    const shares = new Map<Link, string[]>();
    const room = new Map(links.map((link) => [link, maxStreamsPerConnection - link.desired.size]));
    for (const stream of streams) {
      let link = links.find((link) => link.desired.has(stream));
      if (link === undefined) {
        link = links.find((link) => (room.get(link) ?? 0) > 0);
        if (link === undefined) links.push(link = this.#open(route));
        room.set(link, (room.get(link) ?? maxStreamsPerConnection) - 1);
      }
      shares.set(link, [...shares.get(link) ?? [], stream]);
    }
    return shares;
  }

  #open(route: Route): Link {
    const { baseUrl, urlOptions, link: settings } = this.#settings;
    const listener = this.#listenerOf(() => [...link.desired]);
    const link: Link = new Link(connectionUrl(baseUrl, route, urlOptions), settings, listener);
    link.setPaused(this.#isPaused);
    return link;
  }
}
