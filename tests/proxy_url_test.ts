/**
 * The option `proxy`: what a proxy URL means, what is refused, and that no password is ever shown.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { connect, type ConnectOptions, InvalidOptionsError, openConnection } from "@rawtick/binance/transport";
import { parseProxyUrl } from "../src/transport/proxies.ts";
import { Recorder } from "./native_server.ts";

test("a proxy URL is read with its credentials decoded, its default port, and a form for logs", () => {
  const long = "x".repeat(255);
  const cases: [url: string, host: string, port: number, username: string, password: string, masked: string][] = [
    ["http://proxy", "proxy", 80, "", "", "http://proxy:80"],
    ["https://proxy/", "proxy", 443, "", "", "https://proxy:443"],
    ["SOCKS5H://Proxy.Example:65535", "Proxy.Example", 65535, "", "", "socks5h://Proxy.Example:65535"],
    ["socks4://me@10.0.0.1", "10.0.0.1", 1080, "me", "", "socks4://me@10.0.0.1:1080"],
    ["socks4a://[::1]", "::1", 1080, "", "", "socks4a://[::1]:1080"],
    ["socks5://u%3A%40:p%2F%25%C3%A9@[fe80::1]:1", "fe80::1", 1, "u:@", "p/%é", "socks5://u%3A%40:***@[fe80::1]:1"],
    ["http://u:p:q@h", "h", 80, "u", "p:q", "http://u:***@h:80"],
    ["http://u@v:p@h", "h", 80, "u@v", "p", "http://u%40v:***@h:80"],
    ["http://:p@h", "h", 80, "", "p", "http://:***@h:80"],
    ["https://u@h", "h", 443, "u", "", "https://u@h:443"],
    ["http://:@h", "h", 80, "", "", "http://h:80"],
    [`socks5://${long}:${long}@h`, "h", 1080, long, long, `socks5://${long}:***@h:1080`],
  ];
  for (const [url, host, port, username, password, masked] of cases) {
    const { scheme, ...rest } = parseProxyUrl(url);
    assertEquals(rest, { host, port, username, password, masked }, url);
    assertEquals(scheme, url.slice(0, url.indexOf(":")).toLowerCase());
  }
});

test("a proxy URL that can't be used is refused before anything is opened, by both interfaces, and shows no password", async () => {
  const long = "s3cret".padEnd(256, "é");
  const cases: [proxy: unknown, message: RegExp][] = [
    ["ftp://u:s3cret@h", /scheme "ftp": expected "http", "https", "socks4", "socks4a", "socks5" or "socks5h"/],
    ["socks://h", /scheme "socks"/],
    ["h:1080", /expected "scheme:/],
    ["http:h", /expected "scheme:/],
    ["", /expected "scheme:/],
    ["http://", /find the host/],
    ["http://u:s3cret@", /find the host/],
    ["http://u:s3cret@:8080", /find the host/],
    ["http://h:0", /port "0"/],
    ["http://h:65536", /port "65536"/],
    ["http://h:", /port: expected/],
    ["http://h:+1", /port: expected/],
    ["http://[::1", /expected "scheme:/],
    ["http://::1:80", /find the host/],
    ["http://[]", /find the host/],
    ["http://[1.2.3.4]", /host "\[1\.2\.3\.4\]"/],
    ["http://u:s3cret@a b", /host "a b"/],
    ["http://u:s3cret@h/p", /path, query or fragment/],
    ["http://u:s3cret@h?q", /path, query or fragment/],
    ["http://u:s3cret@h#f", /path, query or fragment/],
    ["http://u:s3/cret@h", /credentials .*"%2F"/],
    ["http://u:s3cret%@h", /percent escapes/],
    ["http://u:s3cret%ff@h", /percent escapes/],
    ["http://u%3Av:s3cret@h", /user name with ":" to a http proxy: expected none \(RFC 7617 2\)/],
    ["https://u:s3cret%0D%0AX:y@h", /control characters .* https proxy/],
    ["http://u%00:s3cret@h", /control characters/],
    ["socks4://u:s3cret@h", /password to a socks4 proxy/],
    ["socks4a://u:s3cret@h", /password to a socks4a proxy/],
    ["socks4://u%00v@h", /user name with NUL/],
    [`socks4a://${long}@h`, /user name to a socks4a proxy: expected at most 255 bytes/],
    ["socks5://u@h", /password of 0 bytes to a socks5 proxy: expected 1 to 255 \(RFC 1929\)/],
    ["socks5h://:s3cret@h", /user name of 0 bytes to a socks5h proxy/],
    [`socks5://u:${long}@h`, /password of 506 bytes/],
    [`socks5://${long}:s3cret@h`, /user name of 506 bytes/],
    ["Env", /expected "scheme:/],
    [{ url: "s3cret" }, /expected a string, "scheme:.*or "env"/],
    [null, /expected a string/],
  ];
  for (const [proxy, message] of cases) {
    const options = { proxy } as ConnectOptions; // also what a caller without types may give
    for (
      const open of [
        () => openConnection("native", "ws://127.0.0.1:9/", new Recorder(), options),
        () => connect("ws://127.0.0.1:9/", { websocketLibrary: "native", ...options } as object),
      ]
    ) {
      const error = await assertRejects(open, InvalidOptionsError);
      assertEquals([error.code, error.path], ["INVALID_PROXY_URL", "proxy"], String(proxy));
      assertMatch(error.message, message);
      assertEquals(/s3cret|s3|cret@/.test(error.message), false, `${error.message} shows a password`);
    }
  }
});

test("a mistake in the proxy URL is told together with those in other options", () => {
  const options = { proxy: "ftp://h", handshakeTimeoutMs: 0 };
  return assertRejects(
    () => openConnection("native", "ws://127.0.0.1:9/", new Recorder(), options),
    InvalidOptionsError,
  )
    .then((error) => {
      assertEquals(error.errors.map(({ path }) => path).toSorted(), ["handshakeTimeoutMs", "proxy"]);
      assertThrows(() => parseProxyUrl("ftp://h"));
    });
});
