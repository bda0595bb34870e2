/**
 * What can be told from outside about the completeness of live data: the numbers in it, and when none came.
 *
 * @module
 */

/** A hole in the numbers of a stream. */
export interface SeenGap {
  readonly stream: string;
  readonly lastId: number;
  readonly nextId: number;
}

/** Numbers of one message: the first and the last one that it covers. */
interface Ids {
  readonly first: number;
  readonly last: number;
}

/** The ids of trades, aggregate trades and book updates, which go on without a hole; `undefined` for other streams. */
function idsOf(stream: string, data: Readonly<Record<string, unknown>>): Ids | undefined {
  const channel = stream.split("@")[1];
  const id = channel === "trade" ? data.t : channel === "aggTrade" ? data.a : undefined;
  if (typeof id === "number") return { first: id, last: id };
  const { U, u } = data;
  return channel === "depth" && typeof U === "number" && typeof u === "number" ? { first: U, last: u } : undefined;
}

/** Looks at the numbers of all messages of a manager. */
export class SequenceCheck {
  /** Holes, in the order in which they were seen. */
  readonly gaps: SeenGap[] = [];
  /** Messages whose numbers had come before. */
  repeated = 0;
  /** Messages whose numbers were looked at. */
  checked = 0;
  readonly #last = new Map<string, number>();

  /** Takes a message in the combined form, parsed. */
  note(stream: string, data: unknown): void {
    if (typeof data !== "object" || data === null) return;
    // The cast: any object may be asked for its members.
    const ids = idsOf(stream, data as Readonly<Record<string, unknown>>);
    if (ids === undefined) return;
    this.checked++;
    const last = this.#last.get(stream);
    if (last !== undefined && ids.last <= last) {
      this.repeated++;
      return;
    }
    if (last !== undefined && ids.first > last + 1) this.gaps.push({ stream, lastId: last, nextId: ids.first });
    this.#last.set(stream, ids.last);
  }
}
