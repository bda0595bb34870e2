/**
 * A dialog with a proxy on a stream that becomes the tunnel: whoever reads the answer must not read on behind it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type net from "node:net";

/** What happens in a dialog. */
export interface DialogHandler {
  /** Bytes came. */
  onBytes(chunk: Buffer): void;
  /** The proxy hung up, or the stream failed. */
  onEnd(error: unknown): void;
}

/**
 * Reads from a paused stream, until the function that it returns is called: it pauses the stream, puts `rest` back to be
 * read first, and takes all listeners off.
 */
export function startDialog(stream: net.Socket, handler: DialogHandler): (rest?: Uint8Array) => void {
  const onData = (chunk: Uint8Array): void =>
    handler.onBytes(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  const onError = (error: unknown): void => handler.onEnd(error);
  const onEnd = (): void => handler.onEnd(undefined);
  stream.on("data", onData).on("error", onError).on("end", onEnd).on("close", onEnd);
  stream.resume();
  return (rest) => {
    stream.off("data", onData).off("error", onError).off("end", onEnd).off("close", onEnd);
    stream.pause();
    if (rest !== undefined && rest.length > 0) stream.unshift(Buffer.from(rest));
  };
}
