/**
 * The process of the client: opens the connections that the matrix asks for. Runs on Deno and Bun.
 *
 * @module
 */

import process from "node:process";
import { createInterface } from "node:readline";
import { BinanceWebSocketApiManager } from "@rawtick/binance";
import { openConnection } from "@rawtick/binance/transport";
import { type Command, type Hello, type Report, USER } from "./client_protocol.ts";

/** Longest time in ms for each answer of the exchange. */
const ANSWER_MS = 5_000;

const QUESTION = JSON.stringify({ method: "LIST_SUBSCRIPTIONS", id: 4711 });

/** Opens a connection, asks the exchange something, waits for the answer, closes. */
async function talk({ library, url, ca, proxy }: Command): Promise<void> {
  const answered = Promise.withResolvers<void>();
  answered.promise.catch(() => {});
  const connection = await openConnection(library, `${url}/ws`, {
    onText: (text) => text.includes("4711") ? answered.resolve() : answered.reject(new Error(`Unexpected ${text}`)),
    onClose: ({ code }) => answered.reject(new Error(`Closed with ${code}`)),
  }, { tls: { ca: [ca] }, ...(proxy === undefined ? {} : { proxy }) });
  try {
    connection.send(QUESTION);
    await within(answered.promise, "No answer of the exchange");
    connection.close();
    await within(connection.closed, "No end of the connection");
  } finally {
    connection.terminate();
  }
}

/** A stream of a manager: it is ready when the exchange has acknowledged its subscription. */
async function stream({ library, url, ca, proxy }: Command): Promise<void> {
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  await using manager = new BinanceWebSocketApiManager({
    websocketLibrary: library,
    websocketBaseUrl: url,
    logger: quiet,
    tls: { ca: [ca] },
    ...(proxy === undefined ? {} : { proxy }),
  });
  const stream = manager.createStream({ streams: ["btcusdt@trade"] });
  await within(stream.ready, "The stream does not get ready");
  if (proxy !== undefined && !manager.proxyInfo?.includes(`://${USER}:***@`)) {
    throw new Error(`The manager says its proxy is ${manager.proxyInfo}`);
  }
}

/** Waits for an answer, but not for ever. */
async function within<T>(promise: Promise<T>, orElse: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => timer = setTimeout(() => reject(new Error(orElse)), ANSWER_MS));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function run(command: Command): Promise<Report> {
  const { run, door } = command;
  const before = Object.keys(command.env).map((name) => [name, process.env[name]] as const);
  for (const [name, value] of Object.entries(command.env)) setVariable(name, value);
  try {
    await (door === "manager" ? stream(command) : talk(command));
    return { run, talked: true };
  } catch (error) {
    if (!(error instanceof Error)) return { run, talked: false, message: String(error) };
    const read = (key: "code" | "stage"): Record<string, string> =>
      key in error && typeof Reflect.get(error, key) === "string" ? { [key]: Reflect.get(error, key) } : {};
    return { run, talked: false, message: error.message, ...read("code"), ...read("stage") };
  } finally {
    for (const [name, value] of before) setVariable(name, value ?? null);
  }
}

function setVariable(name: string, value: string | null): void {
  if (value === null) delete process.env[name];
  else process.env[name] = value;
}

function put(message: Hello | Report): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// The matrix is gone if nobody wants to know, or if nobody can be told what is under way.
let isBusy = false;
process.stdout.on("error", () => process.exit(1));
process.stdin.on("end", () => {
  if (isBusy) process.exit(1);
});

const { bun, deno } = process.versions;
put({ hello: bun === undefined ? `deno ${deno}` : `bun ${bun}` });
for await (const line of createInterface({ input: process.stdin })) {
  isBusy = true;
  put(await run(JSON.parse(line)));
  isBusy = false;
}
