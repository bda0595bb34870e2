/**
 * The library `"native"`: our own RFC 6455 client on the runtime's sockets. The codec is here too: the local exchange
 * speaks it in the server's role.
 *
 * @module
 */

export { nativeUnavailableReason } from "./availability.ts";
export { openNative } from "./client.ts";
export { type FrameHandler, FrameReader, type FrameReaderOptions } from "./frame_reader.ts";
export { encodeClose, encodeFrame, encodeText, type FrameOptions, Opcode } from "./frame_writer.ts";
export { acceptKey, type HttpHead, HttpHeadReader, listMembers, MAX_HTTP_HEAD } from "./handshake.ts";
