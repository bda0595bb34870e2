/**
 * How a connection is opened and what it is allowed: the options of all libraries and interfaces, and their defaults.
 *
 * @module
 */

/** Default of {@linkcode ConnectOptions.handshakeTimeoutMs}. */
export const DEFAULT_HANDSHAKE_TIMEOUT_MS = 10_000;
/** Default of {@linkcode ConnectOptions.closeTimeoutMs}. */
export const DEFAULT_CLOSE_TIMEOUT_MS = 1_000;
/** Default of {@linkcode ConnectOptions.maxMessageBytes}. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Default of {@linkcode ConnectOptions.maxFragments}. */
export const DEFAULT_MAX_FRAGMENTS = 131_072;
/** Default of {@linkcode ConnectOptions.maxBufferedBytes}. */
export const DEFAULT_MAX_BUFFERED_BYTES = 128 * 1024 * 1024;
/** Default of {@linkcode ConnectOptions.highWaterMark}. */
export const DEFAULT_HIGH_WATER_MARK = 64 * 1024;
/** Default of {@linkcode ConnectOptions.pingTimeoutMs}. */
export const DEFAULT_PING_TIMEOUT_MS = 10_000;

/**
 * The certificate of a server, as far as {@linkcode TlsOptions.checkServerIdentity} is shown it; the fields are those of
 * `node:tls`.
 *
 * @example
 * ```ts
 * import type { PeerCertificate } from "@rawtick/binance/transport";
 *
 * const pinned = "EB:5A:C6:…";
 * const isPinned = (certificate: PeerCertificate) => certificate.fingerprint256 === pinned;
 * console.log(isPinned);
 * ```
 */
export interface PeerCertificate {
  /** SHA-256 of the certificate: pairs of hexadecimal digits with colons between them. */
  readonly fingerprint256: string;
  /** Names that it is valid for, such as `"DNS:example.com, DNS:*.example.com"`. */
  readonly subjectaltname?: string | undefined;
  /** Start of its validity, such as `"Jan  1 00:00:00 2026 GMT"`. */
  readonly valid_from: string;
  /** End of its validity. */
  readonly valid_to: string;
  /** The certificate itself (DER). */
  readonly raw: Uint8Array;
}

/**
 * TLS of a `wss://` connection. Certificates are verified, by chain and by name, unless `rejectUnauthorized` is false;
 * no environment variable changes that. `ca` and `rejectUnauthorized` hold for the connection to an `https` proxy too,
 * whose certificate is verified against the proxy's name. All of it is ignored for `ws://` URLs without such a proxy.
 *
 * @example
 * ```ts
 * import type { TlsOptions } from "@rawtick/binance/transport";
 *
 * const tls: TlsOptions = { ca: ["-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n"] };
 * ```
 */
export interface TlsOptions {
  /**
   * Certificates (PEM) of authorities to trust besides the runtime's own. `"native"` everywhere, `"builtin"` on Deno and
   * Bun. Default: none.
   */
  readonly ca?: readonly string[];
  /**
   * False takes any certificate, so that nobody knows who answers: for tests. `"native"` everywhere (on Deno over
   * `node:tls`), `"builtin"` on Bun. Default: true.
   */
  readonly rejectUnauthorized?: boolean;
  /**
   * The name to ask the server for (SNI) and to verify its certificate against, when it is not the URL's: a host name,
   * not an IP address. `"native"` everywhere, `"builtin"` on Bun. Default: the URL's host.
   */
  readonly servername?: string;
  /**
   * Verifies the name in place of the runtime, as in `node:tls`: it returns an error to refuse the certificate, whose
   * chain is verified before. For pinning, call `checkServerIdentity` of `node:tls` first. Not together with
   * `rejectUnauthorized: false`. `"native"` everywhere (on Deno and Bun over `node:tls`), `"builtin"` on Bun. Default: none.
   */
  readonly checkServerIdentity?: (hostname: string, certificate: PeerCertificate) => Error | undefined;
}

/**
 * Parameters of permessage-deflate (RFC 7692 7.1) to ask the server for.
 *
 * @example
 * ```ts
 * import type { PerMessageDeflateOptions } from "@rawtick/binance/transport";
 *
 * const littleMemory: PerMessageDeflateOptions = { serverNoContextTakeover: true, clientNoContextTakeover: true };
 * console.log(littleMemory);
 * ```
 */
export interface PerMessageDeflateOptions {
  /** Asks the server to start every message with an empty window; it must agree. Default: false. */
  readonly serverNoContextTakeover?: boolean;
  /** Starts every message of ours with an empty window. Default: false. */
  readonly clientNoContextTakeover?: boolean;
  /** Asks for a window of the server of 2 to this power in bytes, 8 to 15; below 15 it must agree. Default: 15. */
  readonly serverMaxWindowBits?: number;
  /**
   * Window of our compressor: 2 to this power in bytes, 9 to 15. The server may ask for less; if it asks for 8, which
   * zlib can't do, we send uncompressed. Default: 15.
   */
  readonly clientMaxWindowBits?: number;
  /** Messages of fewer bytes are sent uncompressed, 0 to 2147483647. Default: 1024. */
  readonly threshold?: number;
}

/**
 * How to open a connection. Unknown names, wrong types, values out of range and whatever the library can't honour on
 * this runtime are an {@linkcode InvalidOptionsError}, before anything is opened.
 *
 * @example
 * ```ts
 * import { type ConnectOptions, openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const options: ConnectOptions = { handshakeTimeoutMs: 2_000, headers: { "User-Agent": "my-bot/1.0" } };
 * const listener = { onText: () => {}, onClose: () => {} };
 * const connection = await openConnection("native", `${exchange.url}/stream`, listener, options);
 * connection.close();
 * await connection.closed;
 * ```
 */
export interface ConnectOptions {
  /** Extra headers of the handshake request. Not on browsers and workerd, where they are refused. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Subprotocols to offer (RFC 6455 1.9), most wanted first. Default: none. */
  readonly protocols?: readonly string[];
  /**
   * Longest time in ms for DNS, TCP, a proxy, TLS and the handshake together, 1 to 2147483647; a SOCKS proxy gets at most
   * 120000 of it to open the tunnel. Default: 10000.
   */
  readonly handshakeTimeoutMs?: number;
  /**
   * Longest time in ms that `close()` waits for the peer's Close frame before the socket is destroyed, 1 to 2147483647.
   * Default: 1000.
   */
  readonly closeTimeoutMs?: number;
  /**
   * Largest message in bytes that is accepted, 1 to 2147483647; a larger one fails the connection with 1009. Default:
   * 67108864 (64 MiB). `"builtin"` can't raise it: the runtime's own limit holds (64 MiB in Deno, 128 MiB in Bun and
   * Node), and a smaller value is refused when a message that is larger arrives.
   */
  readonly maxMessageBytes?: number;
  /**
   * Most frames that a message may consist of, 1 to 2147483647; more fail the connection with 1009. Only `"native"`.
   * Default: 131072.
   */
  readonly maxFragments?: number;
  /**
   * Most received bytes that the connection holds back, 1 to 2147483647; more fail the connection with 1009. Held back
   * are the pieces of a message that is not complete (`"native"`), and in the pull interface the messages that nobody
   * has taken with `recv()` (both libraries; a text counts as its length). `"builtin"` refuses it in the listener
   * interface, where the runtime holds the pieces. Default: 134217728 (128 MiB).
   */
  readonly maxBufferedBytes?: number;
  /**
   * Bytes that may wait to be sent, 0 to 2147483647, before `send()` returns false and `onDrain` is called when they
   * have left. Nothing is refused beyond it. Only `"native"`: no built-in WebSocket tells when it has sent.
   * Default: 65536.
   */
  readonly highWaterMark?: number;
  /**
   * Keepalive: after this time in ms in which nothing was received, a ping is sent. 0, or 1 to 2147483647. Works where
   * {@linkcode Connection.canPing} is true, elsewhere it is refused. Default: 0, off.
   */
  readonly pingIntervalMs?: number;
  /**
   * If nothing at all was received for this time in ms after that ping, 1 to 2147483647, the connection ends with 1006
   * and an error with code `PING_TIMEOUT`. Any byte counts (with `"builtin"` any message, ping or pong); a paused
   * connection is not checked. Only together with `pingIntervalMs`. Default: 10000.
   */
  readonly pingTimeoutMs?: number;
  /**
   * Offers the compression permessage-deflate (RFC 7692): true with all defaults. Whether the server takes it is its own
   * choice, and what it compresses costs several times the CPU. `"native"`, but not at the frame level; `"builtin"` only
   * on Bun, and only `true`. Default: false.
   */
  readonly perMessageDeflate?: boolean | PerMessageDeflateOptions;
  /** Aborts the opening; an open connection is not touched. Default: none. */
  readonly signal?: AbortSignal;
  /** TLS of a `wss://` URL, and of an `https` proxy. Default: the runtime's own authorities. */
  readonly tls?: TlsOptions;
  /**
   * The proxy to connect through: `"scheme://user:password@host:port"`, the scheme `http` or `https` (CONNECT, RFC 9110
   * 9.3.6, with Basic credentials), `socks4` or `socks5` (the target's name is looked up here), `socks4a` or `socks5h`
   * (at the proxy). User and password are percent-encoded; the default ports are 80, 443 and 1080. `"env"` takes it from
   * the first variable that is set: `wss_proxy`, `https_proxy` or `all_proxy` for `wss://`, `ws_proxy`, `http_proxy` or
   * `all_proxy` for `ws://`, each in lower case before upper case, unless `no_proxy` excepts the host. A proxy that can't
   * be reached is a {@linkcode ProxyConnectionError}. Default: none, whatever the environment says.
   */
  readonly proxy?: string;
}
