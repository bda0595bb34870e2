/**
 * What the tests of the transport share: a connection of either library through the public door, and its raw peer.
 *
 * @module
 */

import {
  type Connection,
  type ConnectionListener,
  type ConnectOptions,
  openConnection,
  type WebSocketLibrary,
} from "@rawtick/binance/transport";
import { type Peer, Recorder, TestServer } from "./native_server.ts";

/** Whether the runtime's own WebSocket can do more than the standard says. */
export const isBun: boolean = "Bun" in globalThis;

/** Whether the library has pings and can pause here. */
export function canDoMore(library: WebSocketLibrary): boolean {
  return library === "native" || isBun;
}

/** A connection, its listener and its peer. */
export interface Pair extends AsyncDisposable {
  readonly server: TestServer;
  readonly peer: Peer;
  readonly connection: Connection;
  readonly recorder: Recorder;
}

/** Opens a connection to a server of its own. `more` is told beside the recorder. */
export async function openPair(
  library: WebSocketLibrary,
  options: ConnectOptions = {},
  more: Partial<ConnectionListener> = {},
): Promise<Pair> {
  const server = await TestServer.start();
  const recorder = new Recorder();
  const listener: ConnectionListener = {
    onOpen(connection) {
      recorder.onOpen();
      more.onOpen?.(connection);
    },
    onText(text) {
      recorder.onText(text);
      more.onText?.(text);
    },
    onBinary: (bytes) => recorder.onBinary(bytes),
    onPing: () => recorder.onPing(),
    onPong: () => recorder.onPong(),
    onDrain: () => more.onDrain?.(),
    onClose: (info) => recorder.onClose(info),
  };
  const connection = await openConnection(library, `ws://127.0.0.1:${server.port}/`, listener, options);
  const peer = await server.peer();
  return {
    server,
    peer,
    connection,
    recorder,
    async [Symbol.asyncDispose]() {
      connection.terminate();
      await server[Symbol.asyncDispose]();
    },
  };
}
