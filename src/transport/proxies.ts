/**
 * The door of what is known about proxies: their URLs, and the environment. It is apart from `portable.ts`, because at the
 * edge there are none.
 *
 * @module
 */

export { environmentProxy, readEnvironment } from "./proxy/environment.ts";
export { proxySchema } from "./proxy/proxy_schema.ts";
export { parseProxyUrl, type ProxyUrl } from "./proxy/proxy_url.ts";
