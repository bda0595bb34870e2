/**
 * What is said where no proxy can be used at all.
 *
 * @module
 */

import { ProxyUnavailableError } from "../../base/mod.ts";

/** A proxy was asked for where there are no raw sockets. */
export function withoutRawSockets(shown: string, path?: string): ProxyUnavailableError {
  return new ProxyUnavailableError(
    shown,
    'this needs raw sockets, which are not part of the edge doors; import "@rawtick/binance" on Deno, Bun or ' +
      "Node, or leave `proxy` out to connect directly",
    path,
  );
}

/** The same for one whose URL nobody has read: only its scheme is shown, anything else may be a password. */
export function refusedProxy(setting: unknown, path?: string): ProxyUnavailableError {
  const [start = ""] = typeof setting === "string" ? /^(?:env$|[a-z0-9]+:\/\/)/i.exec(setting) ?? [] : [];
  return withoutRawSockets(start === "env" ? start : `${start}…`, path);
}
