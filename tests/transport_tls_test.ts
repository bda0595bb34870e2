/**
 * What can be asked of TLS, on each library and on each path of the native one: honoured, or refused before anything is
 * opened.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  ConnectionFailedError,
  type ConnectOptions,
  openConnection,
  type PeerCertificate,
  type TlsOptions,
  type WebSocketLibrary,
} from "@rawtick/binance/transport";
import { encodeText } from "../src/transport/native/mod.ts";
import { certificate, paths, Recorder, settle, TestServer } from "./native_server.ts";
import { isBun } from "./transport_pair.ts";

const ca = [certificate("ca.pem")];
const runtimePath = isBun ? "bun" : "Deno" in globalThis ? "deno" : "node";

/** Opens through the public door; returns the path that carried it. */
async function openTls(library: WebSocketLibrary, url: string, tls: TlsOptions): Promise<string> {
  const recorder = new Recorder();
  const options: ConnectOptions = { tls };
  const connection = await openConnection(library, url, recorder, options);
  await recorder.wait(2);
  assertEquals(recorder.texts, ["over TLS"]);
  connection.terminate();
  return connection.path;
}

/** Registers a test for each library that can do it here. */
function testEachAble(name: string, run: (library: WebSocketLibrary, url: URL) => Promise<void>, host = "localhost") {
  for (const library of ["builtin", "native"] as const) {
    if (library === "builtin" && !isBun) continue;
    test(`${library}: ${name}`, { timeout: 30_000 }, async () => {
      await using server = await TestServer.start({
        certificate: host === "localhost" ? "localhost" : host,
        greeting: encodeText("over TLS", { mask: false }),
      });
      await run(library, new URL(`wss://localhost:${server.port}/`));
    });
  }
}

testEachAble("a server name of one's own is asked for and verified", async (library, url) => {
  // The certificate is for localhost and its addresses.
  await assertRejects(
    () => openTls(library, url.href, { ca, servername: "stream.binance.com" }),
    ConnectionFailedError,
  );
  const path = await openTls(library, url.href.replace("localhost", "127.0.0.1"), { ca, servername: "localhost" });
  assertEquals(path, library === "builtin" ? "builtin" : runtimePath);
});

for (const name of ["self_signed", "expired", "wrong_name"]) {
  testEachAble(
    `a certificate that is ${name} is taken when nothing is to be verified, and only then`,
    async (library, url) => {
      await assertRejects(() => openTls(library, url.href, { rejectUnauthorized: true }), ConnectionFailedError);
      await assertRejects(() => openTls(library, url.href, {}), ConnectionFailedError);
      const path = await openTls(library, url.href, { rejectUnauthorized: false });
      // Deno.startTls always verifies: there, node:tls takes over.
      assertEquals(path, library === "builtin" ? "builtin" : isBun ? "bun" : "node");
    },
    name,
  );
}

testEachAble("a check of one's own decides about the name", async (library, url) => {
  const asked: [string, PeerCertificate][] = [];
  const path = await openTls(library, url.href, {
    ca,
    checkServerIdentity(hostname, certificate) {
      asked.push([hostname, certificate]);
      return undefined;
    },
  });
  assertEquals(path, library === "builtin" ? "builtin" : "node");
  const [hostname, shown] = asked[0] ?? [];
  assertEquals([asked.length, hostname], [1, "localhost"]);
  assertMatch(shown?.fingerprint256 ?? "", /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  assertMatch(shown?.subjectaltname ?? "", /DNS:localhost/);
  assert((shown?.raw.length ?? 0) > 100 && shown?.valid_to !== undefined && shown.valid_from !== undefined);
});

testEachAble("a check of one's own refuses a certificate before anything is sent", async (library, url) => {
  const error = await assertRejects(
    () => openTls(library, url.href, { ca, checkServerIdentity: () => new Error("not the pinned one") }),
    ConnectionFailedError,
  );
  if (library === "native") assertMatch(error.message, /not the pinned one/);
});

testEachAble("a check of one's own does not replace the check of the chain", async (library, url) => {
  let asked = 0;
  const checkServerIdentity = (): undefined => void asked++;
  await assertRejects(() => openTls(library, url.href, { checkServerIdentity }), ConnectionFailedError);
}, "self_signed");

for (const [path, open] of paths) {
  test(`${path}: a server name of one's own works on every path`, async () => {
    await using server = await TestServer.start({ certificate: "localhost" });
    const url = `wss://127.0.0.1:${server.port}/`;
    const connection = await open(url, new Recorder(), { tls: { ca, servername: "localhost" } });
    connection.terminate();
    const refused = { tls: { ca, servername: "wrong.example" } };
    const error = await assertRejects(() => open(url, new Recorder(), refused), ConnectionFailedError);
    assertMatch(error.message, /TLS failed: .*(altnames|not valid for name)/i);
    while (server.connections > 0) await settle();
  });
}

test("TLS options mean nothing for ws://", async () => {
  await using server = await TestServer.start();
  const options: ConnectOptions = { tls: { rejectUnauthorized: false, servername: "localhost" } };
  const connection = await openConnection("native", `ws://127.0.0.1:${server.port}/`, new Recorder(), options);
  assertEquals(connection.path, runtimePath);
  connection.terminate();
});
