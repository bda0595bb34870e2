/**
 * Category 3: reserved bits, which mean nothing without an extension (RFC 6455 5.2).
 *
 * @module
 */

import type { ConformanceCase } from "../case.ts";
import { binary, close, continuation, type FrameFields, ping, pong, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { type CaseRow, group, type Incoming, refused } from "../plans.ts";

const words = "Hello, world!";
const hello: Incoming = ["text", words];

const fails = (send: (peer: Peer) => Promise<void>, before: readonly Incoming[] = []) => () =>
  refused(1002, "RESERVED_BITS", send, before);

/** RSV1 is the highest of the three bits. */
const BITS: readonly (readonly [string, number])[] = [["RSV1", 4], ["RSV2", 2], ["RSV3", 1]];

/** Where a bit can be set: what comes before it, and the frame. */
const PLACES: readonly (readonly [string, readonly Uint8Array[], (extra: Partial<FrameFields>) => Uint8Array])[] = [
  ["an empty text", [], (extra) => text("", extra)],
  ["the first fragment of a text", [], (extra) => text(words, { fin: false, ...extra })],
  ["a binary message", [], (extra) => binary(words, extra)],
  ["the second fragment", [text(words, { fin: false })], (extra) => continuation(words, { fin: false, ...extra })],
  ["the last fragment", [text(words, { fin: false })], (extra) => continuation(words, extra)],
  ["a ping between fragments", [text(words, { fin: false })], (extra) => ping(words, extra)],
  ["a pong", [], (extra) => pong(words, extra)],
  ["a Close frame", [], (extra) => close(1000, "", extra)],
];

/** 3.1 to 3.7 are Autobahn's; 3.8 sets each bit in each place. */
export const reservedBits: readonly ConformanceCase[] = [
  ...group("3", [
    ["a text with RSV3", fails((peer) => peer.send(text(words, { rsv: 1 })))],
    [
      "a text, then one with RSV2, then a ping, in one write",
      fails(
        (peer) => peer.send(text(words), text(words, { rsv: 2 }), ping()),
        [hello],
      ),
    ],
    [
      "a text, then one with RSV2 and RSV3, then a ping, in a write each",
      fails(
        (peer) => peer.sendApart(text(words), text(words, { rsv: 3 }), ping()),
        [hello],
      ),
    ],
    [
      "a text, then one with RSV1, then a ping, in writes of 1 byte",
      fails(
        (peer) => peer.sendChopped(1, text(words), text(words, { rsv: 4 }), ping()),
        [hello],
      ),
    ],
    ["a binary message with RSV1 and RSV3", fails((peer) => peer.send(binary(new Uint8Array(8), { rsv: 5 })))],
    ["a ping with RSV1 and RSV2", fails((peer) => peer.send(ping(words, { rsv: 6 })))],
    ["a Close frame with all three bits", fails((peer) => peer.send(close(1000, "", { rsv: 7 })))],
  ]),
  ...group("3.8", [...everywhere()]),
];

function* everywhere(): Iterable<CaseRow> {
  for (const [bit, rsv] of BITS) {
    for (const [place, before, frame] of PLACES) {
      yield [`${bit} on ${place}`, fails((peer) => peer.send(...before, frame({ rsv })))];
    }
  }
}
