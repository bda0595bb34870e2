/**
 * Asks a SOCKS proxy for a tunnel, with the codec of npm `socks`: SOCKS4 and 4A (without an RFC), SOCKS5 (RFC 1928) with
 * user name and password (RFC 1929).
 *
 * The codec gets no socket but a pipe, byte by byte: so what comes behind the proxy's reply stays unread, an abort ends
 * our socket at once, and its errors, which hold the password, are seen by nobody.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import type net from "node:net";
import { Duplex } from "node:stream";
import { SocksClient } from "socks";
import type { ProxyStage } from "../../base/mod.ts";
import { startDialog } from "./dialog.ts";
import { ProxyFailure } from "./proxy_failure.ts";
import type { ProxyUrl } from "./proxy_url.ts";

/**
 * Longest time in ms that a proxy gets for its answers, when `handshakeTimeoutMs` allows even more. It is a timer of the
 * codec, which can't be cancelled and holds some 15 KB until then: measured, after each attempt.
 */
const CODEC_TIMEOUT_MS = 120_000;

const TOO_LATE = `the proxy did not open the tunnel within ${CODEC_TIMEOUT_MS / 1000} s`;

/** What the codec takes for its socket. */
class CodecPipe extends Duplex {
  #write: ((bytes: Buffer) => void) | undefined;

  constructor(write: (bytes: Buffer) => void) {
    super();
    this.#write = write;
    // A codec that fails while it waits for itself still writes.
    this.on("error", () => {});
  }

  /** Cuts the pipe: the codec's timer holds it for some time. */
  cut(): void {
    this.#write = undefined;
    this.destroy();
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#write?.(bytes);
    done();
  }
}

/**
 * Asks on the paused `stream` for a tunnel to `host`, a name or an IP address, which is what the proxy is told. The
 * stream is the tunnel, paused again, once the promise is fulfilled.
 */
export function requestSocks(
  stream: net.Socket,
  proxy: ProxyUrl,
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
  onStage: (stage: ProxyStage) => void,
): Promise<void> {
  const type = proxy.scheme.startsWith("socks4") ? 4 : 5;
  return new Promise((resolve, reject) => {
    /** The reply that is coming; each of our requests begins a new one. */
    let reply: number[] = [];
    let stage: ProxyStage = "handshake";
    let settled = false;
    const settle = (rest?: Uint8Array): void => {
      settled = true;
      signal.removeEventListener("abort", onAbort);
      // Its timer holds it: it must not hold the stream. It still tells that its pipe is cut.
      codec.removeAllListeners().on("error", () => {});
      pipe.cut();
      stop(rest);
    };
    const fail = (error: unknown): void => {
      if (settled) return;
      settle();
      reject(error);
    };
    const pipe = new CodecPipe((request) => {
      // After the greeting, RFC 1929 has version 1, and the request of RFC 1928 version 5.
      if (type === 5 && (stage !== "handshake" || reply.length > 0)) {
        stage = request[0] === 1 ? "auth" : "tunnel";
        onStage(stage);
      }
      reply = [];
      stream.write(request);
    });
    const codec = createCodec(type, proxy, host, port);
    let established = false;
    codec.once("established", () => established = true);
    codec.once("error", ({ message }) => {
      const isLate = message === "Proxy connection timed out";
      fail(isLate ? new ProxyFailure(stage, TOO_LATE) : refusalOf(message, type, reply, proxy));
    });
    const stop = startDialog(stream, {
      onBytes(chunk) {
        for (let at = 0; at < chunk.length && !settled; at++) {
          reply.push(chunk[at] ?? 0);
          try {
            pipe.emit("data", chunk.subarray(at, at + 1));
          } catch {
            fail(nonsense(type));
          }
          if (!established || settled) continue;
          if (!isGranted(type, reply)) return fail(nonsense(type));
          settle(chunk.subarray(at + 1));
          resolve();
        }
      },
      onEnd(cause) {
        const what = stage === "handshake"
          ? "it answered"
          : `it answered ${stage === "auth" ? "to the login" : "to the request"}`;
        fail(cause ?? new ProxyFailure(stage, `the proxy hung up before ${what}`));
      },
    });
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else codec.connect(pipe);
  });
}

/** @throws {ProxyFailure} without the codec's own error, which holds the password. */
function createCodec(type: 4 | 5, proxy: ProxyUrl, host: string, port: number): SocksClient {
  try {
    return new SocksClient({
      command: "connect",
      proxy: {
        host: proxy.host,
        port: proxy.port,
        type,
        ...(proxy.username === "" ? {} : { userId: proxy.username }),
        ...(proxy.password === "" ? {} : { password: proxy.password }),
      },
      destination: { host, port },
      timeout: CODEC_TIMEOUT_MS,
    });
  } catch {
    throw new ProxyFailure("tunnel", "SOCKS can't carry the target: expected a name of at most 255 bytes");
  }
}

/** What the codec does not look at: the version of a SOCKS4 reply, which is 0, and the kind of address in SOCKS5. */
function isGranted(type: 4 | 5, reply: readonly number[]): boolean {
  return type === 4 ? reply[0] === 0 : [1, 3, 4].includes(reply[3] ?? 0);
}

function nonsense(type: 4 | 5): ProxyFailure {
  return new ProxyFailure("handshake", `the proxy's answer is not SOCKS${type}`);
}

/** RFC 1928 6. */
const SOCKS5_REPLIES: Readonly<Record<number, string>> = {
  1: "general SOCKS server failure",
  2: "connection not allowed by ruleset",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "command not supported",
  8: "address type not supported",
};

/** What an error of the codec means. `reply` is what the proxy sent to our last request. */
function refusalOf(text: string, type: 4 | 5, reply: readonly number[], proxy: ProxyUrl): ProxyFailure {
  const [version, code = 0] = reply;
  const hasLogin = proxy.username !== "";
  if (text.startsWith("Socks4 Proxy rejected connection") && version === 0) {
    if (code === 91) return new ProxyFailure("tunnel", "the proxy refused, or could not reach the target (code 91)");
    if (code === 92) return new ProxyFailure("auth", "the proxy could not ask for the user's identity (code 92)");
    if (code === 93) return new ProxyFailure("auth", "the proxy does not believe the user name (code 93)");
  }
  if (text.startsWith("Socks5 proxy rejected connection") && version === 5 && code !== 0) {
    const why = SOCKS5_REPLIES[code] ?? "no reason that RFC 1928 knows";
    return new ProxyFailure("tunnel", `the proxy refused: ${why} (code ${code})`);
  }
  if (text.endsWith("(no accepted authentication type)")) {
    const why = hasLogin ? "takes neither a user name with a password nor nobody" : "wants a login";
    return new ProxyFailure("auth", `the proxy ${why} (no acceptable method)`);
  }
  if (text.endsWith("(unknown authentication type)")) {
    return new ProxyFailure("auth", `the proxy wants a kind of login that was not offered (method ${code})`);
  }
  if (text === "Socks5 Authentication failed") {
    const why = hasLogin ? "rejected the user name or the password" : "wants a user name and a password";
    return new ProxyFailure("auth", `the proxy ${why}`);
  }
  return nonsense(type);
}
