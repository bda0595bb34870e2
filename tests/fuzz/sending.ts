/**
 * A part about sending: a model of the send queue against a socket that takes what it likes.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import fc from "fast-check";
import { concat } from "../conformance/bytes.ts";
import { binary, close, ping, text } from "../conformance/frames.ts";
import { attempt, goodAnswer, type SocketKind } from "./fake_socket.ts";
import { expectEnough, parametersOf, type Part } from "./part.ts";
import { bytesEvent, closeEvent, type Event, readAll, textEvent } from "./reference_reader.ts";
import { expectSame } from "./readers.ts";

/** What happens next, with a number for its size. */
type Step = readonly [kind: number, size: number];

const steps = fc.array(fc.tuple(fc.nat(15), fc.nat(0xffff)), { minLength: 1, maxLength: 40 });

/** Data that waits is joined to writes of about this size, which nothing can interrupt (`send_queue.ts`). */
const JOINED = 64 * 1024;
const LENGTHS = [0, 1, 5, 20, 125, 126, 300, 2_000];

const lengthOf = (size: number): number => size > 65_300 ? 70_000 : LENGTHS[size % LENGTHS.length] ?? 0;
const headOf = (length: number): number => length < 126 ? 6 : length < 65_536 ? 8 : 14;
const bytesFor = (size: number): Uint8Array => new Uint8Array(lengthOf(size)).fill(size & 255);

/** What the client was told to send, in order. */
class Model {
  readonly data: Event[] = [];
  readonly pings: Event[] = [];
  readonly pongs: Event[] = [];
  /** Control frames with the number of bytes that had left when they were asked for. */
  readonly asked: { readonly event: Event; readonly at: number }[] = [];
  /** Bytes of all frames; only exact while no pong was replaced. */
  bytes = 0;
  closed: Event | undefined;
  received = 0;
}

/** Runs the steps; returns how often a frame was cut by the socket. */
async function play(list: readonly Step[], kind: SocketKind): Promise<{ cuts: number; controls: number }> {
  const { open, socket: socketOf } = attempt(kind);
  const seen: Event[] = [];
  const opening = open("ws://localhost/", {
    onText: (text) => void seen.push(textEvent(text)),
    onBinary: (bytes) => void seen.push(bytesEvent("binary", bytes)),
    onClose: ({ code, reason, wasClean, error }) =>
      void seen.push(wasClean ? closeEvent(code, reason) : `ended ${code} ${error}`),
  }, { closeTimeoutMs: 60_000 });
  const socket = socketOf();
  socket.handler.onOpen();
  socket.drainAll();
  const request = socket.sentBytes;
  socket.handler.onBytes(goodAnswer(socket));
  const connection = await opening;
  const model = new Model();
  const sent = (): number => socket.sentBytes - request;
  socket.room = 0;
  let cuts = 0;

  for (const [step, size] of list) {
    const isOpen = connection.isOpen;
    if (step < 3 && isOpen) {
      const message = String.fromCharCode(33 + (size % 90)).repeat(lengthOf(size));
      connection.send(message);
      model.data.push(textEvent(message));
      model.bytes += headOf(message.length) + message.length;
    } else if (step < 5 && isOpen) {
      const message = bytesFor(size);
      connection.send(message);
      // The caller may use its array again.
      model.data.push(bytesEvent("binary", message));
      model.bytes += headOf(message.length) + message.length;
      message.fill(0xee);
    } else if (step === 5 && isOpen) {
      const payload = new Uint8Array(size % 126).fill(model.pings.length + 1);
      connection.ping(payload);
      model.pings.push(bytesEvent("ping", payload));
      model.asked.push({ event: bytesEvent("ping", payload), at: sent() });
      model.bytes += 6 + payload.length;
    } else if (step < 8 && isOpen) {
      const payload = Buffer.from(`${model.pongs.length}`);
      socket.handler.onBytes(ping(payload));
      model.pongs.push(bytesEvent("pong", payload));
      model.asked.push({ event: bytesEvent("pong", payload), at: sent() });
    } else if (step === 8 && isOpen) {
      const payload = `${model.received++}`;
      socket.handler.onBytes(concat([text(payload), binary(payload)]));
    } else if (step === 9 && size % 8 === 0 && isOpen) {
      connection.close(4000, "done");
      model.closed = closeEvent(4000, "done");
      model.bytes += 6 + 6;
    } else {
      socket.drain(step === 15 ? Infinity : size % (step < 13 ? 40 : 3_000));
    }
    const waiting = connection.bufferedAmount;
    if (waiting < 0 || (model.pongs.length === 0 && waiting !== model.bytes - sent())) {
      throw new Error(`bufferedAmount is ${waiting}, expected ${model.bytes - sent()}`);
    }
    if (sent() < model.bytes) cuts++;
  }

  socket.drainAll();
  if (connection.bufferedAmount !== 0) throw new Error(`bufferedAmount is ${connection.bufferedAmount} at the end`);
  const all = socket.sent.subarray(request);
  checkWire(all, model);
  if (model.closed !== undefined) socket.handler.onBytes(close(4000, "done"));
  else connection.terminate();
  const received = Array.from({ length: model.received }, (_, index) => [
    textEvent(`${index}`),
    bytesEvent("binary", Buffer.from(`${index}`)),
  ]).flat();
  expectSame("seen", seen, [...received, model.closed ?? "ended 1006 undefined"]);
  return { cuts, controls: model.asked.length };
}

/** What left: whole frames, data in order, control frames in time. */
function checkWire(all: Uint8Array, model: Model): void {
  const wire = readAll(all, { masked: true, maxMessageBytes: 1 << 20 });
  const kept = (prefix: RegExp): Event[] => wire.filter((event) => prefix.test(event));
  expectSame("data", kept(/^(?:text|binary) /), model.data);
  expectSame("pings", kept(/^ping /), model.pings);
  expectSame("Close frame", kept(/^(?:close|fail) /), model.closed === undefined ? [] : [model.closed]);
  const pongs = kept(/^pong /);
  if (pongs.at(-1) !== model.pongs.at(-1)) {
    throw new Error(`the last pong is ${pongs.at(-1)}, not ${model.pongs.at(-1)}`);
  }
  const places = pongs.map((event) => model.pongs.indexOf(event));
  if (places.some((place, index) => place <= (places[index - 1] ?? -1))) throw new Error(`pongs: ${pongs.join()}`);
  const frames = framesOf(all);
  for (const { event, at } of model.asked) {
    const index = wire.indexOf(event);
    if (index < 0) continue;
    // Nothing is fragmented, so that events and frames correspond.
    const before = frames.slice(0, index).filter(({ start, isData }) => isData && start >= at);
    const bytes = before.reduce((sum, { length }) => sum + length, 0);
    const longest = Math.max(0, ...before.map(({ length }) => length));
    if (bytes > JOINED + longest) throw new Error(`${event} waited for ${bytes} bytes of ${before.length} data frames`);
  }
}

/** Where the frames of a client are. */
function framesOf(bytes: Uint8Array): { start: number; length: number; isData: boolean }[] {
  const frames: { start: number; length: number; isData: boolean }[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = 0; start < bytes.length;) {
    const code = view.getUint8(start + 1) & 127;
    const payload = code < 126 ? code : code === 126 ? view.getUint16(start + 2) : Number(view.getBigUint64(start + 2));
    const length = headOf(payload) + payload;
    frames.push({ start, length, isData: (view.getUint8(start) & 8) === 0 });
    start += length;
  }
  return frames;
}

/** Sends into a socket that takes what it likes. */
export const sending: Part = {
  name: "sending",
  claim: "whatever a socket takes of a write, frames leave whole and in order, and control frames overtake data",
  share: 8,
  async run(options) {
    const counts = { "steps with bytes waiting": 0, "control frames": 0 };
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom<SocketKind>("partial", "whole"), async (list, kind) => {
        const { cuts, controls } = await play(list, kind);
        counts["steps with bytes waiting"] += cuts;
        counts["control frames"] += controls;
      }),
      parametersOf(options),
    );
    expectEnough(counts, "steps with bytes waiting", options.runs);
    return counts;
  },
};
