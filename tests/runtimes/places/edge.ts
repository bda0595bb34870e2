/**
 * What there is at the edge: the library "builtin", and no doors but two.
 *
 * @module
 */

import { BinanceWebSocketApiManager as MarketManager } from "@rawtick/binance/edge";
import { BinanceWebSocketApiManager } from "@rawtick/binance/edge-full";
import { edgeLibraries } from "../../../src/manager/edge_libraries.ts";
import { bindOpenConnection } from "../../../src/transport/library.ts";
import type { Place } from "../probe.ts";
import type { Addresses } from "../protocol.ts";
import { messageThrough } from "./door.ts";

/** The place, without anything that listens. */
export function edgePlace(addresses: Addresses): Place {
  return {
    addresses,
    // What the managers of the edge doors open their connections with, which they have checked the options of.
    open: bindOpenConnection(edgeLibraries),
    Manager: BinanceWebSocketApiManager,
    doors: {
      edge: (library) => messageThrough(MarketManager, library, addresses),
      "edge-full": (library) => messageThrough(BinanceWebSocketApiManager, library, addresses),
    },
  };
}
