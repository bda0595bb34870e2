/**
 * All cases of the suite, in order.
 *
 * @module
 */

import type { ConformanceCase } from "../case.ts";
import { autoFragment } from "./auto_fragment.ts";
import { compressedData } from "./compressed_data.ts";
import { closing } from "./closing.ts";
import { deflateData } from "./deflate_data.ts";
import { deflateParameters } from "./deflate_parameters.ts";
import { endings } from "./endings.ts";
import { fragmentation } from "./fragmentation.ts";
import { framing } from "./framing.ts";
import { handshake } from "./handshake.ts";
import { limits } from "./limits.ts";
import { masking } from "./masking.ts";
import { opcodes } from "./opcodes.ts";
import { pings } from "./pings.ts";
import { reservedBits } from "./reserved_bits.ts";
import { utf8 } from "./utf8.ts";

/** A category: what it is about, and its cases. */
export interface Category {
  readonly number: number;
  readonly title: string;
  readonly cases: readonly ConformanceCase[];
}

/** Categories 1 to 13 are numbered like those of the Autobahn suite; 20 to 22 are ours. */
export const categories: readonly Category[] = [
  { number: 1, title: "Framing", cases: framing },
  { number: 2, title: "Pings and pongs", cases: pings },
  { number: 3, title: "Reserved bits", cases: reservedBits },
  { number: 4, title: "Reserved opcodes", cases: opcodes },
  { number: 5, title: "Fragmentation", cases: fragmentation },
  { number: 6, title: "UTF-8", cases: utf8 },
  { number: 7, title: "Closing by the server", cases: closing },
  { number: 9, title: "Limits and large messages", cases: limits },
  { number: 10, title: "Automatic fragmentation", cases: autoFragment },
  { number: 12, title: "permessage-deflate: data", cases: deflateData },
  { number: 13, title: "permessage-deflate: parameters", cases: [...deflateParameters, ...compressedData] },
  { number: 20, title: "Opening handshake", cases: handshake },
  { number: 21, title: "Masked frames and lengths", cases: masking },
  { number: 22, title: "Closing by the client, and ends without a Close frame", cases: endings },
];

/** All cases. */
export const allCases: readonly ConformanceCase[] = categories.flatMap(({ cases }) => cases);
