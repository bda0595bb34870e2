/**
 * Category 22, ours: ways out that the client takes, or that nobody announced.
 *
 * @module
 */

import { asciiText, bytesOf } from "../bytes.ts";
import type { Alternative, ConformanceCase, Plan } from "../case.ts";
import { type Action, type ClientSetup, LISTENER_THREW } from "../client_protocol.ts";
import { describe, describeClose, describeEnd } from "../description.ts";
import { close, ping, pong, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { type CaseRow, group, taken } from "../plans.ts";

const words = "Hello";
const hello = describe("text", words);
const SHORT = { closeTimeoutMs: 200 };

/** The client closes in `onOpen`; the server answers with the same code and reason. */
function clientCloses(code: number | undefined, reason = ""): Plan {
  const expected = describeClose(code ?? 1000, reason);
  return {
    client: { onOpen: [{ do: "close", ...(code !== undefined && { code }), ...(reason !== "" && { reason }) }] },
    async play(peer) {
      await peer.gone();
      await peer.send(close(code ?? 1000, reason));
      await peer.finish();
    },
    expected: { wire: [expected], seen: ["open", describeEnd(code ?? 1000, reason, true)] },
  };
}

/** What comes between one's own Close frame and the answer may still be handed out: only the answer ends the data. */
const shown = (...words: readonly string[]): Alternative[] => [{
  because: "messages may be handed out until the peer's Close frame comes (RFC 6455 1.4)",
  seen: (seen) =>
    seen.filter((what) => !words.includes(what)).length === 2 && seen.at(-1)?.startsWith("closed ") === true,
}];

/** The client closes, and this is what comes back instead of a good answer. */
function afterClose(answer: (peer: Peer) => Promise<void>, more: Partial<Plan> & Pick<Plan, "expected">): Plan {
  return {
    client: { onOpen: [{ do: "close" }], ...SHORT },
    async play(peer) {
      await peer.gone();
      await answer(peer);
      await peer.finish();
    },
    ...more,
  };
}

/** The server's TCP connection ends without a Close frame. */
function lost(end: (peer: Peer) => Promise<void> | void, seen: readonly string[] = [], error = "*"): Plan {
  return {
    async play(peer) {
      if (seen.length > 0) await peer.received(seen.length);
      await end(peer);
      await peer.left();
    },
    expected: { wire: seen, seen: ["open", ...seen, describeEnd(1006, "", false)], error },
  };
}

const onMessage = (...actions: Action[]): ClientSetup => ({ onMessage: actions, ...SHORT });
const cleanly = describeEnd(1000, "", true);
const late = describe("text", "late");

const leaves = (before: Uint8Array): CaseRow[1] => () =>
  lost(async (peer) => {
    await peer.send(before);
    peer.endTcp();
  });

/** 22.1 close() of the client, 22.2 its answers, 22.3 ends without a Close frame, 22.4 the rest of the interface. */
export const endings: readonly ConformanceCase[] = [
  ...group("22.1", [
    ["close()", () => clientCloses(undefined)],
    ["close(1000, reason)", () => clientCloses(1000, "bye")],
    ["close(3000)", () => clientCloses(3000)],
    ["close(4999, reason)", () => clientCloses(4999, "tschüß 😀")],
    ["close() with a reason of 123 bytes", () => clientCloses(4000, "r".repeat(123))],
    ["close() behind three messages", () => ({
      client: {
        onOpen: [
          { do: "send", text: "one" },
          { do: "send", text: asciiText(100_000) },
          { do: "send", text: "three" },
          { do: "close" },
        ],
      },
      async play(peer) {
        await peer.received(3);
        await peer.gone();
        await peer.send(close(1000));
        await peer.finish();
      },
      expected: {
        wire: [describe("text", "one"), describe("text", asciiText(100_000)), describe("text", "three"), "close 1000"],
        seen: ["open", cleanly],
      },
    })],
    ["close() in the listener, while a Close frame is in the same write", () => ({
      client: onMessage({ do: "close", code: 4001 }),
      async play(peer) {
        await peer.send(text(words), close(4002, "server"));
        await peer.finish();
      },
      expected: { wire: ["close 4001"], seen: ["open", hello, describeEnd(4002, "server", true)] },
      allowed: [{ because: "the server's Close frame may be answered before the text is seen", wire: ["close 4002"] }],
    })],
  ]),
  ...group("22.2", [
    [
      "another code in the answer than in the client's Close frame",
      () =>
        afterClose((peer) => peer.send(close(4321, "other")), {
          expected: { wire: ["close 1000"], seen: ["open", describeEnd(4321, "other", true)] },
        }),
    ],
    ["an answer without a code", () =>
      afterClose((peer) => peer.send(close()), {
        expected: { wire: ["close 1000"], seen: ["open", describeEnd(1005, "", true)] },
      })],
    [
      "texts between the client's Close frame and the answer",
      () =>
        afterClose((peer) => peer.send(text("late"), text("later"), close(1000)), {
          expected: { wire: ["close 1000"], seen: ["open", cleanly] },
          allowed: shown(late, describe("text", "later")),
        }),
    ],
    ["a ping between the client's Close frame and the answer", () =>
      afterClose(async (peer) => {
        await peer.send(ping("late"));
        await peer.received(1, 300);
        await peer.send(close(1000));
      }, {
        expected: { wire: ["close 1000", describe("pong", "late")], seen: ["open", cleanly] },
        allowed: [{
          because: "whether a ping after one's own Close frame is answered and shown is a matter of taste",
          wire: (wire) => wire.slice(1).every((what) => what === describe("pong", "late")),
          seen: (seen) => seen.filter((what) => what !== describe("ping", "late")).join() === `open,${cleanly}`,
        }],
      })],
    ["no answer within closeTimeoutMs", () =>
      afterClose(async (peer) => void await peer.left(2_000), {
        expected: { wire: ["close 1000"], seen: ["open", describeEnd(1006, "", false)] },
      })],
    ["texts without end instead of an answer", () =>
      afterClose(async (peer) => {
        const end = performance.now() + 2_000;
        while (performance.now() < end && !await peer.left(20)) await peer.send(text("late"));
      }, {
        expected: { wire: ["close 1000"], seen: ["open", describeEnd(1006, "", false)] },
        allowed: shown(late),
      })],
    ["the end of TCP instead of an answer", () =>
      afterClose(async (peer) => {
        peer.endTcp();
        await peer.left();
      }, { expected: { wire: ["close 1000"], seen: ["open", describeEnd(1006, "", false)] } })],
    ["an invalid frame instead of an answer", () =>
      afterClose((peer) => peer.send(text(words, { rsv: 1 })), {
        expected: { wire: ["close 1000"], seen: ["open", describeEnd(1006, "", false)], error: "RESERVED_BITS" },
      })],
  ]),
  ...group("22.3", [
    ["the end of TCP", leaves(bytesOf())],
    ["the end of TCP inside of a frame's head", leaves(text("x".repeat(300)).subarray(0, 3))],
    ["the end of TCP inside of a payload", leaves(text(words).subarray(0, 4))],
    ["the end of TCP inside of a fragmented message", leaves(text(words, { fin: false }))],
    ["a reset of TCP", () => lost((peer) => peer.cut())],
    ["the end of TCP behind a text that was echoed", () => {
      const plan = lost((peer) => peer.endTcp(), [hello]);
      return {
        ...plan,
        async play(peer) {
          await peer.send(text(words));
          await plan.play(peer);
        },
      };
    }],
  ]),
  ...group("22.4", [
    ["terminate() in onOpen", () => ({
      client: { onOpen: [{ do: "terminate" }] },
      play: async (peer) => void await peer.left(1_000),
      expected: { wire: [], seen: ["open", describeEnd(1006, "", false)] },
    })],
    ["terminate() in the listener, with more messages in the same write", () => ({
      client: onMessage({ do: "terminate" }),
      async play(peer) {
        await peer.send(text(words), text("late"), close(1000));
        await peer.left(1_000);
      },
      expected: { wire: [], seen: ["open", hello, describeEnd(1006, "", false)] },
    })],
    ["close() in the listener, with more messages in the same write", () => ({
      client: onMessage({ do: "close" }),
      async play(peer) {
        await peer.send(text(words), text("late"));
        await peer.gone();
        await peer.send(close(1000));
        await peer.finish();
      },
      expected: { wire: ["close 1000"], seen: ["open", hello, cleanly] },
      allowed: [{
        because: "messages may be handed out until the peer's Close frame comes (RFC 6455 1.4)",
        seen: ["open", hello, late, cleanly],
      }],
    })],
    ["a listener that throws with each message: the next one comes all the same", () => ({
      client: onMessage({ do: "throw" }),
      async play(peer) {
        await peer.send(text(words), text("late"));
        await peer.close(1000);
      },
      expected: {
        wire: ["close 1000"],
        seen: ["open", hello, late, cleanly],
        faults: [LISTENER_THREW, LISTENER_THREW],
      },
    })],
    ["a ping of the client, which is answered", () => {
      const words = "client ping";
      return {
        client: { onOpen: [{ do: "ping", payload: words }] },
        async play(peer) {
          await peer.received(1);
          await peer.send(pong(words));
          await peer.close(1000);
        },
        expected: {
          wire: [describe("ping", words), "close 1000"],
          seen: ["open", describe("pong", words), cleanly],
        },
      };
    }, "pings"],
    ["a ping of the client with 125 bytes", () => ({
      client: { onOpen: [{ do: "ping", payload: "p".repeat(125) }] },
      async play(peer) {
        await peer.received(1);
        await peer.close(1000);
      },
      expected: { wire: [describe("ping", "p".repeat(125)), "close 1000"], seen: ["open", cleanly] },
    }), "pings"],
    ["a text of the client with a lone surrogate, which is sent as U+FFFD", () => ({
      client: { onOpen: [{ do: "send", text: "a\ud800b" }] },
      async play(peer) {
        await peer.received(1);
        await peer.close(1000);
      },
      expected: { wire: [describe("text", "a\ufffdb"), "close 1000"], seen: ["open", cleanly] },
    })],
    ["texts after a text that the listener answered with two", () => ({
      ...taken([], (peer) => peer.send(text(words), text(words))),
      client: onMessage({ do: "send", text: "a" }, { do: "send", text: "b" }),
      async play(peer) {
        await peer.send(text(words), text(words));
        await peer.received(4);
        await peer.close(1000);
      },
      expected: {
        wire: [...["a", "b", "a", "b"].map((payload) => describe("text", payload)), "close 1000"],
        seen: ["open", hello, hello, cleanly],
      },
    })],
  ]),
];
