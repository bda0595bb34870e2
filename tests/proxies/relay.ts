/**
 * A relay that counts connections and keeps what clients send: in front of a proxy, where what it sees is still
 * readable, and in front of the exchange.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A connection that a relay has seen. */
export interface RelayedConnection {
  /** Address of who has connected. */
  readonly from: string;
  /** What it has sent so far. */
  readonly sent: readonly Uint8Array[];
}

/** A running relay. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Connections that are open. */
  readonly open: number;
  /** All connections since the last `take()`. */
  readonly connections: readonly RelayedConnection[];
  /** What was seen since the last time. */
  take(): RelayedConnection[];
}

/** Starts a relay on 127.0.0.1 to another port there, out of TLS if there is a certificate. */
export async function startRelay(
  upstreamPort: number,
  tls?: { readonly cert: string; readonly key: string },
): Promise<Relay> {
  const sockets = new Set<Socket>();
  let connections: RelayedConnection[] = [];
  let open = 0;
  const accept = (client: Socket): void => {
    const sent: Uint8Array[] = [];
    connections.push({ from: client.remoteAddress ?? "", sent });
    open++;
    const upstream = connect({ host: "127.0.0.1", port: upstreamPort, allowHalfOpen: true });
    client.on("data", (chunk) => void sent.push(chunk));
    for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        if (from.readableEnded) to.destroySoon();
        else to.destroy();
      });
    }
    client.on("close", () => void open--);
  };
  const server: Server = tls === undefined
    ? createServer({ allowHalfOpen: true }, accept)
    // Not half open: Deno would keep a client that hangs up within the TLS handshake.
    : createTlsServer(tls, accept).on("tlsClientError", (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    get open() {
      return open;
    },
    get connections() {
      return connections;
    },
    take() {
      const taken = connections;
      connections = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** All that was sent, as text with one character for each byte. */
export function textSent(connections: readonly RelayedConnection[]): string {
  return connections.map(({ sent }) => Buffer.concat(sent).toString("latin1")).join("\n");
}
