/**
 * How events are written: as Server-Sent Events, as lines of JSON, as WebSocket messages.
 *
 * @module
 */

import type { FeedEvent, Numbering, Quote } from "./feed_event.ts";

/** A way to write events; `T` is what a client takes at once. */
export interface Format<T> {
  /** What comes before everything else. */
  readonly opening: string;
  /** What is sent so that a connection is not taken for dead. */
  readonly heartbeat: T;
  /** Writes an event. */
  event(event: FeedEvent | Quote): string;
  /** Writes something that only this client is told, and that has no id: `data` is JSON. */
  note(name: string, data: string): string;
  /** What a client takes, of parts written one after the other. */
  join(parts: readonly string[]): T;
}

const encoder = new TextEncoder();

function bytesOf(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(parts.join(""));
}

/** Server-Sent Events, as in the HTML standard, section 9.2. */
export function eventStreamFormat(numbering: Numbering, retryMs: number): Format<Uint8Array<ArrayBuffer>> {
  return {
    opening: `retry: ${retryMs}\n\n`,
    heartbeat: encoder.encode(":\n\n"),
    event: (event) => {
      const { text } = event;
      if (!("number" in event)) return `data: ${text}\n\n`;
      const { number, name } = event;
      const id = `id: ${numbering.idOf(number)}\n`;
      return name === undefined ? `${id}data: ${text}\n\n` : `${id}event: ${name}\ndata: ${text}\n\n`;
    },
    note: (name, data) => `event: ${name}\ndata: ${data}\n\n`,
    join: bytesOf,
  };
}

/** An object of JSON with the id before its own members. */
function objectOf(numbering: Numbering, event: FeedEvent | Quote): string {
  const { text } = event;
  if (!("number" in event)) return text;
  const { number, name } = event;
  const id = `{"id":"${numbering.idOf(number)}",`;
  return name === undefined ? id + text.slice(1) : `${id}"event":"${name}","data":${text}}`;
}

function noteOf(name: string, data: string): string {
  return `{"event":"${name}","data":${data}}`;
}

/** One object of JSON in each line. */
export function lineFormat(numbering: Numbering): Format<Uint8Array<ArrayBuffer>> {
  const heartbeat = `${noteOf("heartbeat", "{}")}\n`;
  return {
    // Bun 1.4 sends the head of a response together with the first piece of its body.
    opening: heartbeat,
    heartbeat: encoder.encode(heartbeat),
    event: (event) => `${objectOf(numbering, event)}\n`,
    note: (name, data) => `${noteOf(name, data)}\n`,
    join: bytesOf,
  };
}

/** One object of JSON in each line, as many lines in a WebSocket message as there are at once. */
export function lineMessageFormat(numbering: Numbering): Format<readonly string[]> {
  return { ...messageFormat(numbering), join: (parts) => [parts.join("\n")] };
}

/** One object of JSON in each WebSocket message. */
export function messageFormat(numbering: Numbering): Format<readonly string[]> {
  return {
    opening: "",
    heartbeat: [noteOf("heartbeat", "{}")],
    event: (event) => objectOf(numbering, event),
    note: noteOf,
    join: (parts) => parts,
  };
}
