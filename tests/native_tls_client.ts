/**
 * Opens a connection with an authority that has signed nothing, and prints how it went. Run by `native_tls_test.ts`
 * with the kind of socket and the URL, as a process of its own, because the runtimes read their variables at the start.
 *
 * @module
 */

import process from "node:process";
import { certificate, paths, Recorder } from "./native_server.ts";

const [path, url = ""] = process.argv.slice(2);
for (const [name, open] of paths) {
  if (name !== path) continue;
  try {
    const connection = await open(url, new Recorder(), { tls: { ca: [certificate("self_signed.pem")] } });
    console.log("opened");
    connection.close();
  } catch (error) {
    console.log(error instanceof Error ? error.message.slice(error.message.indexOf("TLS")) : error);
  }
}
