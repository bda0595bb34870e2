/**
 * Deno's HTTP clients: what its WebSocket and its `fetch` are told about certificate authorities and proxies.
 *
 * @module
 */

/** Deno's HTTP client. */
export interface DenoHttpClient {
  close(): void;
}

interface DenoClientOptions {
  caCerts?: readonly string[];
  proxy?: { url: string };
}

/** What is used of Deno; the cast: no other runtime's types know it. */
const { Deno } = globalThis as { Deno?: { createHttpClient?(options: DenoClientOptions): DenoHttpClient } };

/** A client on loan: whoever took it must release it. */
export interface ClientLoan {
  readonly client: DenoHttpClient;
  release(): void;
}

/** The client of all direct connections without authorities of their own; nobody closes it. */
let shared: DenoHttpClient | undefined;

/**
 * The client for a connection on Deno, `undefined` elsewhere.
 *
 * There is always one. A client reads the proxies of the environment when it is made; Deno's own, which serves whoever
 * brings none, may have been made when there still were some. 0.1 ms and 106 KB each, hence the shared one.
 */
export function borrowHttpClient(
  { caCerts, proxy }: { caCerts?: readonly string[] | undefined; proxy?: string | undefined },
): ClientLoan | undefined {
  if (Deno?.createHttpClient === undefined) return undefined;
  if (proxy === undefined && caCerts === undefined) {
    return { client: shared ??= Deno.createHttpClient({}), release: () => {} };
  }
  const client = Deno.createHttpClient(proxy === undefined ? { caCerts: caCerts ?? [] } : { proxy: { url: proxy } });
  return { client, release: () => client.close() };
}
