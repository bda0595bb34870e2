/**
 * All rows of the table.
 *
 * @module
 */

import type { Feature } from "./probe.ts";
import { flow } from "./probes/flow.ts";
import { doors, managers } from "./probes/manager.ts";
import { opening } from "./probes/opening.ts";
import { proxies } from "./probes/proxies.ts";
import { taps } from "./probes/taps.ts";

/** The features, in groups. */
export const GROUPS: readonly (readonly [title: string, features: readonly Feature[]])[] = [
  ["Doors", doors],
  ["Opening a connection", opening],
  ["Proxies", proxies],
  ["Open connections", flow],
  ["The manager", managers],
  ["Taps", taps],
];

/** The features, in the order of the table. */
export const FEATURES: readonly Feature[] = GROUPS.flatMap(([, features]) => features);
