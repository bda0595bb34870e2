/**
 * Keys and secrets stay unseen while they are used: in logs, signals, errors, statistics and whatever a manager and its streams
 * show of themselves.
 *
 * @module
 */

import { inspect } from "node:util";
import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import {
  ApiError,
  BinanceWebSocketApiManager,
  InvalidOptionsError,
  RequestOutcomeUnknownError,
  RequestTimeoutError,
  type Signer,
} from "@rawtick/binance";
import { apiManager, startApiServer } from "./api_server.ts";
import { API_KEY, secretsIn, signers } from "./fixtures/secret_signers.ts";
import { testEachLibrary, until } from "./support.ts";

const ORDER = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "1" } as const;
const options = { depth: 12, showHidden: true, getters: true, showProxy: true };

/** The values in which a secret can be read, in whatever way they are shown. */
function leaks(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).filter(([, value]) => {
    const texts = [inspect(value), inspect(value, options), String(value)];
    if (value instanceof Error) texts.push(value.message, value.stack ?? "");
    else if (typeof value !== "string" && !(value instanceof BinanceWebSocketApiManager)) {
      texts.push(JSON.stringify(value));
    }
    return texts.some((text) => secretsIn(text ?? "").length > 0);
  }).map(([name]) => name);
}

for (const [index, signer] of signers.entries()) {
  testEachLibrary(
    `nothing shows the keys of requests that succeed, fail or get lost (${signer.kind})`,
    async (library) => {
      await using server = await startApiServer(({ method, params }, reply) => {
        if (method === "order.place") {
          if (params.symbol === "NOPE") return reply.error(400, -1121, "Invalid symbol."), true;
          if (params.symbol === "SLOW") return true;
          if (params.symbol === "LOST") return reply.kill(), true;
        }
        return false;
      });
      await using manager = apiManager(server, library, { signer, apiTimeoutMs: 5_000 });
      const stream = manager.createStream({ api: true, logon: signer.kind === "Ed25519" });
      await stream.request("order.place", ORDER);
      const place = (symbol: string, more = {}, options = {}) =>
        stream.request("order.place", { ...ORDER, symbol, ...more }, options).catch((error: unknown) => error);
      const refused = await place("NOPE");
      const late = await place("SLOW", {}, { timeoutMs: 50 });
      const unsendable = await place("BTCUSDT", { price: NaN });
      const lost = await place("LOST");
      assertInstanceOf(refused, ApiError);
      assertInstanceOf(late, RequestOutcomeUnknownError);
      assertInstanceOf(unsendable, TypeError);
      assertInstanceOf(lost, RequestOutcomeUnknownError);
      await until(() => stream.state === "running", "the stream is up again");
      assert(
        server.callsOf(index === 0 ? "order.place" : "session.logon").some(({ params }) => params.apiKey === API_KEY),
      );
      const shown = {
        refused,
        late,
        lost,
        manager,
        stream,
        statistics: [stream.statistics, manager.statistics],
        summary: manager.printSummary({ print: false }),
        status: manager.getMonitoringStatusPlain(),
        signals: manager.signals,
        log: manager.log,
        errors: manager.errors,
        results: manager.results,
      };
      assertEquals(leaks(shown), []);
      assert(manager.log.length > 0, "something was logged");
    },
  );
}

testEachLibrary("a stream of account events shows nothing of its keys in its info", async (library) => {
  for (const signer of signers) {
    await using server = await startApiServer(({ method }, reply) => {
      if (method !== "userDataStream.subscribe.signature") return false;
      reply.result({ subscriptionId: 0 });
      return true;
    });
    await using manager = apiManager(server, library);
    const stream = manager.createStream({ userData: { signer } });
    await stream.ready;
    assertEquals(server.callsOf("userDataStream.subscribe.signature").map(({ params }) => params.apiKey), [API_KEY]);
    const info = manager.getStreamInfo(stream);
    const text = manager.printStreamInfo(stream, { print: false });
    assertEquals(leaks({ stream, info, text, manager, log: manager.log, signals: manager.signals }), []);
  }
});

testEachLibrary(
  "errors about a manager's options, and about requests that can't be sent, show nothing of the signer among them",
  async (library) => {
    for (const signer of signers) {
      const create = (more: object) => () =>
        void new BinanceWebSocketApiManager({ websocketLibrary: library, signer, ...more });
      // The cast: what JavaScript may pass.
      const noSigner = { signer: { apiKey: API_KEY, apiSecret: API_KEY } as unknown as Signer };
      const errors = [{ bufferSize: signer }, { bufferSize: 0, maxLinks: -1 }, noSigner, { exchange: signer }].map((
        more,
      ) => assertThrows(create(more), InvalidOptionsError));
      assertEquals(leaks({ ...errors }), []);
      await using manager = new BinanceWebSocketApiManager({ signer, websocketApiBaseUrl: "ws://127.0.0.1:1" });
      const stream = manager.createStream({ api: true });
      const error = await assertRejects(
        () => stream.request("order.place", ORDER, { timeoutMs: 50 }),
        RequestTimeoutError,
      );
      assertEquals(leaks({ error, stream, manager }), []);
    }
  },
);
