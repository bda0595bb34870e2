/**
 * Category 1: frames of every length class, whole and chopped.
 *
 * @module
 */

import { asciiText, binaryData, piecesOf } from "../bytes.ts";
import type { ConformanceCase } from "../case.ts";
import { binary, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { type CaseRow, group, taken } from "../plans.ts";

/** The first seven are Autobahn's, as is the chopping to 997 bytes of the last one. */
const LENGTHS = [0, 125, 126, 127, 128, 65_535, 65_536];
/** Of a long frame, so many bytes at either end are sent one by one: the rest is chopped to 997 bytes. */
const BYTEWISE = 600;

const WAYS: readonly (readonly [string, (peer: Peer, frame: Uint8Array) => Promise<void>])[] = [
  ["in one write", (peer, frame) => peer.send(frame)],
  ["in writes of 997 bytes", (peer, frame) => peer.sendChopped(997, frame)],
  ["in writes of 1 byte", (peer, frame) => bytewise(peer, frame)],
];

/** 1.1 texts, 1.2 binary messages. */
export const framing: readonly ConformanceCase[] = [
  ...group("1.1", rows("text")),
  ...group("1.2", rows("binary")),
];

function rows(kind: "text" | "binary"): CaseRow[] {
  const plan = (length: number, send: (peer: Peer, frame: Uint8Array) => Promise<void>) => () => {
    const payload = kind === "text" ? asciiText(length) : binaryData(length);
    return taken([[kind, payload]], (peer) => send(peer, kind === "text" ? text(payload) : binary(payload)));
  };
  const row = (length: number, way: number): CaseRow[] => {
    const [how, send] = WAYS[way] ?? ["", () => Promise.resolve()];
    return [[`a ${kind === "text" ? "text" : "binary message"} of ${length} bytes ${how}`, plan(length, send)]];
  };
  // 1 to 8 are in Autobahn's order.
  return [
    ...LENGTHS.flatMap((length) => row(length, 0)),
    ...row(65_536, 1),
    ...row(65_535, 1),
    ...LENGTHS.flatMap((length) => row(length, 2)),
  ];
}

async function bytewise(peer: Peer, frame: Uint8Array): Promise<void> {
  if (frame.length <= 3 * BYTEWISE) return await peer.sendChopped(1, frame);
  await peer.sendChopped(1, frame.subarray(0, BYTEWISE));
  for (const piece of piecesOf(frame.subarray(BYTEWISE, -BYTEWISE), 997)) await peer.send(piece);
  await peer.sendChopped(1, frame.subarray(-BYTEWISE));
}
