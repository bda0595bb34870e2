/**
 * The door of what runs everywhere, edge runtimes included: the interface, the switch and the library "builtin". The
 * upper layers import this one, so that they never reach raw sockets; `mod.ts` adds "native", `proxies.ts` proxies.
 *
 * @module
 */

export { describeClose } from "./close_info.ts";
export * from "./connection.ts";
export {
  builtinEntry,
  leftOut,
  type LibraryEntry,
  type LibraryTable,
  selectLibrary,
  webSocketLibraries,
} from "./library.ts";
export type { ProxyUrl } from "./proxy/proxy_url.ts";
export { refusedProxy } from "./proxy/refusal.ts";
export { tlsSchema } from "./tls_schema.ts";
