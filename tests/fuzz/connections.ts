/**
 * A part about whole connections: damaged bytes from the handshake on, and how the connection ends.
 *
 * @module
 */

import fc from "fast-check";
import { WebSocketProtocolError } from "../../src/base/mod.ts";
import type { CloseInfo, Connection } from "../../src/transport/connection.ts";
import { concat } from "../conformance/bytes.ts";
import { attempt, goodAnswer, type SocketKind } from "./fake_socket.ts";
import { expectEnough, parametersOf, type Part } from "./part.ts";
import { bytesEvent, closeEvent, type Event, failEvent, readAll, textEvent } from "./reference_reader.ts";
import { expectSame } from "./readers.ts";
import { chop, chops, damage, damages, encode, type Stream, validStreams } from "./streams.ts";

const LIMIT = 66_000;

/** A listener that writes down events, and how it ended. */
function recorder(): { events: Event[]; ends: CloseInfo[]; opened: Connection[]; listener: object & Listener } {
  const events: Event[] = [];
  const ends: CloseInfo[] = [];
  const opened: Connection[] = [];
  const put = (event: Event): void => {
    events.push(ends.length > 0 ? `after the end: ${event}` : event);
  };
  const listener: Listener = {
    onOpen: (connection) => void opened.push(connection),
    onText: (text) => put(textEvent(text)),
    onBinary: (bytes) => put(bytesEvent("binary", bytes)),
    onPing: (payload) => put(bytesEvent("ping", payload)),
    onPong: (payload) => put(bytesEvent("pong", payload)),
    onClose: (info) => void ends.push(info),
  };
  return { events, ends, opened, listener };
}

interface Listener {
  onOpen(connection: Connection): void;
  onText(text: string): void;
  onBinary(bytes: Uint8Array): void;
  onPing(payload: Uint8Array): void;
  onPong(payload: Uint8Array): void;
  onClose(info: CloseInfo): void;
}

/** What the client must have sent for what it has received: a pong for the last of the pings, then its Close frame. */
function checkSent(sent: readonly Event[], received: readonly Event[], isOver: boolean): void {
  const pings = received.filter((event) => event.startsWith("ping")).map((event) => event.replace("ping", "pong"));
  const pongs = sent.filter((event) => event.startsWith("pong"));
  const closes = sent.filter((event) => event.startsWith("close"));
  if (pongs.length + closes.length !== sent.length) throw new Error(`the client sent ${sent.join(", ")}`);
  let at = -1;
  for (const pong of pongs) {
    at = pings.indexOf(pong, at + 1);
    if (at < 0) throw new Error(`${pong} answers no ping, or comes twice`);
  }
  if (!isOver && pongs.at(-1) !== pings.at(-1)) throw new Error(`${pings.at(-1)} is missing`);
  const last = received.at(-1) ?? "";
  const wanted = last.startsWith("fail ")
    ? [closeEvent(Number(last.slice(5)), "")]
    : last.startsWith("close ")
    ? [closeEvent(Number(last.split(" ")[1]), "")]
    : [];
  expectSame("Close frames sent", closes, wanted);
}

/** Plays a stream against a new connection whose socket is never full, ends TCP, and checks all that is visible. */
async function play(kind: SocketKind, bytes: Uint8Array, lengths: readonly number[], greeting: number): Promise<Event> {
  const wanted = readAll(bytes, { masked: false, maxMessageBytes: LIMIT });
  const { open, socket: socketOf } = attempt(kind);
  const { events, ends, opened, listener } = recorder();
  const opening = open("ws://localhost/", listener, { maxMessageBytes: LIMIT });
  const socket = socketOf();
  socket.handler.onOpen();
  socket.drainAll();
  const request = socket.sentBytes;
  const early = Math.min(greeting, bytes.length);
  socket.handler.onBytes(concat([goodAnswer(socket), bytes.subarray(0, early)]));
  for (const piece of chop(bytes.subarray(early), lengths)) {
    if (socket.state === "open") socket.handler.onBytes(piece);
  }
  // What "whole" has taken leaves now; until then, later frames had to wait.
  socket.drainAll();
  const isOver = /^(?:fail|close)/.test(wanted.at(-1) ?? "");
  if (isOver !== (ends.length === 1)) throw new Error(`onClose came ${ends.length} times before the end of TCP`);
  if (isOver !== (socket.state !== "open")) throw new Error(`the socket is ${socket.state}`);
  if (socket.state === "open") socket.handler.onEnd(undefined);
  if (ends.length !== 1) throw new Error(`onClose came ${ends.length} times`);

  const connection = await opening;
  if (opened.length !== 1 || opened[0] !== connection) throw new Error("onOpen did not come once, with the connection");
  const [end] = ends;
  if (end === undefined || await connection.closed !== end) throw new Error("closed is not what onClose was told");
  if (connection.isOpen || connection.bufferedAmount !== 0) throw new Error("it still looks open");
  const last = endEvent(end);
  expectSame("events", last === undefined ? events : [...events, last], wanted);
  if (end.wasClean !== (wanted.at(-1) ?? "").startsWith("close")) throw new Error(`wasClean is ${end.wasClean}`);
  const sent = readAll(socket.sent.subarray(request), { masked: true, maxMessageBytes: LIMIT });
  checkSent(sent, wanted, isOver);
  return wanted.at(-1) ?? "";
}

/** The end as an event of the reference. */
function endEvent({ code, reason, wasClean, error }: CloseInfo): Event | undefined {
  if (wasClean) return closeEvent(code, reason);
  if (code !== 1006 || reason !== "") throw new Error(`an unclean end with ${code} ${JSON.stringify(reason)}`);
  if (error === undefined) return undefined;
  if (!(error instanceof WebSocketProtocolError)) throw error;
  return failEvent(error.closeCode);
}

/** Connections that get damaged bytes. */
export const connections: Part = {
  name: "connections",
  claim: "damaged bytes end a connection once, with the right Close frame, and no exception comes out",
  share: 15,
  async run(options) {
    const counts = { failed: 0, closed: 0, cut: 0 };
    const kinds = fc.constantFrom<SocketKind>("partial", "whole");
    const inputs: [fc.Arbitrary<Stream>, fc.Arbitrary<readonly (readonly [number, number, number])[] | null>] = [
      validStreams,
      fc.option(damages, { freq: 9 }),
    ];
    await fc.assert(
      fc.asyncProperty(kinds, ...inputs, chops, fc.nat(30), async (kind, { frames }, list, lengths, greeting) => {
        const bytes = list === null ? encode(frames) : damage(encode(frames), list);
        const last = await play(kind, bytes, lengths, greeting);
        if (last.startsWith("fail")) counts.failed++;
        else if (last.startsWith("close")) counts.closed++;
        else counts.cut++;
      }),
      parametersOf(options),
    );
    expectEnough(counts, "failed", options.runs / 10);
    return counts;
  },
};
