/**
 * Prints what the doors for the edge weigh, and what fills them.
 *
 * @module
 */

import { bundleOf, bundleTable } from "./edge_bundle.ts";

for (const entry of ["edge.ts", "edge_full.ts"]) console.log(`${bundleTable(bundleOf(entry))}\n`);
