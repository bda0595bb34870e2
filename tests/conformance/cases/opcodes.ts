/**
 * Category 4: opcodes that are reserved (RFC 6455 5.2).
 *
 * @module
 */

import type { ConformanceCase } from "../case.ts";
import { frame, ping, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { type CaseRow, group, type Incoming, refused } from "../plans.ts";

const words = "Hello, world!";
const hello: Incoming = ["text", words];

const fails = (send: (peer: Peer) => Promise<void>, before: readonly Incoming[] = []) => () =>
  refused(1002, "RESERVED_OPCODE", send, before);

/** Autobahn's five cases for five reserved opcodes in a row. */
function five(first: number): CaseRow[] {
  const [a, b, c, d, e] = [first, first + 1, first + 2, first + 3, first + 4];
  return [
    [`the opcode ${a}, empty`, fails((peer) => peer.send(frame({ opcode: a })))],
    [
      `the opcode ${b} with a payload`,
      fails((peer) => peer.send(frame({ opcode: b, payload: "reserved opcode payload" }))),
    ],
    [
      `a text, then the opcode ${c}, then a ping, in a write each`,
      fails(
        (peer) => peer.sendApart(text(words), frame({ opcode: c }), ping()),
        [hello],
      ),
    ],
    [
      `a text, then the opcode ${d} with a payload, then a ping, in one write`,
      fails(
        (peer) => peer.send(text(words), frame({ opcode: d, payload: words }), ping()),
        [hello],
      ),
    ],
    [
      `a text, then the opcode ${e} with a payload, then a ping, in writes of 1 byte`,
      fails(
        (peer) => peer.sendChopped(1, text(words), frame({ opcode: e, payload: words }), ping()),
        [hello],
      ),
    ],
  ];
}

const RESERVED = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15];

/** 4.1 and 4.2 are Autobahn's; 4.3 and 4.4 put each opcode where a fragment could be, and where a message could start. */
export const opcodes: readonly ConformanceCase[] = [
  ...group("4.1", five(3)),
  ...group("4.2", five(11)),
  ...group(
    "4.3",
    RESERVED.map((opcode): CaseRow => [
      `the opcode ${opcode} inside of a fragmented text`,
      fails((peer) => peer.send(text(words, { fin: false }), frame({ opcode, payload: words }))),
    ]),
  ),
  ...group(
    "4.4",
    RESERVED.map((opcode): CaseRow => [
      `the opcode ${opcode} without FIN`,
      fails((peer) => peer.send(frame({ opcode, payload: words, fin: false }))),
    ]),
  ),
];
