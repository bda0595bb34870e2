/**
 * The probes in workerd, in a Durable Object as taps are: answers POST with a list of lines, a cell each. GET goes to
 * the tap that a probe serves.
 *
 * @module
 */

import type { Tap } from "@rawtick/binance/edge";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { FEATURES } from "../features.ts";
import { type Line, runProbes } from "../probe.ts";
import type { Addresses } from "../protocol.ts";
import { edgePlace } from "./edge.ts";

/** What the configuration gives the worker. */
interface Env {
  readonly PROBES: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

/** Runs the probes. */
export class ProbesObject {
  #market: Tap | undefined;

  /** `/?library=…` with the addresses as its body runs the probes of a library. */
  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (request.method === "GET") return await this.#market?.fetch(request) ?? new Response(null, { status: 404 });
    const lines: Line[] = [];
    const addresses: Addresses = await request.json();
    const library = url.searchParams.get("library") as WebSocketLibrary; // the cast: only these are asked for
    await runProbes(FEATURES, library, {
      ...edgePlace(addresses),
      serve: (market) => {
        this.#market = market;
        return Promise.resolve({ url: `${url.origin}/`, stop: () => Promise.resolve() });
      },
    }, (line) => void lines.push(line));
    return Response.json(lines);
  }
}

export default {
  /** Everything goes to the one Durable Object. */
  fetch(request: Request, { PROBES }: Env): Promise<Response> {
    return PROBES.get(PROBES.idFromName("the probes")).fetch(request);
  },
};
