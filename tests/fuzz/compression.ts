/**
 * A part about permessage-deflate: compressed messages, whole and damaged.
 *
 * @module
 */

import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { WebSocketProtocolError } from "../../src/base/mod.ts";
import type { CloseInfo, Connection } from "../../src/transport/connection.ts";
import { bytesOf, concat, seededRandom } from "../conformance/bytes.ts";
import { FrameDecoder } from "../conformance/frame_decoder.ts";
import { fragments } from "../conformance/frames.ts";
import { attempt, goodAnswer } from "./fake_socket.ts";
import { expectEnough, parametersOf, type Part } from "./part.ts";
import { bytesEvent, type Event, textEvent } from "./reference_reader.ts";
import { expectSame } from "./readers.ts";
import { chop, chops, damage, damages } from "./streams.ts";

const LIMIT = 20_000;
const SYNC = { finishFlush: constants.Z_SYNC_FLUSH };
/** What a sync flush ends with, and the wire leaves out (RFC 7692 7.2.1). */
const TAIL = bytesOf(0, 0, 255, 255);
const WINDOW = 1 << 15;

/** Kind, length and content of a message, and where its compressed bytes are cut. */
type Seed = readonly [isText: boolean, length: number, content: number, cut: number];

const seeds = fc.array(fc.tuple(fc.boolean(), fc.nat(3_000), fc.nat(0xffff), fc.nat(400)), { maxLength: 5 });

/** Words that come again, so that matches reach into earlier messages. */
function wordsOf(length: number, content: number): string {
  const random = seededRandom(content);
  let text = "";
  while (text.length < length) {
    text += ["price", "ß", "quantity", "😀", "\0", "0.00"][Math.floor(random() * 6)] + `${content % 7}`;
  }
  return text.slice(0, length).toWellFormed();
}

/** A server's frames of the messages. `takeover`: each is compressed with what came before as its window. */
function framesOf(list: readonly Seed[], takeover: boolean): { bytes: Uint8Array; events: Event[] } {
  const frames: Uint8Array[] = [];
  const events: Event[] = [];
  let window = bytesOf();
  for (const [isText, length, content, cut] of list) {
    const words = wordsOf(length, content);
    const plain = bytesOf(words);
    // A dictionary in front of a raw stream is the window that a context leaves behind.
    const dictionary = takeover && window.length > 0 ? { dictionary: window } : {};
    const flushed = plain.length === 0 ? bytesOf(0, ...TAIL) : deflateRawSync(plain, { ...SYNC, ...dictionary });
    const payload = flushed.subarray(0, flushed.length - TAIL.length);
    const pieces = cut < payload.length ? [payload.subarray(0, cut), payload.subarray(cut)] : [payload];
    frames.push(...fragments(isText ? 1 : 2, pieces, { rsv: 4 }));
    events.push(isText ? textEvent(words) : bytesEvent("binary", plain));
    window = concat([window, plain]).slice(-WINDOW);
  }
  return { bytes: concat(frames), events };
}

/** What the client has sent, decompressed; each message by itself, since `client_no_context_takeover` was agreed on. */
function echoesIn(sent: Uint8Array): { echoes: Event[]; closes: number[]; compressed: number } {
  const echoes: Event[] = [];
  const closes: number[] = [];
  let count = 0;
  for (const event of new FrameDecoder(true).push(sent)) {
    if (event.kind === "violation") throw new Error(`the client: ${event.what}`);
    if (event.kind === "close") closes.push(event.code ?? 1005);
    if (event.kind !== "text" && event.kind !== "binary") continue;
    if (event.compressed) count++;
    const plain = event.compressed ? inflateRawSync(concat([event.payload, TAIL]), SYNC) : event.payload;
    echoes.push(
      event.kind === "text"
        ? textEvent(new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain))
        : bytesEvent("binary", plain),
    );
  }
  return { echoes, closes, compressed: count };
}

/** Plays bytes against a connection that sends back what it gets; returns what both ends saw. */
async function play(
  bytes: Uint8Array,
  lengths: readonly number[],
  takeover: boolean,
): Promise<{ seen: Event[]; ends: CloseInfo[]; sent: ReturnType<typeof echoesIn> }> {
  const { open, socket: socketOf } = attempt();
  const seen: Event[] = [];
  const ends: CloseInfo[] = [];
  let client: Connection | undefined;
  const opening = open("ws://localhost/", {
    onOpen: (connection) => client = connection,
    onText: (text) => {
      seen.push(textEvent(text));
      client?.send(text);
    },
    onBinary: (data) => {
      if (data.length > LIMIT) throw new Error(`${data.length} bytes came, beyond the limit`);
      seen.push(bytesEvent("binary", data));
      client?.send(data);
    },
    onClose: (info) => void ends.push(info),
  }, { maxMessageBytes: LIMIT, perMessageDeflate: { threshold: 50 } });
  const socket = socketOf();
  socket.handler.onOpen();
  const request = socket.sentBytes;
  const agreement = `permessage-deflate; client_no_context_takeover${takeover ? "" : "; server_no_context_takeover"}`;
  socket.handler.onBytes(goodAnswer(socket, `Sec-WebSocket-Extensions: ${agreement}\r\n`));
  for (const piece of chop(bytes, lengths)) {
    if (socket.state === "open") socket.handler.onBytes(piece);
  }
  const wasOver = ends.length > 0;
  if (wasOver !== (socket.state !== "open")) {
    throw new Error(`onClose came ${ends.length} times, the socket is ${socket.state}`);
  }
  if (!wasOver) socket.handler.onEnd(undefined);
  await opening;
  if (ends.length !== 1) throw new Error(`onClose came ${ends.length} times`);
  return { seen, ends, sent: echoesIn(socket.sent.subarray(request)) };
}

/** Compressed messages. */
export const compression: Part = {
  name: "compression",
  claim: "compressed messages come out as they were, also echoed; damaged ones end the connection once",
  share: 3,
  async run(options) {
    const counts = { "sent compressed": 0, failed: 0, whole: 0 };
    await fc.assert(
      fc.asyncProperty(seeds, fc.option(damages), chops, fc.boolean(), async (list, broken, lengths, takeover) => {
        const { bytes, events } = framesOf(list, takeover);
        const { seen, ends, sent } = await play(broken === null ? bytes : damage(bytes, broken), lengths, takeover);
        const [end] = ends;
        counts["sent compressed"] += sent.compressed;
        expectSame("echoes", sent.echoes, seen);
        if (broken === null) {
          counts.whole++;
          expectSame("events", seen, events);
          if (end?.error !== undefined) throw end.error;
        } else if (end?.error !== undefined) {
          counts.failed++;
          if (!(end.error instanceof WebSocketProtocolError)) throw end.error;
          expectSame("Close frames", sent.closes.map(String), [String(end.error.closeCode)]);
          if (![1002, 1007, 1009].includes(end.error.closeCode)) throw new Error(`closed with ${end.error.closeCode}`);
        }
      }),
      parametersOf(options),
    );
    expectEnough(counts, "failed", options.runs / 10);
    expectEnough(counts, "sent compressed", options.runs / 10);
    return counts;
  },
};
