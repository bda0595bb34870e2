/**
 * The options of the stand-in for a proxy: their defaults and their checks.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { z } from "zod/mini";
import { checkedOptions, InvalidOptionsError } from "../base/mod.ts";

const SCHEMES = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"] as const;

/**
 * How the stand-in behaves.
 *
 * @example
 * ```ts
 * import { type LocalProxyOptions, startLocalProxy } from "@rawtick/binance/testing";
 *
 * const options: LocalProxyOptions = { scheme: "http", username: "bot", password: "s3cret:/@" };
 * await using proxy = await startLocalProxy(options);
 * console.log(proxy.url);
 * ```
 */
export interface LocalProxyOptions {
  /**
   * What it speaks, and the scheme of its `url`: `"http"` and `"https"` CONNECT, `"socks4"` and `"socks4a"` both forms of
   * SOCKS4, `"socks5"` and `"socks5h"` SOCKS5. Default: `"http"`.
   */
  readonly scheme?: "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h";
  /** TCP port on 127.0.0.1, 0 to 65535; 0 takes a free one. Default: 0. */
  readonly port?: number;
  /** The user name that clients must present. Default: none, and anybody is let through. */
  readonly username?: string;
  /** The password that goes with it; SOCKS4 has none. Default: `""`. */
  readonly password?: string;
  /** Certificate and private key (PEM), for `"https"` only. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** IP address that it connects to the targets from. Default: the system's choice. */
  readonly localAddress?: string;
}

/** Options with their defaults filled in. */
export interface ResolvedProxyOptions {
  readonly scheme: NonNullable<LocalProxyOptions["scheme"]>;
  readonly port: number;
  /** The credentials that clients must present. */
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly localAddress: string | undefined;
}

const port = "a port from 0 to 65535";
const text = z.optional(z.string({ error: "a string" }));

const schema = z.strictObject({
  scheme: z.optional(z.enum(SCHEMES, { error: SCHEMES.map((scheme) => JSON.stringify(scheme)).join(", ") })),
  port: z.optional(z.int({ error: port }).check(z.minimum(0, { error: port }), z.maximum(65_535, { error: port }))),
  username: text,
  password: text,
  tls: z.optional(
    z.strictObject({
      cert: z.string({ error: "a certificate in PEM form" }),
      key: z.string({ error: "a private key in PEM form" }),
    }, { error: "an object with `cert` and `key`" }),
  ),
  localAddress: text,
}, { error: "an object" });

/**
 * Checks options and fills in the defaults.
 *
 * @throws {InvalidOptionsError} if one can't be used.
 */
export function resolveProxyOptions(given: LocalProxyOptions): ResolvedProxyOptions {
  const options = checkedOptions(schema, given, Object.keys(schema.shape));
  const { scheme = "http", username, password = "", tls } = options;
  if ((scheme === "https") !== (tls !== undefined)) {
    throw new InvalidOptionsError(`Cannot use the option tls: expected it with the scheme "https", and only there`, {
      path: "tls",
    });
  }
  if (password !== "" && (username === undefined || scheme.startsWith("socks4"))) {
    throw new InvalidOptionsError("Cannot use the option password: expected a user name with it, and not SOCKS4", {
      path: "password",
    });
  }
  for (const [path, value] of [["username", username], ["password", password]] as const) {
    if (scheme.startsWith("socks5") && value !== undefined && Buffer.byteLength(value) > 255) {
      throw new InvalidOptionsError(`Cannot use the option ${path}: expected at most 255 bytes (RFC 1929 2)`, { path });
    }
  }
  return {
    scheme,
    port: options.port ?? 0,
    login: username === undefined ? undefined : { username, password },
    tls,
    localAddress: options.localAddress,
  };
}
