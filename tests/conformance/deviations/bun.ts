/**
 * Deviations of Bun's own WebSocket.
 *
 * @module
 */

import { closingWith, type Deviation, longLengths, taking } from "./deviation.ts";

/** Bun 1.4. */
export const bunDeviations: readonly Deviation[] = [
  {
    what: "a message beyond maxMessageBytes ends the connection without a Close frame: the limit is the library's",
    cases: ["9.9.3", "9.9.4", "9.9.5", "9.9.6", "9.9.8", "13.12.22", "13.12.23", "13.12.24"],
    change: closingWith(undefined),
  },
  {
    what: "has no limit for the number of fragments",
    cases: ["9.9.10"],
    change: taking(),
  },
  ...longLengths,
  {
    what: "opens with two Sec-WebSocket-Accept (RFC 6455 11.3.3)",
    cases: ["20.2.15"],
    change: taking(),
  },
  {
    what: "opens with HTTP/1.0 (RFC 6455 4.1)",
    cases: ["20.2.25"],
    change: taking(),
  },
];
