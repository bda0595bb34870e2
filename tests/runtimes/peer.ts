/**
 * The server that the probes connect to: it does what the query of the URL and the messages of the client say, and
 * remembers what it saw. On the same port, requests that want no WebSocket are answered by `answer`.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { constants, deflateRawSync } from "node:zlib";
import { encodeClose, encodeFrame, encodeText, Opcode } from "../../src/transport/native/mod.ts";
import { headerOf, Peer, TestServer, upgradeAnswer } from "../native_server.ts";
import type { CertificateName, Seen } from "./protocol.ts";

/** The size of a message of the flood, and how long in ms one may take before the flood is said not to get on. */
const FLOOD_MESSAGE = 64 * 1024;
const STALL_MS = 300;

type Visit = { -readonly [K in keyof Seen]: Seen[K] } & { pongs: string[] };

/** What was seen, by the id in the query. */
export class Visits {
  readonly #visits = new Map<string, Visit>();

  /** What was seen with this id, so far nothing. */
  of(id: string): Visit {
    let visit = this.#visits.get(id);
    if (visit === undefined) {
      visit = { requests: 0, head: "", pongs: [], close: "", flooded: 0, stalled: false, ended: false };
      this.#visits.set(id, visit);
    }
    return visit;
  }

  /** The same once `what` has been seen, or after `ms`. */
  async seen(id: string, what: keyof Seen, ms: number): Promise<Seen> {
    const end = performance.now() + ms;
    const visit = this.of(id);
    const isSeen = (): boolean => what === "pongs" ? visit.pongs.length > 0 : Boolean(visit[what]);
    while (!isSeen() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
    return visit;
  }
}

/** Starts it. `certificate` makes it one with TLS. */
export function startPeer(
  visits: Visits,
  answer: (url: URL) => Promise<unknown>,
  certificate?: CertificateName,
): Promise<TestServer> {
  return TestServer.start({
    ...(certificate === undefined ? {} : { certificate }),
    respond(head, socket) {
      const url = new URL(head.split(" ", 2)[1] ?? "/", "http://peer");
      if (headerOf(head, "upgrade").toLowerCase() === "websocket") void new Visitor(visits, url, head, socket).serve();
      else answer(url).then((value) => reply(socket, 200, value), (error) => reply(socket, 500, String(error)));
    },
  });
}

function reply(socket: Socket, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  socket.end(Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status} -\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n` +
        "Access-Control-Allow-Origin: *\r\n\r\n",
    ),
    body,
  ]));
}

/** One connection. */
class Visitor {
  readonly #visit: Visit;
  readonly #query: URLSearchParams;
  readonly #head: string;
  readonly #socket: Socket;
  #wake = (): void => {};

  constructor(visits: Visits, url: URL, head: string, socket: Socket) {
    this.#query = url.searchParams;
    this.#visit = visits.of(this.#query.get("id") ?? "");
    this.#visit.requests++;
    this.#visit.head = head;
    this.#head = head;
    this.#socket = socket;
    socket.on("drain", () => this.#wake());
    socket.on("close", () => {
      this.#visit.ended = true;
      this.#wake();
    });
  }

  async serve(): Promise<void> {
    const status = this.#query.get("status");
    if (status !== null) {
      this.#socket.end(
        `HTTP/1.1 ${status} Refused\r\nRetry-After: 7\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
      return;
    }
    // Silence is not to hide the end of TCP.
    if (this.#query.has("silent")) return void this.#socket.resume();
    const peer = new Peer(this.#socket, this.#head);
    const protocol = this.#query.get("protocol");
    const extension = this.#extension();
    peer.send(Buffer.from(upgradeAnswer(this.#head, {
      ...(protocol === null ? {} : { "Sec-WebSocket-Protocol": protocol }),
      ...(extension === undefined ? {} : { "Sec-WebSocket-Extensions": extension }),
    })));
    if (extension !== undefined) this.#sendCompressed(peer);
    while (true) {
      const event = await peer.next();
      if (event[0] === "end") return;
      if (event[0] === "text") await this.#obey(peer, event[1]);
      if (event[0] === "pong") this.#visit.pongs.push(Buffer.from(event[1]).toString());
      if (event[0] === "ping" && !this.#query.has("noPongs")) {
        peer.send(encodeFrame(Opcode.Pong, event[1], { mask: false }));
      }
      if (event[0] === "close") this.#visit.close = `${event[1]} ${event[2]}`;
      if (event[0] === "close" && !this.#query.has("noClose")) {
        peer.send(encodeClose(event[1], event[2], { mask: false }));
        this.#socket.end();
      }
    }
  }

  /** permessage-deflate, if it is offered and wanted. */
  #extension(): string | undefined {
    const offer = headerOf(this.#head, "sec-websocket-extensions");
    if (!this.#query.has("deflate") || !offer.includes("permessage-deflate")) return undefined;
    return `permessage-deflate${offer.includes("server_no_context_takeover") ? "; server_no_context_takeover" : ""}`;
  }

  /** RFC 7692 7.2.1. */
  #sendCompressed(peer: Peer): void {
    const payload = deflateRawSync("compressed ".repeat(200), { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
    peer.send(encodeFrame(Opcode.Text, payload, { mask: false, compressed: true }));
  }

  async #obey(peer: Peer, text: string): Promise<void> {
    const [word, number = ""] = text.split(" ");
    switch (word) {
      case "ping":
        return peer.send(encodeFrame(Opcode.Ping, Buffer.from("from the peer"), { mask: false }));
      case "text":
        return peer.send(encodeText("x".repeat(Number(number)), { mask: false }));
      case "fragments":
        for (let left = Number(number); left > 0; left--) {
          const opcode = left === Number(number) ? Opcode.Text : Opcode.Continuation;
          peer.send(encodeFrame(opcode, Buffer.from("x"), { mask: false, fin: left === 1 }));
        }
        return;
      case "flood":
        return await this.#flood(Number(number));
      default:
        peer.send(encodeText(text, { mask: false }));
    }
  }

  /** Sends so many bytes as fast as they are taken. */
  async #flood(bytes: number): Promise<void> {
    const frame = encodeText("x".repeat(FLOOD_MESSAGE), { mask: false });
    while (this.#visit.flooded < bytes && !this.#visit.ended) {
      if (!this.#socket.write(frame)) {
        const timer = setTimeout(() => void (this.#visit.stalled = true), STALL_MS);
        await new Promise<void>((resolve) => this.#wake = resolve);
        clearTimeout(timer);
      }
      this.#visit.flooded += FLOOD_MESSAGE;
    }
  }
}
