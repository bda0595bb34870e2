/**
 * What a connection does about control messages: it keeps the subscriptions, and answers as the switches allow.
 *
 * @module
 */

import { answerControl, idOf } from "./control.ts";
import type { LocalExchangeLimits, MarketRules } from "./markets.ts";
import type { Switches } from "./switches.ts";

/** What a desk needs of its exchange. */
export interface DeskHost {
  readonly rules: MarketRules;
  readonly limits: LocalExchangeLimits;
  readonly switches: Switches;
  readonly closeOnInvalidJson: boolean;
}

/** What a desk asks its connection to do. */
export interface DeskClient {
  /** Whether nothing may be sent at the moment. */
  isSilent(): boolean;
  reply(text: string): void;
  /** Closes the connection because of what the client asked. */
  close(): void;
  later(ms: number, action: () => void): void;
  /** These streams are subscribed now and were not before; never none. */
  subscribed(streams: readonly string[]): void;
  /** These streams were subscribed; never none. */
  unsubscribed(streams: readonly string[]): void;
}

/** The control messages of one connection. */
export class ControlDesk {
  /** The subscribed streams, in the order of their subscription. */
  readonly streams: Set<string> = new Set();
  /** The property `combined`. */
  isCombined: boolean;
  /** How often each stream was asked for by SUBSCRIBE messages. */
  readonly subscribes: Map<string, number> = new Map();
  readonly #host: DeskHost;
  readonly #client: DeskClient;

  /** Creates the desk of a connection without subscriptions. */
  constructor(isCombined: boolean, host: DeskHost, client: DeskClient) {
    this.isCombined = isCombined;
    this.#host = host;
    this.#client = client;
  }

  /** Obeys and answers the control message `text`. */
  handle(text: string): void {
    const { switches, limits, rules, closeOnInvalidJson } = this.#host;
    if (switches.controlError !== undefined) {
      const body = JSON.stringify(switches.controlError);
      return this.answer(`{"error":${body},"id":${idOf(text)}}`, false);
    }
    const action = answerControl(text, this, {
      idRule: rules.idRule,
      maxBytes: limits.controlMessageBytes,
      maxStreams: limits.streamsPerConnection,
      closeOnInvalidJson,
    });
    if (action.combined !== undefined) this.isCombined = action.combined;
    const removed = action.unsubscribe.filter((stream) => this.streams.delete(stream));
    if (removed.length > 0) this.#client.unsubscribed(removed);
    this.answer(action.reply, action.close);
    for (const stream of action.subscribe) this.subscribes.set(stream, (this.subscribes.get(stream) ?? 0) + 1);
    if (action.subscribe.length > 0 && switches.subscriptionsToIgnore > 0) switches.subscriptionsToIgnore--;
    else this.subscribe(action.subscribe);
  }

  /** Sends an answer, unless the switches swallow it, and then closes the connection if asked. */
  answer(text: string, close: boolean): void {
    const { switches } = this.#host;
    const isDropped = switches.acksToDrop > 0;
    if (isDropped) switches.acksToDrop--;
    const answer = () => {
      if (!isDropped && !switches.silenceAcks && !this.#client.isSilent()) this.#client.reply(text);
      if (close) this.#client.close();
    };
    if (switches.ackDelayMs > 0) this.#client.later(switches.ackDelayMs, answer);
    else answer();
  }

  /** Subscribes those streams that are not subscribed yet. */
  subscribe(streams: readonly string[]): void {
    const added = [...new Set(streams)].filter((stream) => !this.streams.has(stream));
    for (const stream of added) this.streams.add(stream);
    if (added.length > 0) this.#client.subscribed(added);
  }
}
