/**
 * The server of the stand-in for a proxy: accepts clients, counts, opens tunnels. What is said before a tunnel is open
 * is the dialogs' matter.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import type { LocalProxy, LocalProxyFaults, LocalProxyRequest } from "./local_proxy.ts";
import { type Dialog, type DialogHost, hostAndPort, type TunnelFailure } from "./local_proxy_dialog.ts";
import { HttpDialog } from "./local_proxy_http.ts";
import type { ResolvedProxyOptions } from "./local_proxy_options.ts";
import { Socks4Dialog, Socks5Dialog } from "./local_proxy_socks.ts";
import { Waiters } from "./waiters.ts";

const DEFAULT_WAIT_MS = 5000;
/** How long a client that was refused may take to hang up, in ms. */
const REFUSAL_TIMEOUT_MS = 1000;

/** Starts the server of a stand-in. */
export async function startProxyServer(options: ResolvedProxyOptions): Promise<LocalProxy> {
  const server = new ProxyServer(options);
  await server.start();
  return server;
}

class ProxyServer implements LocalProxy {
  totalConnections = 0;
  tunnels = 0;
  rejectedLogins = 0;
  readonly requests: LocalProxyRequest[] = [];
  readonly #options: ResolvedProxyOptions;
  readonly #clients = new Set<Socket>();
  /** The connections to the targets, by the client's. */
  readonly #open = new Map<Socket, Socket>();
  readonly #waiters = new Waiters();
  readonly #server: Server;
  #port: number;
  #faults: LocalProxyFaults = {};

  constructor(options: ResolvedProxyOptions) {
    this.#options = options;
    this.#port = options.port;
    // Not under TLS, where Deno would keep a client that hangs up within the handshake.
    this.#server = options.tls === undefined ? createServer({ allowHalfOpen: true }) : createTlsServer(options.tls);
  }

  async start(): Promise<void> {
    this.#server.on("connection", (socket: Socket) => {
      this.#clients.add(socket);
      this.totalConnections++;
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#clients.delete(socket);
        this.#waiters.notify();
      });
      if (this.#options.tls === undefined) this.#accept(socket);
      this.#waiters.notify();
    });
    this.#server.on("secureConnection", (socket: Socket) => this.#accept(socket));
    this.#server.on("tlsClientError", (_: Error, socket: Socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#port, "127.0.0.1", resolve);
    });
    const address = this.#server.address();
    if (typeof address === "object" && address !== null) this.#port = address.port;
  }

  get url(): string {
    const { scheme, login } = this.#options;
    const { username = "", password = "" } = login ?? {};
    const words = [username, ...(password === "" ? [] : [password])].map(encodeURIComponent).join(":");
    return `${scheme}://${login === undefined ? "" : `${words}@`}127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#clients.size;
  }

  get openTunnels(): number {
    return this.#open.size;
  }

  get targets(): string[] {
    return this.requests.map(({ host, port }) => hostAndPort(host, port));
  }

  misbehave(faults: LocalProxyFaults): void {
    this.#faults = { ...faults };
  }

  killTunnels(): void {
    for (const [client, upstream] of [...this.#open]) {
      reset(client);
      reset(upstream);
    }
  }

  waitFor(condition: () => boolean, timeoutMs: number = DEFAULT_WAIT_MS): Promise<void> {
    return this.#waiters.wait(
      condition,
      timeoutMs,
      () =>
        `${this.connections} connections of ${this.totalConnections}, ${this.openTunnels} tunnels of ${this.tunnels}, ` +
        `${this.requests.length} requests, ${this.rejectedLogins} rejected logins`,
    );
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const upstream of this.#open.values()) upstream.destroy();
    for (const client of this.#clients) client.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #accept(client: Socket): void {
    const faults = this.#faults;
    client.setNoDelay(true);
    client.on("error", () => {});
    if (faults.early !== undefined) client.write(faults.early);
    if (faults.hangUp === "connected") return void client.destroy();
    if (faults.silent) {
      client.resume();
      client.on("end", () => client.end());
      return;
    }
    const dialog = this.#dialog(client, faults);
    const onData = (chunk: Uint8Array): void => {
      dialog.push(chunk);
      this.#waiters.notify();
    };
    client.on("data", onData);
    client.on("end", () => {
      if (!this.#open.has(client)) client.end();
    });
  }

  #dialog(client: Socket, faults: LocalProxyFaults): Dialog {
    const host: DialogHost = {
      login: this.#options.login,
      faults,
      say: (bytes) => say(client, bytes, faults.chop ?? false),
      refuse: (bytes, isLogin) => {
        if (isLogin) this.rejectedLogins++;
        say(client, bytes, faults.chop ?? false, () => client.end());
        const timeout = setTimeout(() => client.destroy(), REFUSAL_TIMEOUT_MS);
        client.on("close", () => clearTimeout(timeout));
      },
      request: (request) => {
        this.requests.push(request);
        if (faults.hangUp === "asked") client.destroy();
        else if (faults.reply !== undefined) say(client, faults.reply, faults.chop ?? false);
        return faults.hangUp === "asked" || faults.reply !== undefined;
      },
      open: (request, success, refusal) => this.#tunnel(client, faults, request, success, refusal),
    };
    const { scheme } = this.#options;
    if (scheme === "http" || scheme === "https") return new HttpDialog(host);
    return scheme === "socks4" || scheme === "socks4a" ? new Socks4Dialog(host) : new Socks5Dialog(host);
  }

  /** Connects to the target; the client's bytes wait in its socket meanwhile. */
  #tunnel(
    client: Socket,
    faults: LocalProxyFaults,
    { host, port }: LocalProxyRequest,
    success: Uint8Array,
    refused: (failure: TunnelFailure) => void,
  ): (early: Uint8Array) => void {
    const { localAddress } = this.#options;
    const upstream = connect({
      host,
      port,
      allowHalfOpen: true,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    let waiting: Uint8Array[] = [];
    let isOpen = false;
    client.pause();
    const onFailed = (error: Error): void => {
      client.resume();
      refused("code" in error && error.code === "ECONNREFUSED" ? "refused" : "unreachable");
    };
    upstream.once("error", onFailed);
    client.on("close", () => upstream.destroy());
    upstream.once("connect", () => {
      upstream.off("error", onFailed);
      upstream.on("error", () => {});
      upstream.setNoDelay(true);
      isOpen = true;
      this.tunnels++;
      this.#open.set(client, upstream);
      for (const chunk of waiting) upstream.write(chunk);
      waiting = [];
      const garbage = typeof faults.garbage === "string" ? Buffer.from(faults.garbage) : faults.garbage;
      const answer = garbage === undefined ? success : Buffer.concat([success, garbage]);
      say(client, answer, faults.chop ?? false, () => {
        if (faults.hangUp === "open") {
          client.destroy();
          upstream.destroy();
        } else join(client, upstream);
      });
      upstream.on("close", () => {
        this.#open.delete(client);
        this.#waiters.notify();
      });
      this.#waiters.notify();
    });
    return (early) => {
      if (isOpen) upstream.write(early);
      else if (early.length > 0) waiting.push(early);
    };
  }
}

/** Passes bytes, ends and resets on, both ways, with back pressure. */
function join(client: Socket, upstream: Socket): void {
  client.removeAllListeners("data");
  for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
    from.pipe(to);
    from.on("error", () => reset(to));
    from.on("close", () => {
      // Ended in order: what is on its way still arrives.
      if (from.readableEnded) to.destroySoon();
      else to.destroy();
    });
  }
  client.resume();
}

/** Sends bytes, one at a time if wanted: each in a turn of its own, so that it is a segment of its own. */
function say(client: Socket, bytes: string | Uint8Array, chopped: boolean, done: () => void = () => {}): void {
  const all = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  if (!chopped) return void client.write(all, () => done());
  const next = (index: number): void => {
    if (client.destroyed) return;
    if (index === all.length) return done();
    client.write(all.subarray(index, index + 1), () => setTimeout(() => next(index + 1), 0));
  };
  next(0);
}

function reset(socket: Socket): void {
  if (socket.destroyed) return;
  // The pipe of a TLS socket can't be reset from above.
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
