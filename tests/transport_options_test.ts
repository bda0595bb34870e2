/**
 * Options of a connection: what can't be used, or not by this library here, is refused before anything is opened, and
 * no message shows a secret.
 *
 * @module
 */

import { test } from "node:test";
import { inspect } from "node:util";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  connect,
  type ConnectOptions,
  InvalidOptionsError,
  openConnection,
  type PullOptions,
  RawtickError,
} from "@rawtick/binance/transport";
import { Recorder, TestServer } from "./native_server.ts";
import { startRawServer, testEachLibrary } from "./support.ts";
import { isBun } from "./transport_pair.ts";

const UNREACHABLE = "ws://127.0.0.1:1/";

/** The error of opening with these options, which must not even try to connect. */
function refusal(library: "builtin" | "native", options: unknown): Promise<InvalidOptionsError> {
  return assertRejects(
    // The cast: wrong types are what is tested.
    () => openConnection(library, UNREACHABLE, new Recorder(), options as ConnectOptions),
    InvalidOptionsError,
  );
}

for (
  const [name, options, path] of [
    ["an unknown name", { pingInterval: 1 }, "pingInterval"],
    ["a name in another spelling", { max_message_bytes: 1 }, "max_message_bytes"],
    ["a timeout of 0", { handshakeTimeoutMs: 0 }, "handshakeTimeoutMs"],
    ["a timeout as text", { closeTimeoutMs: "1000" }, "closeTimeoutMs"],
    ["a fraction", { maxMessageBytes: 1.5 }, "maxMessageBytes"],
    ["more than timers can wait", { handshakeTimeoutMs: 2 ** 31 }, "handshakeTimeoutMs"],
    ["a negative limit", { maxFragments: -1 }, "maxFragments"],
    ["an infinite limit", { maxBufferedBytes: Infinity }, "maxBufferedBytes"],
    ["a negative mark", { highWaterMark: -1 }, "highWaterMark"],
    ["a keepalive as text", { pingIntervalMs: "5s" }, "pingIntervalMs"],
    ["a keepalive's timeout alone", { pingTimeoutMs: 100 }, "pingTimeoutMs"],
    ["one subprotocol as text", { protocols: "a" }, "protocols"],
    ["a subprotocol that is no token", { protocols: ["ok", "a b"] }, "protocols[1]"],
    ["a subprotocol twice", { protocols: ["a", "a"] }, "protocols[1]"],
    ["headers as a list", { headers: [["a", "b"]] }, "headers"],
    ["a header of the handshake", { headers: { "Sec-WebSocket-Key": "x" } }, "headers.Sec-WebSocket-Key"],
    ["a header with two lines", { headers: { "X-A": "a\r\nb" } }, "headers.X-A"],
    ["a header that is a number", { headers: { "X-A": 1 } }, "headers.X-A"],
    ["a signal that is none", { signal: {} }, "signal"],
    ["TLS as text", { tls: "strict" }, "tls"],
    ["an unknown name in TLS", { tls: { cert: "x" } }, "tls.cert"],
    ["an authority that is no PEM", { tls: { ca: ["secret"] } }, "tls.ca[0]"],
    ["an IP address as server name", { tls: { servername: "127.0.0.1" } }, "tls.servername"],
    ["a check that is no function", { tls: { checkServerIdentity: true } }, "tls.checkServerIdentity"],
    [
      "a check of what is not verified",
      { tls: { rejectUnauthorized: false, checkServerIdentity: () => undefined } },
      "tls.checkServerIdentity",
    ],
    [
      "a window that RFC 7692 does not know",
      { perMessageDeflate: { serverMaxWindowBits: 16 } },
      "perMessageDeflate.serverMaxWindowBits",
    ],
    ["options that are no object", "fast", ""],
  ] as const
) {
  testEachLibrary(`${name} is refused, with its place`, async (library) => {
    assertEquals((await refusal(library, options)).path, path);
  });
}

testEachLibrary("all problems are told at once", async (library) => {
  const { errors } = await refusal(library, { closeTimeoutMs: 0, colour: "red", protocols: [""] });
  assertEquals(errors.map(({ path }) => path).toSorted(), ["closeTimeoutMs", "colour", "protocols[0]"]);
});

testEachLibrary("a listener that can't be told is refused", async (library) => {
  const onText = (): void => {};
  const onClose = (): void => {};
  for (
    const [listener, path] of [
      [undefined, "listener"],
      [{ onClose }, "listener.onText"],
      [{ onText }, "listener.onClose"],
      [{ onText, onClose, onPing: 1 }, "listener.onPing"],
      [{ onText, onFrame: onText, onClose }, "listener.onText"],
    ] as const
  ) {
    const error = await assertRejects(
      // The cast: wrong types are what is tested.
      () => openConnection(library, UNREACHABLE, listener as unknown as Recorder),
      InvalidOptionsError,
    );
    assertEquals(error.path, path);
  }
});

/** What the built-in WebSocket can't do anywhere, or not on this runtime. */
const unsupported: readonly (readonly [ConnectOptions, string])[] = [
  [{ maxFragments: 10 }, "maxFragments"],
  [{ maxBufferedBytes: 10 }, "maxBufferedBytes"],
  [{ highWaterMark: 10 }, "highWaterMark"],
  [{ perMessageDeflate: { threshold: 0 } }, "perMessageDeflate"],
  ...(isBun ? [] : [
    [{ perMessageDeflate: true }, "perMessageDeflate"],
    [{ pingIntervalMs: 1_000 }, "pingIntervalMs"],
    [{ tls: { rejectUnauthorized: false } }, "tls.rejectUnauthorized"],
    [{ tls: { servername: "localhost" } }, "tls.servername"],
    [{ tls: { checkServerIdentity: () => undefined } }, "tls.checkServerIdentity"],
  ] as const),
];

test("builtin refuses what this runtime's own WebSocket can't do, and names the library that can", async () => {
  for (const [options, path] of unsupported) {
    const error = await refusal("builtin", options);
    assertEquals([error.path, error.message.includes('"native"')], [path, true]);
  }
  const frames = { onFrame: () => {}, onClose: () => {} };
  const error = await assertRejects(() => openConnection("builtin", UNREACHABLE, frames), InvalidOptionsError);
  assertEquals(error.path, "listener.onFrame");
});

test("native honours all that builtin refuses", async () => {
  await using server = await TestServer.start();
  for (const [options] of unsupported) {
    const connection = await openConnection("native", `ws://127.0.0.1:${server.port}/`, new Recorder(), options);
    connection.terminate();
  }
});

test("the pull interface checks its own options too", async () => {
  for (const [options, path] of [[{ maxQueue: 0 }, "maxQueue"], [{ maxqueue: 5 }, "maxqueue"]] as const) {
    // The cast: a wrong name is what is tested.
    const error = await assertRejects(() => connect(UNREACHABLE, options as PullOptions), InvalidOptionsError);
    assertEquals(error.path, path);
  }
});

/** An error and all that it carries, as a log shows it. */
function shown(error: unknown): string {
  return inspect(error, { depth: 10, showHidden: true });
}

testEachLibrary("no error shows more of the URL than its origin", async (library) => {
  const path = "/ws/s3cret-listen-key?signature=s3cret";
  await using refusing = await startRawServer((_head, socket) => socket.end("HTTP/1.1 503 Busy\r\n\r\n"));
  await using silent = await startRawServer(() => {});
  await using rude = await startRawServer((_head, socket) => socket.destroy());
  const attempts: readonly (readonly [string, ConnectOptions])[] = [
    [`ws://127.0.0.1:1${path}`, {}],
    [`ws://no-such-host.invalid${path}`, {}],
    [`http://127.0.0.1${path}`, {}],
    [`ws://user:s3cret@127.0.0.1${path}`, {}],
    [`ws://127.0.0.1${path}#top`, {}],
    [`ws//127.0.0.1${path}`, {}],
    [`ws://127.0.0.1:1${path}`, { protocols: ["s3cret token"] }],
    [`ws://127.0.0.1:1${path}`, { headers: { "X-Key": "s3cret☃" } }],
    [`ws://127.0.0.1:1${path}`, { tls: { ca: ["s3cret"] } }],
    [`${refusing.url.slice(0, -1)}${path}`, {}],
    [`${rude.url.slice(0, -1)}${path}`, {}],
    [`${silent.url.slice(0, -1)}${path}`, { handshakeTimeoutMs: 50 }],
  ];
  for (const [url, options] of attempts) {
    const error = await assertRejects(() => openConnection(library, url, new Recorder(), options), RawtickError);
    assert(!shown(error).includes("s3cret"), shown(error));
  }
});

testEachLibrary("an open connection's errors show no more either", async (library) => {
  await using server = await TestServer.start();
  const recorder = new Recorder();
  const url = `ws://127.0.0.1:${server.port}/s3cret`;
  const connection = await openConnection(library, url, recorder, { maxMessageBytes: 10 });
  (await server.peer()).send(Uint8Array.from([0x81, 11, ...new Uint8Array(11).fill(97)]));
  const { error } = await connection.closed;
  assert(error !== undefined && !shown(error).includes("s3cret"));
  try {
    connection.send("x");
    assert(false, "sent on a closed connection");
  } catch (thrown) {
    assert(thrown instanceof RawtickError && !shown(thrown).includes("s3cret"), shown(thrown));
  }
});
