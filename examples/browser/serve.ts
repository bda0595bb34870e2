/**
 * The HTTP server of the runtime that runs this: Deno's or Bun's.
 *
 * @module
 */

type Handler = (request: Request) => Response | Promise<Response>;

/** What is used of Bun; with `@types/bun`, this can go. */
interface Bun {
  serve(options: {
    readonly hostname: string;
    readonly port: number;
    readonly idleTimeout: number;
    readonly fetch: Handler;
  }): { readonly port: number; stop(closeActiveConnections: boolean): Promise<void> };
}

/** A server that runs. */
export interface Server {
  readonly port: number;
  stop(): Promise<void>;
}

/** Answers requests at `port` of 127.0.0.1; 0 takes a free one. */
export function serve(port: number, fetch: Handler): Server {
  const hostname = "127.0.0.1";
  // The cast: on Bun there is a global of that name.
  const { Bun } = globalThis as { readonly Bun?: Bun };
  if (Bun === undefined) {
    const server = Deno.serve({ hostname, port, onListen: () => {} }, fetch);
    return { port: server.addr.port, stop: () => server.shutdown() };
  }
  // Bun would end answers that are quiet for 10 s.
  const server = Bun.serve({ hostname, port, idleTimeout: 0, fetch });
  return { port: server.port, stop: () => server.stop(true) };
}
