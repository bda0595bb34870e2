/**
 * A manager under soak: its streams, and everything that it delivers and signals.
 *
 * @module
 */

import {
  type BinanceStream,
  BinanceWebSocketApiManager,
  type GapSignal,
  type Logger,
  type ManagerOptions,
  type Signal,
  type WebSocketLibrary,
} from "@rawtick/binance";
import { Deliveries } from "./deliveries.ts";
import { Numbering } from "./numbering.ts";

/** A connection that was lost, and when data came again. */
export interface Reconnect {
  /** When it was lost, in ms since 1970. */
  readonly at: number;
  /** Real ms until the next message of the logical stream; `undefined` if none came. */
  ms: number | undefined;
}

/** What is known of one logical stream, which outlives its crashes. */
export interface LogicalStream {
  readonly label: string;
  readonly names: readonly string[];
  stream: BinanceStream<"raw">;
  receives: number;
  /** Reconnects of earlier ones that crashed. */
  earlierReconnects: number;
  lastDataAt: number;
  /** The loss from which it has not come back. */
  open: Reconnect | undefined;
}

/** One manager with a library of its own. */
export class Subject {
  readonly library: WebSocketLibrary;
  readonly deliveries: ReadonlyMap<string, Deliveries>;
  readonly streams: LogicalStream[] = [];
  readonly gaps: GapSignal[] = [];
  readonly reconnects: Reconnect[] = [];
  /** Messages of STREAM_UNREPAIRABLE signals. */
  readonly crashes: string[] = [];
  readonly signalCounts = new Map<string, number>();
  errors = 0;
  messages = 0;
  characters = 0;
  readonly #numberings: ReadonlyMap<string, Numbering>;
  readonly #manager: BinanceWebSocketApiManager;
  #isStopping = false;

  /** Starts the streams; `groups` are the names by the label of the logical stream that carries them. */
  constructor(
    library: WebSocketLibrary,
    url: string,
    groups: Readonly<Record<string, readonly string[]>>,
    options: ManagerOptions,
  ) {
    this.library = library;
    const names = Object.values(groups).flat();
    this.deliveries = new Map(names.map((name) => [name, new Deliveries(name)]));
    this.#numberings = new Map(names.map((name) => [name, new Numbering(name)]));
    const silent = (): void => {};
    const logger: Logger = { debug: silent, info: silent, warn: silent, error: () => void this.errors++ };
    this.#manager = new BinanceWebSocketApiManager({
      ...options,
      output: "raw",
      websocketLibrary: library,
      websocketBaseUrl: url,
      logger,
      onSignal: (signal) => this.#onSignal(signal),
    });
    for (const [label, group] of Object.entries(groups)) this.#start(label, group);
  }

  /** Reconnects of a logical stream. */
  reconnectsOf({ stream, earlierReconnects }: LogicalStream): number {
    return earlierReconnects + stream.statistics.reconnects;
  }

  /** Stops everything. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#manager.stopManager();
  }

  #start(label: string, names: readonly string[]): void {
    const logical: LogicalStream = {
      label: `${this.library}_${label}`,
      names,
      stream: this.#create(label, names, () => logical),
      receives: 0,
      earlierReconnects: 0,
      lastDataAt: Date.now(),
      open: undefined,
    };
    this.streams.push(logical);
  }

  #create(label: string, names: readonly string[], logical: () => LogicalStream): BinanceStream<"raw"> {
    return this.#manager.createStream({
      label,
      streams: [...names],
      onData: (text) => this.#onData(text, logical()),
    });
  }

  #onData(text: string, logical: LogicalStream): void {
    const now = Date.now();
    this.messages++;
    this.characters += text.length;
    logical.receives++;
    logical.lastDataAt = now;
    if (logical.open !== undefined) {
      logical.open.ms = now - logical.open.at;
      logical.open = undefined;
    }
    const name = text.slice(11, text.indexOf('"', 11));
    this.deliveries.get(name)?.note(this.#numberings.get(name)?.numberOf(text), now);
  }

  #onDisconnect(logical: LogicalStream): void {
    if (logical.open !== undefined) return;
    // A rollover has a signal of its own: this is a loss.
    logical.open = { at: Date.now(), ms: undefined };
    this.reconnects.push(logical.open);
  }

  #onSignal(signal: Signal): void {
    this.signalCounts.set(signal.type, (this.signalCounts.get(signal.type) ?? 0) + 1);
    const logical = this.streams.find(({ stream }) => stream.id === signal.streamId);
    if (signal.type === "GAP") this.gaps.push(signal);
    if (logical === undefined || this.#isStopping) return;
    if (signal.type === "DISCONNECT") this.#onDisconnect(logical);
    if (signal.type !== "STREAM_UNREPAIRABLE") return;
    this.crashes.push(`${logical.label}: ${signal.error.message}`);
    // As a user would: the rest of the run still tells something.
    logical.earlierReconnects += logical.stream.statistics.reconnects + 1;
    const label = logical.stream.label ?? "";
    setTimeout(() => {
      if (!this.#isStopping) logical.stream = this.#create(label, logical.names, () => logical);
    }, 0);
  }
}
