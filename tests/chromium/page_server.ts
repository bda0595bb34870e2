/**
 * Serves pages to a browser on loopback.
 *
 * @module
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of pages. */
export interface PageServer extends AsyncDisposable {
  /** Base URL without a trailing slash, such as `http://127.0.0.1:41234`. */
  readonly url: string;
}

/** Serves `/`, an empty page that runs `script`, the code of a plain script. */
export async function servePage(script: string): Promise<PageServer> {
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    "/": ["text/html", '<!doctype html><html lang="en"><title>Test</title><script src="/script.js"></script></html>'],
    "/script.js": ["text/javascript", script],
    // Every browser asks for it, and writes an error to the console if it is missing.
    "/favicon.ico": ["image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  };
  const server = createServer((request, response) => {
    const file = files[new URL(request.url ?? "/", "http://127.0.0.1").pathname];
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": `${file[0]}; charset=utf-8`, "connection": "close" }).end(file[1]);
  });
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // the cast: a listening TCP server has an address with a port
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
