/**
 * One measurement in a process of its own: takes an order as its argument, prints a row and ends.
 *
 * @module
 */

import { readFileSync, writeSync } from "node:fs";
import process from "node:process";
import { measureBare } from "./clients/bare.ts";
import { type Dial, dials } from "./clients/dial.ts";
import { measureEcho } from "./clients/echo.ts";
import { measureIdle } from "./clients/idle.ts";
import { type Measured, Meter } from "./clients/meter.ts";
import { type Order, type Row, streamOf } from "./rows.ts";
import { runtimeName } from "./runtime_name.ts";

async function measureTransport(dial: Dial, url: string, ca: string, order: Order): Promise<Measured> {
  const meter = new Meter(order);
  const line = await dial(url, meter.text, ca);
  line.send(JSON.stringify({ method: "SUBSCRIBE", params: [streamOf(order)], id: 1 }));
  return await meter.done;
}

async function measure(order: Order, ca: string): Promise<Measured> {
  const { mode, library, tls, port, hosts } = order;
  if (mode === "bare") return await measureBare(order, ca);
  const [first = "", ...others] = hosts.map((host) => `${tls ? "wss" : "ws"}://${host}:${port}`);
  if (mode === "manager") {
    if (library !== "builtin" && library !== "native") throw new Error(`The manager has no library "${library}"`);
    // Only this mode needs the packages that the manager needs.
    const { measureManager } = await import("./clients/manager.ts");
    return await measureManager(library, first, ca, order);
  }
  const dial = dials[library];
  if (dial === undefined) throw new Error(`There is no library "${library}"`);
  if (mode === "echo") return await measureEcho(dial, `${first}/echo`, ca, order);
  if (mode === "idle") return await measureIdle(dial, [first, ...others].map((url) => `${url}/idle`), ca, order);
  return await measureTransport(dial, `${first}/quiet`, ca, order);
}

/** The certificate authority's path comes beside the order, as in the order nothing depends on the checkout. */
const [orderText = "{}", authority = ""] = process.argv.slice(2);
const order: Order = JSON.parse(orderText);
const { mode, scenario, library, output, tls, pattern } = order;
const measured = await measure(order, readFileSync(authority, "utf8"));
const isStreamed = mode !== "echo" && mode !== "idle";
const row: Row = {
  runtime: runtimeName(),
  mode,
  scenario,
  library,
  output,
  tls,
  ...(isStreamed && { pattern }),
  ...measured,
};
writeSync(1, `${JSON.stringify(row)}\n`);
process.exit(0);
