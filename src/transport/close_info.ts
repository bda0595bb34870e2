/**
 * Words for the end of a connection.
 *
 * @module
 */

import type { CloseInfo } from "./connection.ts";

/** How a connection ended, for logs: its code, and what the peer or the failure says. */
export function describeClose({ code, reason, error }: CloseInfo): string {
  return [`code ${code}`, reason, error?.message].filter((part) => part).join(", ");
}
