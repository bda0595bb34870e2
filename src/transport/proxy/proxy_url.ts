/**
 * Proxy URLs: parse, validate, mask.
 *
 * @module
 */

import { InvalidProxyUrlError, listOf } from "../../base/mod.ts";

/** The schemes of proxies and the ports they stand for. */
const DEFAULT_PORTS = { http: 80, https: 443, socks4: 1080, socks4a: 1080, socks5: 1080, socks5h: 1080 } as const;

/** Most bytes of a user name or a password in RFC 1929. */
const MAX_SOCKS_FIELD = 255;

/** The scheme of a proxy URL. */
export type ProxyScheme = keyof typeof DEFAULT_PORTS;

/** A proxy, as its URL says. */
export interface ProxyUrl {
  readonly scheme: ProxyScheme;
  /** Host name or IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** User name, percent-decoded; `""` without credentials. */
  readonly username: string;
  /** Password, percent-decoded; `""` without one. */
  readonly password: string;
  /** The URL without the password, for logs and messages. */
  readonly masked: string;
}

const PATTERN =
  /^([a-z][a-z0-9+.-]*):\/\/(?:([^@/?#]*(?:@[^@/?#]*)*)@)?(\[[^\]]*\]|[^:/?#@[\]]*)(?::([^/?#]*))?([/?#].*)?$/is;

/**
 * Parses the option `proxy`.
 *
 * @throws {InvalidProxyUrlError} if it can't be used; no message contains a password.
 */
export function parseProxyUrl(url: string): ProxyUrl {
  const match = PATTERN.exec(url);
  if (match === null) {
    throw new InvalidProxyUrlError('Cannot read the proxy URL: expected "scheme://user:password@host:port"');
  }
  const [, schemeText = "", userinfo, hostText = "", portText, rest] = match;
  if (rest?.includes("@")) {
    throw new InvalidProxyUrlError(
      'Cannot read the credentials in the proxy URL: expected "/", "?" and "#" written as "%2F", "%3F" and "%23"',
    );
  }
  const scheme = schemeText.toLowerCase();
  if (!isProxyScheme(scheme)) {
    throw new InvalidProxyUrlError(
      `Cannot use the proxy scheme ${JSON.stringify(schemeText)}: expected ${listOf(Object.keys(DEFAULT_PORTS))}`,
    );
  }
  const host = hostText.replace(/^\[|\]$/g, "");
  if (host === "") {
    throw new InvalidProxyUrlError(`Cannot find the host in the ${scheme} proxy URL: expected "${scheme}://host:port"`);
  }
  if (hostText.startsWith("[") ? !isIPv6(hostText) : !/^[^\s%<>^`{|}\\"]+$/.test(host)) {
    throw new InvalidProxyUrlError(
      `Cannot use the proxy host ${
        JSON.stringify(hostText)
      }: expected a name, an IPv4 address or an IPv6 address in brackets`,
    );
  }
  const port = portText === undefined ? DEFAULT_PORTS[scheme] : Number(portText);
  if ((portText !== undefined && !/^\d{1,5}$/.test(portText)) || port < 1 || port > 65535) {
    // Only digits are shown: in a URL with a mistake, anything else may be a password.
    const shown = /^\d+$/.test(portText ?? "") ? ` ${JSON.stringify(portText)}` : "";
    throw new InvalidProxyUrlError(`Cannot use the proxy port${shown}: expected a number from 1 to 65535`);
  }
  if (rest !== undefined && rest !== "/") {
    throw new InvalidProxyUrlError(
      "Cannot use a proxy URL with a path, query or fragment: expected nothing after the port",
    );
  }
  const { username, password } = parseUserinfo(userinfo);
  checkCredentials(scheme, username, password);
  const address = `${hostText}:${port}`;
  const credentials = username === "" && password === ""
    ? ""
    : `${encodeURIComponent(username)}${password === "" ? "" : ":***"}@`;
  return { scheme, host, port, username, password, masked: `${scheme}://${credentials}${address}` };
}

/** Throws unless the protocol can carry the credentials; nothing of them is shown. */
function checkCredentials(scheme: ProxyScheme, username: string, password: string): void {
  if (username === "" && password === "") return;
  const refuse = (why: string): never => {
    throw new InvalidProxyUrlError(`Cannot send ${why}`);
  };
  if (scheme === "http" || scheme === "https") {
    if (username.includes(":")) refuse(`a user name with ":" to a ${scheme} proxy: expected none (RFC 7617 2)`);
    // deno-lint-ignore no-control-regex -- these are what must not be there
    if (/[\x00-\x1f\x7f]/.test(username + password)) {
      refuse(`control characters in the credentials to a ${scheme} proxy: expected none (RFC 7617 2)`);
    }
  } else if (scheme === "socks4" || scheme === "socks4a") {
    if (password !== "") refuse(`a password to a ${scheme} proxy: expected a user name only, or socks5`);
    // The protocol ends the user name with NUL and sets no limit; no server takes an endless one.
    if (username.includes("\0")) refuse(`a user name with NUL to a ${scheme} proxy: expected none`);
    if (utf8Length(username) > MAX_SOCKS_FIELD) {
      refuse(`this user name to a ${scheme} proxy: expected at most 255 bytes`);
    }
  } else {
    for (const [what, value] of [["user name", username], ["password", password]] as const) {
      const length = utf8Length(value);
      if (length < 1 || length > MAX_SOCKS_FIELD) {
        refuse(`a ${what} of ${length} bytes to a ${scheme} proxy: expected 1 to 255 (RFC 1929)`);
      }
    }
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function isProxyScheme(scheme: string): scheme is ProxyScheme {
  return Object.hasOwn(DEFAULT_PORTS, scheme);
}

function isIPv6(bracketed: string): boolean {
  return URL.canParse(`http://${bracketed}/`);
}

function parseUserinfo(userinfo: string | undefined): { username: string; password: string } {
  if (userinfo === undefined) return { username: "", password: "" };
  const colon = userinfo.indexOf(":");
  const parts = colon < 0 ? [userinfo, ""] : [userinfo.slice(0, colon), userinfo.slice(colon + 1)];
  try {
    return { username: decodeURIComponent(parts[0] ?? ""), password: decodeURIComponent(parts[1] ?? "") };
  } catch {
    throw new InvalidProxyUrlError(
      'Cannot decode the credentials in the proxy URL: expected UTF-8 in percent escapes, "%" itself written as "%25"',
    );
  }
}
