/**
 * Category 9: large messages, many messages, and the limits that a caller sets.
 *
 * @module
 */

import { asciiText, binaryData, piecesOf } from "../bytes.ts";
import type { ConformanceCase, Plan } from "../case.ts";
import { binary, close, continuation, fragments, ping, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { type CaseRow, group, type Incoming, refused, taken } from "../plans.ts";

type Kind = "text" | "binary";
const KIB = 1024;
const MIB = 1024 * KIB;
const LIMIT_MS = 30_000;

const payloadOf = (kind: Kind, bytes: number): string | Uint8Array =>
  kind === "text" ? asciiText(bytes) : binaryData(bytes);
const frameOf = (kind: Kind, payload: string | Uint8Array): Uint8Array =>
  kind === "text" ? text(payload) : binary(payload);
const size = (bytes: number): string =>
  bytes >= MIB ? `${bytes / MIB} MiB` : bytes >= KIB ? `${bytes / KIB} KiB` : `${bytes} bytes`;
const named = (kind: Kind): string => kind === "text" ? "a text" : "a binary message";

/** One message of `bytes` bytes, sent by `send`. */
function one(kind: Kind, bytes: number, send: (peer: Peer, payload: string | Uint8Array) => Promise<void>): Plan {
  const payload = payloadOf(kind, bytes);
  return taken([[kind, payload]], (peer) => send(peer, payload), { limitMs: LIMIT_MS });
}

const whole = (kind: Kind): CaseRow[] =>
  [64 * KIB, 256 * KIB, MIB, 4 * MIB, 8 * MIB, 16 * MIB].map((bytes) => [
    `${named(kind)} of ${size(bytes)}`,
    () => one(kind, bytes, (peer, payload) => peer.send(frameOf(kind, payload))),
  ]);

const inFragments = (kind: Kind): CaseRow[] =>
  [64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB].map((bytes) => [
    `${named(kind)} of 4 MiB in fragments of ${size(bytes)}`,
    () =>
      one(kind, 4 * MIB, (peer, payload) => {
        const pieces = piecesOf(typeof payload === "string" ? new TextEncoder().encode(payload) : payload, bytes);
        return peer.sendAll(fragments(kind === "text" ? 1 : 2, pieces));
      }),
  ]);

const chopped = (kind: Kind): CaseRow[] =>
  [64, 128, 256, 512, KIB, 2 * KIB].map((bytes) => [
    `${named(kind)} of 1 MiB in writes of ${size(bytes)}`,
    () => one(kind, MIB, (peer, payload) => peer.sendChopped(bytes, frameOf(kind, payload))),
  ]);

/** Messages that each wait for the echo of the one before. Autobahn sends 1000 of each size. */
const roundTrips = (kind: Kind): CaseRow[] =>
  ([[0, 1000], [16, 1000], [64, 1000], [256, 1000], [KIB, 500], [4 * KIB, 100]] as const).map(([bytes, count]) => [
    `${count} ${kind === "text" ? "texts" : "binary messages"} of ${size(bytes)}, one after the other's echo`,
    () => {
      const payload = payloadOf(kind, bytes);
      const frame = frameOf(kind, payload);
      return taken(Array.from({ length: count }, (): Incoming => [kind, payload]), async (peer) => {
        for (let sent = 1; sent <= count; sent++) {
          await peer.send(frame);
          if (!await peer.received(sent)) return;
        }
      }, { limitMs: LIMIT_MS });
    },
  ]);

/** What the option `maxMessageBytes` lets pass and what not. */
const LIMITED = { client: { maxMessageBytes: 1000 } };
const tooLarge = (send: (peer: Peer) => Promise<void>, before: readonly Incoming[] = []) => () =>
  refused(1009, "MESSAGE_TOO_LARGE", send, before, LIMITED);
const thousand = asciiText(1000);

/** 9.1 to 9.8 are Autobahn's; 9.9 is about the limits that the caller sets, and those of the library. */
export const limits: readonly ConformanceCase[] = [
  ...group("9.1", whole("text")),
  ...group("9.2", whole("binary")),
  ...group("9.3", inFragments("text")),
  ...group("9.4", inFragments("binary")),
  ...group("9.5", chopped("text")),
  ...group("9.6", chopped("binary")),
  ...group("9.7", roundTrips("text")),
  ...group("9.8", roundTrips("binary")),
  ...group("9.9", [
    [
      "a text of exactly maxMessageBytes",
      () => taken([["text", thousand]], (peer) => peer.send(text(thousand)), LIMITED),
    ],
    [
      "fragments of exactly maxMessageBytes in all, with a ping between them",
      () =>
        taken([["ping", "x".repeat(125)], ["text", thousand]], (peer) =>
          peer.send(
            text(thousand.slice(0, 900), { fin: false }),
            ping("x".repeat(125)),
            continuation(thousand.slice(900)),
          ), LIMITED),
    ],
    ["a text of maxMessageBytes and 1 byte", tooLarge((peer) => peer.send(text(`${thousand}x`)))],
    ["a binary message of maxMessageBytes and 1 byte", tooLarge((peer) => peer.send(binary(`${thousand}x`)))],
    [
      "fragments of maxMessageBytes and 1 byte in all",
      tooLarge((peer) => peer.send(text(thousand, { fin: false }), continuation("x"))),
    ],
    [
      "a text of maxMessageBytes bytes, but of more in UTF-8 than in characters",
      tooLarge((peer) => peer.send(text("é".repeat(501)))),
    ],
    ["the head of a frame that announces 2^62 bytes", tooLarge((peer) => peer.send(text("", { length: 2n ** 62n })))],
    [
      "a text, then one that is too large, in one write",
      tooLarge(
        (peer) => peer.send(text("first"), text(`${thousand}x`)),
        [["text", "first"]],
      ),
    ],
    [
      "the head of a frame that announces 1 TiB, without the option",
      () => refused(1009, "MESSAGE_TOO_LARGE", (peer) => peer.send(binary("", { length: 2n ** 40n }))),
    ],
    ["131073 empty fragments", () =>
      refused(
        1009,
        "TOO_MANY_FRAGMENTS",
        (peer) => {
          const more = continuation("", { fin: false });
          return peer.sendAll([text("", { fin: false }), ...Array<Uint8Array>(131_072).fill(more), close(1000)]);
        },
        [],
        { limitMs: LIMIT_MS },
      )],
    ["2000 texts of 200 bytes in one write", () => {
      const texts = Array.from({ length: 2000 }, (_, index) => `${index} ${asciiText(190)}`);
      const incoming = texts.map((payload): Incoming => ["text", payload]);
      return taken(incoming, (peer) => peer.send(...texts.map((payload) => text(payload))), { limitMs: LIMIT_MS });
    }],
    ["8 texts of 1 MiB, whose echoes nobody reads for a while, then a ping", () => {
      const texts = Array.from({ length: 8 }, (_, index) => `${index}${asciiText(MIB - 1)}`);
      const incoming: Incoming[] = [...texts.map((payload): Incoming => ["text", payload]), ["ping", "overtake"]];
      return taken(incoming, async (peer) => {
        peer.pause();
        await peer.send(...texts.map((payload) => text(payload)), ping("overtake"));
        peer.resume();
      }, { limitMs: LIMIT_MS });
    }],
  ]),
];
