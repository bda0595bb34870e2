/**
 * The listening socket: accepts TCP or TLS connections, reads their handshakes, answers them.
 *
 * @module
 */

import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { ConnectionFailedError } from "../base/mod.ts";
import { HttpHeadReader } from "../transport/native/mod.ts";
import type { RestRequest } from "./api/rest.ts";
import { BodyReader, readPlainRequest } from "./plain_request.ts";
import { encodeResponse, encodeUpgrade, type HttpResponse, readUpgrade } from "./server_handshake.ts";

/** Takes the bytes of a connection whose handshake was accepted. */
export interface Acceptor {
  receive(chunk: Uint8Array): void;
  /** The socket is closed. */
  dispose(): void;
}

/** What the owner of a listener decides. */
export interface ListenerHost {
  /** A TCP connection was accepted; more may be asked of it later. */
  onConnection(socket: Socket): void;
  /** A TCP connection is gone. */
  onDisconnection(socket: Socket): void;
  /** Bytes were read and dealt with. */
  onActivity(): void;
  /**
   * Decides about a handshake.
   *
   * @returns A function that takes the connection over once 101 is sent, a refusal, or `undefined` for no answer ever.
   */
  onHandshake(
    target: string,
    headers: Readonly<Record<string, string>>,
    ip: string,
  ): ((socket: Socket) => Acceptor) | HttpResponse | undefined;
  /** Whether requests for this path that are no handshakes are answered. */
  servesRequest(path: string): boolean;
  /** Answers such a request; a reply of `undefined` cuts its connection. */
  onRequest(request: RestRequest, reply: (response: HttpResponse | undefined) => void): void;
  /** A request was no handshake and was refused. */
  onBadRequest(): void;
}

/** A socket that listens. */
export interface Listener {
  readonly port: number;
  /** Stops listening, but for the connections that are open, or listens again on the same port. */
  accept(on: boolean): Promise<void>;
  /** Stops listening and destroys all connections. */
  close(): Promise<void>;
}

/** How long a client that was refused may take to hang up, in ms. */
const REFUSAL_TIMEOUT_MS = 1000;

/** Starts listening on 127.0.0.1. */
export async function listen(
  port: number,
  tls: { readonly cert: string; readonly key: string } | undefined,
  host: ListenerHost,
): Promise<Listener> {
  const sockets = new Set<Socket>();
  let server = await startServer(port, tls, host, sockets);
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return {
    port: actualPort,
    accept: async (on) => {
      if (on === server.listening) return;
      if (on) server = await startServer(actualPort, tls, host, sockets);
      // It stops listening at once, but tells so only after the last connection has ended.
      else server.close();
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function startServer(
  port: number,
  tls: { readonly cert: string; readonly key: string } | undefined,
  host: ListenerHost,
  sockets: Set<Socket>,
): Promise<Server> {
  const server: Server = tls === undefined ? createServer() : createTlsServer({ cert: tls.cert, key: tls.key });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    host.onConnection(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      host.onDisconnection(socket);
    });
    if (tls === undefined) accept(socket, host);
  });
  server.on("secureConnection", (socket: Socket) => accept(socket, host));
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

function accept(socket: Socket, host: ListenerHost): void {
  const head = new HttpHeadReader();
  let acceptor: Acceptor | undefined;
  let body: BodyReader | undefined;
  let isAnswered = false;
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("close", () => acceptor?.dispose());
  socket.on("data", (chunk) => {
    if (acceptor !== undefined) acceptor.receive(chunk);
    else if (body !== undefined) body.push(chunk);
    else if (!isAnswered) handshake(chunk);
    host.onActivity();
  });

  const refuse = (response: HttpResponse) => {
    isAnswered = true;
    socket.end(encodeResponse(response));
    const timeout = setTimeout(() => socket.destroy(), REFUSAL_TIMEOUT_MS);
    socket.on("close", () => clearTimeout(timeout));
  };

  const answerPlain = (request: RestRequest) => {
    host.onRequest(request, (response) => {
      if (response === undefined) socket.destroy();
      else refuse(response);
    });
  };

  const refuseBadRequest = (response: HttpResponse) => {
    host.onBadRequest();
    refuse(response);
  };

  const handshake = (chunk: Uint8Array) => {
    try {
      const request = head.push(chunk);
      if (request === undefined) return;
      const plain = readPlainRequest(request, host);
      if (plain !== undefined) {
        body = new BodyReader(plain, (read) => answerPlain(read));
        return body.push(request.rest);
      }
      const upgrade = readUpgrade(request);
      if ("status" in upgrade) return refuseBadRequest(upgrade);
      const decision = host.onHandshake(
        upgrade.target,
        Object.fromEntries(request.headers),
        socket.remoteAddress ?? "",
      );
      isAnswered = true;
      if (decision === undefined) return;
      if (typeof decision !== "function") return refuse(decision);
      socket.write(encodeUpgrade(upgrade.accept));
      acceptor = decision(socket);
      if (request.rest.length > 0) acceptor.receive(request.rest);
    } catch (error) {
      if (!(error instanceof ConnectionFailedError)) throw error;
      refuseBadRequest({ status: 400, headers: {}, body: error.message });
    }
  };
}
