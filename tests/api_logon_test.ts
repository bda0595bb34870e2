/**
 * Connections that log on: before anything else, again after each reconnect, and when the logon is revoked.
 *
 * @module
 */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { createSigner, RequestOutcomeUnknownError, StreamCrashedError } from "@rawtick/binance";
import { apiManager, startApiServer } from "./api_server.ts";
import { testEachLibrary, until } from "./support.ts";

/** Self-made: the seed of RFC 8032, test 1. */
const PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n" +
  "-----END PRIVATE KEY-----";
const ed25519 = createSigner({ apiKey: "the key", privateKey: PRIVATE_KEY });
const ORDER = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "1" };

testEachLibrary(
  "with logon, each connection logs on before anything else, and requests need no signature",
  async (library) => {
    await using server = await startApiServer((call, reply) => {
      if (call.method === "ping" && call.connection === 1) {
        reply.kill();
        return true;
      }
    });
    await using manager = apiManager(server, library, { signer: ed25519 });
    const stream = manager.createStream({ api: true, logon: true });
    const early = [stream.request("order.place", ORDER), stream.request("ping"), stream.request("account.status")];
    await early[0];
    await Promise.all(early);
    for (const connection of [1, 2]) {
      const calls = server.calls.filter((call) => call.connection === connection);
      assertEquals(calls[0]?.method, "session.logon", `connection ${connection}`);
      assertEquals(calls.filter(({ method }) => method === "session.logon").length, 1);
    }
    assertEquals(typeof server.callsOf("session.logon")[0]?.params.signature, "string");
    const [order] = server.callsOf("order.place");
    assertEquals([order?.params.signature, order?.params.apiKey], [undefined, undefined]);
    assertEquals(typeof order?.params.timestamp, "number");
    assertEquals(server.callsOf("order.place").length, 1);
  },
);

testEachLibrary(
  "a logon that is refused ends the stream and says why, one that comes too early is repeated",
  async (library) => {
    let logons = 0;
    await using server = await startApiServer((call, reply) => {
      if (call.method !== "session.logon") return false;
      logons++;
      if (logons === 1) reply.error(400, -1021, "Timestamp for this request is outside of the recvWindow.");
      else if (logons === 2) return false;
      else reply.error(401, -2015, "Invalid API-key, IP, or permissions for action.");
      return true;
    });
    server.offsetMs = 100_000;
    await using manager = apiManager(server, library, { signer: ed25519 });
    const stream = manager.createStream({ api: true, logon: true });
    await stream.ready;
    assertEquals(server.calls.map(({ method }) => method), ["session.logon", "time", "session.logon"]);
    server.kill();
    const waiting = stream.request("account.status", {}, { timeoutMs: 5_000 });
    await assertRejects(() => waiting, StreamCrashedError, "Invalid API-key");
    assertEquals(stream.state, "crashed");
    assertMatch(stream.stateReason ?? "", /Invalid API-key/);
    await until(() => manager.signals.some(({ type }) => type === "STREAM_UNREPAIRABLE"), "STREAM_UNREPAIRABLE");
    assertEquals(manager.apiStreams, []);
  },
);

testEachLibrary(
  "a logon that is refused for what passes is tried again, and what does not pass ends it",
  async (library) => {
    const ends = async (status: number, code: number) => {
      await using server = await startApiServer((call, reply) => {
        if (call.method !== "session.logon" || call.connection > 1) return false;
        reply.error(status, code, "A text of the exchange.");
        return true;
      });
      await using manager = apiManager(server, library, { signer: ed25519 });
      const stream = manager.createStream({ api: true, logon: true });
      return await stream.ready.then(() => "ready", () => stream.state);
    };
    const passing = [-1000, -1001, -1003, -1006, -1007, -1008, -1016, -1034].map((code) => [400, code] as const);
    for (const [status, code] of [...passing, [403, -1], [408, -1], [500, -1], [503, -2015]] as const) {
      assertEquals(await ends(status, code), "ready", `${status} ${code}`);
    }
    const lasting = [-1022, -1100, -2014, -2015, -2028].map((code) => [400, code] as const);
    for (const [status, code] of [...lasting, [401, -1002], [403, -2015]] as const) {
      assertEquals(await ends(status, code), "crashed", `${status} ${code}`);
    }
  },
);

testEachLibrary("while a logon fails, the reason is the exchange's own words", async (library) => {
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "session.logon") return false;
    reply.error(500, -1000, "A text of the exchange.");
    return true;
  });
  await using manager = apiManager(server, library, { signer: ed25519 });
  const stream = manager.createStream({ api: true, logon: true });
  await until(() => server.callsOf("session.logon").length > 2, "some attempts");
  assertStringIncludes(stream.stateReason ?? "", "A text of the exchange.");
  assertEquals(stream.linkStatistics.reason, stream.stateReason);
});

testEachLibrary(
  "a logon that is revoked is renewed, and the request that was refused is sent once more",
  async (library) => {
    let isRevoked = true;
    await using server = await startApiServer((call, reply) => {
      if (call.method === "session.logon") isRevoked = server.callsOf("session.logon").length === 1;
      else if (isRevoked && call.method !== "time") {
        reply.send(
          '{"id":null,"status":401,"error":{"code":-2015,"msg":"Invalid API-key, IP, or permissions for action."}}',
        );
        return true;
      }
    });
    await using manager = apiManager(server, library, { signer: ed25519 });
    const stream = manager.createStream({ api: true, logon: true });
    await Promise.all([stream.request("order.place", ORDER), stream.request("account.status")]);
    assertEquals(server.callsOf("session.logon").length, 2);
    assertEquals(server.callsOf("order.place").length, 2);
    assertEquals(server.connections, 1);
  },
);

testEachLibrary("an answer without an id is not taken for that of one of several orders", async (library) => {
  await using server = await startApiServer((call, reply) => {
    if (call.method === "order.place") {
      // The first one was executed, its answer never comes; the second one was refused.
      if (server.callsOf("order.place").length === 2) {
        reply.send('{"id":null,"status":401,"error":{"code":-2015,"msg":"Invalid API-key."}}');
      }
      return true;
    }
  });
  await using manager = apiManager(server, library, { signer: ed25519 });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  const orders = [
    stream.request("order.place", ORDER, { timeoutMs: 300 }),
    stream.request("order.place", ORDER, { timeoutMs: 300 }),
  ];
  for (const order of orders) await assertRejects(() => order, RequestOutcomeUnknownError);
  assertEquals(server.callsOf("order.place").length, 2);
});
