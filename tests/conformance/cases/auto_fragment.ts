/**
 * Category 10: messages that the server cuts into fragments of one size.
 *
 * @module
 */

import { asciiText, binaryData, piecesOf } from "../bytes.ts";
import type { ConformanceCase } from "../case.ts";
import { fragments } from "../frames.ts";
import { type CaseRow, group, taken } from "../plans.ts";

/** The first is Autobahn's. */
const ROWS: readonly (readonly [kind: "text" | "binary", bytes: number, fragment: number])[] = [
  ["text", 65_536, 1_300],
  ["binary", 65_536, 1_300],
  ["text", 65_536, 1],
  ["binary", 1_000_000, 16_384],
];

/** 10.1 */
export const autoFragment: readonly ConformanceCase[] = group(
  "10.1",
  ROWS.map(([kind, bytes, fragment]): CaseRow => [
    `a ${kind === "text" ? "text" : "binary message"} of ${bytes} bytes in fragments of ${fragment}`,
    () => {
      const payload = kind === "text" ? new TextEncoder().encode(asciiText(bytes)) : binaryData(bytes);
      const frames = fragments(kind === "text" ? 1 : 2, piecesOf(payload, fragment));
      return taken([[kind, payload]], (peer) => peer.sendAll(frames));
    },
  ]),
);
