import { pushTrades, startTap, TapClient, untilSubscribed } from "./tap_support.ts";
const fmt = process.argv[2] as "sse";
await using tapped = await startTap({ streams: "btcusdt@trade", clientTimeoutMs: 300, heartbeatMs: 100 });
using stuck = new TapClient(tapped.port, "", { format: fmt, isPaused: true });
await untilSubscribed(tapped, "btcusdt@trade");
let sent = 0;
const t0 = Date.now();
const { connect } = await import("node:net");
for (let i = 0; i < 100; i++) {
  pushTrades(tapped.exchange, sent + 1, 1000);
  sent += 1000;
  await new Promise((r) => setTimeout(r, 30));
  if (i % 10 == 0) console.log(i, JSON.stringify({ ...tapped.market.statistics, streams: 0 }));
  if (tapped.market.statistics.stuckClients) break;
}
console.log("stuck after", sent, Date.now() - t0);
await new Promise((r) => setTimeout(r, 500));
const cp = await import("node:child_process");
console.log(cp.execSync(`ss -tnp state all sport = :${tapped.port} | cut -c1-90`).toString());
stuck.resume();
await new Promise((r) => setTimeout(r, 1500));
console.log("bytes", stuck.bytes, "ended", stuck.hasEnded);
console.log(cp.execSync(`ss -tn state all sport = :${tapped.port} | cut -c1-90`).toString());
process.exit(0);
