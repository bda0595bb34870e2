/**
 * Writes `docs/websocket_api.md` from the tables of methods: `deno task api-docs` or `bun run api-docs`.
 *
 * @module
 */

import { writeFileSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { type ApiMethod, type ApiMethods, coinmMethods, spotMethods, usdmMethods } from "../src/api/methods/mod.ts";

const DOCUMENT = new URL("../docs/websocket_api.md", import.meta.url);

const HEAD = `# WebSocket API

Written from \`src/api/methods\` by \`tools/api_document.ts\`; do not edit.

A stream with \`api: true\` carries requests. Every method has a function with its name in camel case, and the names of
the reference product are there too:

\`\`\`ts
import { BinanceWebSocketApiManager, createSigner } from "@rawtick/binance";

const signer = createSigner({ apiKey: "your key", apiSecret: "your secret" });
await using manager = new BinanceWebSocketApiManager({ exchange: "binance.com", signer });
manager.createStream({ api: true });

const { serverTime } = await manager.api.spot.time();
const order = await manager.api.spot.orderPlace({
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: "60000",
  quantity: 0.001,
});
console.log(serverTime, order.orderId);
\`\`\`

- **Required** parameters are checked before anything is sent: a missing one is an \`InvalidOptionsError\`. Of the
  parameters after **one of** at least one is required.
- Parameters that are not listed are sent as they are. \`apiKey\`, \`timestamp\` and \`signature\` are added by the stream; a
  method that is signed also takes \`recvWindow\`, and every method takes \`returnRateLimits\`.
- What is not in these tables goes by \`stream.request("its.name", params)\`.
- A method that **changes state** is never sent twice: if its connection is lost before the answer, the promise is
  rejected with a \`RequestOutcomeUnknownError\`. All others are sent again.
- **Weight** counts for the address, **orders** for the account. "0 if it succeeds": only a request that fails costs the
  weight.
`;

/** The whole document, as \`deno fmt\` leaves it. */
export function apiDocument(): string {
  return [
    HEAD,
    chapter("Spot", "manager.api.spot", "The WebSocket API v3 of spot and margin, and of Binance.US.", spotMethods),
    chapter("USD-M futures", "manager.api.futures", "Over a stream of `binance.com-futures`.", usdmMethods),
    chapter(
      "COIN-M futures",
      "manager.api.futures",
      "Over a stream of `binance.com-coin_futures`; the functions that are not listed are an error there.",
      coinmMethods,
    ),
  ].join("\n");
}

function chapter(title: string, object: string, about: string, methods: ApiMethods): string {
  const all = [...methods.values()];
  const rows = all.map((method) => [
    `\`${method.method}\``,
    `\`${method.functionName}\``,
    method.access === "NONE" || method.access === "SESSION" ? "" : method.access,
    security(method),
    method.changesState ? "yes" : "",
    weight(method),
    method.orders === 0 ? "" : String(method.orders),
  ]);
  return [
    `## ${title}`,
    wrapped(`${about} Functions of \`${object}\`.`),
    table(["method", "function", "permission", "security", "changes state", "weight", "orders"], rows),
    ...all.map(section),
  ].join("\n\n") + "\n";
}

function section(method: ApiMethod): string {
  const names = [method.functionName, ...method.aliases].map((name) => `\`${name}\``).join(", ");
  const facts = [
    `${method.aliases.length > 0 ? "functions" : "function"}: ${names}`,
    ...parameters("required", method.required),
    ...method.alternatives.flatMap((group) => parameters("one of", group)),
    ...parameters("optional", method.optional),
    `returns: \`ApiResults["${method.returns}"]\``,
  ];
  const text = [method.about, method.note].filter((part) => part !== undefined).join(" ");
  return [`### \`${method.method}\``, wrapped(text), facts.map((fact) => wrapped(`- ${fact}`, "  ")).join("\n")].join(
    "\n\n",
  );
}

function parameters(title: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${title}: ${names.map((name) => `\`${name}\``).join(", ")}`];
}

function security(method: ApiMethod): string {
  if (method.needsLogon) return "after `session.logon`";
  return { NONE: "", API_KEY: "API key", SIGNED: "signed" }[method.security];
}

function weight(method: ApiMethod): string {
  return method.freeIfSuccessful ? `${method.weightText} (0 if it succeeds)` : method.weightText;
}

/** A paragraph in lines of at most 120 characters, code in backticks in one piece, as `deno fmt` writes it. */
function wrapped(text: string, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    if (line !== "" && line.length + 1 + word.length > 120) {
      lines.push(line);
      line = indent + word;
    } else line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line].join("\n");
}

/** A table whose columns are as wide as their longest cell, as `deno fmt` writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(DOCUMENT, apiDocument());
}
