/**
 * A proxy for the tests of the tunnel that says, byte by byte, what a test tells it to: right or wrong.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { certificate } from "./native_server.ts";

/** The proxy's side of one connection. */
export class ProxyPeer {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake = (): void => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd);
  }

  /** The next `count` bytes; never, if the client has gone. */
  async read(count: number): Promise<Buffer> {
    while (this.#received.length < count) await this.#more();
    const bytes = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return bytes;
  }

  /** Everything up to and with `end`, as text. */
  async readUntil(end: string): Promise<string> {
    while (!this.#received.includes(end)) await this.#more();
    return (await this.read(this.#received.indexOf(end) + end.length)).toString("latin1");
  }

  /** Writes bytes in pieces that end at the offsets `cuts`, each gone before the next. */
  async write(bytes: string | Uint8Array, ...cuts: readonly number[]): Promise<void> {
    const all = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
    let from = 0;
    for (const to of [...cuts, all.length]) {
      await new Promise<void>((resolve) => this.socket.write(all.subarray(from, to), () => resolve()));
      // The client has its turn in this same process.
      await new Promise((resolve) => setTimeout(resolve, 1));
      from = to;
    }
  }

  /** Relays both ways between the client and a server from here on, until one of them ends. */
  relayTo(port: number, host = "127.0.0.1"): Socket {
    const { socket } = this;
    const upstream = connect({ port, host });
    socket.off("data", this.#onData);
    upstream.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
    upstream.write(this.#received);
    socket.pipe(upstream).pipe(socket);
    return upstream;
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#received = Buffer.concat([this.#received, chunk]);
    this.#wake();
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#wake();
  };

  #more(): Promise<void> {
    return this.#ended ? new Promise(() => {}) : new Promise((resolve) => this.#wake = resolve);
  }
}

/** A raw proxy on 127.0.0.1. */
export class RawProxy implements AsyncDisposable {
  readonly port: number;
  /** Connections that it has taken. */
  taken = 0;
  /** What each client has asked for: `host:port`. */
  readonly targets: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, isTls: boolean, talk: (peer: ProxyPeer, proxy: RawProxy) => unknown) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port; // the cast: a listening TCP server has an address with a port
    server.on("connection", (socket: Socket) => {
      this.taken++;
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
    });
    server.on(isTls ? "secureConnection" : "connection", (socket: Socket) => {
      socket.on("error", () => {});
      talk(new ProxyPeer(socket), this);
    });
    server.on("tlsClientError", () => {});
  }

  /** Starts one; with the name of a certificate it speaks TLS. */
  static async start(
    talk: (peer: ProxyPeer, proxy: RawProxy) => unknown,
    name?: string,
  ): Promise<RawProxy> {
    const server = name === undefined
      ? createServer()
      : createTlsServer({ key: certificate(`${name}.key`), cert: certificate(`${name}.pem`) });
    await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, "127.0.0.1", resolve));
    return new RawProxy(server, name !== undefined, talk);
  }

  /** Number of open TCP connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** What a client has to present. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Speaks CONNECT as it should be, and leads every tunnel to `port`. */
export async function speakConnect(peer: ProxyPeer, proxy: RawProxy, port: number, login?: Login): Promise<void> {
  const head = await peer.readUntil("\r\n\r\n");
  proxy.targets.push(/^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1] ?? "no CONNECT");
  const given = /^Proxy-Authorization: Basic (\S+)\r$/m.exec(head)?.[1];
  const wanted = login && Buffer.from(`${login.username}:${login.password}`).toString("base64");
  if (given !== wanted) return peer.write('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n');
  await peer.write("HTTP/1.1 200 Connection established\r\n\r\n");
  peer.relayTo(port);
}

/** Speaks SOCKS4 and 4A as they should be, and leads every tunnel to `port`. */
export async function speakSocks4(peer: ProxyPeer, proxy: RawProxy, port: number, login?: Login): Promise<void> {
  const request = await peer.read(8);
  const username = (await peer.readUntil("\0")).slice(0, -1);
  const address = request.subarray(4);
  const isName = address[0] === 0 && address[1] === 0 && address[2] === 0;
  const host = isName ? (await peer.readUntil("\0")).slice(0, -1) : address.join(".");
  proxy.targets.push(`${host}:${request.readUInt16BE(2)}`);
  if (username !== (login?.username ?? "")) return peer.write("\x00\x5d\0\0\0\0\0\0");
  await peer.write("\x00\x5a\0\0\0\0\0\0");
  peer.relayTo(port);
}

/** Speaks SOCKS5 as it should be, and leads every tunnel to `port`. */
export async function speakSocks5(peer: ProxyPeer, proxy: RawProxy, port: number, login?: Login): Promise<void> {
  await peer.read((await peer.read(2))[1] ?? 0);
  await peer.write(login === undefined ? "\x05\x00" : "\x05\x02");
  if (login !== undefined) {
    const username = await peer.read((await peer.read(2))[1] ?? 0);
    const password = await peer.read((await peer.read(1))[0] ?? 0);
    const right = username.toString() === login.username && password.toString() === login.password;
    await peer.write(right ? "\x01\x00" : "\x01\x01");
    if (!right) return void peer.socket.end();
  }
  const kind = (await peer.read(4))[3];
  const host = kind === 1
    ? (await peer.read(4)).join(".")
    : kind === 4
    ? `[${(await peer.read(16)).toString("hex")}]`
    : (await peer.read((await peer.read(1))[0] ?? 0)).toString();
  proxy.targets.push(`${host}:${(await peer.read(2)).readUInt16BE()}`);
  await peer.write("\x05\x00\x00\x01\0\0\0\0\0\0");
  peer.relayTo(port);
}

/** The right speech for a scheme. */
export function speechOf(scheme: string): typeof speakConnect {
  return scheme.startsWith("http") ? speakConnect : scheme.startsWith("socks4") ? speakSocks4 : speakSocks5;
}
