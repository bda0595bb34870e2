/**
 * The way through a proxy: one TCP connection to it, with TLS to an `https` one, on which it has opened a tunnel.
 *
 * @module
 */

import { lookup } from "node:dns";
import net from "node:net";
import { HandshakeTimeoutError, type ProxyStage } from "../../base/mod.ts";
import type { TlsOptions } from "../connect_options.ts";
import { requestTunnel } from "./connect_tunnel.ts";
import { connectTcp, discard, startTls } from "./node_stream.ts";
import { proxyError, ProxyFailure } from "./proxy_failure.ts";
import type { ProxyUrl } from "./proxy_url.ts";
import { requestSocks } from "./socks_tunnel.ts";

/** What a tunnel leads to. */
export interface TunnelTarget {
  /** Host name or IP address, an IPv6 address without brackets. */
  readonly hostname: string;
  /** TCP port. */
  readonly port: number;
}

/**
 * Opens a tunnel to the target. The socket that comes is paused and has no listeners; its first bytes are the target's.
 * `tls` holds for an `https` proxy as far as it says whom to trust.
 *
 * @throws {ProxyConnectionError} if the proxy opens none. It has the reason of `signal` as its cause if that is a
 * `HandshakeTimeoutError`.
 * @throws Any other reason that `signal` was aborted with.
 */
export async function openTunnel(
  proxy: ProxyUrl,
  target: TunnelTarget,
  tls: TlsOptions,
  signal: AbortSignal,
): Promise<net.Socket> {
  let stage: ProxyStage = "dns";
  let stream: net.Socket | undefined;
  try {
    signal.throwIfAborted();
    const host = await destinationOf(proxy, target.hostname, signal);
    stage = net.isIP(proxy.host) === 0 ? "dns" : "connect";
    stream = await connectTcp(proxy.host, proxy.port, signal, () => stage = "connect");
    if (proxy.scheme === "https") {
      stage = "tls";
      const { ca, rejectUnauthorized } = tls;
      stream = await startTls(stream, proxy.host, {
        ...(ca === undefined ? {} : { ca }),
        ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
      }, signal);
    }
    stage = "handshake";
    if (proxy.scheme === "http" || proxy.scheme === "https") await requestTunnel(stream, proxy, target, signal);
    else await requestSocks(stream, proxy, { host, port: target.port }, signal, (next) => stage = next);
    return stream;
  } catch (error) {
    if (stream !== undefined) discard(stream);
    const isAbort = signal.aborted && error === signal.reason && !(error instanceof HandshakeTimeoutError);
    throw isAbort ? error : proxyError(proxy, target, stage, error);
  }
}

/** What the proxy is told to connect to: a name, or an address where the scheme has names looked up here. */
async function destinationOf({ scheme }: ProxyUrl, hostname: string, signal: AbortSignal): Promise<string> {
  const isSocks4 = scheme === "socks4" || scheme === "socks4a";
  if (isSocks4 && net.isIPv6(hostname)) {
    throw new ProxyFailure(
      "tunnel",
      'SOCKS4 can\'t carry an IPv6 address: expected a name, an IPv4 address, or "socks5"',
    );
  }
  if (net.isIP(hostname) !== 0 || (scheme !== "socks4" && scheme !== "socks5")) return hostname;
  const atProxy = isSocks4 ? "socks4a" : "socks5h";
  const addresses = await lookupAll(hostname, signal).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    const why = `the name of the target was not found here; "${atProxy}" has it looked up at the proxy`;
    throw new ProxyFailure("dns", why, { cause });
  });
  // Nobody knows whether the proxy has IPv6.
  const found = addresses.find(net.isIPv4) ?? (isSocks4 ? undefined : addresses[0]);
  if (found === undefined) throw new ProxyFailure("dns", "the target has no IPv4 address, and SOCKS4 carries no other");
  return found;
}

/** All addresses of a name, as the system has them. A lookup that is given up goes on unheard. */
function lookupAll(hostname: string, signal: AbortSignal): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
    lookup(hostname, { all: true }, (error, addresses) => {
      signal.removeEventListener("abort", onAbort);
      if (error) reject(error);
      else resolve(addresses.map(({ address }) => address));
    });
  });
}
