/**
 * The matrix: every proxy, each library, each runtime, `ws://` and `wss://`, one connection after the other.
 *
 * @module
 */

import { createServer } from "node:net";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import type { Runtime } from "../../tools/runtimes.ts";
import type { Command } from "./client_protocol.ts";
import { ClientProcess } from "./client_process.ts";
import { certificateFile, type RecordingExchange, startRecordingExchange } from "./exchange.ts";
import { judge, type Verdict } from "./judge.ts";
import { type Row, rowsOf } from "./rows.ts";
import { type Scheme, SCHEMES, startStations } from "./stations.ts";

/** What is run. */
export interface Selection {
  readonly runtimes: readonly Runtime[];
  readonly libraries: readonly WebSocketLibrary[];
  readonly schemes: readonly Scheme[];
  readonly onlyStandIns: boolean;
}

/** One column. */
export interface Column {
  readonly library: WebSocketLibrary;
  readonly runtime: Runtime;
  readonly protocol: "ws" | "wss";
}

/** A row with its verdicts, one for each column. */
export interface Line {
  readonly row: Row;
  readonly cells: readonly Verdict[];
}

/** What came of a run. */
export interface MatrixResult {
  readonly columns: readonly Column[];
  readonly lines: readonly Line[];
  /** Which proxies were used, a line each. */
  readonly notes: readonly string[];
  /** Runtimes and versions. */
  readonly clients: readonly string[];
  /** What went wrong outside of the cells. */
  readonly faults: readonly string[];
}

/** How long in ms connections may need to be gone from everywhere after the client has closed. */
const GONE_MS = 3_000;

/**
 * The environments in which every cell is run: one whose NO_PROXY would lead a runtime's own proxy support around the
 * proxy, and one that names a proxy nobody has asked for.
 */
const hostile = (trap: string): readonly Readonly<Record<string, string | undefined>>[] => {
  const names = ["http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"];
  const everyCase = [...names, ...names.map((name) => name.toUpperCase())];
  const all = (value: string | undefined) => Object.fromEntries(everyCase.map((name) => [name, value]));
  return [
    { ...all(undefined), NO_PROXY: "*", no_proxy: "*" },
    { ...all(trap), NO_PROXY: undefined, no_proxy: undefined },
  ];
};

/** Runs the matrix. */
export async function runMatrix(
  selection: Selection,
  onLine: (line: Line) => void = () => {},
): Promise<MatrixResult> {
  await using started = new AsyncDisposableStack();
  const stations = started.use(await startStations(selection.onlyStandIns));
  const trap = started.use(await startTrap());
  const exchanges = {
    ws: started.use(await startRecordingExchange()),
    wss: started.use(await startRecordingExchange("localhost")),
  };
  const columns = selection.runtimes.flatMap((runtime) =>
    selection.libraries.flatMap((library) =>
      (["ws", "wss"] as const).map((protocol): Column => ({ library, runtime, protocol }))
    )
  );
  const clients: { runtime: Runtime; client: ClientProcess }[] = [];
  const faults: string[] = [];
  const starts = selection.runtimes.flatMap((runtime) => hostile(trap.url).map((env) => ({ runtime, env })));
  for (const { runtime, env } of starts) {
    const client = await ClientProcess.start(runtime, env);
    started.defer(async () => void await client.stop());
    clients.push({ runtime, client });
  }
  const ca = certificateFile("ca.pem");

  const cell = async (row: Row, { library, runtime, protocol }: Column): Promise<Verdict> => {
    const verdicts: Verdict[] = [];
    const exchange = exchanges[protocol];
    const { proxy, door, env } = row;
    for (const { client } of clients.filter((one) => one.runtime === runtime)) {
      const report = await client.run({ library, url: exchange.url, ca, proxy, door, env });
      const left = await gone(row, exchange);
      const atProxy = row.station.relay.take();
      const { outgoing } = stations;
      verdicts.push(
        judge(row, { report, atProxy, atExchange: exchange.take(), atTrap: trap.take(), left, outgoing }),
      );
    }
    return worst(verdicts);
  };

  // The sight of the matrix itself: a connection without the option is a direct one, whatever the environment says.
  for (const { library, runtime, protocol } of columns) {
    const exchange = exchanges[protocol];
    for (const { client } of clients.filter((one) => one.runtime === runtime)) {
      const command: Omit<Command, "run"> = { library, url: exchange.url, ca, door: "connection", env: {} };
      const { talked, message } = await client.run(command);
      const { from } = exchange.take();
      const [asked] = trap.take();
      if (asked !== undefined) {
        faults.push(`${library} on ${runtime} (${protocol}) asked the environment's proxy for: ${asked}`);
      } else if (!talked) faults.push(`${library} on ${runtime} (${protocol}) without a proxy: ${message}`);
      else if (from.length !== 1 || from[0] === stations.outgoing) {
        faults.push(`${library} on ${runtime} (${protocol}) without a proxy was not seen as direct`);
      }
    }
  }

  const rows = rowsOf(stations.all)
    .filter(({ scheme }) => selection.schemes.includes(scheme))
    .sort((a, b) => SCHEMES.indexOf(a.scheme) - SCHEMES.indexOf(b.scheme));
  const lines: Line[] = [];
  for (const row of rows) {
    const cells: Verdict[] = [];
    for (const column of columns) cells.push(await cell(row, column));
    const line = { row, cells };
    lines.push(line);
    onLine(line);
  }
  for (const { client } of clients) {
    if (!await client.stop()) faults.push(`The process of ${client.runtime} does not end by itself`);
  }
  const versions = [...new Set(clients.map(({ client }) => client.runtime))];
  return { columns, lines, notes: stations.notes, clients: versions, faults };
}

/** Waits until nothing is open at the proxy and at the exchange; how many are if that takes too long. */
async function gone({ station }: Row, exchange: RecordingExchange): Promise<number> {
  const end = performance.now() + GONE_MS;
  while (station.relay.open + exchange.open > 0 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return station.relay.open + exchange.open;
}

/** The same thing was done in several environments: the worst counts. */
function worst(verdicts: readonly Verdict[]): Verdict {
  const order: readonly Verdict["outcome"][] = ["direct", "failed", "refused", "ok"];
  const [first = { outcome: "failed", why: "not run" }] = order.flatMap((outcome) =>
    verdicts.filter((verdict) => verdict.outcome === outcome)
  );
  return first;
}

/** A proxy that nobody has asked for: hears what it is asked and hangs up. */
async function startTrap(): Promise<AsyncDisposable & { readonly url: string; take(): string[] }> {
  let asked: string[] = [];
  const server = createServer((socket) => {
    const index = asked.push("nothing") - 1;
    const list = asked;
    socket.on("error", () => {});
    socket.once("data", (chunk) => {
      list[index] = chunk.toString("latin1").split("\r\n")[0] ?? "";
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    take() {
      const taken = asked;
      asked = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
