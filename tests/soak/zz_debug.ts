import { startLocalExchange } from "@rawtick/binance/testing";
import { BinanceWebSocketApiManager } from "@rawtick/binance";
import { commitFault } from "./fault_runner.ts";
import { timingOf } from "./timing.ts";
const timing = timingOf({ hours: 24, timeScale: 240 });
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
for (const library of ["native", "builtin"] as const) {
  for (const fault of (Deno.args[0] ?? "slow").split(",")) {
    const exchange = await startLocalExchange({ market: "spot", seed: 42, messagesPerSecond: 10, ...timing.exchange });
    const t0 = performance.now();
    let n = 0;
    const log = (s: string) => console.log(library, fault, (performance.now() - t0).toFixed(0), s);
    const manager = new BinanceWebSocketApiManager({
      ...timing.manager,
      websocketLibrary: library,
      websocketBaseUrl: exchange.url,
      logger: {
        debug: () => {},
        info: (m: string) => log("I " + m),
        warn: (m: string) => log("W " + m),
        error: (m: string) => log("E " + m),
      },
      onSignal: (s) =>
        log(
          s.type + (s.type === "GAP" ? ` ${s.stream} ${s.lastId} ${s.nextId}` : "") +
            (s.type === "DISCONNECT" ? ` ${s.close.code}` : ""),
        ),
    });
    const names = Array.from(
      { length: 4 },
      (_, i) => ["trade", "aggTrade", "bookTicker", "kline_1m"].map((c) => `soak${i}usdt@${c}`),
    ).flat();
    manager.createStream({ streams: names, onData: () => void n++ });
    await sleep(1500);
    log(`fault, ${n} messages`);
    await commitFault(exchange, { at: 0, fault: fault as never, random: 0.5 }, timing);
    log(`fault over`);
    for (let i = 0; i < 4; i++) {
      const b = n;
      await sleep(1000);
      log(`+${n - b} (published/s ${names.length * 10})`);
    }
    await manager.stopManager();
    await exchange.close();
  }
}
