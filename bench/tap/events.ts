/**
 * The events that a tap has written, read back: only what the benchmark looks at.
 *
 * @module
 */

/** What stands for the id of a trade in an event that is none. */
export const SIGNAL = -1;
export const DROPPED = -2;

/** Events in their order, by column. */
export interface Events {
  /** Number in the id of each event, 0 without an id. */
  readonly numbers: number[];
  /** Id of each trade, or what the event is instead. */
  readonly trades: number[];
  /** When each trade was sent, in µs since 1970; of `DROPPED`, how many (-1 for nobody knows). */
  readonly times: number[];
}

/** What is read: the events, and where the last one ends. */
export interface Read extends Events {
  readonly end: number;
  /** The part of the ids that the tap gave itself; `""` without any. */
  readonly epoch: string;
}

/** The digits from a place on; -1 without any. */
function digitsAt(text: string, at: number): number {
  let value = 0;
  const from = at;
  for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(++at)) {
    value = value * 10 + code - 48;
  }
  return at === from ? -1 : value;
}

function digitsAfter(text: string, name: string, from: number): number {
  const at = text.indexOf(name, from);
  return at < 0 ? -1 : digitsAt(text, at + name.length);
}

/**
 * Reads whole events.
 *
 * @param terminator What ends an event: a line break, or two for Server-Sent Events.
 */
export function readEvents(text: string, terminator: "\n" | "\n\n"): Read {
  const isStream = terminator === "\n\n";
  const idHead = isStream ? "id: " : '{"id":"';
  const dataHead = isStream ? "data: " : '"stream":';
  const dropHead = isStream ? "event: dropped" : '{"event":"dropped"';
  const read = { numbers: [] as number[], trades: [] as number[], times: [] as number[] };
  let epoch = "";
  let at = 0;
  for (let end = text.indexOf(terminator); end >= 0; end = text.indexOf(terminator, at)) {
    let number = 0;
    let rest = at;
    if (text.startsWith(idHead, at)) {
      const dash = text.indexOf("-", at);
      if (epoch === "") epoch = text.slice(at + idHead.length, dash);
      number = digitsAt(text, dash + 1);
      rest = isStream ? text.indexOf("\n", dash) + 1 : text.indexOf(",", dash) + 1;
    } else if (!isStream && text.startsWith('{"stream":', at)) {
      // As the exchange itself sends it.
      rest = at + 1;
    }
    if (text.startsWith(dataHead, rest)) {
      read.numbers.push(number);
      read.trades.push(digitsAfter(text, '"t":', rest));
      read.times.push(digitsAfter(text, '"T":', rest));
    } else if (number > 0) {
      read.numbers.push(number);
      read.trades.push(SIGNAL);
      read.times.push(0);
    } else if (text.startsWith(dropHead, at)) {
      read.numbers.push(0);
      read.trades.push(DROPPED);
      read.times.push(digitsAfter(text, '"count":', at));
    }
    at = end + terminator.length;
  }
  return { ...read, end: at, epoch };
}

/** Whether these are trades only, one after the other, with ids that increase. */
export function arePlain({ numbers, trades }: Events): boolean {
  return trades.every((trade, index) =>
    trade >= 0 && (index === 0 || trade === (trades[index - 1] ?? NaN) + 1 && number(index) > number(index - 1))
  );
  function number(index: number): number {
    return numbers[index] ?? NaN;
  }
}
