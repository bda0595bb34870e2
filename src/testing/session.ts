/**
 * One connection of a client: what it subscribed, what it is sent, and how it ends.
 *
 * @module
 */

import type { Socket } from "node:net";
import { WebSocketProtocolError } from "../base/mod.ts";
import { encodeClose, encodeFrame, encodeText, FrameReader, Opcode } from "../transport/native/mod.ts";
import type { ApiConnection } from "./api/api_connection.ts";
import { apiClientOf } from "./api_client.ts";
import { checkUrlStreams } from "./control.ts";
import { ControlDesk } from "./control_desk.ts";
import type { KillOptions } from "./fault_options.ts";
import { combinedHead, type Feed } from "./feed/feed.ts";
import { feedClientOf } from "./feed_client.ts";
import { FrameWindow } from "./frame_window.ts";
import { Keepalive } from "./keepalive.ts";
import { Ledger } from "./ledger.ts";
import { Pump } from "./pump.ts";
import type { StreamTarget } from "./request_target.ts";
import type { SessionHost } from "./session_host.ts";
import { SessionTimers } from "./session_timers.ts";
import type { ConnectionStatistics } from "./statistics.ts";
import { Wire } from "./wire.ts";

/** Largest message of a client that is read; no control message comes near it. */
const MAXIMUM_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Longest time in ms that the client may take to answer a Close frame. */
const CLOSE_TIMEOUT_MS = 1000;
/** RFC 6455 7.4.1: a message violates the policy. */
const POLICY_VIOLATION = 1008;
const UNMASKED = { mask: false };

/** A connection after its handshake. */
export class Session {
  /** Number of the connection, from 0. */
  readonly id: number;
  /** What the handshake asked for. */
  readonly target: StreamTarget;
  /** Whether this connection alone says and obeys nothing, as all do while the exchange is silent. */
  isStalled = false;
  readonly #socket: Socket;
  readonly #wire: Wire;
  readonly #ledger = new Ledger();
  readonly #times: { readonly openedAt: number; closedAt: number | undefined };
  #closeSent: ConnectionStatistics["closeSent"];
  readonly #host: SessionHost;
  readonly #desk: ControlDesk;
  readonly #api: ApiConnection | undefined;
  readonly #reader: FrameReader;
  readonly #window: FrameWindow;
  readonly #keepalive: Keepalive;
  readonly #feed: Feed;
  readonly #pump: Pump;
  readonly #timers: SessionTimers;
  #isClosing = false;

  /** Creates the session of a socket whose handshake was answered. */
  constructor(id: number, socket: Socket, target: StreamTarget, host: SessionHost) {
    this.id = id;
    this.target = target;
    this.#socket = socket;
    this.#host = host;
    this.#times = { openedAt: host.clock.now(), closedAt: undefined };
    this.#timers = new SessionTimers(host.clock);
    this.#wire = new Wire(socket, host.clock, () => this.leave());
    // Requests of the WebSocket API are limited by their weight.
    const framesPerSecond = target.api !== undefined ? Infinity : host.limits.framesPerSecond;
    this.#window = new FrameWindow(host.clock, framesPerSecond);
    this.#reader = new FrameReader({
      onText: (text) => this.#onText(text),
      onBinary: () => void this.#count(),
      onPing: (payload) => this.#onPing(payload),
      onPong: (payload) => this.#onPong(payload),
      onClose: (code, reason) => this.#onClose(code, reason),
    }, { role: "server", maxMessageBytes: MAXIMUM_MESSAGE_BYTES });
    this.#keepalive = new Keepalive({
      clock: host.clock,
      intervalMs: host.pingIntervalMs,
      timeoutMs: host.pongTimeoutMs,
      sendPing: (payload) => this.#write(encodeFrame(Opcode.Ping, payload, UNMASKED)),
      isHeld: () => this.isSilent,
      onTimeout: () => void (this.isSilent || this.close(POLICY_VIOLATION, "Pong timeout")),
    });
    this.#desk = new ControlDesk(target.isCombined, host, {
      isSilent: () => this.isSilent,
      reply: (text) => this.#write(encodeText(text, UNMASKED)),
      close: () => this.close(POLICY_VIOLATION, "Invalid request"),
      later: (ms, action) => this.#timers.later(ms, action),
      subscribed: (streams) => {
        const served = streams.filter((stream) => this.receives(stream));
        if (served.length > 0) this.#feed.add(served);
      },
      unsubscribed: (streams) => this.#feed.remove(streams),
    });
    const { api } = target;
    this.#api = api && host.api.open(apiClientOf(this, this.#desk, this.#timers), api.name, api);
    this.#feed = host.createFeed(
      feedClientOf(this, host, this.#ledger, {
        wake: () => this.#pump.wake(),
        overflow: () => {
          this.leave();
          this.#socket.destroy();
        },
      }),
    );
    this.#pump = new Pump(this.#wire, this.#feed, () => this.isSilent, (count) => host.onMessagesSent(count));
  }

  /** The names of the subscribed streams, in the order of their subscription. */
  get streams(): readonly string[] {
    return [...this.#desk.streams];
  }

  /** Whether data is wrapped as `{"stream":…,"data":…}`. */
  get isCombined(): boolean {
    return this.#desk.isCombined;
  }

  /** What happened so far. */
  get statistics(): ConnectionStatistics {
    return {
      id: this.id,
      ...this.#times,
      closeSent: this.#closeSent,
      maxFramesPerSecond: this.#window.peak,
      subscribes: this.#desk.subscribes,
      sent: this.#ledger.entries,
    };
  }

  /** Whether messages can be sent: from the handshake until either side starts to close. */
  get isOpen(): boolean {
    return !this.#isClosing && !this.#socket.destroyed;
  }

  /** Whether `stream` is subscribed and served on the connection's path. */
  receives(stream: string): boolean {
    return this.#desk.streams.has(stream) && this.#host.rules.serves(this.target.route, stream);
  }

  /** Whether it is sent events of this type that come by a listen key. */
  receivesEvent(listenKey: string, type: string): boolean {
    return this.receives(listenKey) && this.target.events.get(listenKey)?.has(type) !== false;
  }

  /** Starts pings, and the streams that the URL named. */
  start(): void {
    const { limits, maxConnectionAgeMs, switches } = this.#host;
    this.#wire.throttle(switches.throttle);
    this.#keepalive.start();
    this.#timers.later(maxConnectionAgeMs, () => this.close(1001, ""));
    const error = checkUrlStreams(this.target.streams, limits.streamsPerConnection);
    if (error === undefined) return this.#desk.subscribe(this.target.streams);
    this.#write(encodeText(error, UNMASKED));
    this.close(POLICY_VIOLATION, "Invalid request");
  }

  /** Takes bytes from the socket. */
  receive(chunk: Uint8Array): void {
    this.#wire.noteRead(chunk.length);
    try {
      this.#reader.push(chunk);
    } catch (error) {
      if (!(error instanceof WebSocketProtocolError)) throw error;
      this.close(error.closeCode, "");
    }
  }

  /** Sends a message, whatever the switches say. */
  send(data: string | Uint8Array): void {
    if (!this.isOpen) return;
    this.#write(
      typeof data === "string" ? encodeText(data, UNMASKED) : encodeFrame(Opcode.Binary, data, UNMASKED),
    );
    this.#host.onMessagesSent(1);
  }

  /** Sends a message in as many frames as there are parts. */
  sendFragmented(parts: readonly Uint8Array[], opcode: Opcode): void {
    if (!this.isOpen) return;
    for (const [index, part] of parts.entries()) {
      const fin = index === parts.length - 1;
      this.#write(encodeFrame(index === 0 ? opcode : Opcode.Continuation, part, { fin, mask: false }));
    }
    this.#host.onMessagesSent(1);
  }

  /** Sends the payload of a stream in the connection's form. */
  push(stream: string, payload: string): void {
    // Binance web-socket-api.md, "Event format": there is no stream, and no subscription either.
    if (this.#api !== undefined) return this.send(`{"event":${payload}}`);
    this.send(this.isCombined ? `${combinedHead(stream)}${payload}}` : payload);
  }

  /** The same for what the exchange sends by itself: nothing while it is silent. */
  pushUnlessSilent(stream: string, payload: string): void {
    if (!this.isSilent) this.push(stream, payload);
  }

  /** Sends a ping. */
  ping(payload: Uint8Array): void {
    if (this.isOpen) this.#keepalive.ping(payload);
  }

  /** A switch has changed that concerns what is on its way. */
  wake(): void {
    this.#pump.wake();
  }

  /** The switch of slowness has changed. */
  throttle(): void {
    this.#wire.throttle(this.#host.switches.throttle);
  }

  /** Kills the TCP connection, now or at a place in what is sent. */
  kill(options: KillOptions): void {
    this.#wire.kill(options);
  }

  /** Sends a Close frame and ends the connection once it is answered. Code 1005 sends one without a code. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#startClosing();
    this.#closeSent = { code, reason };
    this.#write(encodeClose(code, reason, UNMASKED));
  }

  /** Sends nothing any more, not even a Close frame: the socket is about to be ended by someone else. */
  leave(): void {
    this.#startClosing();
  }

  /** The socket is closed: releases everything. */
  dispose(): void {
    this.#startClosing();
    this.#times.closedAt = this.#host.clock.now();
    this.#wire.dispose();
    if (this.#api !== undefined) this.#host.api.drop(this.#api);
    this.#timers.cancel();
  }

  /** Whether it says and obeys nothing: told so, or about to end. */
  get isSilent(): boolean {
    return this.#host.switches.silent || this.isStalled || this.#isClosing;
  }

  #write(frame: Uint8Array): void {
    this.#wire.write(frame);
  }

  #startClosing(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#pump.close();
    this.#feed.close();
    this.#keepalive.stop();
    // Real time also in tests that move the clock: the client on the other side of the socket has its own.
    const timeout = setTimeout(() => this.#socket.destroy(), CLOSE_TIMEOUT_MS);
    this.#timers.add({ cancel: () => clearTimeout(timeout) });
  }

  /** Counts a frame of the client; returns whether it is to be obeyed. */
  #count(): boolean {
    const isWithinLimit = this.#window.take();
    if (this.isSilent) return false;
    if (isWithinLimit) return true;
    this.close(POLICY_VIOLATION, "Too many requests");
    return false;
  }

  #onPing(payload: Uint8Array): void {
    this.#host.onPing();
    if (!this.#count() || this.#host.switches.ignorePings) return;
    this.#write(encodeFrame(Opcode.Pong, payload, UNMASKED));
  }

  #onPong(payload: Uint8Array): void {
    this.#host.onPong(this.#keepalive.pong(payload));
    this.#count();
  }

  #onClose(code: number, reason: string): void {
    if (this.#isClosing) return void this.#socket.end();
    if (this.isSilent || this.#host.switches.ignoreClose) return;
    this.close(code, reason);
    this.#socket.end();
  }

  #onText(text: string): void {
    this.#host.onControl(this.id, text);
    if (this.#api === undefined) {
      if (this.#count()) this.#desk.handle(text);
    } else if (!this.isSilent) {
      this.#host.api.handle(this.#api, text);
    }
  }
}
