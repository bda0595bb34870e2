/**
 * Registers the tests of the native client once for each kind of socket, with and without TLS.
 *
 * @module
 */

import { test } from "node:test";
import type { Connection, ConnectOptions, OpenConnection } from "../src/transport/connection.ts";
import { certificate, paths, type Peer, Recorder, TestServer } from "./native_server.ts";

/** Longest time in ms that one test may take. */
const TIMEOUT_MS = 60_000;

/** An open connection and the server's side of it. */
export interface Pair {
  readonly server: TestServer;
  readonly peer: Peer;
  readonly connection: Connection;
  readonly recorder: Recorder;
}

/** Registers a test for each kind of socket. */
export function testEachPath(name: string, run: (open: OpenConnection, path: string) => Promise<void>): void {
  for (const [path, open] of paths) test(`${path}: ${name}`, { timeout: TIMEOUT_MS }, () => run(open, path));
}

/** Registers a test on an open connection for each kind of socket, over TCP and over TLS; `after` is called at its end. */
export function testEachConnection(
  name: string,
  run: (pair: Pair) => Promise<void>,
  options: ConnectOptions = {},
  after: (pair: Pair) => Promise<void> | void = ({ connection }) => connection.terminate(),
): void {
  for (const scheme of ["ws", "wss"]) {
    testEachPath(`${scheme}: ${name}`, async (open) => {
      await using server = await TestServer.start(scheme === "wss" ? { certificate: "localhost" } : {});
      const recorder = new Recorder();
      const url = `${scheme}://localhost:${server.port}`;
      const connection = await open(url, recorder, { tls: { ca: [certificate("ca.pem")] }, ...options });
      const pair = { server, peer: await server.peer(), connection, recorder };
      await run(pair);
      await after(pair);
    });
  }
}
