// @ts-check
/// <reference lib="dom" />

/**
 * The connection to a tap: an EventSource reconnects by itself and says which event it had last. Where it gives up, which is
 * after any answer but 200, this makes a new one after a while; where nothing comes any more, at once, since a page can't
 * see the tap's signs of life.
 *
 * @module
 */

/** Shortest and longest time in ms before a new EventSource; it doubles in between. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** After this time in ms without an event or an answer, the connection is given up for a new one. */
const MAX_SILENCE_MS = 30_000;
const CHECK_MS = 1_000;

/**
 * `"connecting"`, `"live"`, `"reconnecting"` (by the EventSource itself), `"waiting"` (for `waitMs`, before a new one).
 *
 * @typedef {"connecting" | "live" | "reconnecting" | "waiting"} ConnectionState
 */

/**
 * @typedef {object} TapListener
 * @property {(state: ConnectionState, waitMs: number) => void} onState
 * @property {(stream: string, data: any, id: string) => void} onMessage A message of the exchange.
 * @property {(signal: any, id: string) => void} onSignal What the tap tells of its connection to the exchange.
 * @property {(count: number | null) => void} onDropped Events were left out; null: nobody knows how many. What the tap
 *   told before holds no longer; it begins with how things are now.
 */

/** Reads a tap for as long as the page is there. */
export class TapSource {
  /** @type {string} */
  #url;
  /** @type {TapListener} */
  #listener;
  /** @type {EventSource | undefined} */
  #source;
  #lastEventId = "";
  #lastEventAt = 0;
  #waitMs = MIN_WAIT_MS;

  /**
   * @param {string} url The tap's, with the streams in its query.
   * @param {TapListener} listener
   */
  constructor(url, listener) {
    this.#url = url;
    this.#listener = listener;
    this.#open();
    setInterval(() => this.#check(), CHECK_MS);
  }

  #open() {
    this.#listener.onState("connecting", 0);
    this.#came();
    const url = new URL(this.#url, location.href);
    // A new EventSource doesn't know what the one before had; its own Last-Event-ID comes before this.
    if (this.#lastEventId !== "") url.searchParams.set("lastEventId", this.#lastEventId);
    const source = this.#source = new EventSource(url);
    source.onopen = () => {
      this.#came();
      this.#waitMs = MIN_WAIT_MS;
      this.#listener.onState("live", 0);
    };
    source.onerror = () => {
      this.#came(); // an answer, too: there is none
      if (source.readyState === EventSource.CLOSED) this.#reopenLater();
      else this.#listener.onState("reconnecting", 0);
    };
    source.onmessage = ({ data, lastEventId }) => {
      this.#came(lastEventId);
      const message = JSON.parse(data);
      this.#listener.onMessage(message.stream, message.data, lastEventId);
    };
    source.addEventListener("signal", ({ data, lastEventId }) => {
      this.#came(lastEventId);
      this.#listener.onSignal(JSON.parse(data), lastEventId);
    });
    source.addEventListener("dropped", ({ data }) => {
      this.#came();
      this.#listener.onDropped(JSON.parse(data).count);
    });
  }

  /** @param {string} [lastEventId] */
  #came(lastEventId) {
    this.#lastEventAt = performance.now();
    if (lastEventId) this.#lastEventId = lastEventId;
  }

  #reopenLater() {
    this.#source = undefined; // it has closed itself
    // So that not all pages come back at the same moment.
    const waitMs = this.#waitMs * (0.5 + Math.random() / 2);
    this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
    this.#listener.onState("waiting", waitMs);
    setTimeout(() => this.#open(), waitMs);
  }

  #check() {
    if (this.#source === undefined || performance.now() - this.#lastEventAt < MAX_SILENCE_MS) return;
    this.#source.close();
    this.#open();
  }
}
