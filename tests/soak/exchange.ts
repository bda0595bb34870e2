/**
 * The process of the exchanges: one for each library, that send the same and misbehave in the same way at the same time.
 * "finish" on stdin ends the data and asks for the ledgers; the end of stdin ends the process.
 *
 * @module
 */

import process from "node:process";
import { createInterface } from "node:readline";
import type { WebSocketLibrary } from "@rawtick/binance";
import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import { chaosScript, type FaultName } from "./chaos.ts";
import { commitFault } from "./fault_runner.ts";
import { type ExchangeArguments, type ExchangeLedger, type FromExchange, GENERATOR_SEED } from "./protocol.ts";
import { timingOf } from "./timing.ts";

/** Time in ms in which what is on its way to the sockets gets there. */
const DRAIN_MS = 200;

/** Largest time scale at which five real minutes are over before the next fault comes. */
const LARGEST_SCALE_OF_BANS = 2;

const tell = (message: FromExchange): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

// The cast: the soak, which starts this process, writes what the type says.
const given = JSON.parse(process.argv[2] ?? "{}") as ExchangeArguments;
const timing = timingOf(given);
const start = (): Promise<LocalExchange> =>
  startLocalExchange({ market: "spot", seed: GENERATOR_SEED, messagesPerSecond: given.rate, ...timing.exchange });
const exchanges: Record<WebSocketLibrary, LocalExchange> = { builtin: await start(), native: await start() };
const all = Object.values(exchanges);
const timers = new Set<ReturnType<typeof setTimeout>>();

tell({ type: "hello", urls: { builtin: exchanges.builtin.url, native: exchanges.native.url } });

for (const scripted of chaosScript(given.chaos, timing, given.dataFaults)) {
  timers.add(setTimeout(async () => {
    const at = Date.now();
    await Promise.all([
      commitFault(exchanges.builtin, { ...scripted, fault: shownToBuiltin(scripted.fault) }, timing),
      commitFault(exchanges.native, scripted, timing),
    ]);
    tell({ type: "fault", fault: scripted.fault, at, endedAt: Date.now() });
  }, scripted.at));
}

/**
 * The runtimes' own WebSockets hide `Retry-After`, so the manager waits one or five real minutes after 429 and 418. Where
 * that is hours of simulated time, their exchange is unavailable instead.
 */
function shownToBuiltin(fault: FaultName): FaultName {
  const isTold = fault === "rateLimited" || fault === "banned";
  return isTold && given.timeScale > LARGEST_SCALE_OF_BANS ? "unavailable" : fault;
}

function ledgerOf({ statistics, messagesSent }: LocalExchange): Omit<ExchangeLedger, "published"> {
  return {
    maxConnectionAttempts: statistics.maxConnectionAttempts,
    messagesSent,
    connections: statistics.connections.map((connection) => ({
      ...connection,
      subscribes: [...connection.subscribes],
      sent: [...connection.sent].map(([stream, { last }]) => [stream, last] as const),
    })),
  };
}

async function finish(): Promise<void> {
  for (const timer of timers) clearTimeout(timer);
  const published = all.map(({ statistics }) => [...statistics.published]);
  for (const exchange of all) exchange.muteStreams(given.streams);
  await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  const [builtin = [], native = []] = published;
  tell({
    type: "ledgers",
    ledgers: {
      builtin: { ...ledgerOf(exchanges.builtin), published: builtin },
      native: { ...ledgerOf(exchanges.native), published: native },
    },
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "finish") await finish();
}
for (const timer of timers) clearTimeout(timer);
await Promise.all(all.map((exchange) => exchange.close()));
process.exit(0);
