/**
 * Probes of open connections: pings, backpressure, compression, limits, frames, and their end.
 *
 * @module
 */

import type { Frame } from "@rawtick/binance/transport";
import { FRAME_HEAD_ROOM } from "../../../src/transport/frames.ts";
import { type Context, type Feature, no, pause, refused, seen, type Verdict, yes } from "../probe.ts";
import { STEP_MS, Visit } from "./connection.ts";

/** More than the buffers of two sockets on loopback take. */
const FLOOD_BYTES = 96 * 1024 * 1024;

/** How long in ms a socket may take to be gone. */
const FREE_MS = 1_000;

/** What a method throws that isn't there, which the connection has to have said before. */
function refusedCall(isThere: boolean, call: () => void): Verdict | undefined {
  try {
    call();
    return isThere ? undefined : no("it says that it can't, and can");
  } catch (error) {
    if (isThere || !(error instanceof TypeError)) throw error;
    return refused(error);
  }
}

async function deflate(context: Context, perMessageDeflate: true | { serverNoContextTakeover: true }) {
  using visit = await Visit.open(context, "deflate", { perMessageDeflate });
  const expected = `permessage-deflate${perMessageDeflate === true ? "" : "; server_no_context_takeover"}`;
  await visit.until(() => visit.texts.length > 0, "no message");
  if (visit.texts[0] !== "compressed ".repeat(200)) return no("the message is not what was compressed");
  const { extensions } = visit.connection;
  return extensions === expected ? yes : no(`its extensions are "${extensions}"`);
}

/** A message that is not let in ends the connection with this code of an error. */
async function endsWith(visit: Visit, command: string, code: string): Promise<Verdict> {
  visit.connection.send(command);
  await visit.until(() => visit.close !== undefined, "the connection does not end");
  const error = visit.close?.error;
  const is = error !== undefined && "code" in error ? error.code : visit.close?.code;
  if (visit.texts.length > 0) return no("the message was delivered");
  return is === code ? yes : no(`it ends with ${is}`);
}

/** The rows. */
export const flow: readonly Feature[] = [
  {
    id: "answers-pings",
    title: "the server's pings are answered",
    async probe(context) {
      using visit = await Visit.open(context);
      visit.connection.send("ping");
      return (await visit.seen("pongs")).pongs.includes("from the peer") ? yes : no("no pong");
    },
  },
  {
    id: "shows-pings",
    title: "the server's pings are shown (`onPing`)",
    async probe(context) {
      using visit = await Visit.open(context);
      visit.connection.send("ping");
      await visit.seen("pongs");
      await visit.echo();
      if (visit.pings.length === 0) {
        return visit.connection.canPing ? no("it says that they are") : no("canPing is false");
      }
      return visit.pings[0] === "from the peer" ? yes : no(`"${visit.pings[0]}"`);
    },
  },
  {
    id: "ping",
    title: "`ping()`, `onPong` and `latencyMs`",
    async probe(context) {
      using visit = await Visit.open(context);
      const { connection } = visit;
      const refusal = refusedCall(connection.canPing, () => connection.ping(new TextEncoder().encode("to the peer")));
      if (refusal !== undefined) return refusal;
      await visit.until(() => visit.pongs.includes("to the peer"), "no pong");
      return (connection.latencyMs ?? -1) >= 0 ? yes : no("latencyMs is undefined");
    },
  },
  {
    id: "keepalive",
    title: "keepalive (`pingIntervalMs`)",
    async probe(context) {
      using visit = await Visit.open(context, "noPongs", { pingIntervalMs: 50, pingTimeoutMs: 100 });
      await visit.until(() => visit.close !== undefined, "the connection does not end");
      const error = visit.close?.error;
      return error !== undefined && "code" in error && error.code === "PING_TIMEOUT" ? yes : no(String(error));
    },
  },
  {
    id: "pause",
    title: "`pause()` holds the server back, `resume()` loses nothing",
    async probe(context) {
      using visit = await Visit.open(context);
      const { connection } = visit;
      const refusal = refusedCall(connection.canPause, () => connection.pause());
      if (refusal !== undefined) return refusal;
      connection.send(`flood ${FLOOD_BYTES}`);
      const { stalled } = await visit.seen("stalled", STEP_MS);
      const early = visit.texts.length;
      if (!stalled || early > 32) {
        return no(`${early} messages came, and the server was ${stalled ? "" : "not "}held back`);
      }
      connection.resume();
      await visit.until(() => visit.texts.length === FLOOD_BYTES / 65_536, "not everything came", 2 * STEP_MS);
      return visit.texts.every((text) => text.length === 65_536) ? yes : no("messages are broken");
    },
  },
  {
    id: "deflate",
    title: "`perMessageDeflate: true`",
    probe: (context) => deflate(context, true),
  },
  {
    id: "deflate-parameters",
    title: "`perMessageDeflate` with parameters",
    probe: (context) => deflate(context, { serverNoContextTakeover: true }),
  },
  {
    id: "maxMessageBytes",
    title: "`maxMessageBytes`: a larger message ends the connection",
    async probe(context) {
      using visit = await Visit.open(context, "", { maxMessageBytes: 1_000 });
      return await endsWith(visit, "text 1001", "MESSAGE_TOO_LARGE");
    },
  },
  {
    id: "maxFragments",
    title: "`maxFragments`",
    async probe(context) {
      using visit = await Visit.open(context, "", { maxFragments: 3 });
      return await endsWith(visit, "fragments 4", "TOO_MANY_FRAGMENTS");
    },
  },
  {
    id: "highWaterMark",
    title: "`highWaterMark` and `onDrain`",
    async probe(context) {
      using visit = await Visit.open(context, "", { highWaterMark: 1_000 });
      if (visit.connection.send("x".repeat(16_000_000))) return no("send() returns true");
      await visit.until(() => visit.drains > 0, "no onDrain");
      return yes;
    },
  },
  {
    id: "frames",
    title: "the frame level (`onFrame`)",
    async probe(context) {
      const { place, library } = context;
      const frames: string[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const connection = await place.open(library, `${place.addresses.ws}/?id=${Visit.nextId(context)}`, {
        onFrame({ opcode, fin }: Frame) {
          frames.push(`${opcode}${fin ? "." : ""}`);
          if (fin) resolve();
        },
        onClose: () => resolve(),
      });
      connection.send("fragments 3");
      await promise;
      connection.terminate();
      return frames.join(" ") === "1 0 0." ? yes : no(frames.join(" "));
    },
  },
  {
    id: "sendInPlace",
    title: "`sendInPlace()`",
    async probe(context) {
      using visit = await Visit.open(context);
      const bytes = new TextEncoder().encode("in place");
      const buffer = new Uint8Array(FRAME_HEAD_ROOM + bytes.length);
      buffer.set(bytes, FRAME_HEAD_ROOM);
      const { connection } = visit;
      const refusal = refusedCall(
        connection.library === "native",
        () => void connection.sendInPlace(buffer, FRAME_HEAD_ROOM, bytes.length, { opcode: 1 }),
      );
      if (refusal !== undefined) return refusal;
      await visit.until(() => visit.texts.includes("in place"), "no echo");
      return yes;
    },
  },
  {
    id: "close",
    title: "`close()` is answered, and both sides know code and reason",
    async probe(context) {
      using visit = await Visit.open(context);
      visit.connection.close(3_000, "enough");
      await visit.until(() => visit.close !== undefined, "the connection does not end");
      const { code, reason, wasClean } = visit.close ?? {};
      const other = (await visit.seen("close")).close;
      return code === 3_000 && reason === "enough" && wasClean && other === "3000 enough"
        ? yes
        : no(`${code} "${reason}" here, "${other}" there`);
    },
  },
  {
    id: "unanswered-close",
    title: "a `close()` that the server never answers frees the socket after `closeTimeoutMs`",
    async probe(context) {
      using visit = await Visit.open(context, "noClose", { closeTimeoutMs: 100 });
      visit.connection.close();
      await visit.until(() => visit.close !== undefined, "the connection does not end");
      if (visit.close?.code !== 1006) return no(`it ends with ${visit.close?.code}`);
      return (await visit.seen("ended", FREE_MS)).ended
        ? yes
        : no(`onClose comes, and the socket is still open ${FREE_MS} ms later`);
    },
  },
  {
    id: "terminate",
    title: "`terminate()` frees the socket at once, whatever the server does",
    async probe(context) {
      using visit = await Visit.open(context, "noClose");
      visit.connection.terminate();
      if (visit.close?.code !== 1006) return no("onClose was not called");
      await pause(0);
      const { ended } = await seen(context.place, visit.id, "ended", FREE_MS);
      return ended ? yes : no(`onClose comes, and the socket is still open ${FREE_MS} ms later`);
    },
  },
];
