/**
 * The server's side of one connection: what a case does with it, and the record of what the client did.
 *
 * @module
 */

import type { Socket } from "node:net";
import { concat, piecesOf } from "./bytes.ts";
import type { DeflateSession } from "./deflate.ts";
import { describe, describeClose } from "./description.ts";
import { type ClientEvent, FrameDecoder } from "./frame_decoder.ts";
import { close } from "./frames.ts";
import type { UpgradeRequest } from "./upgrade.ts";

/** Longest time in ms that a client may need for something that it has to do. */
const PATIENCE_MS = 3_000;
/** Time in ms after which a client that should have failed the connection, and did not, is taken to go on. */
const REACTION_MS = 400;
/** Up to so many parts that are sent apart, the client gets the time to answer each. */
const FEW = 100;

/** One upgraded connection. */
export class Peer {
  readonly request: UpgradeRequest;
  /** What the client did, in words. */
  readonly wire: string[] = [];
  /** Whether RSV1 was set on the client's messages, in order. */
  readonly compressed: boolean[] = [];
  /** The permessage-deflate of this connection. */
  readonly deflate: DeflateSession | undefined;
  readonly #socket: Socket;
  readonly #decoder: FrameDecoder;
  /** The client's events are looked at one after the other: inflating takes its time. */
  #work: Promise<void> = Promise.resolve();
  #messages = 0;
  #closed = false;
  #ended = false;
  #reset = false;
  #wake: () => void = () => {};

  constructor(socket: Socket, request: UpgradeRequest, rest: Uint8Array, deflate: DeflateSession | undefined) {
    this.#socket = socket;
    this.request = request;
    this.deflate = deflate;
    this.wire.push(...request.faults.map((fault) => `violation: ${fault}`));
    this.#decoder = new FrameDecoder(deflate !== undefined);
    socket.on("data", (bytes) => this.#read(bytes));
    socket.on("end", () => this.#end());
    socket.on("close", () => this.#end());
    socket.on("error", () => this.#reset = true);
    if (rest.length > 0) this.#read(rest);
  }

  /** Whether the client has cut the connection with a RST, which can take along what it sent before. */
  get wasReset(): boolean {
    return this.#reset;
  }

  /** Whether the client has closed or left. */
  get isOver(): boolean {
    return this.#closed || this.#ended;
  }

  /** Sends bytes in one write. */
  send(...parts: readonly Uint8Array[]): Promise<void> {
    return this.sendAll(parts);
  }

  /** Sends bytes in one write; there may be more parts than arguments of a call. */
  sendAll(parts: readonly Uint8Array[]): Promise<void> {
    return this.#write(concat(parts));
  }

  /** Sends each part in a write of its own, until the client has closed or left. */
  async sendApart(...parts: readonly Uint8Array[]): Promise<void> {
    await this.#sendEach(parts);
  }

  /** Sends bytes in writes of `size` bytes, until the client has closed or left. */
  async sendChopped(size: number, ...parts: readonly Uint8Array[]): Promise<void> {
    await this.#sendEach(piecesOf(concat(parts), size));
  }

  /** Waits until the client has sent `count` messages, pings and pongs in all, or has closed or left. */
  async received(count: number, patienceMs: number = PATIENCE_MS): Promise<boolean> {
    return await this.#until(() => this.#messages >= count || this.isOver, patienceMs) && this.#messages >= count;
  }

  /** Waits until the client has closed or left; returns whether it has. */
  async gone(patienceMs: number = REACTION_MS): Promise<boolean> {
    return await this.#until(() => this.isOver, patienceMs);
  }

  /** Closes as a server does: Close frame, the client's Close frame, then the end of TCP. */
  async close(code?: number, reason?: string): Promise<void> {
    if (!this.isOver) await this.send(close(code, reason));
    await this.finish();
  }

  /** For a client that has to fail the connection: if it doesn't, the server closes with 1000, which is on record. */
  async closeUnlessGone(patienceMs: number = REACTION_MS): Promise<void> {
    if (!await this.gone(patienceMs)) await this.close(1000);
    else await this.finish();
  }

  /** Waits for the client's Close frame, ends TCP as the server has to (RFC 6455 7.1.1), and waits for its end. */
  async finish(): Promise<void> {
    await this.#until(() => this.isOver, PATIENCE_MS);
    await this.#work;
    this.#socket.end();
    if (!await this.#until(() => this.#ended, PATIENCE_MS)) this.wire.push("violation: the client leaves TCP open");
    this.#socket.destroy();
  }

  /** Sends the end of TCP without a Close frame. */
  endTcp(): void {
    this.#socket.end();
  }

  /** Cuts the connection with a RST. */
  cut(): void {
    this.#socket.resetAndDestroy();
  }

  /** Waits for the client's end of TCP without ending ours; returns whether it came. */
  async left(patienceMs: number = PATIENCE_MS): Promise<boolean> {
    return await this.#until(() => this.#ended, patienceMs);
  }

  /** Reads nothing for a while, so that the client's send buffer fills. */
  pause(): void {
    this.#socket.pause();
  }

  /** Reads again. */
  resume(): void {
    this.#socket.resume();
  }

  /** Lets go of the connection, whatever its state. */
  destroy(): void {
    this.#socket.destroy();
  }

  async #sendEach(parts: readonly Uint8Array[]): Promise<void> {
    for (const part of parts) {
      if (this.isOver) return;
      await this.#write(part);
      // The client reads the part by itself, and what it says to it is read before the next write. Many parts are for
      // cases in which it says nothing before the last one.
      await new Promise<void>((resolve) => parts.length > FEW ? setImmediate(resolve) : setTimeout(resolve, 1));
    }
  }

  #write(bytes: Uint8Array): Promise<void> {
    // A client that has left makes a write fail, which is not what a case is about.
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  #read(bytes: Uint8Array): void {
    const events = this.#decoder.push(bytes);
    if (this.deflate === undefined) events.forEach((event) => this.#take(event));
    else this.#work = this.#work.then(() => this.#inflateAll(events));
    this.#wake();
  }

  async #inflateAll(events: readonly ClientEvent[]): Promise<void> {
    for (const event of events) {
      if ((event.kind === "text" || event.kind === "binary") && event.compressed) {
        try {
          const payload = await this.deflate?.decompress(event.payload) ?? event.payload;
          this.#take({ ...event, payload });
        } catch (error) {
          this.#take({ kind: "violation", what: `a message can't be inflated: ${error}` });
        }
      } else this.#take(event);
    }
    this.#wake();
  }

  #take(event: ClientEvent): void {
    switch (event.kind) {
      case "text":
      case "binary":
        this.compressed.push(event.compressed);
        this.#messages++;
        this.wire.push(describe(event.kind, event.payload));
        break;
      case "ping":
      case "pong":
        this.#messages++;
        this.wire.push(describe(event.kind, event.payload));
        break;
      case "close":
        this.#closed = true;
        this.wire.push(describeClose(event.code, event.reason));
        break;
      case "violation":
        this.#closed = true;
        this.wire.push(`violation: ${event.what}`);
    }
  }

  #end(): void {
    // Inflating what came before the end may still be under way.
    this.#work = this.#work.then(() => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** Waits until `condition` holds, at most `ms`; returns whether it does. */
  async #until(condition: () => boolean, ms: number): Promise<boolean> {
    const end = performance.now() + ms;
    while (!condition()) {
      const left = end - performance.now();
      if (left <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return true;
  }
}
