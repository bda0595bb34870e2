/**
 * One raw DEFLATE stream of the runtime's zlib that is driven synchronously and goes on from call to call.
 *
 * `node:zlib` documents either streams, which answer on a thread of their own later, or one-shot calls, which forget the
 * window. The object behind a stream can do both: Node, Deno and Bun have the same one, and npm's own packages live on
 * it. It is not documented, so {@linkcode zlibStreamsWork} tries it out before anything relies on it.
 *
 * @module
 */

import { constants, createDeflateRaw, createInflateRaw } from "node:zlib";

/** What we use of the object behind a zlib stream. */
interface ZlibHandle {
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
  reset(): void;
  /** Called by `writeSync` if the data are corrupt. */
  onerror: () => void;
}

/** A zlib stream with the fields that are not documented. */
interface ZlibTransform {
  readonly _handle?: ZlibHandle | null;
  /** Written by `writeSync`: room that is left in the output, bytes that are left of the input. */
  readonly _writeState?: Uint32Array;
  close(): void;
}

/** A compressor or a decompressor of raw DEFLATE with its window. */
export class ZlibStream {
  readonly #transform: ZlibTransform;
  readonly #handle: ZlibHandle;
  readonly #state: Uint32Array;
  #failed = false;
  /** Bytes that the last `write` took. */
  consumed = 0;
  /** Bytes that the last `write` wrote. */
  produced = 0;

  /**
   * Creates a stream with a window of `2 ** windowBits` bytes: 9 to 15.
   *
   * @throws {TypeError} if this runtime's zlib is made in another way.
   */
  constructor(kind: "inflate" | "deflate", windowBits: number) {
    // The stream's own output buffer is of no use here: 64 bytes are the least.
    const options = { windowBits, chunkSize: 64 };
    // The cast adds the fields that are not documented; they are checked below.
    const transform = (kind === "inflate" ? createInflateRaw(options) : createDeflateRaw(options)) as ZlibTransform;
    const { _handle: handle, _writeState: state } = transform;
    if (
      typeof handle?.writeSync !== "function" || typeof handle.reset !== "function" || !(state instanceof Uint32Array)
    ) {
      throw new TypeError("Cannot drive this runtime's zlib synchronously");
    }
    handle.onerror = () => void (this.#failed = true);
    this.#transform = transform;
    this.#handle = handle;
    this.#state = state;
  }

  /**
   * Takes `input[inputAt..inputEnd)`, writes to `output[outputAt..outputEnd)` and flushes; says how much in `consumed`
   * and `produced`. If neither the input nor the room is used up, the DEFLATE stream has ended.
   *
   * @returns Whether the input is valid so far; if not, the two numbers mean nothing.
   */
  write(
    input: Uint8Array,
    inputAt: number,
    inputEnd: number,
    output: Uint8Array,
    outputAt: number,
    outputEnd: number,
  ): boolean {
    this.#failed = false;
    const inputLength = inputEnd - inputAt;
    const outputLength = outputEnd - outputAt;
    this.#handle.writeSync(constants.Z_SYNC_FLUSH, input, inputAt, inputLength, output, outputAt, outputLength);
    this.produced = outputLength - this.#state[0]!;
    this.consumed = inputLength - this.#state[1]!;
    return !this.#failed;
  }

  /** Forgets the window and starts a new stream. */
  reset(): void {
    this.#handle.reset();
  }

  /** Frees zlib's memory now instead of with the next garbage collection. */
  close(): void {
    this.#transform.close();
  }
}

let work: boolean | undefined;

/** Whether {@linkcode ZlibStream} does on this runtime what it says. Tried once. */
export function zlibStreamsWork(): boolean {
  try {
    return work ??= tryOut();
  } catch {
    return work = false;
  }
}

/** Sends two messages with a common window through both directions, then corrupt data, then again after a reset. */
function tryOut(): boolean {
  const deflate = new ZlibStream("deflate", 9);
  const inflate = new ZlibStream("inflate", 9);
  const message = new TextEncoder().encode('{"e":"trade","s":"BTCUSDT"}');
  const packed = new Uint8Array(256);
  const output = new Uint8Array(256);
  const sizes: number[] = [];
  const pass = (): boolean => {
    if (!deflate.write(message, 0, message.length, packed, 0, packed.length)) return false;
    sizes.push(deflate.produced);
    const end = deflate.produced;
    if (deflate.consumed !== message.length || !inflate.write(packed, 0, end, output, 7, output.length)) return false;
    return inflate.consumed === end && inflate.produced === message.length &&
      message.every((byte, index) => output[7 + index] === byte);
  };
  const same = pass() && pass() && sizes[1]! < sizes[0]!;
  const corrupt = inflate.write(new Uint8Array([0xff, 0xff]), 0, 2, output, 0, output.length);
  inflate.reset();
  deflate.reset();
  const again = pass() && sizes[2] === sizes[0];
  inflate.close();
  deflate.close();
  return same && !corrupt && again;
}
