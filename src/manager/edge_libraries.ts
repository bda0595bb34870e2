/**
 * The WebSocket libraries at the edge.
 *
 * @module
 */

import { builtinEntry, leftOut, type LibraryTable } from "../transport/portable.ts";

/** The runtime's own WebSocket; raw sockets are named to say where they are. */
export const edgeLibraries: LibraryTable = {
  builtin: builtinEntry(),
  native: leftOut(
    'raw sockets are not part of the edge doors; expected "builtin", or import "@rawtick/binance"',
  ),
};
