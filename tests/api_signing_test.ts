/**
 * Signers of the user's own, whose signatures may never come.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { createSigner, RequestTimeoutError, type Signer } from "@rawtick/binance";
import { keyPair } from "./api_clients.ts";
import { apiManager, startApiServer } from "./api_server.ts";
import { testEachLibrary, until } from "./support.ts";

const ORDER = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "1" };
/** Longer than any of these tests may take. */
const LONG_MS = 30_000;

/** A signer whose signatures with these numbers, from 1 on, never come. */
function hangingSigner(...hanging: readonly number[]): Signer & { readonly calls: number } {
  const signer = createSigner({ apiKey: "a", privateKey: keyPair("ed25519").privateKey });
  let calls = 0;
  return {
    kind: "Ed25519",
    apiKey: "a",
    get calls() {
      return calls;
    },
    signRest: (query) => signer.signRest(query),
    signWebSocket: (params) => hanging.includes(++calls) ? new Promise<string>(() => {}) : signer.signWebSocket(params),
  };
}

testEachLibrary("a signature that never comes holds up its own request only", async (library) => {
  await using server = await startApiServer();
  await using manager = apiManager(server, library, { signer: hangingSigner(1, 2), apiTimeoutMs: LONG_MS });
  const stream = manager.createStream({ api: true });
  await stream.ready;
  const late = stream.request("account.status", {}, { timeoutMs: 50 });
  const error = await assertRejects(() => late, RequestTimeoutError);
  assertEquals(error.wasSent, false);
  const controller = new AbortController();
  const aborted = stream.request("order.place", ORDER, { signal: controller.signal });
  const unsigned = stream.request("ping");
  controller.abort(new Error("changed my mind"));
  await assertRejects(() => aborted, Error, "changed my mind");
  await Promise.all([unsigned, stream.request("account.status")]);
  assertEquals([server.callsOf("account.status").length, server.callsOf("order.place").length], [1, 0]);
});

testEachLibrary("a signature that never comes is asked for again when the connection is lost", async (library) => {
  await using server = await startApiServer();
  const signer = hangingSigner(1);
  await using manager = apiManager(server, library, { signer, apiTimeoutMs: LONG_MS });
  const stream = manager.createStream({ api: true });
  await stream.ready;
  const requests = [stream.request("order.place", ORDER), stream.request("ping")];
  await until(() => signer.calls === 1, "the first signature");
  server.kill();
  await Promise.all(requests);
  assertEquals(server.calls.filter(({ connection }) => connection === 2).map(({ method }) => method).slice(-2), [
    "order.place",
    "ping",
  ]);
});

testEachLibrary("a logon whose signature never comes is tried again", async (library) => {
  await using server = await startApiServer();
  const signer = hangingSigner(1);
  await using manager = apiManager(server, library, { signer, apiTimeoutMs: 1_000 });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  assertEquals([signer.calls, server.connections, server.callsOf("session.logon").length], [2, 2, 1]);
  assert(manager.log.some((line) => line.includes('Cannot "session.logon"')));
});

testEachLibrary("a lost connection ends the wait for the signature of its logon", async (library) => {
  await using server = await startApiServer();
  const signer = hangingSigner(1);
  await using manager = apiManager(server, library, { signer, apiTimeoutMs: LONG_MS });
  const stream = manager.createStream({ api: true, logon: true });
  await until(() => signer.calls === 1, "the first signature");
  server.kill();
  await stream.ready;
  assertEquals([signer.calls, server.connections], [2, 2]);
});
