/**
 * The exchange of the demo, in a process of its own, so that the CPU time of the demo is the client's alone. Prints its
 * URL, cuts all connections for each line on stdin, and ends when stdin does.
 *
 * @module
 */

import process from "node:process";
import { createInterface } from "node:readline";
import { startLocalExchange } from "@rawtick/binance/testing";

await using exchange = await startLocalExchange({ seed: 42, messagesPerSecond: Number(process.argv[2]) });
console.log(exchange.url);
for await (const _line of createInterface({ input: process.stdin })) exchange.killConnections();
