/**
 * A small exchange for account events, for what the local exchange would not do: it answers as each test says, and shows all
 * that it was asked.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { type RawServer, startRawServer, switchingProtocols } from "./support.ts";

/** A REST request that came. */
export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly apiKey: string;
}

/** An answer to one. */
export interface RestAnswer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request over the WebSocket API that came. */
export interface ApiCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A connection that came. */
export class PeerConnection {
  /** Subscriptions by id: the API keys whose events come. */
  readonly subscriptions = new Map<number, string>();
  isOpen = true;
  #nextId = 0;
  readonly #socket: Socket;

  constructor(readonly target: string, socket: Socket) {
    this.#socket = socket;
    socket.on("close", () => this.isOpen = false);
  }

  /** Sends texts, all in one chunk. */
  send(...values: unknown[]): void {
    const frames = values.map((value) => frame(1, typeof value === "string" ? value : JSON.stringify(value)));
    this.#socket.write(Buffer.concat(frames));
  }

  /** Cuts the connection without a word. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Subscribes an account; returns the id. */
  subscribe(apiKey: string): number {
    this.subscriptions.set(this.#nextId, apiKey);
    return this.#nextId++;
  }

  /** Sends an event to the subscriptions of an account. */
  emit(apiKey: string, event: object): void {
    for (const [subscriptionId, key] of this.subscriptions) if (key === apiKey) this.send({ subscriptionId, event });
  }
}

/** The exchange. */
export class UserDataPeer implements AsyncDisposable {
  readonly rest: RestRequest[] = [];
  readonly calls: ApiCall[] = [];
  readonly connections: PeerConnection[] = [];
  /** Valid listen keys by API key. */
  readonly listenKeys = new Map<string, string>();
  /** Answers before the default does; `undefined` leaves it to that, `"silence"` gives no answer. */
  onRest: (request: RestRequest) => RestAnswer | "silence" | undefined = () => undefined;
  /** The same for the WebSocket API. */
  onCall: (
    call: ApiCall,
    connection: PeerConnection,
  ) => { readonly status?: number; readonly error: object } | "silence" | undefined = () => undefined;
  #server!: RawServer;
  #keys = 0;

  /** Starts it. */
  static async start(): Promise<UserDataPeer> {
    const peer = new UserDataPeer();
    peer.#server = await startRawServer((head, socket) => peer.#serve(head, socket));
    return peer;
  }

  /** Where it listens, such as `http://127.0.0.1:1234`. */
  url(scheme: "http" | "ws"): string {
    return this.#server.url.replace("ws:", `${scheme}:`).replace(/\/$/, "");
  }

  /** The connections that are open. */
  get open(): PeerConnection[] {
    return this.connections.filter(({ isOpen }) => isOpen);
  }

  /** Which REST requests came, in short. */
  get restLines(): string[] {
    return this.rest.map(({ method, path }) => `${method} ${path}`);
  }

  /** Which methods of the WebSocket API were called, but for `time`. */
  get methods(): string[] {
    return this.calls.map(({ method }) => method).filter((method) => method !== "time");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #serve(head: string, socket: Socket): void {
    const [method = "", target = ""] = head.split(" ");
    if (/^upgrade: *websocket/im.test(head)) return this.#upgrade(head, target, socket);
    const { pathname: path, searchParams: query } = new URL(target, "http://localhost");
    const apiKey = /^x-mbx-apikey: *(\S+)/im.exec(head)?.[1] ?? "";
    const request = { method, path, query, apiKey };
    this.rest.push(request);
    const answer = this.onRest(request) ?? this.#answerRest(request);
    if (answer === "silence") return;
    const { status = 200, body, headers = {} } = answer;
    const text = JSON.stringify(body);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.end(
      `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
        `${lines}Connection: close\r\n\r\n${text}`,
    );
  }

  #answerRest({ method, path, apiKey, query }: RestRequest): RestAnswer {
    if (path === "/sapi/v1/userListenToken") {
      const validity = Number(query.get("validity") ?? 86_400_000);
      return { body: { token: `token-${apiKey}-${++this.#keys}`, expirationTime: Date.now() + validity } };
    }
    const known = this.listenKeys.get(apiKey);
    const named = query.get("listenKey") ?? known;
    if (method === "POST") {
      const listenKey = known ?? `Key${++this.#keys}${"x".repeat(40)}`;
      this.listenKeys.set(apiKey, listenKey);
      return { body: { listenKey } };
    }
    if (known === undefined || named !== known) {
      return { status: 400, body: { code: -1125, msg: "This listenKey does not exist." } };
    }
    if (method === "DELETE") this.listenKeys.delete(apiKey);
    return { body: { listenKey: known } };
  }

  #upgrade(head: string, target: string, socket: Socket): void {
    const connection = new PeerConnection(target, socket);
    socket.write(switchingProtocols(head));
    this.connections.push(connection);
    let rest: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let parsed = parse(rest); parsed !== undefined; parsed = parse(rest)) {
        rest = rest.subarray(parsed.size);
        if (parsed.opcode === 1) this.#receive(connection, parsed.payload.toString());
        else if (parsed.opcode === 8) socket.end(frame(8, parsed.payload));
        else if (parsed.opcode === 9) socket.write(frame(10, parsed.payload));
      }
    });
  }

  #receive(connection: PeerConnection, text: string): void {
    const { id, method, params = {} } = JSON.parse(text);
    const call = { id, method, params };
    this.calls.push(call);
    const own = this.onCall(call, connection);
    if (own === "silence") return;
    if (own !== undefined) return connection.send({ id, status: 400, ...own });
    const result = this.#answerCall(call, connection);
    connection.send({ id, ...("code" in result ? { status: 400, error: result } : { status: 200, result }) });
  }

  #answerCall({ method, params }: ApiCall, connection: PeerConnection): object {
    switch (method) {
      case "time":
        return { serverTime: Date.now() };
      case "session.subscriptions":
        return [...connection.subscriptions.keys()].map((subscriptionId) => ({ subscriptionId }));
      case "userDataStream.unsubscribe":
        connection.subscriptions.delete(Number(params.subscriptionId));
        return {};
      case "userDataStream.subscribe.signature":
        return this.#subscribe(connection, String(params.apiKey));
      case "userDataStream.subscribe.listenToken": {
        const apiKey = String(params.listenToken).split("-")[1] ?? "";
        const active = [...connection.subscriptions].find(([, key]) => key === apiKey)?.[0];
        return { subscriptionId: active ?? connection.subscribe(apiKey), expirationTime: 0 };
      }
    }
    return method === "LIST_SUBSCRIPTIONS" ? [] : { code: -1020, msg: "This operation is not supported." };
  }

  #subscribe(connection: PeerConnection, apiKey: string): object {
    const isActive = [...connection.subscriptions.values()].includes(apiKey);
    if (isActive) return { code: -2035, msg: "User Data Stream subscription already active." };
    return { subscriptionId: connection.subscribe(apiKey) };
  }
}

/** A frame of a server: final and not masked (RFC 6455 5.2). */
function frame(opcode: number, payload: string | Buffer): Buffer {
  const data = Buffer.from(payload);
  const head = data.length < 126 ? Buffer.from([0x80 | opcode, data.length]) : Buffer.from([0x80 | opcode, 126, 0, 0]);
  if (data.length >= 126) head.writeUInt16BE(data.length, 2);
  return Buffer.concat([head, data]);
}

/** The first frame of a client, which is masked and short. */
function parse(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 6) return undefined;
  const isLong = (bytes[1]! & 0x7f) === 126;
  const length = isLong ? bytes.readUInt16BE(2) : bytes[1]! & 0x7f;
  const start = isLong ? 8 : 6;
  if (bytes.length < start + length) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, start + length).map((byte, index) => byte ^ mask[index % 4]!));
  return { opcode: bytes[0]! & 0x0f, payload, size: start + length };
}
