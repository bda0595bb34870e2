/**
 * Category 2: pings and pongs.
 *
 * @module
 */

import { fromHex } from "../bytes.ts";
import type { ConformanceCase, Plan } from "../case.ts";
import { describe } from "../description.ts";
import { ping, pong } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { group, type Incoming, refused, taken } from "../plans.ts";

const longest = new Uint8Array(125).fill(0xfe);
const tooLong = new Uint8Array(126).fill(0xfe);
const words = "Hello, world!";
const data = fromHex("00ff fefd fcfb 00ff");

const onePing = (payload: Uint8Array | string) => () => taken([["ping", payload]], (peer) => peer.send(ping(payload)));

const ten = Array.from({ length: 10 }, (_, index) => `payload-${index}`);

/** Only the last of several pings needs an answer (RFC 6455 5.5.3). */
function tenPings(send: (peer: Peer) => Promise<void>): Plan {
  const all = ten.map((payload) => describe("pong", payload));
  return {
    ...taken(ten.map((payload): Incoming => ["ping", payload]), send),
    async play(peer) {
      await send(peer);
      // The last pong is there in any case.
      while (!peer.wire.includes(all.at(-1) ?? "") && !peer.isOver) {
        if (!await peer.received(peer.wire.length + 1)) break;
      }
      await peer.close(1000);
    },
    allowed: [{
      because: "a pong may answer the latest of several pings only (RFC 6455 5.5.3)",
      wire: (wire) => {
        const pongs = wire.filter((what) => what.startsWith("pong "));
        const others = wire.filter((what) => !what.startsWith("pong "));
        const places = pongs.map((what) => all.indexOf(what));
        const inOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
        return inOrder && pongs.at(-1) === all.at(-1) && others.length === 1 &&
          others[0]?.startsWith("close 1000") === true;
      },
    }],
  };
}

/** 2.1 to 2.11 are Autobahn's. */
export const pings: readonly ConformanceCase[] = group("2", [
  ["a ping without a payload", onePing("")],
  ["a ping with a text as payload", onePing(words)],
  ["a ping with bytes that are not UTF-8", onePing(data)],
  ["a ping with 125 bytes", onePing(longest)],
  ["a ping with 126 bytes", () => refused(1002, "CONTROL_FRAME_TOO_LONG", (peer) => peer.send(ping(tooLong)))],
  [
    "a ping with 125 bytes in writes of 1 byte",
    () => taken([["ping", longest]], (peer) => peer.sendChopped(1, ping(longest))),
  ],
  ["a pong that nobody asked for", () => taken([["pong", ""]], (peer) => peer.send(pong()))],
  [
    "a pong with a payload that nobody asked for",
    () => taken([["pong", "unsolicited pong payload"]], (peer) => peer.send(pong("unsolicited pong payload"))),
  ],
  [
    "a pong that nobody asked for, then a ping",
    () =>
      taken(
        [["pong", "unsolicited pong payload"], ["ping", "ping payload"]],
        (peer) => peer.send(pong("unsolicited pong payload"), ping("ping payload")),
      ),
  ],
  ["10 pings in one write", () => tenPings((peer) => peer.send(...ten.map((payload) => ping(payload))))],
  [
    "10 pings in writes of 1 byte",
    () => tenPings((peer) => peer.sendChopped(1, ...ten.map((payload) => ping(payload)))),
  ],
  ["a pong with 126 bytes", () => refused(1002, "CONTROL_FRAME_TOO_LONG", (peer) => peer.send(pong(tooLong)))],
  [
    "a ping with 65536 bytes",
    () => refused(1002, "CONTROL_FRAME_TOO_LONG", (peer) => peer.send(ping(new Uint8Array(65_536)))),
  ],
]);
