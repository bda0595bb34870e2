/**
 * What the tests of permessage-deflate share: senders and receivers that are the documented streams of `node:zlib`, and
 * parameters.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants, createDeflateRaw, createInflateRaw } from "node:zlib";
import fc from "fast-check";
import type { DeflateParameters } from "../src/transport/native/deflate_offer.ts";
import { bytesOf } from "./frame_events.ts";

/** What a pair of ends agrees on if nothing is said. */
export const defaults: DeflateParameters = {
  serverNoContextTakeover: false,
  clientNoContextTakeover: false,
  serverMaxWindowBits: 15,
  clientMaxWindowBits: 15,
  threshold: 0,
};

/** The empty block at the end of a flush, which RFC 7692 7.2.1 cuts off. */
const FLUSH_END = Buffer.from([0, 0, 0xff, 0xff]);

/** Compresses messages as RFC 7692 7.2.1 says, with one window for all of them or an empty one for each. */
export async function compressAll(
  messages: readonly Uint8Array[],
  windowBits = 15,
  takeover = true,
): Promise<Uint8Array[]> {
  const payloads: Uint8Array[] = [];
  let chunks: Uint8Array[] = [];
  const create = () => createDeflateRaw({ windowBits }).on("data", (chunk: Uint8Array) => chunks.push(chunk));
  let stream = create();
  for (const message of messages) {
    chunks = [];
    if (message.length > 0) stream.write(message);
    await new Promise<void>((resolve) => stream.flush(constants.Z_SYNC_FLUSH, () => resolve()));
    const payload = Buffer.concat(chunks);
    // RFC 7692 7.2.3.6: where the last flush left nothing to flush, an empty message is the single byte 0.
    payloads.push(payload.length === 0 ? new Uint8Array(1) : payload.subarray(0, -FLUSH_END.length));
    if (takeover) continue;
    stream.close();
    stream = create();
  }
  stream.close();
  return payloads;
}

/** Decompresses messages as RFC 7692 7.2.2 says. */
export async function decompressAll(
  payloads: readonly Uint8Array[],
  windowBits = 15,
  takeover = true,
): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = [];
  let chunks: Uint8Array[] = [];
  const create = () => createInflateRaw({ windowBits }).on("data", (chunk: Uint8Array) => chunks.push(chunk));
  let stream = create();
  for (const payload of payloads) {
    chunks = [];
    await new Promise<void>((resolve, reject) => {
      stream.once("error", reject);
      stream.write(Buffer.concat([payload, FLUSH_END]), () => stream.flush(() => resolve()));
    });
    messages.push(Buffer.concat(chunks));
    if (takeover) continue;
    stream.close();
    stream = create();
  }
  stream.close();
  return messages;
}

/** A text such as an exchange sends, of about `length` bytes. */
export function trades(length: number): string {
  const one = (id: number): string =>
    `{"e":"trade","E":${1672515782136 + id * 7},"s":"BTCUSDT","t":${id * 31},"p":"${20_000 + id % 977}.10","q":"0.${
      (id * 7919) % 100_000
    }","m":${id % 2 === 0}},`;
  let text = "";
  for (let id = length; text.length < length; id++) text += one(id);
  return text.slice(0, length);
}

/** Bytes that can't be compressed, always the same ones (xorshift32). */
export function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 0x9e3779b9;
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state;
  }
  return bytes;
}

/** The bytes of hexadecimal digits. */
export const fromHex = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** A window that zlib can compress with. */
export const windowBits = fc.integer({ min: 9, max: 15 });

/** Messages that can be compressed well, badly, and not at all, around the sizes of windows. */
export const messages = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.nat(3_000).map((length) => bytesOf(trades(length))),
    fc.constantFrom(0, 1, 300, 512, 513, 16_384, 32_768, 32_769, 40_000, 70_000).chain((length) =>
      fc.constantFrom(noise(length), new Uint8Array(length), bytesOf(trades(length)))
    ),
  ),
  { maxLength: 8 },
);
