/**
 * The fuzzing server's own frame encoder: knows how to break every rule of RFC 6455 5.2, and shares no line with `src`,
 * so that one mistake can't be on both sides.
 *
 * @module
 */

import { bytesOf } from "./bytes.ts";

/** Names of the opcodes of RFC 6455 5.2. */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** The fields of a frame; what is left out is as it should be. */
export interface FrameFields {
  /** 0 to 15. */
  readonly opcode: number;
  /** A string is sent as UTF-8. Default: empty. */
  readonly payload?: Uint8Array | string;
  /** Default: true. */
  readonly fin?: boolean;
  /** The reserved bits as a number from 0 to 7: 4 is RSV1, 2 is RSV2, 1 is RSV3. Default: 0. */
  readonly rsv?: number;
  /** A masking key, which a server must not use. Default: none. */
  readonly mask?: readonly [number, number, number, number];
  /** Bits of the length field, whether it needs them or not. Default: the fewest. */
  readonly lengthBits?: 7 | 16 | 64;
  /** The length that is announced, if it is not that of the payload. */
  readonly length?: number | bigint;
}

/** Encodes a frame. */
export function frame(fields: FrameFields): Uint8Array {
  const { opcode, fin = true, rsv = 0, mask } = fields;
  const payload = bytesOf(fields.payload ?? "");
  const length = BigInt(fields.length ?? payload.length);
  const lengthBits = fields.lengthBits ?? (length < 126n ? 7 : length < 0x1_0000n ? 16 : 64);
  const lengthCode = lengthBits === 7 ? Number(length) : lengthBits === 16 ? 126 : 127;
  const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode, (mask === undefined ? 0 : 0x80) | lengthCode];
  const extended = lengthBits === 7 ? 0 : lengthBits / 8;
  for (let byte = extended - 1; byte >= 0; byte--) head.push(Number((length >> BigInt(8 * byte)) & 0xffn));
  if (mask === undefined) return bytesOf(new Uint8Array(head), payload);
  return bytesOf(new Uint8Array([...head, ...mask]), payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
}

type Extra = Partial<FrameFields>;

/** A Text frame. */
export const text = (payload: Uint8Array | string, extra: Extra = {}): Uint8Array =>
  frame({ opcode: OPCODE.text, payload, ...extra });

/** A Binary frame. */
export const binary = (payload: Uint8Array | string, extra: Extra = {}): Uint8Array =>
  frame({ opcode: OPCODE.binary, payload, ...extra });

/** A Continuation frame. */
export const continuation = (payload: Uint8Array | string, extra: Extra = {}): Uint8Array =>
  frame({ opcode: OPCODE.continuation, payload, ...extra });

/** A Ping frame. */
export const ping = (payload: Uint8Array | string = "", extra: Extra = {}): Uint8Array =>
  frame({ opcode: OPCODE.ping, payload, ...extra });

/** A Pong frame. */
export const pong = (payload: Uint8Array | string = "", extra: Extra = {}): Uint8Array =>
  frame({ opcode: OPCODE.pong, payload, ...extra });

/** A Close frame; without a code its payload is empty. */
export function close(code?: number, reason: Uint8Array | string = "", extra: Extra = {}): Uint8Array {
  const payload = code === undefined ? "" : bytesOf(code >> 8, code & 0xff, reason);
  return frame({ opcode: OPCODE.close, payload, ...extra });
}

/** The frames of one message, cut into the given pieces. */
export function fragments(opcode: 1 | 2, pieces: readonly (Uint8Array | string)[], extra: Extra = {}): Uint8Array[] {
  return pieces.map((payload, index) =>
    frame({
      opcode: index === 0 ? opcode : OPCODE.continuation,
      payload,
      fin: index === pieces.length - 1,
      ...(index === 0 ? extra : {}),
    })
  );
}
