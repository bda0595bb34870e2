/**
 * The codec of permessage-deflate (RFC 7692 7.2): compresses messages and decompresses them, for one connection.
 *
 * Everything is synchronous, so that messages stay in order and none is delivered after the connection's end.
 *
 * @module
 */

import type { DeflateParameters } from "./deflate_offer.ts";
import { createDeflater, type Deflater, statelessDeflater } from "./deflater.ts";
import { encodeFrame, type FrameOptions, Opcode } from "./frame_writer.ts";
import { createInflater, type Inflater, statelessInflater } from "./inflater.ts";

/** The least window that zlib compresses raw DEFLATE with. */
const MIN_WINDOW_BITS = 9;

/** permessage-deflate on one connection, with zlib's memory for the directions that have used it. */
export class PerMessageDeflate implements Inflater {
  readonly #receive: Direction;
  readonly #send: Direction;
  readonly #threshold: number;
  #inflater: Inflater | undefined;
  #deflater: Deflater | undefined;

  /** Creates the codec for one end of a connection. */
  constructor(parameters: DeflateParameters, role: "client" | "server") {
    const server = { bits: parameters.serverMaxWindowBits, takeover: !parameters.serverNoContextTakeover };
    const client = { bits: parameters.clientMaxWindowBits, takeover: !parameters.clientNoContextTakeover };
    this.#receive = role === "client" ? server : client;
    this.#send = role === "client" ? client : server;
    this.#threshold = parameters.threshold;
  }

  /** See {@linkcode Inflater.inflate}. */
  inflate(bytes: Uint8Array, start: number, end: number, maxBytes: number): Uint8Array {
    this.#inflater ??= this.#receive.takeover ? createInflater(this.#receive.bits) : statelessInflater();
    return this.#inflater.inflate(bytes, start, end, maxBytes);
  }

  /**
   * Encodes a message as one compressed frame.
   *
   * @returns `undefined` if it is to be sent uncompressed: if it is below the threshold, or if the window that the peer
   * allows is one of 256 bytes, which zlib can't keep to.
   */
  encode(data: string | Uint8Array, options: FrameOptions): Uint8Array | undefined {
    // Nothing is gained by compressing an empty message, and zlib makes no block of it (RFC 7692 7.2.3.6 wants one).
    const least = Math.max(1, this.#threshold);
    const text = typeof data === "string";
    // A UTF-16 code unit is at most 3 bytes of UTF-8.
    if (this.#send.bits < MIN_WINDOW_BITS || (text ? data.length * 3 : data.length) < least) return undefined;
    const bytes = text ? new TextEncoder().encode(data) : data;
    if (bytes.length < least) return undefined;
    const { bits, takeover } = this.#send;
    this.#deflater ??= takeover ? createDeflater(bits) : statelessDeflater(bits);
    const payload = this.#deflater.deflate(bytes);
    return encodeFrame(text ? Opcode.Text : Opcode.Binary, payload, { ...options, compressed: true });
  }

  /** Frees zlib's memory; nothing is inflated or encoded any more. */
  close(): void {
    if (this.#receive.takeover) this.#inflater?.close();
    if (this.#send.takeover) this.#deflater?.close();
    this.#inflater = undefined;
    this.#deflater = undefined;
  }
}

/** One of the two directions of a connection. */
interface Direction {
  readonly bits: number;
  readonly takeover: boolean;
}
