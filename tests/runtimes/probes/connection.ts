/**
 * What the probes of connections share: one to the peer, and what its listener was told.
 *
 * @module
 */

import { InvalidOptionsError } from "@rawtick/binance/edge";
import type { CloseInfo, Connection, ConnectOptions } from "@rawtick/binance/transport";
import { type Context, seen, within } from "../probe.ts";
import type { Seen } from "../protocol.ts";

/** Longest time in ms of one step on loopback. */
export const STEP_MS = 2_000;

let lastId = 0;

/** An open connection to the peer. */
export class Visit implements Disposable {
  readonly id: string;
  readonly texts: string[] = [];
  readonly pings: string[] = [];
  readonly pongs: string[] = [];
  drains = 0;
  close: CloseInfo | undefined;
  readonly #context: Context;
  #connection: Connection | undefined;
  #wake = (): void => {};

  private constructor(context: Context, id: string) {
    this.#context = context;
    this.id = id;
  }

  /** The id of the next connection: of no other one, whatever process it is in. */
  static nextId({ library }: Context): string {
    return `${library}-${++lastId}-${crypto.randomUUID()}`;
  }

  /** Opens one. `query` tells the peer what to do, `base` is the peer without TLS unless said otherwise. */
  static async open(
    context: Context,
    query = "",
    options: ConnectOptions = {},
    { id = Visit.nextId(context), base = context.place.addresses.ws } = {},
  ): Promise<Visit> {
    const visit = new Visit(context, id);
    const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
    const opened = context.place.open(context.library, `${base}/?id=${id}&${query}`, {
      onText: (message) => visit.#note(() => visit.texts.push(message)),
      onPing: (payload) => visit.#note(() => visit.pings.push(text(payload))),
      onPong: (payload) => visit.#note(() => visit.pongs.push(text(payload))),
      onDrain: () => visit.#note(() => visit.drains++),
      onClose: (info) => visit.#note(() => visit.close = info),
    }, options);
    visit.#connection = await opened.catch(async (error: unknown) => {
      // What is refused by design is refused before anything is opened.
      if (!(error instanceof InvalidOptionsError) || (await visit.seen("requests", 0)).requests === 0) throw error;
      throw new Error("it is refused after the handshake");
    });
    return visit;
  }

  get connection(): Connection {
    if (this.#connection === undefined) throw new Error("The connection is not open");
    return this.#connection;
  }

  /** Waits until the listener was told something. */
  async until(condition: () => boolean, what: string, ms = STEP_MS): Promise<void> {
    const end = Date.now() + ms;
    while (!condition()) {
      await within(Math.max(1, end - Date.now()), new Promise<void>((resolve) => this.#wake = resolve), what);
    }
  }

  /** Sends a text and waits for its echo. */
  async echo(): Promise<void> {
    this.connection.send("hello");
    await this.until(() => this.texts.includes("hello"), "no echo");
  }

  /** What the peer has seen of it. */
  seen(until?: keyof Seen, ms?: number): Promise<Seen> {
    return seen(this.#context.place, this.id, until, ms);
  }

  [Symbol.dispose](): void {
    this.#connection?.terminate();
  }

  #note(what: () => unknown): void {
    what();
    this.#wake();
  }
}
