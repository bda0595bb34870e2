/**
 * The error of those who wait for an answer over a connection that is gone.
 *
 * @module
 */

import { ConnectionClosedError } from "../base/mod.ts";
import { type CloseInfo, describeClose } from "../transport/portable.ts";

/** How a connection was lost, as an error. */
export function connectionLost(close: CloseInfo): ConnectionClosedError {
  return new ConnectionClosedError(
    `The connection was lost: ${describeClose(close)}`,
    close.error && { cause: close.error },
  );
}
