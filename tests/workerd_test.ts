/**
 * The edge door in the real workerd: a manager in a Durable Object, against the local exchange.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { startLocalExchange } from "@rawtick/binance/testing";
import { COMPATIBILITY_DATE, COMPATIBILITY_DATE_WITHOUT_NODE } from "./workerd/config.ts";
import type { ManagerState, Refusal } from "./workerd/manager_worker.ts";
import { inWorkerd, workerdBinary, type WorkerdOptions } from "./workerd/workerd.ts";
import { certificate } from "./native_server.ts";
import { trade } from "./support.ts";

const noWorkerd = workerdBinary() === undefined
  ? "the npm package workerd has no binary that runs on this platform"
  : false;
const timeout = 60_000;

/** The worker with a manager, whose exchange is at `url`. */
function workerWith(url: string, options: Partial<WorkerdOptions> = {}): WorkerdOptions {
  return {
    entry: new URL("./workerd/manager_worker.ts", import.meta.url),
    bindings: { EXCHANGE: url },
    durableObjects: { MANAGER: "ManagerObject" },
    ...options,
  };
}

for (const compatibilityDate of [COMPATIBILITY_DATE, COMPATIBILITY_DATE_WITHOUT_NODE]) {
  const name = `a manager of ./edge in a Durable Object of workerd, compatible with ${compatibilityDate}`;
  test(`${name}, survives a cut and changes its subscriptions`, { skip: noWorkerd, timeout }, async () => {
    await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
    await inWorkerd(workerWith(exchange.url, { compatibilityDate }), async (workerd) => {
      const texts: string[] = [];
      /** Pushes a trade, and takes what the worker has once it has that many. */
      const deliver = async (id: number, symbol?: string): Promise<ManagerState> => {
        const { stream, text } = trade(id, symbol);
        assertEquals(exchange.push(stream, JSON.parse(text).data), 1, `one connection is subscribed to ${stream}`);
        texts.push(text);
        return await workerd.json<ManagerState>(`/state?messages=${texts.length}`);
      };

      await workerd.fetch("/start?stream=btcusdt@trade");
      assertEquals((await deliver(1)).messages, texts);

      // No request is being handled meanwhile: the manager's timers run all the same.
      exchange.killConnections();
      await exchange.waitFor(() =>
        exchange.openConnections.some(({ id, streams }) => id === 1 && streams.length === 1)
      );
      const afterCut = await deliver(2);
      assertEquals(afterCut.messages, texts);
      assertEquals(afterCut.signals, ["CONNECT", "FIRST_RECEIVED_DATA", "DISCONNECT", "CONNECT"]);

      await workerd.fetch("/subscribe?stream=ethusdt@trade");
      assertEquals((await deliver(1, "ethusdt")).subscriptions, ["btcusdt@trade", "ethusdt@trade"]);
      await workerd.fetch("/unsubscribe?stream=btcusdt@trade");
      assertEquals(exchange.push("btcusdt@trade", {}), 0);
      const { messages, subscriptions } = await deliver(2, "ethusdt");
      assertEquals([messages, subscriptions], [texts, ["ethusdt@trade"]]);

      const { log, signals } = await workerd.json<ManagerState>("/stop");
      await exchange.waitForConnections(0);
      assertEquals(signals.at(-1), "STOP");
      assertEquals(log.filter((line) => !line.includes("1006")), []);
    });
  });
}

test("the same manager connects by wss:// to an exchange whose authority workerd trusts", {
  skip: noWorkerd,
  timeout,
}, async () => {
  const tls = { cert: certificate("localhost.pem"), key: certificate("localhost.key") };
  await using exchange = await startLocalExchange({ messagesPerSecond: 0, tls });
  const url = exchange.url.replace("127.0.0.1", "localhost");
  await inWorkerd(workerWith(url, { trustedCertificates: [certificate("ca.pem")] }), async (workerd) => {
    await workerd.fetch("/start?stream=btcusdt@trade");
    const { stream, text } = trade(1);
    exchange.push(stream, JSON.parse(text).data);
    assertEquals((await workerd.json<ManagerState>("/state?messages=1")).messages, [text]);
  });
});

test("in workerd, other libraries and proxies are refused by their classes, when the manager is made", {
  skip: noWorkerd,
  timeout,
}, async () => {
  await inWorkerd(workerWith("ws://127.0.0.1:1"), async (workerd) => {
    const [native, unknown, proxy] = await workerd.json<Refusal[]>("/refusals");
    assertEquals(native?.classes, ["InvalidOptionsError", "WebSocketLibraryUnavailableError"]);
    assertStringIncludes(native?.message ?? "", "raw sockets are not part of");
    assertEquals(unknown?.classes, ["InvalidOptionsError", "UnknownWebSocketLibraryError"]);
    assertEquals(proxy?.classes, ["InvalidOptionsError", "ProxyUnavailableError"]);
    assertStringIncludes(proxy?.message ?? "", 'Cannot use the proxy "socks5://');
  });
});

test("what nobody catches in workerd fails the test, whether it is thrown in a request, a timer or a promise", {
  skip: noWorkerd,
  timeout,
}, async () => {
  const entry = new URL("./workerd/failing_worker.ts", import.meta.url);
  for (const where of ["request", "timer", "promise"]) {
    await assertRejects(
      () => inWorkerd({ entry }, async ({ url }) => void await (await fetch(`${url}/${where}`)).text()),
      Error,
      `Thrown in a ${where}`,
    );
  }
});
