/**
 * Category 13, group 12: what the data of compressed messages may be (RFC 7692 7.2.3), and its limits.
 *
 * @module
 */

import { asciiText, bytesOf, cutAt, fromHex } from "../bytes.ts";
import type { ConformanceCase, Plan } from "../case.ts";
import type { ClientSetup } from "../client_protocol.ts";
import { describeEnd } from "../description.ts";
import { binary, continuation, fragments, ping, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { type CaseRow, group, type Incoming, refused, taken } from "../plans.ts";
import { agreed } from "./deflate_data.ts";

const data = (title: string, plan: () => Plan, client: ClientSetup = { perMessageDeflate: true }): CaseRow => [
  title,
  () => ({ ...plan(), ...agreed({}), client }),
  "deflate",
];

/** RFC 7692 7.2.3.1: "Hello", compressed. */
const HELLO = fromHex("f248cdc9c90700");
const hello: Incoming = ["text", "Hello"];
const RSV1 = { rsv: 4 };
const compressedText = (payload: Uint8Array, extra = {}): Uint8Array => text(payload, { ...RSV1, ...extra });
const limited = (bytes: number): ClientSetup => ({ perMessageDeflate: true, maxMessageBytes: bytes });

/** Sends messages compressed, in one write each. */
async function sendCompressed(peer: Peer, ...payloads: readonly (string | Uint8Array)[]): Promise<void> {
  for (const payload of payloads) {
    const compressed = await peer.deflate?.compress(payload) ?? bytesOf();
    await peer.send(compressedText(compressed));
  }
}

/** 13.12 */
export const compressedData: readonly ConformanceCase[] = [...group("13.12", [
  data("the example of RFC 7692 7.2.3.1", () => taken([hello], (peer) => peer.send(compressedText(HELLO)))),
  data(
    "the same in two fragments",
    () => taken([hello], (peer) => peer.send(...fragments(1, cutAt(HELLO, 3), RSV1))),
  ),
  data(
    "the second message refers to the first (7.2.3.2)",
    () => taken([hello, hello], (peer) => peer.send(compressedText(HELLO), compressedText(fromHex("f200110000")))),
  ),
  data(
    "a block without compression (7.2.3.3)",
    () => taken([hello], (peer) => peer.send(compressedText(fromHex("000500faff48656c6c6f00")))),
  ),
  data(
    "a block with BFINAL (7.2.3.4)",
    () => taken([hello], (peer) => peer.send(compressedText(fromHex("f348cdc9c9070000")))),
  ),
  data(
    "a message behind one whose block had BFINAL",
    () =>
      taken([hello, hello], (peer) => peer.send(compressedText(fromHex("f348cdc9c9070000")), compressedText(HELLO))),
  ),
  data(
    "two blocks (7.2.3.5)",
    () => taken([hello], (peer) => peer.send(compressedText(fromHex("f248050000 00ffffcac9c90700")))),
  ),
  data("an empty message (7.2.3.6)", () => taken([["text", ""]], (peer) => peer.send(compressedText(fromHex("00"))))),
  data(
    "messages with and without compression",
    () =>
      taken(
        [["text", "plain"], hello, ["binary", "plain"], hello],
        (peer) =>
          peer.send(text("plain"), compressedText(HELLO), binary("plain"), compressedText(fromHex("f200110000"))),
      ),
  ),
  data("a ping between compressed fragments", () =>
    taken([["ping", "p"], hello], (peer) => {
      const [first = bytesOf(), second = bytesOf()] = fragments(1, cutAt(HELLO, 3), RSV1);
      return peer.send(first, ping("p"), second);
    })),
  data(
    "an empty last fragment",
    () => taken([hello], (peer) => peer.send(...fragments(1, [HELLO, bytesOf()], RSV1))),
  ),
  data(
    "a compressed message in writes of 1 byte",
    () => taken([hello], (peer) => peer.sendChopped(1, compressedText(HELLO))),
  ),
  data("a character over two compressed fragments", () =>
    taken([["text", "币安 😀"]], async (peer) => {
      const compressed = await peer.deflate?.compress("币安 😀") ?? bytesOf();
      await peer.send(...fragments(1, cutAt(compressed, 4, 7), RSV1));
    })),
  data(
    "RSV1 on a continuation",
    () =>
      refused(
        1002,
        "RESERVED_BITS",
        (peer) => peer.send(compressedText(HELLO, { fin: false }), continuation("", RSV1)),
      ),
  ),
  data("RSV1 on a ping", () => refused(1002, "RESERVED_BITS", (peer) => peer.send(ping("", RSV1)))),
  data(
    "RSV2 on a compressed text",
    () => refused(1002, "RESERVED_BITS", (peer) => peer.send(text(HELLO, { rsv: 6 }))),
  ),
  data("a block type that does not exist", () => invalidData(fromHex("06"))),
  data("a distance beyond the start of the data", () => invalidData(fromHex("4a24493500"))),
  data(
    "a compressed text that is not UTF-8",
    () => refused(1007, "INVALID_UTF8", (peer) => sendCompressed(peer, bytesOf("valid ", 0xff))),
  ),
  data(
    "a compressed text that ends inside of a character",
    () => refused(1007, "INVALID_UTF8", (peer) => sendCompressed(peer, bytesOf("valid ", 0xe2, 0x82))),
  ),
  data(
    "1000 bytes with maxMessageBytes 1000",
    () => taken([["text", asciiText(1000)]], (peer) => sendCompressed(peer, asciiText(1000))),
    limited(1000),
  ),
  data(
    "1001 bytes with maxMessageBytes 1000",
    () => refused(1009, "MESSAGE_TOO_LARGE", (peer) => sendCompressed(peer, asciiText(1001))),
    limited(1000),
  ),
  data(
    "64 MiB in 64 KiB of data, with maxMessageBytes 1000",
    () => refused(1009, "MESSAGE_TOO_LARGE", (peer) => sendCompressed(peer, new Uint8Array(64 << 20))),
    limited(1000),
  ),
  data(
    "fragments that inflate to 1001 bytes in all",
    () =>
      refused(1009, "MESSAGE_TOO_LARGE", async (peer) => {
        const compressed = await peer.deflate?.compress(asciiText(1001)) ?? bytesOf();
        await peer.send(...fragments(1, cutAt(compressed, 400), RSV1));
      }),
    limited(1000),
  ),
  data(
    "a message that was taken does not count for the limit of the next",
    () =>
      taken(
        [["text", asciiText(900)], ["text", asciiText(900)]],
        (peer) => sendCompressed(peer, asciiText(900), asciiText(900)),
      ),
    limited(1000),
  ),
  data("a compressed text and a Close frame in one write", () => ({
    async play(peer) {
      await peer.send(compressedText(HELLO), bytesOf(0x88, 2, 0x03, 0xe8));
      await peer.finish();
    },
    expected: {
      wire: ['text "Hello" <48656c6c6f>', "close 1000"],
      seen: ["open", 'text "Hello" <48656c6c6f>', describeEnd(1000, "", true)],
    },
    allowed: [{
      because: "answers that wait when the server's Close comes need not be sent any more (RFC 6455 5.5.1)",
      wire: ["close 1000"],
    }],
  })),
])];

/** RFC 7692 names no close code for data that can't be inflated. */
function invalidData(payload: Uint8Array): Plan {
  const plan = refused(1007, "*", (peer) => peer.send(compressedText(payload)));
  return {
    ...plan,
    allowed: [{ because: "no rule says which code: 1002 is as good as 1007", wire: ["close 1002"] }],
  };
}
