/**
 * The local exchange: its connections, its counters and its switches.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { Opcode } from "../transport/native/mod.ts";
import { Admission } from "./admission.ts";
import { LocalApis } from "./api/local_apis.ts";
import type { LocalAccount, LocalAccountOptions } from "./api/local_account.ts";
import type { LocalExchangeApi } from "./api/local_api.ts";
import { checkReason, pingPayload } from "./frame_arguments.ts";
import { createFeeds, type Feeds } from "./feed/feeds.ts";
import { type Acceptor, listen, type Listener, type ListenerHost } from "./listener.ts";
import { ConnectLimit } from "./connect_limit.ts";
import { checkKill, checkRates } from "./fault_arguments.ts";
import type { CloseOptions, KillOptions, ThrottleOptions } from "./fault_options.ts";
import type { LocalExchange } from "./local_exchange.ts";
import type { ResolvedOptions } from "./options.ts";
import type { ControlMessageRecord, HandshakeRecord, LocalConnection } from "./records.ts";
import type { StreamTarget } from "./request_target.ts";
import { Session } from "./session.ts";
import type { SessionHost } from "./session_host.ts";
import { Shutdowns } from "./shutdowns.ts";
import type { ConnectionStatistics, LocalExchangeStatistics } from "./statistics.ts";
import { SwitchPanel } from "./switch_panel.ts";
import { describeState, Waiters } from "./waiters.ts";

/** The code of closes that Binance documents no code for: the server goes away (RFC 6455 7.4.1). */
const GOING_AWAY = 1001;
const DEFAULT_WAIT_MS = 5000;

/** Starts the server of an exchange. */
export async function startExchangeServer(options: ResolvedOptions): Promise<LocalExchange> {
  const server = new ExchangeServer(options);
  await server.start();
  return server;
}

class ExchangeServer extends SwitchPanel implements LocalExchange {
  readonly controlMessages: ControlMessageRecord[] = [];
  readonly handshakes: HandshakeRecord[] = [];
  totalConnections = 0;
  totalHandshakes = 0;
  refusedHandshakes = 0;
  messagesSent = 0;
  pingsReceived = 0;
  pongsReceived = 0;
  unsolicitedPongsReceived = 0;
  readonly api: LocalExchangeApi;
  readonly #options: ResolvedOptions;
  readonly #apis: LocalApis;
  readonly #feeds: Feeds;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Session>();
  /** Of every connection that ever was, by its number. */
  readonly #statistics: (() => ConnectionStatistics)[] = [];
  readonly #connectLimit: ConnectLimit;
  readonly #admission: Admission;
  readonly #waiters = new Waiters();
  readonly #shutdowns: Shutdowns;
  readonly #sessionHost: SessionHost;
  #listener: Listener | undefined;

  constructor(options: ResolvedOptions) {
    super();
    this.#options = options;
    this.#feeds = createFeeds(options);
    this.#shutdowns = new Shutdowns(options.clock, () => this.#waiters.notify());
    this.#connectLimit = new ConnectLimit(options.clock, options.limits);
    this.#apis = new LocalApis({
      clock: options.clock,
      firstBanMs: options.limits.banMs,
      pushToKey: (key, type, text) => {
        for (const session of this.#open()) if (session.receivesEvent(key, type)) session.pushUnlessSilent(key, text);
      },
      onActivity: () => this.#waiters.notify(),
    });
    this.api = this.#apis.panel;
    this.#admission = new Admission(this.switches, this.#connectLimit, options.rules, this.#apis.service);
    this.#sessionHost = {
      ...options,
      switches: this.switches,
      createFeed: (client) => this.#feeds.create(client),
      api: this.#apis.service,
      onMessagesSent: (count) => {
        this.messagesSent += count;
        this.#waiters.notify();
      },
      onControl: (connectionId, text) => {
        const at = options.clock.now();
        this.controlMessages.push({ connectionId, at, text, bytes: Buffer.byteLength(text) });
      },
      onPing: () => void this.pingsReceived++,
      onPong: (isAnswer) => {
        this.pongsReceived++;
        if (!isAnswer) this.unsolicitedPongsReceived++;
      },
    };
  }

  async start(): Promise<void> {
    this.#listener = await listen(this.#options.port, this.#options.tls, this.#listenerHost());
  }

  get port(): number {
    return this.#listener?.port ?? this.#options.port;
  }

  get url(): string {
    return `${this.#options.tls === undefined ? "ws" : "wss"}://127.0.0.1:${this.port}`;
  }

  get restUrl(): string {
    return this.url.replace(/^ws/, "http");
  }

  account(options: LocalAccountOptions): LocalAccount {
    return this.#apis.account(options);
  }

  get connections(): number {
    return this.#sockets.size;
  }

  get openConnections(): LocalConnection[] {
    return this.#open().map(({ id, isCombined, streams }) => ({ id, isCombined, streams }));
  }

  get statistics(): LocalExchangeStatistics {
    const connections = this.#statistics.map((read) => read());
    return {
      maxConnectionAttempts: this.#connectLimit.peak,
      maxFramesPerSecond: Math.max(0, ...connections.map(({ maxFramesPerSecond }) => maxFramesPerSecond)),
      published: this.#feeds.published(),
      connections,
    };
  }

  waitFor(condition: () => boolean, timeoutMs: number = DEFAULT_WAIT_MS): Promise<void> {
    return this.#waiters.wait(condition, timeoutMs, () => describeState(this));
  }

  waitForConnections(count: number, timeoutMs?: number): Promise<void> {
    return this.waitFor(() => this.connections === count && this.#open().length === count, timeoutMs);
  }

  broadcast(text: string): void {
    for (const session of this.#open()) session.send(text);
  }

  send(connectionId: number, data: string | Uint8Array): void {
    this.#find(connectionId).send(data);
  }

  sendFragmented(parts: readonly (string | Uint8Array)[], type?: "text" | "binary"): void {
    const isText = type === undefined ? typeof parts[0] === "string" : type === "text";
    const payloads = parts.map((part) => typeof part === "string" ? Buffer.from(part) : part);
    for (const session of this.#open()) session.sendFragmented(payloads, isText ? Opcode.Text : Opcode.Binary);
  }

  push(stream: string, payload: unknown): number {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    const receivers = this.#open().filter((session) => session.receives(stream));
    for (const session of receivers) session.push(stream, text);
    return receivers.length;
  }

  ping(payload: string | Uint8Array = String(this.#options.clock.now())): void {
    const bytes = pingPayload(payload);
    for (const session of this.#open()) session.ping(bytes);
  }

  goSilent(on: boolean): void {
    this.switches.silent = on;
    for (const session of this.#sessions) session.wake();
  }

  stallConnection(connectionId: number, on: boolean = true): void {
    const session = this.#find(connectionId);
    session.isStalled = on;
    session.wake();
  }

  throttle(options: ThrottleOptions | undefined): void {
    checkRates(options);
    this.switches.throttle = options ?? {};
    for (const session of this.#sessions) session.throttle();
  }

  closeConnections(code: number = 1000, reason: string = ""): void {
    checkReason(reason);
    for (const session of this.#open()) session.close(code, reason);
    this.#waiters.notify();
  }

  killConnections(): void {
    for (const session of this.#sessions) session.leave();
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  killConnection(connectionId: number, options: KillOptions = {}): void {
    checkKill(options);
    this.#find(connectionId).kill(options);
  }

  endConnections(): void {
    for (const session of this.#sessions) session.leave();
    for (const socket of this.#sockets) socket.end();
  }

  serverShutdown(graceMs: number = 0, { code = GOING_AWAY, reason = "" }: CloseOptions = {}): Promise<void> {
    checkReason(reason);
    return this.#shutdowns.announce(this.#open(), graceMs, code, reason);
  }

  cut24h(options: CloseOptions = {}): void {
    this.closeConnections(options.code ?? GOING_AWAY, options.reason);
  }

  async acceptConnections(on: boolean): Promise<void> {
    await this.#listener?.accept(on);
  }

  async close(): Promise<void> {
    this.#shutdowns.finish();
    this.#feeds.close();
    this.#apis.close();
    await this.#listener?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #find(connectionId: number): Session {
    const open = this.#open();
    const session = connectionId === -1 ? open.at(-1) : open.find(({ id }) => id === connectionId);
    if (session !== undefined) return session;
    const ids = open.map(({ id }) => id).join(", ");
    throw new RangeError(`Cannot use the connection ${connectionId}: open are ${ids === "" ? "none" : ids}`);
  }

  #open(): Session[] {
    return [...this.#sessions].filter(({ isOpen }) => isOpen);
  }

  #listenerHost(): ListenerHost {
    return {
      onConnection: (socket) => {
        this.totalConnections++;
        this.#connectLimit.count(socket.remoteAddress ?? "");
        this.#sockets.add(socket);
        this.#waiters.notify();
      },
      onDisconnection: (socket) => {
        this.#sockets.delete(socket);
        this.#waiters.notify();
      },
      onActivity: () => this.#waiters.notify(),
      onHandshake: (target, headers, ip) => this.#handshake(target, headers, ip),
      onBadRequest: () => void this.refusedHandshakes++,
      servesRequest: (path) => this.#apis.rest.serves(path),
      onRequest: (request, reply) => this.#apis.rest.answer(request, reply),
    };
  }

  #handshake(target: string, headers: Readonly<Record<string, string>>, ip: string) {
    const answer = this.#admission.decide(target, ip);
    const status = answer === undefined ? 0 : "status" in answer ? answer.status : 101;
    this.handshakes.push({ at: this.#options.clock.now(), target, headers, status });
    if (answer === undefined) return undefined;
    if ("status" in answer) {
      this.refusedHandshakes++;
      return answer;
    }
    return (socket: Socket) => this.#accept(socket, answer);
  }

  #accept(socket: Socket, target: StreamTarget): Acceptor {
    const session = new Session(this.totalHandshakes++, socket, target, this.#sessionHost);
    this.#sessions.add(session);
    this.#statistics.push(() => session.statistics);
    session.start();
    return {
      receive: (chunk) => session.receive(chunk),
      dispose: () => {
        this.#sessions.delete(session);
        session.dispose();
        const { statistics } = session;
        this.#statistics[session.id] = () => statistics;
        this.#waiters.notify();
      },
    };
  }
}
