/**
 * The door of what runs everywhere, edge runtimes included: the interface, the switch, the library "builtin" and proxy
 * URLs. The upper layers import this one, so that they never reach raw sockets; `mod.ts` adds "native".
 *
 * @module
 */

export { proxySchema, tlsSchema } from "./arguments.ts";
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
export { environmentProxy, readEnvironment } from "./proxy/environment.ts";
export { parseProxyUrl, type ProxyUrl } from "./proxy/proxy_url.ts";
