/**
 * A relay that cuts connections: what a proxy, a phone without a network, or a restarted router does to clients.
 *
 * @module
 */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A relay to a port. */
export interface CuttingRelay extends AsyncDisposable {
  readonly port: number;
  /** Ends every connection without a word. */
  cut(): void;
}

/** Starts a relay on 127.0.0.1 to another port there. */
export async function startCuttingRelay(port: number): Promise<CuttingRelay> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(from);
      from.setNoDelay(true).pipe(to);
      from.on("error", () => {}).on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port, // the cast: a listening TCP server has an address with a port
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
