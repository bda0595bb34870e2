/**
 * The fuzzing server: one TCP port on loopback, where the path of a request says which run of which case it belongs to.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Plan } from "./case.ts";
import { Peer } from "./peer.ts";
import { answerTo, parseRequest } from "./upgrade.ts";

/** A run that waits for its connection. */
interface Pending {
  readonly plan: Plan;
  readonly resolve: (peer: Peer) => void;
}

/** The server of a whole run of the suite. */
export class FuzzingServer implements AsyncDisposable {
  /** Base of the URLs, such as `ws://127.0.0.1:4000`. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #pending = new Map<string, Pending>();
  /** Targets of requests that nobody asked for: a client must not try again, nor follow a redirect, on its own. */
  #strangers: string[] = [];
  #runs = 0;

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo; // the cast: a listening TCP server has an address with a port
    this.url = `ws://127.0.0.1:${port}`;
    server.on("connection", (socket: Socket) => this.#accept(socket));
  }

  /** Starts a server. */
  static async start(): Promise<FuzzingServer> {
    // With half-open connections the server sees the client's end, and decides itself when it ends.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, "127.0.0.1", resolve));
    return new FuzzingServer(server);
  }

  /** Prepares a run: returns its number, its URL and the connection that will come. */
  expect(plan: Plan): { run: number; url: string; peer: Promise<Peer> } {
    const run = ++this.#runs;
    const target = `/run/${run}?agent=rawtick`;
    const peer = new Promise<Peer>((resolve) => this.#pending.set(target, { plan, resolve }));
    return { run, url: `${this.url}${target}`, peer };
  }

  /** The targets of requests that came unasked since the last call. */
  takeStrangers(): string[] {
    const strangers = this.#strangers;
    this.#strangers = [];
    return strangers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    // Errors show as the end of the connection.
    socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
    let bytes = Buffer.alloc(0);
    const onData = (chunk: Uint8Array): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      socket.off("data", onData);
      this.#answer(socket, bytes.toString("latin1", 0, end), bytes.subarray(end + 4));
    };
    socket.on("data", onData);
  }

  #answer(socket: Socket, head: string, rest: Uint8Array): void {
    const request = parseRequest(head);
    const pending = this.#pending.get(request.target);
    if (pending === undefined) {
      this.#strangers.push(request.target);
      socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    this.#pending.delete(request.target);
    const answer = pending.plan.respond?.(request) ?? { head: answerTo(request) };
    const peer = new Peer(socket, request, rest, answer.deflate);
    socket.write(Buffer.concat([Buffer.from(answer.head, "latin1"), answer.greeting ?? Buffer.alloc(0)]));
    pending.resolve(peer);
  }
}
