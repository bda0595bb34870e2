/**
 * Category 5: fragmented messages, and what may come between their fragments (RFC 6455 5.4).
 *
 * @module
 */

import type { ConformanceCase, Plan } from "../case.ts";
import { binary, continuation, ping, pong, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { group, type Incoming, refused, taken } from "../plans.ts";

/** The three ways in which Autobahn sends the frames of a case. */
type Way = (peer: Peer, ...frames: Uint8Array[]) => Promise<void>;
const together: Way = (peer, ...frames) => peer.send(...frames);
const apart: Way = (peer, ...frames) => peer.sendApart(...frames);
const bytewise: Way = (peer, ...frames) => peer.sendChopped(1, ...frames);

const [one, two] = ["fragment1", "fragment2"];
const message: Incoming = ["text", one + two];
const frames = [text(one, { fin: false }), continuation(two)];
const withPing = [text(one, { fin: false }), ping("ping payload"), continuation(two)];
const orphan = "non-continuation payload";
const stray = continuation(orphan);
const strayUnfinished = continuation(orphan, { fin: false });
const hello = text("Hello, world!");

const inTwo = (way: Way) => () => taken([message], (peer) => way(peer, ...frames));
const aroundPing = (way: Way) => () => taken([["ping", "ping payload"], message], (peer) => way(peer, ...withPing));
const unexpected = (way: Way, ...bad: Uint8Array[]) => () =>
  refused(1002, "UNEXPECTED_CONTINUATION", (peer) => way(peer, ...bad));
const twice = (bad: Uint8Array) => () =>
  refused(1002, "UNEXPECTED_CONTINUATION", (peer) => peer.send(bad, ...frames, bad, ...frames));

const five = [1, 2, 3, 4, 5].map((number) => `fragment${number}`);
const fiveFrames = five.map((part, index) =>
  index === 0 ? text(part, { fin: false }) : continuation(part, { fin: index === 4 })
);

/** Five fragments with a ping after the second and after the fourth. */
function fiveWithPings(way: "paused" | "apart" | "together"): Plan {
  const [a, b, c, d, e] = fiveFrames as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]; // five, see above
  const [first, second] = [ping("pongme 1!"), ping("pongme 2!")];
  const incoming: Incoming[] = [["ping", "pongme 1!"], ["ping", "pongme 2!"], ["text", five.join("")]];
  return taken(incoming, async (peer) => {
    if (way === "together") return await peer.send(a, b, first, c, d, second, e);
    await peer.sendApart(a, b, first);
    if (way === "paused") await peer.received(1);
    await peer.sendApart(c, d, second);
    if (way === "paused") await peer.received(2);
    await peer.sendApart(e);
  });
}

/** 5.1 to 5.20 are Autobahn's. */
export const fragmentation: readonly ConformanceCase[] = group("5", [
  [
    "a ping in two fragments",
    () => refused(1002, "FRAGMENTED_CONTROL_FRAME", (peer) => peer.send(ping(one, { fin: false }), continuation(two))),
  ],
  [
    "a pong in two fragments",
    () => refused(1002, "FRAGMENTED_CONTROL_FRAME", (peer) => peer.send(pong(one, { fin: false }), continuation(two))),
  ],
  ["a text in two fragments", inTwo(together)],
  ["a text in two fragments, in a write each", inTwo(apart)],
  ["a text in two fragments, in writes of 1 byte", inTwo(bytewise)],
  ["a ping between two fragments", aroundPing(together)],
  ["a ping between two fragments, in a write each", aroundPing(apart)],
  ["a ping between two fragments, in writes of 1 byte", aroundPing(bytewise)],
  ["a continuation with FIN without a message, then a text", unexpected(together, stray, hello)],
  ["a continuation with FIN without a message, then a text, in a write each", unexpected(apart, stray, hello)],
  ["a continuation with FIN without a message, then a text, in writes of 1 byte", unexpected(bytewise, stray, hello)],
  ["a continuation without FIN and without a message, then a text", unexpected(together, strayUnfinished, hello)],
  [
    "a continuation without FIN and without a message, then a text, in a write each",
    unexpected(
      apart,
      strayUnfinished,
      hello,
    ),
  ],
  [
    "a continuation without FIN and without a message, then a text, in writes of 1 byte",
    unexpected(
      bytewise,
      strayUnfinished,
      hello,
    ),
  ],
  [
    "a text in two fragments, then a continuation without a message, then a text",
    () => refused(1002, "UNEXPECTED_CONTINUATION", (peer) => peer.send(...frames, strayUnfinished, hello), [message]),
  ],
  ["twice: a continuation without FIN and without a message, then a text in two fragments", twice(strayUnfinished)],
  ["twice: a continuation with FIN without a message, then a text in two fragments", twice(stray)],
  [
    "two fragments that both have the opcode of a text",
    () => refused(1002, "EXPECTED_CONTINUATION", (peer) => peer.send(text(one, { fin: false }), text(two))),
  ],
  ["five fragments, with pings that are answered before the message goes on", () => fiveWithPings("paused")],
  ["five fragments with pings between them, in a write each", () => fiveWithPings("apart")],
  ["five fragments with pings between them, in one write", () => fiveWithPings("together")],
  [
    "a binary message that starts inside of a text",
    () => refused(1002, "EXPECTED_CONTINUATION", (peer) => peer.send(text(one, { fin: false }), binary(two))),
  ],
  [
    "a binary message in three fragments, the second empty",
    () =>
      taken(
        [["binary", one + two]],
        (peer) => peer.send(binary(one, { fin: false }), continuation("", { fin: false }), continuation(two)),
      ),
  ],
  [
    "the first fragment of a binary message inside of a text",
    () =>
      refused(
        1002,
        "EXPECTED_CONTINUATION",
        (peer) => peer.send(text(one, { fin: false }), binary(two, { fin: false }), continuation("end")),
      ),
  ],
  [
    "a pong between two fragments",
    () =>
      taken(
        [["pong", "late"], message],
        (peer) => peer.send(text(one, { fin: false }), pong("late"), continuation(two)),
      ),
  ],
]);
