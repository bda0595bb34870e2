/**
 * Category 21, ours: masked frames of a server, and lengths that are not encoded as RFC 6455 5.2 wants.
 *
 * @module
 */

import type { ConformanceCase } from "../case.ts";
import { binary, close, continuation, frame, type FrameFields, ping, pong, text } from "../frames.ts";
import { type CaseRow, group, refused } from "../plans.ts";

/** The masking key of the masked frames. */
export const MASK: readonly [number, number, number, number] = [0x12, 0xca, 0xfe, 0x01];
const MASKED: Partial<FrameFields> = { mask: MASK };
const words = "Hello, world!";

const masked = (title: string, ...frames: Uint8Array[]): CaseRow => [
  title,
  () => refused(1002, "MASKED_FRAME", (peer) => peer.send(...frames)),
];
const length = (title: string, error: string, frame: () => Uint8Array, code = 1002): CaseRow => [
  title,
  () => refused(code, error, (peer) => peer.send(frame())),
];

/** The Close frame of a client that fails the connection, while there is more to read. */
const inFlight = (more: number): CaseRow => [
  `a reserved opcode with ${more} bytes behind it in the same write`,
  () =>
    refused(1002, "RESERVED_OPCODE", (peer) => peer.send(frame({ opcode: 3 }), new Uint8Array(more)), [], {
      allowed: [{
        because: "a client may cut TCP without reading what is left, which can take its Close frame along (7.1.1)",
        wire: [],
        wasReset: true,
      }],
    }),
];

/** 21.1 masked frames (RFC 6455 5.1), 21.2 lengths, 21.3 the Close frame of a client that has more to read. */
export const masking: readonly ConformanceCase[] = [
  ...group("21.1", [
    masked("a masked text", text(words, MASKED)),
    masked("a masked empty text", text("", MASKED)),
    masked("a text masked with zeros", text(words, { mask: [0, 0, 0, 0] })),
    masked("a masked binary message of 70000 bytes", binary(new Uint8Array(70_000), MASKED)),
    masked("a masked continuation", text(words, { fin: false }), continuation(words, MASKED)),
    masked("a masked ping", ping(words, MASKED)),
    masked("a masked pong", pong(words, MASKED)),
    masked("a masked Close frame", close(1000, "", MASKED)),
  ]),
  ...group("21.2", [
    length("5 bytes with a length of 16 bits", "LENGTH_NOT_MINIMAL", () => text("Hello", { lengthBits: 16 })),
    length("125 bytes with a length of 16 bits", "LENGTH_NOT_MINIMAL", () => text("x".repeat(125), { lengthBits: 16 })),
    length("125 bytes with a length of 64 bits", "LENGTH_NOT_MINIMAL", () => text("x".repeat(125), { lengthBits: 64 })),
    length(
      "65535 bytes with a length of 64 bits",
      "LENGTH_NOT_MINIMAL",
      () => binary(new Uint8Array(65_535), { lengthBits: 64 }),
    ),
    length("an empty text with a length of 64 bits", "LENGTH_NOT_MINIMAL", () => text("", { lengthBits: 64 })),
    length(
      "a ping of 5 bytes with a length of 16 bits",
      "CONTROL_FRAME_TOO_LONG",
      () => ping("Hello", { lengthBits: 16 }),
    ),
    [
      "a length of 64 bits whose top bit is set",
      () =>
        refused(1002, "LENGTH_OUT_OF_RANGE", (peer) => peer.send(binary("", { length: 2n ** 63n + 5n })), [], {
          allowed: [{
            because: "a length that must not be is one that is too large, too: no rule says which code",
            wire: ["close 1009"],
          }],
        }),
    ],
    length("a length of 2^63 - 1", "MESSAGE_TOO_LARGE", () => binary("", { length: 2n ** 63n - 1n }), 1009),
    length("a length of 2^53 + 1", "MESSAGE_TOO_LARGE", () => binary("", { length: 2n ** 53n + 1n }), 1009),
    length("a length of 2^32 + 1", "MESSAGE_TOO_LARGE", () => binary("", { length: 2n ** 32n + 1n }), 1009),
  ]),
  ...group("21.3", [inFlight(1_000), inFlight(300_000), inFlight(8_000_000)]),
];
