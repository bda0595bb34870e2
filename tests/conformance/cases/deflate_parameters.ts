/**
 * Category 13: the parameters of permessage-deflate (RFC 7692 7.1), and its negotiation.
 *
 * @module
 */

import { asciiText, fromHex, seededRandom } from "../bytes.ts";
import type { ConformanceCase } from "../case.ts";
import type { ClientSetup } from "../client_protocol.ts";
import { type DeflateAgreement, DeflateSession } from "../deflate.ts";
import { text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { type CaseRow, group, refused, taken } from "../plans.ts";
import { answerTo } from "../upgrade.ts";
import { compressedMessages } from "./deflate_data.ts";

const KIB = 1024;
const OFFER: ClientSetup = { perMessageDeflate: true };

/** Offers and what the server agrees to; the first six are those of Autobahn. */
const PARAMETERS: readonly (readonly [title: string, agreement: DeflateAgreement, client?: ClientSetup])[] = [
  ["no parameters", {}],
  ["server_no_context_takeover", { serverNoContextTakeover: true }],
  ["server_max_window_bits=9", { serverMaxWindowBits: 9 }],
  ["server_max_window_bits=15", { serverMaxWindowBits: 15 }],
  ["server_no_context_takeover; server_max_window_bits=9", { serverNoContextTakeover: true, serverMaxWindowBits: 9 }],
  ["server_no_context_takeover; server_max_window_bits=15", { serverNoContextTakeover: true, serverMaxWindowBits: 15 }],
  ["client_no_context_takeover", { clientNoContextTakeover: true }],
  ["client_max_window_bits=9", { clientMaxWindowBits: 9 }, {
    perMessageDeflate: { clientMaxWindowBits: 15, threshold: 0 },
  }],
  ["client_max_window_bits=12", { clientMaxWindowBits: 12 }, {
    perMessageDeflate: { clientMaxWindowBits: 12, threshold: 0 },
  }],
  ["all of them", {
    serverNoContextTakeover: true,
    clientNoContextTakeover: true,
    serverMaxWindowBits: 10,
    clientMaxWindowBits: 10,
  }, {
    perMessageDeflate: {
      serverNoContextTakeover: true,
      clientNoContextTakeover: true,
      serverMaxWindowBits: 10,
      clientMaxWindowBits: 10,
      threshold: 0,
    },
  }],
];

const SIZES: readonly (readonly [bytes: number, fragment: number])[] = [
  [16, 0],
  [KIB, 0],
  [16 * KIB, 0],
  [128 * KIB, 0],
  [128 * KIB, KIB],
];

/** Words in an order at random: matches lie far back, so that a window that is too large shows. */
function wordSoup(bytes: number): Uint8Array {
  const random = seededRandom(bytes);
  const words = Array.from({ length: 3_000 }, () => asciiText(90).slice(Math.floor(random() * 70)).slice(0, 12));
  let soup = "";
  while (soup.length < bytes) soup += words[Math.floor(random() * words.length)];
  return new TextEncoder().encode(soup.slice(0, bytes));
}

/** A response that the client has to refuse. */
function disagrees(extensions: string | readonly string[], client: ClientSetup = OFFER): CaseRow {
  const shown = [extensions].flat().join(" | ");
  return [`the response "${shown}" to ${JSON.stringify(client.perMessageDeflate)}`, () => ({
    client,
    respond: (request) => ({
      head: answerTo(request, { "Sec-WebSocket-Extensions": extensions }),
      deflate: new DeflateSession({}),
    }),
    play: (peer: Peer) => peer.closeUnlessGone(),
    expected: { wire: [], seen: ["rejected"], error: "HANDSHAKE_INVALID" },
  }), needsOf(client)];
}

/** Parameters in the offer are more than some can do. */
function needsOf({ perMessageDeflate }: ClientSetup): ConformanceCase["needs"] {
  return perMessageDeflate === true ? "deflate" : "deflateParameters";
}

/** 13.1 to 13.10: parameters; 13.11: negotiation; 13.13 and 13.14: windows. What compressed data may be is in 13.12. */
export const deflateParameters: readonly ConformanceCase[] = [
  ...PARAMETERS.flatMap(([title, agreement, client = OFFER], index) =>
    group(
      `13.${index + 1}`,
      SIZES.map(([bytes, fragment]): CaseRow => [
        `${title}: texts of ${bytes} bytes${fragment === 0 ? "" : ` in fragments of ${fragment}`}`,
        () => compressedMessages(wordSoup, "text", bytes, fragment, agreement, client),
        needsOf(client),
      ]),
    )
  ),
  ...group("13.11", [
    disagrees("permessage-deflate; unknown"),
    disagrees("permessage-deflate; unknown=1"),
    disagrees("permessage-deflate; server_no_context_takeover=1"),
    disagrees("permessage-deflate; client_no_context_takeover=true"),
    disagrees("permessage-deflate; server_no_context_takeover; server_no_context_takeover"),
    disagrees("permessage-deflate; server_max_window_bits=10; server_max_window_bits=10"),
    disagrees("permessage-deflate; server_max_window_bits"),
    disagrees("permessage-deflate; server_max_window_bits=7"),
    disagrees("permessage-deflate; server_max_window_bits=16"),
    disagrees("permessage-deflate; server_max_window_bits=010"),
    disagrees("permessage-deflate; server_max_window_bits=10.0"),
    disagrees("permessage-deflate; client_max_window_bits", { perMessageDeflate: { clientMaxWindowBits: 12 } }),
    disagrees("permessage-deflate; client_max_window_bits=7", { perMessageDeflate: { clientMaxWindowBits: 12 } }),
    disagrees("permessage-deflate; client_max_window_bits=13", { perMessageDeflate: { clientMaxWindowBits: 12 } }),
    disagrees("permessage-deflate; server_max_window_bits=12", { perMessageDeflate: { serverMaxWindowBits: 10 } }),
    disagrees(["permessage-deflate", "permessage-deflate"]),
    disagrees("permessage-deflate, permessage-deflate"),
    disagrees("x-webkit-deflate-frame"),
    disagrees("permessage-deflate, x-webkit-deflate-frame"),
    [
      "no extension in the response: messages are not compressed",
      () => taken([["text", "Hello"]], (peer) => peer.send(text("Hello")), { client: OFFER }),
      "deflate",
    ],
    [
      "no extension in the response, but a compressed message",
      () =>
        refused(1002, "RESERVED_BITS", (peer) => peer.send(text(fromHex("f248cdc9c90700"), { rsv: 4 })), [], {
          client: OFFER,
        }),
      "deflate",
    ],
  ]),
  ...group(
    "13.13",
    [9, 10, 11, 12, 13, 14, 15].flatMap((bits): CaseRow[] => [
      [
        `server_max_window_bits=${bits}`,
        () =>
          compressedMessages(wordSoup, "text", 8 * KIB, 0, { serverMaxWindowBits: bits }, {
            perMessageDeflate: { serverMaxWindowBits: bits, threshold: 0 },
          }),
        "deflateParameters",
      ],
      [
        `client_max_window_bits=${bits}`,
        () =>
          compressedMessages(wordSoup, "text", 8 * KIB, 0, { clientMaxWindowBits: bits }, {
            perMessageDeflate: { clientMaxWindowBits: bits, threshold: 0 },
          }),
        "deflateParameters",
      ],
    ]),
  ),
  ...group("13.14", [
    ["client_max_window_bits=8, which zlib can't do", () => ({
      ...compressedMessages(wordSoup, "text", 2 * KIB, 0, { clientMaxWindowBits: 8 }, OFFER),
      allowed: [{
        because: "a client may decline a window that it can't keep to",
        wire: [],
        seen: ["rejected"],
        error: "*",
      }],
    }), "deflate"],
    [
      "server_max_window_bits=12, which the client did not ask for",
      () => compressedMessages(wordSoup, "text", 8 * KIB, 0, { serverMaxWindowBits: 12 }, OFFER),
      "deflate",
    ],
    [
      "client_max_window_bits=12 to a client that offers all windows",
      () => compressedMessages(wordSoup, "text", 8 * KIB, 0, { clientMaxWindowBits: 12 }, OFFER),
      "deflate",
    ],
  ]),
];
