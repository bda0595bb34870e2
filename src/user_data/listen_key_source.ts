/**
 * The events of one account over a connection that a listen key opens, with a new key and a new connection when it ends.
 *
 * @module
 */

import { messageOf } from "../base/mod.ts";
import { isServerShutdown, parseControlResponse } from "../exchange/mod.ts";
import { Link, type LinkStatistics, linkStatistics } from "../stream/mod.ts";
import {
  type Connection,
  type ConnectionListener,
  isFrameListener,
  type OpenConnection,
} from "../transport/portable.ts";
import type { Account } from "./accounts.ts";
import { eventOf, eventTypeOf, underName } from "./event_text.ts";
import { HIDDEN, type ListenKeyFlow, listenKeyUrl } from "./flow.ts";
import { GapTracker } from "./gap_tracker.ts";
import { ListenKey } from "./listen_key.ts";
import { errorWithoutSecrets, withoutSecrets } from "./secrets.ts";
import type { UserDataSettings } from "./settings.ts";
import type { UserDataAccount, UserDataSource, UserDataSourceListener } from "./source.ts";

/** Longest time in ms that a REST request may take, where no option says otherwise. */
const REST_TIMEOUT_MS = 10_000;
const EXPIRED = "listenKeyExpired";
/** Under this name all events go through the link: what an account is called could be the name of a market stream. */
const INSIDE = "userData";
const INSIDE_HEAD = underName(INSIDE, "").length - 1;

/** What of the settings a source needs. */
export type SourceSettings = Pick<
  UserDataSettings<never>,
  "link" | "streamBaseUrl" | "restBaseUrl" | "userData" | "fetch"
>;

/** One account with its listen key and its connection. */
export class ListenKeySource implements UserDataSource {
  readonly ready: Promise<void>;
  readonly #account: Account;
  readonly #flow: ListenKeyFlow;
  readonly #settings: SourceSettings;
  readonly #listener: UserDataSourceListener;
  readonly #key: ListenKey;
  readonly #gap: GapTracker;
  readonly #link: Link;
  readonly #ready = Promise.withResolvers<void>();
  /** Two during a rollover. */
  readonly #connections = new Set<Connection>();
  #lastReceivedAt = 0;
  /** When the last event came: until then the key was alive. */
  #lastEventAt = 0;
  #events = 0;
  #state: UserDataAccount["state"] = "starting";
  #isStopped = false;

  constructor(account: Account, flow: ListenKeyFlow, settings: SourceSettings, listener: UserDataSourceListener) {
    this.#account = account;
    this.#flow = flow;
    this.#settings = settings;
    this.#listener = listener;
    const { link, restBaseUrl, userData, fetch } = settings;
    const { clock, logger, connectOptions: { handshakeTimeoutMs = REST_TIMEOUT_MS } } = link;
    this.ready = this.#ready.promise;
    this.#gap = new GapTracker((gap) => listener.onGap(account.name, gap));
    this.#key = new ListenKey({
      flow,
      restBaseUrl,
      rest: { fetch, clock, timeoutMs: handshakeTimeoutMs },
      apiKey: account.signer.apiKey,
      account: account.name,
      logger,
      given: account.listenKey,
      isKeptAlive: userData.keepListenKey ?? true,
      onEnded: (from, reason) => this.#replace(Math.max(from, this.#lastEventAt), reason),
      onRefused: (error) => this.#crash(error),
    });
    const url = listenKeyUrl(flow, settings.streamBaseUrl, HIDDEN, userData.events);
    this.#link = new Link(url, { ...link, open: this.#open }, {
      onData: (text) => this.#deliver(text),
      onControlResponse: () => {},
      onConnect: (url) => this.#connected(url),
      onDisconnect: (url, close) => {
        this.#state = "restarting";
        this.#gap.lost(this.#lastReceivedAt, "the connection was lost");
        listener.onDisconnect(url, close);
      },
      onConnectFailed: (url, error) => listener.onConnectFailed(url, error),
      onSubscriptionFailed: () => {},
      onGap: () => {},
      onSilent: () => {},
      onRollover: (url, reason) => listener.onRollover(url, reason),
      onCrash: (error) => this.#crash(error),
    });
  }

  get accounts(): readonly UserDataAccount[] {
    return [{ name: this.#account.name, state: this.#state, subscriptionId: undefined, events: this.#events }];
  }

  get linkStatistics(): LinkStatistics {
    return { ...linkStatistics(this.#link, 1, undefined), subscriptions: 1, freeSubscriptionSlots: 0 };
  }

  get reconnectTimes(): readonly number[] {
    return this.#link.reconnectTimes;
  }

  get stateReason(): string | undefined {
    return this.#link.reason;
  }

  setPaused(isPaused: boolean): void {
    this.#link.setPaused(isPaused);
  }

  async stop(reason: Error): Promise<void> {
    this.#isStopped = true;
    this.#key.stop();
    this.#link.stop(reason);
    await this.#link.ended;
    if (this.#settings.userData.deleteListenKey === true) await this.#key.delete();
  }

  /** Opens a connection like any other, except that those who ask for it do not see the listen key. */
  readonly #open: OpenConnection = async (_shownUrl, listener, options = {}) => {
    // The cast is none: links have message listeners.
    if (isFrameListener(listener)) throw new TypeError("A link listens to messages, not to frames");
    const { link, streamBaseUrl, userData } = this.#settings;
    const key = await this.#key.obtain(options.signal ?? new AbortController().signal);
    try {
      const url = listenKeyUrl(this.#flow, streamBaseUrl, key, userData.events);
      return await link.open(url, this.#wrapped(listener, key), options);
    } catch (error) {
      throw errorWithoutSecrets(error, this.#key.secrets);
    }
  };

  /** Makes of what the exchange sends what a link knows: the combined form, under the name of the account. */
  #wrapped(listener: ConnectionListener, key: string): ConnectionListener {
    const { clock } = this.#settings.link;
    const received = () => void (this.#lastReceivedAt = clock.now());
    let own: Connection | undefined;
    return {
      onOpen: (connection) => {
        received();
        this.#connections.add(own = connection);
        listener.onOpen?.(connection);
      },
      onText: (text) => {
        received();
        this.#receive(listener, text, key);
      },
      onBinary: (bytes) => {
        received();
        listener.onBinary?.(bytes);
      },
      onPing: (payload) => {
        received();
        listener.onPing?.(payload);
      },
      onPong: (payload) => {
        received();
        listener.onPong?.(payload);
      },
      onClose: (close) => {
        if (own !== undefined) this.#connections.delete(own);
        const { error, reason } = close;
        listener.onClose({
          ...close,
          reason: withoutSecrets(reason, this.#key.secrets),
          // The cast: an error stays one.
          ...(error && { error: errorWithoutSecrets(error, this.#key.secrets) as Error }),
        });
      },
    };
  }

  #receive(listener: ConnectionListener, text: string, key: string): void {
    const event = eventOf(text);
    const type = eventTypeOf(event);
    // Notices to the link, and answers to its questions for a sign of life, which may contain the key, are not for the user.
    if (isServerShutdown(text)) return listener.onText(text);
    if (type === "" && parseControlResponse(text) !== undefined) {
      return listener.onText(withoutSecrets(text, this.#key.secrets));
    }
    this.#lastEventAt = this.#lastReceivedAt;
    const { events } = this.#settings.userData;
    if (events === undefined || events.includes(type)) {
      // Only this event contains the key.
      const shown = type === EXPIRED ? withoutSecrets(event, this.#key.secrets) : event;
      listener.onText(underName(INSIDE, shown));
    }
    // The key of another connection of the account may have ended too.
    if (type === EXPIRED && (event.includes(key) || !event.includes('"listenKey"'))) {
      this.#settings.link.logger.warn(`${this.#account.name}: the listen key has expired; making a new one`);
      this.#key.forget();
      this.#replace(this.#lastReceivedAt, "the listen key expired");
    }
  }

  #deliver(text: string): void {
    if (this.#isStopped) return;
    this.#events++;
    this.#listener.onEvent(underName(this.#account.name, text.slice(INSIDE_HEAD, -1)));
  }

  #connected(url: string): void {
    if (this.#isStopped) return;
    this.#state = "running";
    this.#listener.onConnect(url);
    this.#gap.resumed(this.#settings.link.clock.now());
    this.#ready.resolve();
  }

  /** Gives the connections up, so that the link opens one with another key. */
  #replace(from: number, reason: string): void {
    this.#gap.lost(from, reason);
    for (const connection of [...this.#connections]) connection.close();
  }

  #crash(error: unknown): void {
    if (this.#isStopped) return;
    this.#settings.link.logger.error(`${this.#account.name}: ${messageOf(error)}`);
    this.#state = "failed";
    this.#listener.onCrash(error);
  }
}
