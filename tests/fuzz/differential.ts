/**
 * A part that reads the same bytes with our reader and with npm `ws`'s.
 *
 * @module
 */

import { createRequire } from "node:module";
import fc from "fast-check";
import { concat } from "../conformance/bytes.ts";
import { expectEnough, parametersOf, type Part } from "./part.ts";
import { bytesEvent, closeEvent, type Event, failEvent, type Limits, textEvent } from "./reference_reader.ts";
import { readWithOurs } from "./readers.ts";
import { chop, chops, damage, damages, encode, validStreams } from "./streams.ts";

/** What is used of the Receiver of `ws`, a `Writable`. */
interface Receiver {
  on(event: string, listener: (...args: never[]) => void): void;
  write(chunk: Uint8Array, done: (error?: Error | null) => void): void;
}

type ReceiverClass = new (options: object) => Receiver;

/** By path: Bun has a module of its own under the name `ws`. */
const Receiver: ReceiverClass = createRequire(import.meta.url)("../../node_modules/ws/lib/receiver.js");

const LONGEST_HEAD = 14;

/** The codes of `ws`'s errors, and the close codes that go with them. */
const CLOSE_CODES: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 1009,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
};

/** The events of a stream as `ws` reads it. */
async function readWithWs(bytes: Uint8Array, limits: Limits, lengths: readonly number[]): Promise<Event[]> {
  const events: Event[] = [];
  const receiver = new Receiver({ isServer: limits.masked, maxPayload: limits.maxMessageBytes });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let isOver = false;
  receiver.on(
    "message",
    (data: Uint8Array, isBinary: boolean) =>
      void events.push(isBinary ? bytesEvent("binary", data) : textEvent(decoder.decode(data))),
  );
  receiver.on("ping", (data: Uint8Array) => void events.push(bytesEvent("ping", data)));
  receiver.on("pong", (data: Uint8Array) => void events.push(bytesEvent("pong", data)));
  receiver.on("conclude", (code: number, reason: Uint8Array) => {
    isOver = true;
    events.push(closeEvent(code, decoder.decode(reason)));
  });
  receiver.on("error", () => {});
  for (const piece of chop(bytes, lengths)) {
    if (isOver) break;
    await new Promise<void>((resolve) =>
      receiver.write(piece, (error) => {
        if (error !== undefined && error !== null) {
          isOver = true;
          const { code = "" } = error as { code?: string }; // all errors of `ws` have one
          events.push(failEvent(CLOSE_CODES[code] ?? 1002));
        }
        resolve();
      })
    );
  }
  return events;
}

/** Why two results may differ; `undefined` if they may not. */
function excuse(
  ours: readonly Event[],
  theirs: readonly Event[],
  bytes: Uint8Array,
  limits: Limits,
): string | undefined {
  const at = ours.findIndex((event, index) => event !== theirs[index]);
  if (at < 0) {
    if (ours.length === theirs.length) return "none";
    // The stream ends inside of a head: with its rest, whatever that is, we say no too.
    const goesOn = readWithOurs(concat([bytes, new Uint8Array(LONGEST_HEAD)]), limits, []);
    const isEnd = theirs.length === ours.length + 1 && theirs.at(-1)?.startsWith("fail ");
    return isEnd && goesOn.at(-1)?.startsWith("fail ")
      ? "ws says no with two bytes of a head, we with all of it"
      : undefined;
  }
  const [our = "", their] = [ours[at], theirs[at]];
  // From here on only we have said no, or with another code.
  if (!our.startsWith("fail ")) return undefined;
  if (their === undefined) return "we say no earlier: ws waits for more of a head, and for the end of a text";
  // What ws still sees until the end of the text, which it never takes.
  if (our === "fail 1007" && theirs.slice(at).every((event) => /^(?:ping|pong|close|fail) /.test(event))) {
    return "we say no earlier: ws waits for more of a head, and for the end of a text";
  }
  if (their.startsWith("fail ")) return "both say no, with another code: ws looks at other rules first";
  if (our === "fail 1002" && hasLongLength(bytes)) return "ws takes lengths that are not in their shortest form";
  return undefined;
}

/** Whether a length is anywhere not in its shortest form, as far as frames can be told apart. */
function hasLongLength(bytes: Uint8Array): boolean {
  for (let at = 0; at + 4 <= bytes.length;) {
    const code = (bytes[at + 1] ?? 0) & 127;
    const masked = ((bytes[at + 1] ?? 0) & 128) === 0 ? 0 : 4;
    const extra = code === 126 ? 2 : code === 127 ? 8 : 0;
    if (extra > 0 && at + 2 + extra > bytes.length) return false;
    const length = extra === 0
      ? code
      : bytes.subarray(at + 2, at + 2 + extra).reduce((sum, byte) => sum * 256 + byte, 0);
    if ((extra === 2 && length < 126) || (extra === 8 && length < 65_536)) return true;
    at += 2 + extra + masked + length;
  }
  return false;
}

/** Our reader and that of `ws`. */
export const differential: Part = {
  name: "differential",
  claim: "our reader and that of npm ws take the same messages and refuse the same bytes, except as listed",
  share: 10,
  async run(options) {
    const counts: Record<string, number> = { same: 0 };
    await fc.assert(
      fc.asyncProperty(
        validStreams,
        fc.option(damages, { freq: 7 }),
        chops,
        fc.boolean(),
        async ({ frames }, list, lengths, masked) => {
          const sound = masked ? encode(frames, [7, 0, 200, 1]) : encode(frames);
          const bytes = list === null ? sound : damage(sound, list);
          const limits = { masked, maxMessageBytes: 66_000 };
          const ours = readWithOurs(bytes, limits, lengths);
          const theirs = await readWithWs(bytes, limits, lengths);
          const why = excuse(ours, theirs, bytes, limits);
          if (why === undefined) {
            throw new Error(`ours: ${ours.join(", ").slice(0, 400)}\nws:   ${theirs.join(", ").slice(0, 400)}`);
          }
          const name = why === "none" ? "same" : why;
          counts[name] = (counts[name] ?? 0) + 1;
        },
      ),
      parametersOf(options),
    );
    expectEnough(counts, "same", options.runs / 2);
    return counts;
  },
};
