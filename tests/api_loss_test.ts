/**
 * Connections that are lost at every step of an order's life: the caller always learns whether it was sent, was not, or
 * nobody knows; and no order is ever placed twice.
 *
 * @module
 */

import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import {
  ApiError,
  ConnectionClosedError,
  createSigner,
  RawtickError,
  RequestOutcomeUnknownError,
  RequestTimeoutError,
  type Signer,
  StreamStoppedError,
} from "@rawtick/binance";
import { type ApiHandler, apiManager, startApiServer } from "./api_server.ts";
import { testEachLibrary, until } from "./support.ts";

const hmac = createSigner({ apiKey: "key", apiSecret: "secret" });
const ORDER = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "1" };

/** Kills the connection when an order comes. */
const killOrders: ApiHandler = ({ method }, reply) => {
  if (method !== "order.place") return false;
  reply.kill();
  return true;
};

testEachLibrary("before it is sent: an order waits for the connection, and is placed once", async (library) => {
  const free = await startApiServer();
  const { port } = free;
  await free[Symbol.asyncDispose]();
  await using manager = apiManager({ url: `ws://127.0.0.1:${port}` }, library, { signer: hmac });
  const stream = manager.createStream({ api: true });
  const order = stream.request("order.place", ORDER);
  await until(() => manager.signals.some(({ type }) => type === "CONNECT_FAILED"), "an attempt that fails");
  assertEquals([stream.state, stream.statistics.waiting], ["restarting", 1]);
  await using server = await startApiServer(undefined, port);
  await order;
  assertEquals(server.callsOf("order.place").length, 1);
  assertEquals(stream.statistics.retries, 0);
});

testEachLibrary("before it is sent: an order whose time is over was not sent, and never is", async (library) => {
  const free = await startApiServer();
  const { port } = free;
  await free[Symbol.asyncDispose]();
  await using manager = apiManager({ url: `ws://127.0.0.1:${port}` }, library, { signer: hmac });
  const stream = manager.createStream({ api: true });
  const error = await assertRejects(() => stream.request("order.place", ORDER, { timeoutMs: 60 }), RequestTimeoutError);
  assertEquals(error.wasSent, false);
  await using server = await startApiServer(undefined, port);
  await stream.ready;
  await stream.request("ping");
  assertEquals(server.callsOf("order.place"), []);
});

testEachLibrary("while it is signed: an order goes over the next connection, signed anew", async (library) => {
  await using server = await startApiServer();
  let signatures = 0;
  const slow: Signer = {
    kind: "HMAC",
    apiKey: "key",
    signRest: (query) => hmac.signRest(query),
    async signWebSocket(params) {
      if (signatures++ === 0) {
        server.kill();
        await until(() => server.connections === 2 && stream.isReady, "the next connection");
      }
      return await hmac.signWebSocket(params);
    },
  };
  await using manager = apiManager(server, library, { signer: slow });
  const stream = manager.createStream({ api: true });
  await stream.ready;
  await stream.request("order.place", ORDER);
  const orders = server.callsOf("order.place");
  assertEquals([orders.length, orders[0]?.connection, signatures], [1, 2, 2]);
});

testEachLibrary(
  "while it is signed: an order that is aborted, or whose time is over, is never sent",
  async (library) => {
    await using server = await startApiServer();
    const signing = Promise.withResolvers<void>();
    const slow: Signer = {
      kind: "HMAC",
      apiKey: "key",
      signRest: (query) => hmac.signRest(query),
      async signWebSocket(params) {
        await signing.promise;
        return await hmac.signWebSocket(params);
      },
    };
    await using manager = apiManager(server, library, { signer: slow });
    const stream = manager.createStream({ api: true });
    await stream.ready;
    const controller = new AbortController();
    const aborted = stream.request("order.place", ORDER, { signal: controller.signal });
    controller.abort(new Error("changed my mind"));
    await assertRejects(() => aborted, Error, "changed my mind");
    const late = await assertRejects(
      () => stream.request("order.place", ORDER, { timeoutMs: 20 }),
      RequestTimeoutError,
    );
    assertEquals(late.wasSent, false);
    signing.resolve();
    await stream.request("ping");
    assertEquals(server.callsOf("order.place"), []);
  },
);

testEachLibrary("after it is sent: the outcome of an order is unknown, and it is not sent again", async (library) => {
  await using server = await startApiServer(killOrders);
  await using manager = apiManager(server, library, { signer: hmac });
  const stream = manager.createStream({ api: true });
  const error = await assertRejects(() => stream.request("order.place", ORDER), RequestOutcomeUnknownError);
  assertInstanceOf(error.cause, ConnectionClosedError);
  await stream.request("ping");
  const [order, ...more] = server.callsOf("order.place");
  assertEquals([error.clientOrderId, more], [order?.params.newClientOrderId, []]);
  assertEquals([stream.statistics.unknownOutcomes, stream.statistics.reconnects], [1, 1]);
});

testEachLibrary(
  "after it is sent: what changes nothing is sent again, with a fresh timestamp and signature",
  async (library) => {
    await using server = await startApiServer((call, reply) => {
      if (call.method !== "order.status" || call.connection > 2) return false;
      setTimeout(() => reply.kill(), 5);
      return true;
    });
    await using manager = apiManager(server, library, { signer: hmac });
    const stream = manager.createStream({ api: true });
    await stream.request("order.status", { symbol: "BTCUSDT", orderId: 1 });
    const calls = server.callsOf("order.status");
    assertEquals(calls.map(({ connection }) => connection), [1, 2, 3]);
    for (const name of ["timestamp", "signature"]) {
      assertEquals(new Set(calls.map(({ params }) => params[name])).size, 3, name);
    }
    assertEquals(stream.statistics.retries, 2);
  },
);

testEachLibrary(
  "after it is sent: what is not in the table is never sent twice, unless the caller says that it may be",
  async (library) => {
    await using server = await startApiServer((call, reply) => {
      if (call.method !== "brand.new" || server.callsOf("brand.new").length === 3) return false;
      reply.kill();
      return true;
    });
    await using manager = apiManager(server, library);
    const stream = manager.createStream({ api: true });
    await assertRejects(() => stream.request("brand.new"), RequestOutcomeUnknownError);
    assertEquals(server.callsOf("brand.new").length, 1);
    await stream.request("brand.new", {}, { facts: { changesState: false } });
    assertEquals(server.callsOf("brand.new").length, 3);
  },
);

testEachLibrary(
  "between the answer and the event: the order is known, and the loss of the events is told",
  async (library) => {
    await using server = await startApiServer((call, reply) => {
      if (call.method !== "order.place") return false;
      reply.result({ orderId: 7 });
      reply.close(1001);
      return true;
    });
    await using manager = apiManager(server, library, { signer: hmac });
    const stream = manager.createStream({ api: true });
    await stream.ready;
    const told: string[] = [];
    stream.attachUserData({
      onConnect: () => void told.push("connect"),
      onDisconnect: (close, lastReceivedAt) => void told.push(`${close.code} ${Date.now() - lastReceivedAt < 5_000}`),
      onEvent: () => {},
      onEnd: ({ name }) => void told.push(name),
    });
    assertEquals(await stream.request("order.place", ORDER), { orderId: 7 });
    await until(() => told.length === 3, "the reconnect");
    await stream.stop();
    assertEquals(told, ["connect", "1001 true", "connect", "1000 true", "StreamStoppedError"]);
    assertEquals(server.callsOf("order.place").length, 1);
    const types = manager.signals.map(({ type }) => type);
    assertEquals(types, ["CONNECT", "DISCONNECT", "CONNECT", "DISCONNECT", "STOP"]);
  },
);

testEachLibrary("what the exchange itself does not know is unknown, what it refuses is not", async (library) => {
  const answers: [number, number][] = [[500, -1000], [504, -1007], [400, -1007], [503, -1008], [400, -2010], [
    409,
    -2021,
  ]];
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "order.cancelReplace") return false;
    const [status = 0, code = 0] = answers[server.callsOf("order.cancelReplace").length - 1] ?? [];
    reply.error(status, code, "no");
    return true;
  });
  await using manager = apiManager(server, library, { signer: hmac });
  const stream = manager.createStream({ api: true });
  const outcomes: string[] = [];
  for (const _ of answers) {
    const error = await stream.request("order.cancelReplace", ORDER).catch((error) => error);
    assert(error instanceof RawtickError);
    outcomes.push(error.code);
    if (error instanceof RequestOutcomeUnknownError) assertInstanceOf(error.cause, ApiError);
  }
  const unknown = "REQUEST_OUTCOME_UNKNOWN";
  assertEquals(outcomes, [unknown, unknown, unknown, "API_ERROR", "API_ERROR", "API_ERROR"]);
  assertEquals(server.callsOf("order.cancelReplace").length, answers.length);
});

testEachLibrary("a stop tells sent orders from those that were not", async (library) => {
  await using server = await startApiServer(({ method }) => method === "order.place");
  await using manager = apiManager(server, library, { signer: hmac });
  const stream = manager.createStream({ api: true });
  await stream.ready;
  const outcomeOf = (request: Promise<unknown>): Promise<unknown> => request.catch((error) => error);
  const sent = outcomeOf(stream.request("order.place", ORDER));
  await until(() => server.callsOf("order.place").length === 1, "the order");
  const unsent = outcomeOf(stream.request("order.place", ORDER));
  await manager.stopManager();
  const unknown = await sent;
  assertInstanceOf(unknown, RequestOutcomeUnknownError);
  assertInstanceOf(unknown.cause, StreamStoppedError);
  assertInstanceOf(await unsent, StreamStoppedError);
  await assertRejects(() => stream.request("ping"), StreamStoppedError);
  assertEquals(server.callsOf("order.place").length, 1);
});

testEachLibrary("a server that shuts down is left without an unknown outcome", async (library) => {
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "order.place") return false;
    setTimeout(() => reply.result({ connection: call.connection }), 100);
    return true;
  });
  await using manager = apiManager(server, library, { signer: hmac });
  const stream = manager.createStream({ api: true });
  await stream.ready;
  const before = stream.request("order.place", ORDER);
  await until(() => server.callsOf("order.place").length === 1, "the order");
  server.push('{"event":{"e":"serverShutdown","E":1770123456789}}');
  await until(() => stream.statistics.rollovers === 1, "the other connection");
  assertEquals(await stream.request("order.place", ORDER), { connection: 2 });
  assertEquals(await before, { connection: 1 });
  assertEquals(manager.signals.map(({ type }) => type), ["CONNECT", "ROLLOVER"]);
});

testEachLibrary("connections that are replaced by age lose no request, and send none twice", async (library) => {
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "order.cancel") return false;
    setTimeout(() => reply.result({}), 1 + server.calls.length % 5);
    return true;
  });
  await using manager = apiManager(server, library, { signer: hmac, rolloverAgeMs: 100 });
  const stream = manager.createStream({ api: true });
  let requests = 0;
  while (stream.statistics.rollovers < 3) {
    const cancel = () => stream.request("order.cancel", { symbol: "BTCUSDT", orderId: 1 });
    await Promise.all(Array.from({ length: 5 }, cancel));
    requests += 5;
  }
  assertEquals(server.callsOf("order.cancel").length, requests);
  assertEquals(stream.statistics.unknownOutcomes, 0);
  assertEquals(manager.signals.filter(({ type }) => type !== "ROLLOVER").map(({ type }) => type), ["CONNECT"]);
});

testEachLibrary(
  "orders over connections that die at any moment are placed once, never, or unknown",
  async (library) => {
    /** How often each order was placed. */
    const placed = new Map<unknown, number>();
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    // What is tried here is not the wait for a limit of orders.
    const rateLimits = [["SECOND", 10], ["DAY", 1]].map(([interval, intervalNum]) => (
      { rateLimitType: "ORDERS", interval, intervalNum, limit: 1e6, count: 1 }
    ));
    await using server = await startApiServer((call, reply) => {
      if (call.method !== "order.place") return false;
      const id = call.params.newClientOrderId;
      const chance = id === "first" ? 1 : random();
      if (chance >= 0.15) placed.set(id, (placed.get(id) ?? 0) + 1);
      if (chance >= 0.3) reply.result({ clientOrderId: id }, { rateLimits });
      if (chance < 0.4) reply.kill();
      else if (chance < 0.5) reply.close(1001);
      return true;
    });
    await using manager = apiManager(server, library, { signer: hmac });
    const stream = manager.createStream({ api: true });
    await stream.request("order.place", { ...ORDER, newClientOrderId: "first" });
    const outcomes = { done: 0, unknown: 0 };
    await Promise.all(Array.from({ length: 3 }, async (_, worker) => {
      for (let index = 0; index < 60; index++) {
        const id = `order-${worker}-${index}`;
        const request = stream.request("order.place", { ...ORDER, newClientOrderId: id }, { timeoutMs: 20_000 });
        const error = await request.then(() => undefined, (error) => error);
        if (error === undefined) {
          outcomes.done++;
          assertEquals(placed.get(id), 1, `${id} was answered`);
        } else {
          assertInstanceOf(error, RequestOutcomeUnknownError);
          outcomes.unknown++;
        }
      }
    }));
    assertEquals(outcomes.done + outcomes.unknown, 180);
    assert(outcomes.done > 30 && outcomes.unknown > 30, JSON.stringify(outcomes));
    assertEquals(Math.max(...placed.values()), 1, "an order was placed twice");
  },
);
