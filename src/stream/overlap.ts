/**
 * Merges the messages of a connection and of its successor while both are open: each once, in the order of its stream.
 *
 * @module
 */

import { type Position, positionOf } from "./positions.ts";
import { lastOf, streamNameOf, type StreamTable } from "./stream_table.ts";

/** Messages of the successor that are held back at most; then it takes over as it is. */
const MAX_HELD = 100_000;

/** One stream on its way from the one connection to the other. */
interface Handover {
  /** What was delivered last. */
  delivered: Position | undefined;
  /** Texts that were delivered with the same number as the last one: times may repeat. */
  readonly sameNumber: Set<string>;
  /** What the successor has brought before its predecessor was known to have got as far. */
  held: string[];
  /** Whether both deliver. */
  isDone: boolean;
  /** Whether the successor, alone by then, has brought something beyond what its predecessor had. */
  hasCaughtUp: boolean;
}

/**
 * The predecessor alone delivers a stream until it is known that the successor misses nothing of it: when the successor
 * brings a message that was delivered already, or the predecessor has got as far as the first one that the successor
 * brought. From then on each message is delivered when the first of the two brings it: what either brings next is either
 * known already or the very next one, so that either may end at any time.
 */
export class Overlap {
  readonly #table: StreamTable;
  readonly #deliver: (text: string) => void;
  readonly #handovers = new Map<string, Handover>();
  /** Streams that are not wanted any more, though the successor may still bring them. */
  readonly #forgotten = new Set<string>();
  #held = 0;
  #open = 0;

  /** @param table What was delivered before. */
  constructor(table: StreamTable, deliver: (text: string) => void) {
    this.#table = table;
    this.#deliver = deliver;
  }

  /** Streams of which both connections have brought something, and the successor does not deliver yet. */
  get open(): number {
    return this.#open;
  }

  /** A message of the predecessor. */
  fromPredecessor(text: string): void {
    const name = streamNameOf(text);
    if (name === undefined) return this.#deliver(text);
    const handover = this.#handoverOf(name);
    if (handover.isDone) return this.#deliverNew(handover, name, text);
    this.#deliver(text);
    const position = positionOf(name, text);
    if (position === undefined) {
      // Nothing to go by but the text itself.
      handover.sameNumber.add(text);
      if (handover.held[0] === text) this.#finish(handover, name);
      return;
    }
    this.#note(handover, position);
    const first = handover.held[0];
    if (first !== undefined && isDelivered(handover, name, first)) this.#finish(handover, name);
  }

  /** A message of the successor. */
  fromSuccessor(text: string): void {
    const name = streamNameOf(text);
    if (name === undefined || this.#forgotten.has(name)) return;
    const handover = this.#handoverOf(name);
    if (handover.isDone) return this.#deliverNew(handover, name, text);
    if (handover.held.length === 0 && isDelivered(handover, name, text)) {
      this.#close(handover);
      return;
    }
    if (handover.held.length === 0) this.#open++;
    handover.held.push(text);
    if (++this.#held > MAX_HELD) this.end();
  }

  /** The stream is not wanted any more, and its predecessor does not bring it. */
  forget(name: string): void {
    const handover = this.#handovers.get(name);
    if (handover !== undefined) this.#close(handover);
    this.#handovers.delete(name);
    this.#forgotten.add(name);
  }

  /** The stream may be wanted again. */
  remember(name: string): void {
    this.#forgotten.delete(name);
  }

  /** The predecessor brings nothing more: what the successor has brought beyond it is delivered. */
  end(): void {
    for (const [name, handover] of this.#handovers) {
      if (!handover.isDone) this.#finish(handover, name);
    }
  }

  /** Whether a message of the successor after the end was delivered already: it may be behind its predecessor. */
  isRepeated(text: string): boolean {
    const name = streamNameOf(text);
    if (name === undefined) return false;
    const handover = this.#handoverOf(name);
    if (handover.hasCaughtUp) return false;
    const position = positionOf(name, text);
    if (isBefore(handover, position, text)) return true;
    // Unless others with the same time may follow.
    if (position?.kind === "consecutive") handover.hasCaughtUp = true;
    else if (position !== undefined) this.#note(handover, position);
    return false;
  }

  #finish(handover: Handover, name: string): void {
    const { held } = handover;
    this.#close(handover);
    for (const text of held) this.#deliverNew(handover, name, text);
  }

  #close(handover: Handover): void {
    if (handover.held.length > 0) this.#open--;
    this.#held -= handover.held.length;
    handover.held = [];
    handover.isDone = true;
  }

  #deliverNew(handover: Handover, name: string, text: string): void {
    const position = positionOf(name, text);
    if (isBefore(handover, position, text)) return;
    if (position === undefined) handover.sameNumber.add(text);
    else this.#note(handover, position);
    this.#deliver(text);
  }

  #note(handover: Handover, position: Position): void {
    if (position.last !== handover.delivered?.last) handover.sameNumber.clear();
    handover.sameNumber.add(position.text);
    handover.delivered = position;
  }

  #handoverOf(name: string): Handover {
    let handover = this.#handovers.get(name);
    if (handover === undefined) {
      handover = { delivered: undefined, sameNumber: new Set(), held: [], isDone: false, hasCaughtUp: false };
      const entry = this.#table.get(name);
      const last = entry && lastOf(entry);
      const position = last === undefined ? undefined : positionOf(name, last);
      if (position !== undefined) this.#note(handover, position);
      else if (last !== undefined) handover.sameNumber.add(last);
      this.#handovers.set(name, handover);
    }
    return handover;
  }
}

function isDelivered(handover: Handover, name: string, text: string): boolean {
  return isBefore(handover, positionOf(name, text), text);
}

/** Whether a message was delivered, or one that comes after it in the stream. */
function isBefore({ delivered, sameNumber }: Handover, position: Position | undefined, text: string): boolean {
  if (position === undefined || delivered === undefined) return sameNumber.has(text);
  if (position.last !== delivered.last) return position.last < delivered.last;
  return position.kind === "consecutive" || sameNumber.has(text);
}
