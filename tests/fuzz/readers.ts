/**
 * Our frame reader with its events in the words of the reference.
 *
 * @module
 */

import { WebSocketProtocolError } from "../../src/base/mod.ts";
import { FrameReader } from "../../src/transport/native/mod.ts";
import { bytesEvent, closeEvent, type Event, failEvent, type Limits, textEvent } from "./reference_reader.ts";
import { chop } from "./streams.ts";

/** The events of a stream that arrives in pieces. Anything but a violation that is thrown comes out of here. */
export function readWithOurs(bytes: Uint8Array, limits: Limits, lengths: readonly number[]): Event[] {
  const events: Event[] = [];
  const { masked, maxMessageBytes, maxFragments } = limits;
  const reader = new FrameReader({
    onText: (text) => events.push(textEvent(text)),
    onBinary: (bytes) => events.push(bytesEvent("binary", bytes)),
    onPing: (payload) => events.push(bytesEvent("ping", payload)),
    onPong: (payload) => events.push(bytesEvent("pong", payload)),
    onClose: (code, reason) => events.push(closeEvent(code, reason)),
  }, { role: masked ? "server" : "client", maxMessageBytes, ...(maxFragments !== undefined && { maxFragments }) });
  for (const piece of chop(bytes, lengths)) {
    try {
      reader.push(piece);
    } catch (error) {
      if (!(error instanceof WebSocketProtocolError)) throw error;
      events.push(failEvent(error.closeCode));
    }
  }
  return events;
}

/** Throws unless both lists are the same, with the first difference. */
export function expectSame(what: string, got: readonly Event[], wanted: readonly Event[]): void {
  const length = Math.max(got.length, wanted.length);
  for (let at = 0; at < length; at++) {
    if (got[at] === wanted[at]) continue;
    throw new Error(`${what}: event ${at} is ${shorten(got[at])}, expected ${shorten(wanted[at])}`);
  }
}

function shorten(event: Event | undefined): string {
  if (event === undefined) return "missing";
  return event.length > 120 ? `${event.slice(0, 120)}… (${event.length})` : event;
}
