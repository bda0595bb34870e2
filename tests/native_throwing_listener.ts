/**
 * Opens a connection whose listener throws in every call, and prints what reaches the process. Run by
 * `native_lifetime_test.ts` with the kind of socket and the URL. It ends by itself when the connection has ended.
 *
 * @module
 */

import process from "node:process";
import { paths } from "./native_server.ts";

process.on("uncaughtException", ({ message }) => console.log(`uncaught: ${message}`));

const [path, url = ""] = process.argv.slice(2);
const fail = (what: string): never => {
  throw new Error(what);
};
for (const [name, open] of paths) {
  if (name !== path) continue;
  const connection = await open(url, {
    onOpen: () => fail("onOpen"),
    onText: (text) => fail(`onText ${text}`),
    onBinary: () => fail("onBinary"),
    onPing: () => fail("onPing"),
    onClose: ({ code }) => fail(`onClose ${code}`),
  });
  const { code } = await connection.closed;
  // The exception of onClose is on its way to the process.
  setTimeout(() => console.log(`ended with ${code}`), 0);
}
