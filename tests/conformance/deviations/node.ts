/**
 * Deviations of Node's own WebSocket (undici).
 *
 * @module
 */

import { describe } from "../description.ts";
import { closingWith, type Deviation, longLengths, observing, taking } from "./deviation.ts";

/** Node 24. */
export const nodeDeviations: readonly Deviation[] = [
  {
    what: "drops U+FEFF at the start of a text",
    cases: ["6.26.4", "6.26.5"],
    change: taking(["text", "abc"]),
  },
  {
    what: "a message beyond maxMessageBytes is answered with a Close frame without a code: the limit is the library's",
    cases: ["9.9.3", "9.9.4", "9.9.5", "9.9.6", "9.9.8"],
    change: closingWith("close without a code"),
  },
  {
    what: "answers too many fragments with 1008",
    cases: ["9.9.10"],
    change: closingWith("close 1008"),
  },
  {
    what: "always offers permessage-deflate",
    cases: ["20.1.1"],
    change: observing(
      ["offers permessage-deflate; client_max_window_bits", describe("text", "plain"), "close 1000"],
      "open",
      describe("text", "plain"),
      'closed 1000 "" cleanly',
    ),
  },
  {
    what: "takes permessage-deflate, which the caller did not ask for but it has offered",
    cases: ["20.2.21"],
    change: taking(),
  },
  {
    what: "refuses a Connection header with more than one member (RFC 6455 4.1 asks for one that contains Upgrade)",
    cases: ["20.1.4", "20.1.5"],
    change: observing([], "rejected"),
  },
  {
    what: "refuses a value with white space behind it (RFC 9112 5.1)",
    cases: ["20.1.8"],
    change: observing([], "rejected"),
  },
  {
    what: "asks a second time on a second connection after status 401",
    cases: ["20.2.5"],
    change: observing(["violation: another request came"], "rejected"),
  },
  {
    what: "opens with HTTP/1.0 (RFC 6455 4.1)",
    cases: ["20.2.25"],
    change: taking(),
  },
  ...longLengths,
  {
    what: "can't be destroyed: terminate() sends a Close frame, and TCP stays open until the peer answers",
    cases: ["22.4.1", "22.4.2"],
    change: closingWith("close without a code"),
  },
];
