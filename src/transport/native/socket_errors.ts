/**
 * What the runtimes' socket errors mean, in words that are the same everywhere.
 *
 * @module
 */

/** Codes of `node:net` and of Bun, and what they mean. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  ENOTCONN: "the connection was reset",
  ECONNABORTED: "the connection was aborted",
  ETIMEDOUT: "the connection attempt timed out",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  EADDRNOTAVAIL: "no local address can reach the host",
  EMFILE: "this process has too many open files",
  ENOTFOUND: "the host name was not found",
  EAI_AGAIN: "the host name could not be looked up",
  EAI_FAIL: "the host name could not be looked up",
  EAI_NONAME: "the host name was not found",
};

/** Says what `error`, which a socket to `peer` ended with, means; `undefined` stands for an orderly end by the peer. */
export function describeSocketError(error: unknown, peer = "the server"): string {
  if (error === undefined) return `${peer} closed the connection`;
  const message = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: unknown } | null)?.code; // any value can be thrown; a code is only looked for
  const meaning = typeof code === "string" ? MEANINGS[code] : undefined;
  if (meaning !== undefined) return meaning;
  // Deno's errors of name lookups have no code.
  if (/failed to lookup address/i.test(message)) return "the host name was not found";
  if (isTlsError(code, message)) return `TLS failed: ${message}`;
  return message === "" ? `the socket failed with ${String(code ?? error)}` : message;
}

/** OpenSSL's verification errors (Node, Bun) are codes such as CERT_HAS_EXPIRED; Deno's are messages of rustls. */
function isTlsError(code: unknown, message: string): boolean {
  if (typeof code === "string" && /CERT|TLS|SSL|SIGNATURE|HOSTNAME_MISMATCH/.test(code)) return true;
  return /certificate|\btls\b|\bssl\b|received fatal alert|handshake|InvalidContentType|corrupt message/i.test(message);
}
