/**
 * The configuration of workerd, a text in the notation of Cap'n Proto (workerd.capnp in cloudflare/workerd).
 *
 * @module
 */

/** A worker and what it has. */
export interface WorkerConfig {
  /** Texts in its `env`, such as `{ EXCHANGE: exchange.url }`. Default: none. */
  readonly bindings?: Readonly<Record<string, string>>;
  /** The names in `env` of its namespaces of Durable Objects, and their classes. Default: none. */
  readonly durableObjects?: Readonly<Record<string, string>>;
  /** Authorities in PEM form that it trusts beside those of browsers. Default: none. */
  readonly trustedCertificates?: readonly string[];
  /** TCP port on 127.0.0.1; 0 takes a free one. Default: 0. */
  readonly port?: number;
  /** Default: {@linkcode COMPATIBILITY_DATE}. */
  readonly compatibilityDate?: string;
  /** Default: none. */
  readonly compatibilityFlags?: readonly string[];
  /**
   * Whether Durable Objects stay in memory for ever. As on Cloudflare, one that has no client is evicted after 10 s
   * otherwise, upstream connections or not. Default: false.
   */
  readonly preventEviction?: boolean;
}

/** A date whose workers have Node's globals too, as all have from 2026-08-04 on. */
export const COMPATIBILITY_DATE = "2026-11-01";
/** A date whose workers have web standards only. */
export const COMPATIBILITY_DATE_WITHOUT_NODE = "2026-07-01";

/** The configuration for the module in the file `module`. */
export function workerdConfig(module: string, config: WorkerConfig): string {
  const { bindings = {}, durableObjects = {}, trustedCertificates = [] } = config;
  const texts = Object.entries(bindings).map(([name, text]) => `( name = ${quoted(name)}, text = ${quoted(text)} )`);
  const namespaces = Object.entries(durableObjects).map(([name, className]) =>
    `( name = ${quoted(name)}, durableObjectNamespace = ${quoted(className)} )`
  );
  const preventEviction = config.preventEviction ?? false;
  const classes = Object.values(durableObjects).map((className) =>
    `( className = ${quoted(className)}, uniqueKey = ${quoted(className)}, preventEviction = ${preventEviction} )`
  );
  const flags = config.compatibilityFlags ?? [];
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    ( name = "main", worker = .worker ),
    ( name = "internet",
      network = (
        allow = ["private", "local"],
        tlsOptions = ( trustBrowserCas = true, trustedCertificates = ${listOf(trustedCertificates.map(quoted))} )
      )
    )
  ],
  sockets = [( name = "http", address = "127.0.0.1:${config.port ?? 0}", http = (), service = "main" )]
);

const worker :Workerd.Worker = (
  modules = [( name = "worker.js", esModule = embed ${quoted(module)} )],
  compatibilityDate = ${quoted(config.compatibilityDate ?? COMPATIBILITY_DATE)},
  compatibilityFlags = ${listOf(flags.map(quoted))},
  bindings = ${listOf([...texts, ...namespaces])},
  durableObjectNamespaces = ${listOf(classes)},
  durableObjectStorage = ( inMemory = void )
);
`;
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? "[]" : `[${items.join(", ")}]`;
}

/** Cap'n Proto has the escapes of C, as far as JSON writes them. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
