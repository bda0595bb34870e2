/**
 * The probes in a browser: `globalThis.probe(addresses, library)` resolves with a line for each cell.
 *
 * @module
 */

import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { FEATURES } from "../features.ts";
import { type Line, runProbes } from "../probe.ts";
import type { Addresses } from "../protocol.ts";
import { edgePlace } from "./edge.ts";

async function probe(addresses: Addresses, library: WebSocketLibrary): Promise<Line[]> {
  const lines: Line[] = [];
  await runProbes(FEATURES, library, edgePlace(addresses), (line) => void lines.push(line));
  return lines;
}

Object.assign(globalThis, { probe });
