/**
 * Category 7: the closing handshake that the server starts, and what its Close frames may hold (RFC 6455 5.5.1, 7.4).
 *
 * @module
 */

import { asciiText, bytesOf, fromHex } from "../bytes.ts";
import type { ConformanceCase, Plan } from "../case.ts";
import { describeEnd } from "../description.ts";
import { close, continuation, frame, OPCODE, ping, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { answersTo, type CaseRow, group, type Incoming, refused, taken, unanswered } from "../plans.ts";

const hello: Incoming = ["text", "Hello World!"];

/** What comes with the first Close frame counts, what comes behind it does not. */
function firstClose(send: (peer: Peer) => Promise<void>, before: readonly Incoming[] = []): Plan {
  const { wire, seen } = answersTo(before);
  const expected = { wire: [...wire, "close 1000"], seen: ["open", ...seen, describeEnd(1000, "", true)] };
  return {
    async play(peer) {
      await send(peer);
      await peer.finish();
    },
    expected,
    allowed: unanswered(expected, before).map((alternative) => ({
      ...alternative,
      because: "answers that wait when the server's Close comes need not be sent any more (RFC 6455 5.5.1)",
    })),
  };
}

/** A valid Close frame; the client answers with the same code. */
function closes(code: number | undefined, reason = ""): Plan {
  const answer = code === undefined ? "close without a code" : `close ${code}`;
  return {
    async play(peer) {
      await peer.send(close(code, reason));
      await peer.finish();
    },
    expected: { wire: [answer], seen: ["open", describeEnd(code ?? 1005, reason, true)] },
    allowed: code === 1000 ? [] : [{
      because: "the answer typically echoes the code, but need not (RFC 6455 5.5.1)",
      wire: ["close 1000"],
    }],
  };
}

const badClose = (error: string, payload: Uint8Array, code = 1002) => () =>
  refused(code, error, (peer) => peer.send(frame({ opcode: OPCODE.close, payload })));
const invalidCode = (code: number) => badClose("INVALID_CLOSE_CODE", bytesOf(code >> 8, code & 0xff));

const VALID = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999];
const INVALID = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999];
const large = asciiText(256 * 1024);

/** 7.1 to 7.13 are Autobahn's, but for the codes that IANA has registered since: 1012 to 1014 are valid in 7.7. */
export const closing: readonly ConformanceCase[] = [
  ...group("7.1", [
    ["a text, then a Close frame", () => taken([hello], (peer) => peer.send(text("Hello World!")))],
    ["two Close frames", () => firstClose((peer) => peer.send(close(1000), close(1000)))],
    ["a ping after the Close frame", () => firstClose((peer) => peer.send(close(1000), ping()))],
    ["a text after the Close frame", () => firstClose((peer) => peer.send(close(1000), text("Hello World!")))],
    [
      "a fragment, a Close frame, the second fragment",
      () => firstClose((peer) => peer.send(text("fragment1", { fin: false }), close(1000), continuation("fragment2"))),
    ],
    [
      "256 KiB of text, a Close frame and a ping in one write",
      () => firstClose((peer) => peer.send(text(large), close(1000), ping()), [["text", large]]),
    ],
    [
      "a text and a Close frame in one write",
      () => firstClose((peer) => peer.send(text("Hello World!"), close(1000)), [hello]),
    ],
    [
      "a Close frame and garbage in one write",
      () => firstClose((peer) => peer.send(close(1000), fromHex("ffffffffffff"))),
    ],
    ["a Close frame in writes of 1 byte", () => firstClose((peer) => peer.sendChopped(1, close(1000)))],
  ]),
  ...group("7.3", [
    ["a Close frame without a payload", () => closes(undefined)],
    ["a Close frame with 1 byte", badClose("INVALID_CLOSE_PAYLOAD", bytesOf("a"))],
    ["a Close frame with a code", () => closes(1000)],
    ["a Close frame with a code and a reason", () => closes(1000, "Hello World!")],
    ["a Close frame with a reason of 123 bytes", () => closes(1000, "*".repeat(123))],
    ["a Close frame with 126 bytes", badClose("CONTROL_FRAME_TOO_LONG", bytesOf(0x03, 0xe8, "*".repeat(124)))],
    ["a Close frame with a reason that is not ASCII", () => closes(4000, "tschüß 币安 😀")],
    [
      "a Close frame in two fragments",
      () =>
        refused(
          1002,
          "FRAGMENTED_CONTROL_FRAME",
          (peer) => peer.send(close(1000, "", { fin: false }), continuation("x")),
        ),
    ],
  ]),
  ...group("7.5", [
    [
      "a Close frame whose reason has a surrogate",
      badClose(
        "INVALID_UTF8",
        bytesOf(0x03, 0xe8, fromHex("cebae1bdb9cf83cebcceb5eda080656469746564")),
        1007,
      ),
    ],
    [
      "a Close frame whose reason ends inside of a character",
      badClose(
        "INVALID_UTF8",
        bytesOf(0x03, 0xe8, "bye", 0xe2, 0x82),
        1007,
      ),
    ],
  ]),
  ...group("7.7", [...VALID, 1012, 1013, 1014].map((code): CaseRow => [`the valid code ${code}`, () => closes(code)])),
  ...group("7.9", INVALID.map((code): CaseRow => [`the invalid code ${code}`, invalidCode(code)])),
  ...group(
    "7.13",
    [5000, 65_535].map((code): CaseRow => [`the code ${code}, which no range contains`, invalidCode(code)]),
  ),
];
