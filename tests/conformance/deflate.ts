/**
 * The server's side of permessage-deflate (RFC 7692), on the runtime's own zlib.
 *
 * @module
 */

import zlib from "node:zlib";
import { bytesOf, concat } from "./bytes.ts";

/** What was agreed on; a window of 15 bits where nothing is said. */
export interface DeflateAgreement {
  readonly serverNoContextTakeover?: boolean;
  readonly clientNoContextTakeover?: boolean;
  readonly serverMaxWindowBits?: number;
  readonly clientMaxWindowBits?: number;
}

/** What a sync flush ends with, which the wire leaves out (RFC 7692 7.2.1). */
const TAIL = bytesOf(0x00, 0x00, 0xff, 0xff);

/** A zlib stream that is given one message after the other. */
type ZlibStream = zlib.DeflateRaw | zlib.InflateRaw;

/** The two directions of one connection. */
export class DeflateSession {
  readonly agreement: DeflateAgreement;
  #deflater: zlib.DeflateRaw | undefined;
  #inflater: zlib.InflateRaw | undefined;

  constructor(agreement: DeflateAgreement) {
    this.agreement = agreement;
  }

  /** Compresses one message of the server. */
  async compress(payload: Uint8Array | string): Promise<Uint8Array> {
    const bytes = bytesOf(payload);
    // RFC 7692 7.2.3.6: an empty message is one empty stored block; zlib's sync flush of nothing gives no bytes.
    if (bytes.length === 0) return bytesOf(0x00);
    // zlib has no raw window of 8 bits; 9 bits would need a window that the client doesn't have.
    const windowBits = this.agreement.serverMaxWindowBits ?? 15;
    this.#deflater ??= zlib.createDeflateRaw({ windowBits });
    const compressed = await pass(this.#deflater, bytes);
    if (this.agreement.serverNoContextTakeover) this.#deflater = undefined;
    return compressed.subarray(0, compressed.length - TAIL.length);
  }

  /**
   * Decompresses one message of the client. That it fails where the client kept a context which it should not have
   * kept, or looked back further than its window, is what shows these faults.
   */
  async decompress(payload: Uint8Array): Promise<Uint8Array> {
    const windowBits = this.agreement.clientMaxWindowBits ?? 15;
    // zlib looks for the reach of a match only beyond its output buffer: with a small one, too far is noticed.
    this.#inflater ??= zlib.createInflateRaw({ windowBits, ...(windowBits < 15 && { chunkSize: 64 }) });
    const bytes = await pass(this.#inflater, bytesOf(payload, TAIL));
    if (this.agreement.clientNoContextTakeover) this.#inflater = undefined;
    return bytes;
  }
}

/** Gives bytes to a zlib stream and collects what comes out until it is flushed. */
function pass(stream: ZlibStream, bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const output: Uint8Array[] = [];
    const onData = (chunk: Uint8Array): void => void output.push(chunk);
    const onError = (error: Error): void => reject(error);
    stream.on("data", onData).on("error", onError);
    stream.write(bytes);
    stream.flush(zlib.constants.Z_SYNC_FLUSH, () => {
      stream.off("data", onData).off("error", onError);
      resolve(concat(output));
    });
  });
}
