/**
 * Listens, prints its port, and stops itself before it accepts anything: once the system's queue of a few connections
 * is full, further attempts to connect get no answer. Run by `native_opening_test.ts`; ends when it is killed.
 *
 * @module
 */

import { writeSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import process from "node:process";

const server = createServer();
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  writeSync(1, `${(server.address() as AddressInfo).port}\n`); // the cast: a TCP server has a port
  process.kill(process.pid, "SIGSTOP");
});
