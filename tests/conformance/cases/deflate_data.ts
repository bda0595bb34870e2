/**
 * Category 12: permessage-deflate over data of several kinds and sizes (RFC 7692).
 *
 * @module
 */

import { asciiText, binaryData, piecesOf, seededRandom } from "../bytes.ts";
import type { ConformanceCase, Plan } from "../case.ts";
import type { ClientSetup } from "../client_protocol.ts";
import { type DeflateAgreement, DeflateSession } from "../deflate.ts";
import { fragments } from "../frames.ts";
import { type CaseRow, group, type Incoming, taken } from "../plans.ts";
import { answerTo, type UpgradeRequest } from "../upgrade.ts";

const KIB = 1024;
/** Most messages and bytes of one case: enough to fill a window of 32 KiB many times over. */
const MOST_MESSAGES = 40;
const MOST_BYTES = 512 * KIB;
const LIMIT_MS = 20_000;

/** Message sizes in Autobahn's order: without fragments, then with fragments of a size. */
const SIZES: readonly (readonly [bytes: number, fragment: number])[] = [
  ...[16, 64, 256, KIB, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB].map((bytes) => [bytes, 0] as const),
  ...[8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB].map((bytes) => [bytes, 256] as const),
  [128 * KIB, KIB],
  [128 * KIB, 4 * KIB],
  [128 * KIB, 32 * KIB],
];

/** The kinds of data: what Autobahn takes from files is made here. */
const SETS: readonly (readonly [title: string, kind: "text" | "binary", make: (bytes: number) => Uint8Array])[] = [
  ["JSON", "text", (bytes) => repeated(bytes, json)],
  ["an image without compression", "binary", image],
  ["ASCII at random", "text", (bytes) => new TextEncoder().encode(asciiText(bytes))],
  ["text of many scripts", "text", (bytes) => repeated(bytes, scripts)],
  ["noise", "binary", noise],
];

/** How the server agrees: what the response says, and what it does. */
export function agreed(agreement: DeflateAgreement): Pick<Plan, "respond"> {
  const { serverNoContextTakeover, clientNoContextTakeover, serverMaxWindowBits, clientMaxWindowBits } = agreement;
  const extension = [
    "permessage-deflate",
    ...(serverNoContextTakeover ? ["server_no_context_takeover"] : []),
    ...(clientNoContextTakeover ? ["client_no_context_takeover"] : []),
    ...(serverMaxWindowBits === undefined ? [] : [`server_max_window_bits=${serverMaxWindowBits}`]),
    ...(clientMaxWindowBits === undefined ? [] : [`client_max_window_bits=${clientMaxWindowBits}`]),
  ].join("; ");
  return {
    respond: (request: UpgradeRequest) => ({
      head: answerTo(request, { "Sec-WebSocket-Extensions": extension }),
      deflate: new DeflateSession(agreement),
    }),
  };
}

/** Messages of one kind and size over a connection with this agreement, each compressed, in one write each. */
export function compressedMessages(
  make: (bytes: number) => Uint8Array,
  kind: "text" | "binary",
  bytes: number,
  fragment: number,
  agreement: DeflateAgreement,
  client: ClientSetup,
): Plan {
  const count = Math.max(4, Math.min(MOST_MESSAGES, Math.floor(MOST_BYTES / bytes)));
  const data = make(bytes * count);
  const messages = kind === "text" ? textPieces(data, bytes) : piecesOf(data, bytes);
  const plan = taken(messages.map((payload): Incoming => [kind, payload]), async (peer) => {
    for (const payload of messages) {
      const compressed = await peer.deflate?.compress(payload) ?? payload;
      const pieces = fragment === 0 || compressed.length === 0 ? [compressed] : piecesOf(compressed, fragment);
      await peer.send(...fragments(kind === "text" ? 1 : 2, pieces, { rsv: 4 }));
    }
    await peer.received(messages.length, LIMIT_MS);
    if (bytes >= 4 * KIB && !peer.compressed.includes(true)) peer.wire.push("violation: no message was compressed");
  }, { client, limitMs: LIMIT_MS });
  return { ...plan, ...agreed(agreement) };
}

/** 12.1 to 12.5, each with Autobahn's 18 sizes. */
export const deflateData: readonly ConformanceCase[] = SETS.flatMap(([title, kind, make], index) =>
  group(
    `12.${index + 1}`,
    SIZES.map(([bytes, fragment]): CaseRow => [
      `${title}, compressed: messages of ${bytes} bytes${fragment === 0 ? "" : ` in fragments of ${fragment}`}`,
      () => compressedMessages(make, kind, bytes, fragment, {}, { perMessageDeflate: true }),
      "deflate",
    ]),
  )
);

/** Cuts UTF-8 into pieces of at most `size` bytes, between characters. */
function textPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    let end = Math.min(bytes.length, at + size);
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

function repeated(bytes: number, make: (index: number) => string): Uint8Array {
  let text = "";
  for (let index = 0; text.length < bytes; index++) text += make(index);
  const encoded = new TextEncoder().encode(text);
  let end = bytes;
  while (((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.slice(0, end);
}

const random = seededRandom(7);

function json(index: number): string {
  const price = (20_000 + random() * 9_999).toFixed(2);
  return `{"e":"trade","E":${1_672_515_782_136 + index},"s":"BNBBTC","t":${index},"p":"${price}","q":"${random()}"},`;
}

function scripts(index: number): string {
  return `${index}: wörld 币安人生 κόσμε привет 😀 `.repeat(1 + Math.floor(random() * 3));
}

function image(bytes: number): Uint8Array {
  const pixels = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at++) pixels[at] = 128 + 100 * Math.sin(at / 300) + 3 * random();
  return pixels;
}

function noise(bytes: number): Uint8Array {
  return binaryData(bytes).map(() => random() * 256);
}
