/**
 * Deviations of Deno's own WebSocket.
 *
 * @module
 */

import type { Expectation } from "../case.ts";
import { MASK } from "../cases/masking.ts";
import { describe, describeEnd } from "../description.ts";
import { closingWith, type Deviation, longLengths, observing, taking } from "./deviation.ts";

const withoutClose = closingWith(undefined);
const words = "Hello, world!";
const masked = (bytes: Uint8Array): Uint8Array => bytes.map((byte, index) => byte ^ (MASK[index % 4] ?? 0));

/** Notices invalid UTF-8 inside of a frame only at the frame's end, and sends no Close frame. */
function lateWithoutClose(strict: Expectation): readonly Expectation[] {
  return [{ ...strict, wire: [] }, { ...strict, wire: ["late"] }];
}

/** Deno 2.9. */
export const denoDeviations: readonly Deviation[] = [
  {
    what: "fails the connection without a Close frame (RFC 6455 7.1.7)",
    cases: [
      ...["2.5", "2.13", "3", "4"],
      ...["5.1", "5.2", "5.9", "5.10", "5.11", "5.12", "5.13", "5.14", "5.15", "5.16", "5.17", "5.18", "5.22"],
      ...["6.3", "6.6.1", "6.6.3", "6.6.4", "6.6.6", "6.6.8", "6.6.10", "6.8", "6.10", "6.11.5", "6.12", "6.13"],
      ...["6.14", "6.15", "6.16", "6.17", "6.18", "6.19", "6.20", "6.21", "6.26.2"],
      ...["7.3.2", "7.3.8", "7.5", "9.9.7", "9.9.9", "21.2.7", "21.2.8", "21.2.9", "21.2.10", "21.3"],
    ],
    change: withoutClose,
  },
  {
    what: "fails the connection without a Close frame, inside of a frame only at the frame's end",
    cases: ["6.4", "6.24", "6.25"],
    change: lateWithoutClose,
  },
  {
    what: "hands out a fragmented text that ends inside of a character, cut short (RFC 6455 8.1)",
    cases: ["6.26.1"],
    change: taking(["ping", "between"], ["text", "valid "]),
  },
  {
    what: "takes the first fragment of a message inside of another one, which it drops (RFC 6455 5.4)",
    cases: ["5.24"],
    change: taking(["binary", "fragment2end"]),
  },
  {
    what: "takes a pong of more than 125 bytes (RFC 6455 5.5)",
    cases: ["2.12"],
    change: taking(),
  },
  {
    what: "takes a Close frame of more than 125 bytes, and sends one (RFC 6455 5.5)",
    cases: ["7.3.6"],
    change: observing(["violation: a control frame is too long"], "open", describeEnd(1000, "*".repeat(124), true)),
  },
  {
    what: "refuses the close code 1014, which IANA has registered",
    cases: ["7.7.16"],
    change: observing(["close 1002"], "open", describeEnd(1006, "", false)),
  },
  {
    what: "a message beyond maxMessageBytes is answered with a Close frame without a code: the limit is the library's",
    cases: ["9.9.3", "9.9.4", "9.9.5", "9.9.6", "9.9.8"],
    change: closingWith("close without a code"),
  },
  { what: "has no limit for the number of fragments", cases: ["9.9.10"], change: taking() },
  {
    what: "refuses a Connection header with more than one member (RFC 6455 4.1 asks for one that contains Upgrade)",
    cases: ["20.1.4", "20.1.5"],
    change: observing([], "rejected"),
  },
  {
    what: "opens without the right Sec-WebSocket-Accept (RFC 6455 4.1)",
    cases: ["20.2.12", "20.2.13", "20.2.14", "20.2.15"],
    change: taking(),
  },
  {
    what: "opens with an extension that was not offered (RFC 6455 4.1)",
    cases: ["20.2.20", "20.2.21"],
    change: taking(),
  },
  {
    what: "opens with a subprotocol that was not offered, which the library closes at once: a Close frame is seen",
    cases: ["20.2.22", "20.2.23", "20.2.24"],
    change: observing(["close without a code"], "rejected"),
  },
  { what: "opens with HTTP/1.0 (RFC 6455 4.1)", cases: ["20.2.25"], change: taking() },
  {
    what: "takes masked frames, and hands them out masked (RFC 6455 5.1)",
    cases: ["21.1.2"],
    change: taking(["text", ""]),
  },
  {
    what: "takes masked frames, and hands them out masked (RFC 6455 5.1)",
    cases: ["21.1.3"],
    change: taking(["text", words]),
  },
  {
    what: "takes masked frames, and hands them out masked (RFC 6455 5.1)",
    cases: ["21.1.4"],
    change: taking(["binary", masked(new Uint8Array(70_000))]),
  },
  {
    what: "takes masked frames, and hands them out masked (RFC 6455 5.1)",
    cases: ["21.1.6"],
    change: taking(["ping", masked(new TextEncoder().encode(words))]),
  },
  {
    what: "takes masked frames, and hands them out masked (RFC 6455 5.1)",
    cases: ["21.1.7"],
    change: taking(),
  },
  {
    what: "takes a masked Close frame, with the mask in its code (RFC 6455 5.1)",
    cases: ["21.1.8"],
    change: observing(["close 4386"], "open", describeEnd(4386, "", true)),
  },
  {
    what: "takes a masked text for what it looks like, here invalid UTF-8, and sends no Close frame",
    cases: ["21.1.1", "21.1.5"],
    change: withoutClose,
  },
  ...longLengths,
  {
    what: "takes lengths that are not in their shortest form (RFC 6455 5.2)",
    cases: ["21.2.6"],
    change: taking(["ping", "Hello"]),
  },
  {
    what: "after close(), a ping, an invalid frame or the end of TCP is taken for the answer: 1005, cleanly",
    cases: ["22.2.4", "22.2.7", "22.2.8"],
    change: observing(["close 1000"], "open", describeEnd(1005, "", true)),
  },
  {
    what: "can't be destroyed: terminate() sends a Close frame, and TCP stays open until the peer answers",
    cases: ["22.4.1"],
    change: observing(["close without a code"], "open", describeEnd(1006, "", false)),
  },
  {
    what: "can't be destroyed: after terminate() it still answers a Close frame",
    cases: ["22.4.2"],
    change: observing(["close 1000"], "open", describe("text", "Hello"), describeEnd(1006, "", false)),
  },
];
