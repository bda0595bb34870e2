/**
 * Starts a program as the matrix starts a proxy, says where it listens and what its folder is, and lives until killed.
 *
 * @module
 */

import process from "node:process";
import { startDaemon } from "./daemon.ts";

const SERVER =
  `require("node:net").createServer((socket) => socket.destroy()).listen(Number(process.argv.at(-1)), "127.0.0.1")`;
const isBun = process.versions["bun"] !== undefined;

let place = "";
const { ports } = await startDaemon({
  ports: 1,
  files: (_, folder) => {
    place = folder;
    return { "server.cjs": SERVER };
  },
  command: ([port], folder) => [process.execPath, ...(isBun ? [] : ["run", "-A"]), `${folder}/server.cjs`, `${port}`],
});
console.log(JSON.stringify({ port: ports[0], folder: place }));
setInterval(() => {}, 60_000);
