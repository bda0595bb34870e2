/**
 * Deviations of npm `ws`, the reference that the suite itself is checked with.
 *
 * @module
 */

import { LISTENER_THREW } from "../client_protocol.ts";
import { describe, describeEnd } from "../description.ts";
import { closingWith, type Deviation, longLengths, observing, taking } from "./deviation.ts";

const hello = describe("text", "Hello");

/** ws 8.23, on all runtimes. */
export const wsDeviations: readonly Deviation[] = [
  {
    what: "answers too many fragments with 1008",
    cases: ["9.9.10"],
    change: closingWith("close 1008"),
  },
  {
    what: "takes window bits that are not written as RFC 7692 7.1.2 wants, and more than were asked for",
    cases: ["13.11.10", "13.11.11", "13.11.15"],
    change: taking(),
  },
  {
    what: "takes permessage-deflate twice",
    cases: ["13.11.16", "13.11.17"],
    change: taking(),
  },
  {
    what: "opens with HTTP/1.0 (RFC 6455 4.1)",
    cases: ["20.2.25"],
    change: taking(),
  },
  ...longLengths,
  {
    what: "hands out what was in the same write after terminate()",
    cases: ["22.4.2"],
    change: observing([], "open", hello, describe("text", "late"), describeEnd(1000, "", true)),
  },
  {
    what: "stops reading after a listener that throws",
    cases: ["22.4.4"],
    change: () => ({ wire: [], seen: ["open", hello, "nothing more, given up"], faults: [LISTENER_THREW] }),
  },
];

/** What is different on Deno, whose zlib streams report errors late. */
export const wsOnDenoDeviations: readonly Deviation[] = [
  {
    what: "hands out an empty text for compressed data that can't be inflated",
    cases: ["13.12.17", "13.12.18"],
    change: observing(
      [describe("text", ""), "close without a code"],
      "open",
      describe("text", ""),
      describeEnd(1006, "", false),
    ),
  },
];
