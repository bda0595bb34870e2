/**
 * The frame level: what a caller is shown of each frame, and how a send in place is described.
 *
 * @module
 */

import type { CloseInfo, Connection } from "./connection.ts";

/**
 * The opcodes of RFC 6455 5.2: 0 continuation, 1 text, 2 binary, 8 Close, 9 Ping, 10 Pong. All others are reserved.
 *
 * @example
 * ```ts
 * import type { FrameOpcode } from "@rawtick/binance/transport";
 *
 * const isControl = (opcode: FrameOpcode) => opcode >= 8;
 * console.log(isControl(9));
 * ```
 */
export type FrameOpcode = 0 | 1 | 2 | 8 | 9 | 10;

/**
 * Bytes to leave free before the payload of {@linkcode Connection.sendInPlace}: the longest head that a client's frame
 * can have (RFC 6455 5.2), rounded up so that a payload behind it in a fresh buffer is aligned for fast masking.
 *
 * @example
 * ```ts
 * import { FRAME_HEAD_ROOM } from "@rawtick/binance/transport";
 *
 * const payload = new TextEncoder().encode("hello");
 * const buffer = new Uint8Array(FRAME_HEAD_ROOM + payload.length);
 * buffer.set(payload, FRAME_HEAD_ROOM);
 * ```
 */
export const FRAME_HEAD_ROOM = 16;

/**
 * One frame (RFC 6455 5.2) as the frame level shows it. The object and its payload are valid only during the call of
 * `onFrame`: both are used again for the next frame. Copy what you keep, with `bytes()`, `text()` or `asciiText()`.
 *
 * @example
 * ```ts
 * import type { Frame } from "@rawtick/binance/transport";
 *
 * const describe = ({ opcode, fin, payload }: Frame) => `opcode ${opcode}, fin ${fin}, ${payload.length} bytes`;
 * console.log(describe);
 * ```
 */
export interface Frame {
  /** 0 continuation, 1 text, 2 binary, 8 Close, 9 Ping, 10 Pong. */
  readonly opcode: FrameOpcode;
  /** Whether this is the last frame of its message; true for control frames. */
  readonly fin: boolean;
  /** Length of the payload in bytes. */
  readonly length: number;
  /** A view of the payload, without a copy if the frame lay whole in one chunk of the socket. */
  readonly payload: Uint8Array;
  /**
   * Whether no other whole frame follows in what was read from the socket so far: the moment to flush a batch. It is
   * found out when it is asked for.
   */
  readonly lastInChunk: boolean;
  /** The payload in an array of its own. */
  bytes(): Uint8Array;
  /**
   * The payload as text, its UTF-8 checked now: the frame level checks it nowhere else.
   *
   * @throws {WebSocketProtocolError} if it is not UTF-8; the connection then fails with 1007 after this call of
   * `onFrame`, whether or not the error is caught.
   * @throws {TypeError} on a fragment, which may end inside of a character: collect `bytes()` and decode the message.
   */
  text(): string;
  /** The payload as text that is known to be ASCII, unchecked: other bytes come out as Latin-1. */
  asciiText(): string;
}

/**
 * What a connection at the frame level tells its owner, in place of a {@linkcode ConnectionListener}; only with
 * `"native"`. Frames are validated as everywhere (reserved bits, opcodes, lengths, masking, fragmentation, limits,
 * Close payloads), except that the UTF-8 of texts is checked only in {@linkcode Frame.text}. Pings and Close frames are
 * shown and answered.
 *
 * @example
 * ```ts
 * import { type FrameListener, openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const batch: string[] = [];
 * const { promise, resolve } = Promise.withResolvers<readonly string[]>();
 * const listener: FrameListener = {
 *   onFrame(frame) {
 *     batch.push(frame.asciiText());
 *     if (frame.lastInChunk) resolve(batch);
 *   },
 *   onClose: () => {},
 * };
 * const connection = await openConnection("native", `${exchange.url}/ws/btcusdt@trade`, listener);
 * console.log((await promise).length);
 * connection.close();
 * await connection.closed;
 * ```
 */
export interface FrameListener {
  /** The handshake succeeded. Comes before any frame, and before the promise of `openConnection` resolves. */
  onOpen?(connection: Connection): void;
  /** A frame came. */
  onFrame(frame: Frame): void;
  /** Everything that made `send()` return false has left. */
  onDrain?(): void;
  /** The connection has ended: exactly once for each connection that was opened, always, and nothing comes after it. */
  onClose(info: CloseInfo): void;
}

/**
 * How {@linkcode Connection.sendInPlace} sends its payload.
 *
 * @example
 * ```ts
 * import type { InPlaceOptions } from "@rawtick/binance/transport";
 *
 * const firstFragmentOfText: InPlaceOptions = { opcode: 1, fin: false };
 * console.log(firstFragmentOfText);
 * ```
 */
export interface InPlaceOptions {
  /** 1 text (the payload must be valid UTF-8, which is not checked), 2 binary, 0 continuation. Default: 2. */
  readonly opcode?: 0 | 1 | 2;
  /** Whether this is the last frame of its message. Default: true. */
  readonly fin?: boolean;
}
