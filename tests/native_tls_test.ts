/**
 * wss:// on the native client: certificates are verified, by name and by chain, on each kind of socket.
 *
 * @module
 */

import process from "node:process";
import { test } from "node:test";
import tls from "node:tls";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConnectionFailedError, InvalidOptionsError } from "../src/base/mod.ts";
import { authoritiesWith } from "../src/transport/native/authorities.ts";
import { encodeText } from "../src/transport/native/mod.ts";
import { Command } from "./command.ts";
import { testEachPath } from "./native_each.ts";
import { certificate, hasIpv6, paths, Recorder, settle, TestServer } from "./native_server.ts";

const ca = [certificate("ca.pem")];

for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
  for (const [path, open] of paths) {
    test(`${path}: a certificate for ${host} by an authority that is trusted here opens`, {
      skip: hasIpv6 || host !== "[::1]" ? false : "this machine has no IPv6 on loopback",
      timeout: 30_000,
    }, async () => {
      await using server = await TestServer.start({
        certificate: "localhost",
        greeting: encodeText("hello over TLS", { mask: false }),
        ...(host === "[::1]" ? { host: "::1" } : {}),
      });
      const recorder = new Recorder();
      const connection = await open(`wss://${host}:${server.port}/`, recorder, { tls: { ca } });
      await recorder.wait(2);
      assertEquals(recorder.texts, ["hello over TLS"]);
      connection.send("back");
      assertEquals(await (await server.peer()).next(), ["text", "back"]);
      connection.terminate();
    });
  }
}

// Deno's node:tls says "unable to verify" where the others say "expired".
for (
  const [name, options, pattern] of [
    [
      "an authority that is not trusted",
      { certificate: "localhost", ca: [] },
      /TLS failed: .*(verify|UnknownIssuer|issuer)/i,
    ],
    ["another name", { certificate: "wrong_name", ca }, /TLS failed: .*(altnames|not valid for name)/i],
    ["a validity that is over", { certificate: "expired", ca }, /TLS failed: .*(expired|unable to verify)/i],
    ["no authority but itself", { certificate: "self_signed", ca }, /TLS failed: .*(self.signed|UnknownIssuer)/i],
  ] as const
) {
  testEachPath(`a certificate with ${name} is refused, before anything is sent`, async (open) => {
    const heads: string[] = [];
    await using server = await TestServer.start({
      certificate: options.certificate,
      respond: (head) => void heads.push(head),
    });
    for (const host of ["localhost", "127.0.0.1"]) {
      const recorder = new Recorder();
      const error = await assertRejects(
        () => open(`wss://${host}:${server.port}/secret-listen-key`, recorder, { tls: { ca: options.ca } }),
        ConnectionFailedError,
      );
      assertMatch(error.message, pattern);
      assertEquals([recorder.events, error.message.includes("secret"), error.code], [[], false, "CONNECTION_FAILED"]);
    }
    while (server.connections > 0) await settle();
    assertEquals(heads, []);
  });
}

testEachPath("a server that speaks no TLS on a wss:// URL is an error of TLS", async (open) => {
  await using server = await TestServer.start({
    connected: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
  });
  await assertRejects(
    () => open(`wss://localhost:${server.port}/`, new Recorder(), { tls: { ca } }),
    ConnectionFailedError,
    `Cannot open wss://localhost:${server.port}: `,
  );
});

testEachPath("a certificate authority that is no PEM opens nothing", async (open) => {
  await using server = await TestServer.start({ certificate: "localhost" });
  await assertRejects(
    () => open(`wss://localhost:${server.port}/`, new Recorder(), { tls: { ca: ["no certificate"] } }),
    InvalidOptionsError,
    "tls.ca[0]",
  );
});

test("own authorities are added to those of the runtime", () => {
  const all = authoritiesWith(ca);
  assertEquals(all.at(-1), ca[0]);
  assert(tls.rootCertificates.length > 50 && tls.rootCertificates.every((root) => all.includes(root)));
  assertEquals(authoritiesWith(ca), all);
});

/** Opens the URL in a process of its own that was started with these variables; returns what it printed. */
async function openInProcess(path: string, url: string, variables: Record<string, string>): Promise<string> {
  for (const [name, value] of Object.entries(variables)) process.env[name] = value;
  const command = new Command("tests/native_tls_client.ts", [path, url]);
  for (const name of Object.keys(variables)) delete process.env[name];
  await command.ended;
  return command.output.trim() || command.errors;
}

testEachPath("own authorities do not replace those that the process was started with", async (_, path) => {
  await using server = await TestServer.start({ certificate: "localhost" });
  const url = `wss://localhost:${server.port}/`;
  const NODE_EXTRA_CA_CERTS = fileURLToPath(new URL("./certs/ca.pem", import.meta.url));
  assertEquals(await openInProcess(path, url, { NODE_EXTRA_CA_CERTS }), "opened");
  assertMatch(await openInProcess(path, url, {}), /^TLS failed/);
});

testEachPath("no environment variable switches the verification off", async (_, path) => {
  await using server = await TestServer.start({ certificate: "localhost" });
  const url = `wss://localhost:${server.port}/`;
  assertMatch(await openInProcess(path, url, { NODE_TLS_REJECT_UNAUTHORIZED: "0" }), /^TLS failed/);
});
