/**
 * Where the runtimes' own WebSockets, and npm `ws`, are not what RFC 6455 says, case by case. A deviation that
 * disappears, and one that is not listed, is a failure.
 *
 * @module
 */

import { nameOf, type Target } from "../targets.ts";
import { bunDeviations } from "./bun.ts";
import { denoDeviations } from "./deno.ts";
import { type Deviation, selects } from "./deviation.ts";
import { nodeDeviations } from "./node.ts";
import { wsDeviations, wsOnDenoDeviations } from "./ws.ts";

export { type Deviation, selects } from "./deviation.ts";

/** The deviations by target, as `nameOf()` says it. Nothing is listed for "native": it has none. */
export const deviations: ReadonlyMap<string, readonly Deviation[]> = new Map([
  ["builtin on deno", denoDeviations],
  ["builtin on bun", bunDeviations],
  ["builtin on node", nodeDeviations],
  ["ws on deno", [...wsDeviations, ...wsOnDenoDeviations]],
  ["ws on bun", wsDeviations],
  ["ws on node", wsDeviations],
]);

/** The deviation of a target in a case: the one with the longest matching selector. */
export function deviationFor(target: Target, id: string): Deviation | undefined {
  let best: { readonly deviation: Deviation; readonly length: number } | undefined;
  for (const deviation of deviations.get(nameOf(target)) ?? []) {
    for (const selector of deviation.cases) {
      if (selects(selector, id) && selector.length > (best?.length ?? 0)) best = { deviation, length: selector.length };
    }
  }
  return best?.deviation;
}
