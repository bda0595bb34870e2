/**
 * Data that comes twice, not at all or in the wrong order.
 *
 * @module
 */

import type { DataFault, DisturbOptions } from "./fault_options.ts";

interface Order {
  readonly fault: DataFault;
  readonly stream: string | undefined;
  readonly connectionId: number | undefined;
  left: number;
}

/** What an exchange was told to do to its data. */
export class DataFaults {
  /** Streams of which nothing is sent. */
  muted: ReadonlySet<string> = new Set();
  #orders: Order[] = [];

  /** Whether anything is to be done, so that messages cost nothing as long as it isn't. */
  get isActive(): boolean {
    return this.#orders.length > 0 || this.muted.size > 0;
  }

  /** Disturbs messages to come. */
  add(fault: DataFault, { stream, connectionId, count = 1 }: DisturbOptions): void {
    this.#orders.push({ fault, stream, connectionId, left: count });
  }

  /** What is done to the next message of a stream on a connection. */
  take(stream: string, connectionId: number): DataFault | undefined {
    if (this.muted.has(stream)) return "drop";
    const order = this.#orders.find((order) =>
      (order.stream === undefined || order.stream === stream) &&
      (order.connectionId === undefined || order.connectionId === connectionId)
    );
    if (order === undefined) return undefined;
    if (--order.left <= 0) this.#orders = this.#orders.filter((other) => other !== order);
    return order.fault;
  }
}

/** Applies the faults to the messages of one connection; `T` is what its feed knows them by. */
export class Disturber<T> {
  readonly #faults: DataFaults;
  readonly #connectionId: number;
  /** Messages that come after the next one of their stream. */
  readonly #held = new Map<string, T>();

  constructor(faults: DataFaults, connectionId: number) {
    this.#faults = faults;
    this.#connectionId = connectionId;
  }

  /** Whether {@linkcode Disturber.disturb} can give anything but the message itself. */
  get isActive(): boolean {
    return this.#faults.isActive || this.#held.size > 0;
  }

  /** What is sent in the place of the next message of a stream. */
  disturb(stream: string, message: T): readonly T[] {
    const fault = this.#faults.take(stream, this.#connectionId);
    if (fault === "drop") return [];
    const held = this.#held.get(stream);
    if (fault === "reorder" && held === undefined) {
      this.#held.set(stream, message);
      return [];
    }
    this.#held.delete(stream);
    const sent = fault === "duplicate" ? [message, message] : [message];
    return held === undefined ? sent : [...sent, held];
  }
}
