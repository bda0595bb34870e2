/**
 * The schema of the option `proxy`.
 *
 * @module
 */

import * as z from "zod/mini";
import { checkThat, InvalidProxyUrlError } from "../../base/mod.ts";
import { parseProxyUrl } from "./proxy_url.ts";

/** Throws unless `setting` can be the option `proxy`: a proxy URL or `"env"`. No message shows a password. */
function checkProxy(setting: unknown): void {
  if (typeof setting !== "string") {
    throw new InvalidProxyUrlError(
      'Cannot use this as `proxy`: expected a string, "scheme://user:password@host:port" or "env"',
    );
  }
  if (setting !== "env") parseProxyUrl(setting);
}

/** The schema of the option `proxy`, wherever it stands. */
export const proxySchema = z.optional(z.unknown().check(checkThat(checkProxy)));
