/**
 * Probes of proxies: the connection goes through one, or is refused. `deno task proxies` asks much more of them.
 *
 * @module
 */

import { ask, type Feature, no, yes } from "../probe.ts";
import { PROXY_SCHEMES } from "../protocol.ts";
import { Visit } from "./connection.ts";

/** The rows. */
export const proxies: readonly Feature[] = PROXY_SCHEMES.map((scheme) => ({
  id: `proxy-${scheme}`,
  title: `\`proxy: "${scheme}://…"\``,
  async probe(context) {
    const { place } = context;
    const count = (): Promise<number> => ask<number>(place, "tunnels", { scheme });
    const before = await count();
    using visit = await Visit.open(context, "", {
      proxy: place.addresses.proxies[scheme],
      ...(scheme === "https" ? { tls: { ca: [place.addresses.ca] } } : {}),
    });
    await visit.echo();
    return await count() === before + 1 ? yes : no("it went around the proxy");
  },
}));
