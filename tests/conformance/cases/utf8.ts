/**
 * Category 6: UTF-8 in texts, which has to be valid (RFC 6455 8.1).
 *
 * @module
 */

import { bytesOf, cutAt, fromHex, piecesOf } from "../bytes.ts";
import type { ConformanceCase, Plan } from "../case.ts";
import { continuation, fragments, ping, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { type CaseRow, failing, group, type Incoming, refused, taken } from "../plans.ts";
import { KOSME, sequences } from "./utf8_sequences.ts";

const words = bytesOf("Hello-µ@ßöäüàá-UTF-8!!");
const kosme = fromHex(KOSME);
const edited = bytesOf("edited");
const surrogate = fromHex("eda080");
/** Beyond U+10FFFF; the second byte is what makes it so. */
const tooHigh = fromHex("f4908080");

const PING = ping("between");

const fragmented = (pieces: readonly Uint8Array[]) => () =>
  taken([["text", bytesOf(...pieces)]], (peer) => peer.send(...fragments(1, pieces)));
const broken = (send: (peer: Peer) => Promise<void>) => () => refused(1007, "INVALID_UTF8", send);

/** A client that notices only at the end of the message. */
const LATE = "notices invalid UTF-8 only at the end of the message (RFC 6455 8.1 does not say when)";

/**
 * The bytes that can't become valid any more are sent, and the rest only if the client does not fail the connection
 * within the time in which one that notices at once would have.
 */
function failFast(first: readonly Uint8Array[], rest: readonly Uint8Array[]): Plan {
  const expected = failing(1007, "INVALID_UTF8");
  return {
    async play(peer) {
      await peer.sendApart(...first);
      const fast = await peer.gone();
      if (!fast) peer.wire.push("late");
      if (!fast) await peer.sendApart(...rest);
      await peer.closeUnlessGone();
    },
    expected,
    allowed: [{ because: LATE, wire: ["late", ...expected.wire] }],
  };
}

/** A fragmented text whose pieces are frames; the first `until` of them are enough to tell. */
function failFastFrames(until: number, pieces: readonly Uint8Array[]): Plan {
  const frames = fragments(1, pieces);
  return failFast(frames.slice(0, until), frames.slice(until));
}

/** One text in one frame, cut so that the first `until` pieces of its payload are enough to tell. */
function failFastFrame(until: number, pieces: readonly Uint8Array[]): Plan {
  const frame = text(bytesOf(...pieces));
  const end = frame.length - bytesOf(...pieces.slice(until)).length;
  return failFast([frame.subarray(0, end)], [frame.subarray(end)]);
}

const surrogateText = bytesOf(kosme, surrogate, edited);
const threeParts = [kosme, tooHigh, edited];
/** The lead byte alone could still become valid; the second byte can't. */
const fourParts = [bytesOf(kosme, 0xf4), fromHex("90"), fromHex("8080"), edited];

/** Each has one byte too much wrong: the second, the third or the fourth of a character, and a lead byte. */
const tails: readonly (readonly [string, string])[] = [
  ["a lead byte", "ff"],
  ["the second of two bytes", "c241"],
  ["the second of three bytes", "e241"],
  ["the third of three bytes", "e28241"],
  ["the second of four bytes", "f041"],
  ["the third of four bytes", "f09f41"],
  ["the fourth of four bytes", "f09f9841"],
  ["the second byte of an overlong form", "e080"],
  ["the second byte of a surrogate", "eda0"],
];

/** 6.1 to 6.23 are Autobahn's 145; 6.24 to 6.26 cut characters in more places. */
export const utf8: readonly ConformanceCase[] = [
  ...group("6.1", [
    ["an empty text", fragmented([bytesOf()])],
    ["an empty text in three fragments", fragmented([bytesOf(), bytesOf(), bytesOf()])],
    ["a text in three fragments, the first and the last empty", fragmented([bytesOf(), bytesOf("middle"), bytesOf()])],
  ]),
  ...group("6.2", [
    ["a valid text", fragmented([words])],
    ["a valid text in two fragments, cut between characters", fragmented(cutAt(words, 12))],
    ["a valid text in fragments of 1 byte", fragmented(piecesOf(words, 1))],
    ["another valid text in fragments of 1 byte", fragmented(piecesOf(kosme, 1))],
  ]),
  ...group("6.3", [
    ["a text with a surrogate", broken((peer) => peer.send(text(surrogateText)))],
    [
      "a text with a surrogate in fragments of 1 byte",
      broken(
        (peer) => peer.sendApart(...fragments(1, piecesOf(surrogateText, 1))),
      ),
    ],
  ]),
  ...group("6.4", [
    ["three fragments, the second invalid: fails before the third", () => failFastFrames(2, threeParts)],
    ["four fragments, the second invalid by its only byte: fails before the third", () => failFastFrames(2, fourParts)],
    ["one frame in three pieces, the second invalid: fails before the third", () => failFastFrame(2, threeParts)],
    ["one frame in four pieces, the second invalid: fails before the third", () => failFastFrame(2, fourParts)],
  ]),
  ...sequences.flatMap(([prefix, title, list]) =>
    group(
      prefix,
      list.map(([valid, hex]): CaseRow => {
        const bytes = fromHex(hex);
        const shown = hex.length > 24 ? `${hex.slice(0, 24)}…` : hex;
        return [
          `${title}: ${shown}`,
          valid
            ? () => taken([["text", bytes]], (peer) => peer.send(text(bytes)))
            : broken((peer) => peer.send(text(bytes))),
        ];
      }),
    )
  ),
  ...group(
    "6.24",
    tails.map(([title, hex]): CaseRow => [
      `the first fragment is wrong in ${title}: fails before the second`,
      () => failFastFrames(1, [bytesOf("valid ", fromHex(hex)), edited]),
    ]),
  ),
  ...group(
    "6.25",
    tails.map(([title, hex]): CaseRow => {
      const bytes = fromHex(hex);
      const cut = Math.max(0, bytes.length - 1);
      return [
        `the second fragment is wrong in ${title}, the character began in the first: fails before the third`,
        () => failFastFrames(2, [bytesOf("valid ", bytes.subarray(0, cut)), bytes.subarray(cut), edited]),
      ];
    }),
  ),
  ...group("6.26", [
    ["a text that ends inside of a character, after a ping", () => {
      const before: Incoming[] = [["ping", "between"]];
      const frames = fragments(1, [bytesOf("valid ", 0xf0, 0x9f), bytesOf(0x98)]);
      return refused(
        1007,
        "INVALID_UTF8",
        (peer) => peer.send(frames[0] ?? bytesOf(), PING, frames[1] ?? bytesOf()),
        before,
      );
    }],
    [
      "a long text with one wrong byte near its end",
      broken(
        (peer) => peer.send(text(bytesOf(new Uint8Array(100_000).fill(0x41), 0xff, "end"))),
      ),
    ],
    [
      "a character over two frames with a ping between them",
      () =>
        taken([["ping", "between"], ["text", "😀"]], (peer) => {
          const [head = bytesOf(), tail = bytesOf()] = cutAt(bytesOf("😀"), 2);
          return peer.send(text(head, { fin: false }), PING, continuation(tail));
        }),
    ],
    [
      "U+FEFF at the start of a text, which is part of it",
      () => taken([["text", "\ufeffabc"]], (peer) => peer.send(text("\ufeffabc"))),
    ],
    ["U+FEFF at the start of a text in two fragments", fragmented([fromHex("efbb"), bytesOf(0xbf, "abc")])],
    [
      "a binary message that is not UTF-8",
      () => taken([["binary", surrogate]], (peer) => peer.send(...fragments(2, piecesOf(surrogate, 2)))),
    ],
  ]),
];
