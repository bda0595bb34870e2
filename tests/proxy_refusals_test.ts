/**
 * Proxies that refuse, hang up or speak nonsense: each is an error of its stage, and leaves nothing behind.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import type { ProxyStage } from "@rawtick/binance/transport";
import { failure, http, SECRET, type Talk } from "./proxy_failing.ts";
import type { ProxyPeer } from "./raw_proxy.ts";

const cases: readonly (readonly [what: string, scheme: string, talk: Talk, ProxyStage, RegExp, anonymous?: boolean])[] =
  [
    ["hangs up at once", "http", (peer) => peer.socket.destroy(), "handshake", /hung up before it answered|reset/],
    [
      "hangs up within its answer",
      "http",
      async (peer) => {
        await http("HTTP/1.1 200 Conn")(peer);
        peer.socket.end();
      },
      "handshake",
      /hung up before it answered/,
    ],
    [
      "resets the connection",
      "http",
      async (peer) => {
        await peer.readUntil("\r\n\r\n");
        peer.socket.resetAndDestroy();
      },
      "handshake",
      /reset|hung up/,
    ],
    ["speaks no HTTP", "http", http("SSH-2.0-OpenSSH_9.2\r\n"), "handshake", /not HTTP/],
    ["speaks TLS where it should not", "http", http("\x15\x03\x01\x00\x02\x02\x46"), "handshake", /not HTTP/],
    ["speaks HTTP/2", "http", http("HTTP/2 200\r\n\r\n"), "handshake", /not HTTP/],
    ["has a status that is none", "http", http("HTTP/1.1 2000 OK\r\n\r\n"), "handshake", /not HTTP/],
    ["folds a header", "http", http("HTTP/1.1 200 OK\r\n folded\r\n\r\n"), "handshake", /not HTTP/],
    ["switches protocols", "http", http("HTTP/1.1 101 Sure\r\nUpgrade: x\r\n\r\n"), "handshake", /not HTTP/],
    [
      "has a head of more than 16 KiB",
      "http",
      http(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(16 * 1024)}\r\n\r\n`),
      "handshake",
      /not HTTP/,
    ],
    [
      "has a head without an end",
      "https",
      http(`HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(4000)}`),
      "handshake",
      /not HTTP/,
    ],
    [
      "has more than 16 KiB of interim answers",
      "http",
      http(`HTTP/1.1 103 Early Hints\r\n\r\n`.repeat(1000)),
      "handshake",
      /not HTTP/,
    ],
    [
      "wants another login by Basic",
      "http",
      http('HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm="a, b"\r\nContent-Length: 0\r\n\r\n'),
      "auth",
      /rejected the user name or the password \(it asks for "Basic"\) \(407\)/,
    ],
    [
      "wants some login",
      "https",
      http('HTTP/1.0 407 Who\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'),
      "auth",
      /wants a user name and a password \(it asks for "Basic"\)/,
      true,
    ],
    [
      "wants schemes that are not supported",
      "http",
      http(
        'HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm="x, Basic", nonce="y\\"z", qop=auth\r\n' +
          "Proxy-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n",
      ),
      "auth",
      /by "Digest" or "Negotiate": expected "Basic"/,
    ],
    [
      "wants a login and does not say which",
      "http",
      http("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n"),
      "auth",
      /rejected the credentials, and does not say which scheme/,
    ],
    [
      "accepts no SOCKS method",
      "socks5",
      async (peer) => {
        await peer.read(4);
        await peer.write("\x05\xff");
      },
      "auth",
      /no acceptable method/,
    ],
    [
      "accepts no anonymous client",
      "socks5h",
      async (peer) => {
        await peer.read(3);
        await peer.write("\x05\xff");
      },
      "auth",
      /wants a login \(no acceptable method\)/,
      true,
    ],
    [
      "wants GSSAPI",
      "socks5",
      async (peer) => {
        await peer.read(4);
        await peer.write("\x05\x01");
      },
      "auth",
      /was not offered \(method 1\)/,
    ],
    [
      "rejects the SOCKS login",
      "socks5",
      async (peer) => {
        await peer.read(4);
        await peer.write("\x05\x02");
        await peer.read(3 + 2 + SECRET.length);
        await peer.write("\x01\x01");
        peer.socket.end();
      },
      "auth",
      /rejected the user name or the password/,
    ],
    [
      "hangs up instead of an answer to the login",
      "socks5h",
      async (peer) => {
        await peer.read(4);
        await peer.write("\x05\x02");
        await peer.read(3 + 2 + SECRET.length);
        peer.socket.end();
      },
      "auth",
      /hung up before it answered to the login/,
    ],
    [
      "hangs up instead of an answer to the request",
      "socks5",
      async (peer) => {
        await peer.read(4);
        await peer.write("\x05\x00");
        await peer.read(10);
        await peer.write("\x05\x00\x00");
        peer.socket.end();
      },
      "tunnel",
      /hung up before it answered to the request/,
    ],
    ["hangs up at once", "socks5", (peer) => peer.socket.end(), "handshake", /hung up before it answered/],
    ["hangs up at once", "socks4", (peer) => peer.socket.end(), "handshake", /hung up before it answered/],
    ["speaks HTTP", "socks5", (peer) => peer.write("HTTP/1.1 400 Bad\r\n\r\n"), "handshake", /not SOCKS5/],
    ["speaks HTTP", "socks4a", (peer) => peer.write("HTTP/1.1 400 Bad\r\n\r\n"), "handshake", /not SOCKS4/],
    ["speaks SOCKS5", "socks4", (peer) => peer.write("\x05\x5a\0\0\0\0\0\0"), "handshake", /not SOCKS4/],
    ["answers with code 0", "socks4", (peer) => peer.write("\0\0\0\0\0\0\0\0"), "handshake", /not SOCKS4/],
    [
      "speaks SOCKS4 in its second answer",
      "socks5",
      async (peer) => {
        await peer.read(4);
        await peer.write("\x05\x00");
        await peer.read(10);
        await peer.write("\x04\x00\x00\x01\0\0\0\0\0\0");
      },
      "handshake",
      /not SOCKS5/,
    ],
    [
      "has an address of no known kind",
      "socks5",
      async (peer) => {
        await peer.read(4);
        await peer.write("\x05\x00");
        await peer.read(10);
        await peer.write("\x05\x00\x00\x09\0\0\0\0\0\0");
      },
      "handshake",
      /not SOCKS5/,
    ],
    [
      "answers before it is asked",
      "socks5",
      (peer) => peer.write("\x05\x02\x01\x00\x05\x00\x00\x01\0\0\0\0\0\0"),
      "handshake",
      /not SOCKS5/,
    ],
    ...([
      [1, /general SOCKS server failure \(code 1\)/],
      [2, /not allowed by ruleset \(code 2\)/],
      [3, /network unreachable \(code 3\)/],
      [4, /host unreachable \(code 4\)/],
      [5, /connection refused \(code 5\)/],
      [6, /TTL expired \(code 6\)/],
      [7, /command not supported \(code 7\)/],
      [8, /address type not supported \(code 8\)/],
      [9, /RFC 1928 knows \(code 9\)/],
      [255, /RFC 1928 knows \(code 255\)/],
    ] as const).map(([code, message]) =>
      [
        `refuses with code ${code}`,
        "socks5",
        async (peer: ProxyPeer) => {
          await peer.read(4);
          await peer.write("\x05\x00");
          await peer.read(10);
          await peer.write(`\x05${String.fromCharCode(code)}\x00\x01\0\0\0\0\0\0`);
          peer.socket.end();
        },
        "tunnel",
        message,
      ] as const
    ),
    ...([
      [91, "tunnel", /could not reach the target \(code 91\)/],
      [92, "auth", /identity \(code 92\)/],
      [93, "auth", /does not believe the user name \(code 93\)/],
    ] as const).map(([code, stage, message]) =>
      [
        `refuses with code ${code}`,
        "socks4",
        (peer: ProxyPeer) => peer.write(`\x00${String.fromCharCode(code)}\0\0\0\0\0\0`),
        stage,
        message,
      ] as const
    ),
  ];

for (const [what, scheme, talk, stage, message, anonymous] of cases) {
  test(`${scheme}: a proxy that ${what} is an error of the stage "${stage}"`, async () => {
    const error = await failure(scheme, talk, {}, anonymous);
    assertMatch(error.message, message);
    assertEquals(error.stage, stage);
    assertEquals(error.status, /\(407\)/.test(error.message) ? 407 : undefined);
  });
}
