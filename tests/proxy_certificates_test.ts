/**
 * Certificates, on the direct path and through every kind of proxy: verified unless the caller has said otherwise, and
 * the exchange's and an https proxy's each against its own name.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { type LocalProxy, startLocalProxy } from "@rawtick/binance/testing";
import {
  ConnectionFailedError,
  type ConnectOptions,
  openConnection,
  ProxyConnectionError,
  type WebSocketLibrary,
} from "@rawtick/binance/transport";
import {
  certificateFile,
  type CertificateName,
  type RecordingExchange,
  startRecordingExchange,
} from "./proxies/exchange.ts";
import { type Scheme, SCHEMES } from "./proxies/stations.ts";
import { libraries, until } from "./support.ts";

const ca = [certificateFile("ca.pem")];
const BAD: readonly CertificateName[] = ["wrong_name", "self_signed", "expired"];

function startProxy(scheme: Scheme, certificate: CertificateName = "localhost"): Promise<LocalProxy> {
  const pair = { cert: certificateFile(`${certificate}.pem`), key: certificateFile(`${certificate}.key`) };
  return startLocalProxy({
    scheme,
    username: "bot",
    ...(scheme.startsWith("socks4") ? {} : { password: "s3cret" }),
    ...(scheme === "https" ? { tls: pair } : {}),
  });
}

/** Opens a connection and ends it. */
async function visit(library: WebSocketLibrary, exchange: RecordingExchange, options: ConnectOptions): Promise<void> {
  const listener = { onText: () => {}, onClose: () => {} };
  const connection = await openConnection(library, `${exchange.url}/ws`, listener, options);
  connection.close();
  await connection.closed;
}

/** Nothing is open any more, and nothing of a request came to the exchange. */
async function nothingSaid(exchange: RecordingExchange, proxy: LocalProxy | undefined): Promise<void> {
  await until(() => exchange.open === 0 && (proxy?.connections ?? 0) === 0, "all connections are closed");
  assertEquals(exchange.take().decrypted.includes("GET "), false);
}

for (const library of libraries) {
  for (const scheme of [undefined, ...SCHEMES]) {
    const way = scheme === undefined ? "directly" : `through a ${scheme} proxy`;

    test(`${library}: a good certificate is taken and a bad one is not, ${way}`, { timeout: 60_000 }, async () => {
      await using proxy = scheme === undefined ? undefined : await startProxy(scheme);
      const options = { tls: { ca }, ...(proxy === undefined ? {} : { proxy: proxy.url }) };
      {
        await using exchange = await startRecordingExchange("localhost");
        await visit(library, exchange, options);
        assertEquals(proxy?.tunnels ?? 1, 1);
      }
      for (const certificate of BAD) {
        await using exchange = await startRecordingExchange(certificate);
        const error = await assertRejects(() => visit(library, exchange, options), ConnectionFailedError);
        // The proxy did its part: that it is the exchange which can't be trusted must be seen.
        assert(!(error instanceof ProxyConnectionError), `${certificate}: ${error.message}`);
        assertEquals(error.message.includes("s3cret"), false);
        await nothingSaid(exchange, proxy);
      }
    });

    if (scheme === undefined) continue;

    test(`${library}: a bad certificate is taken only where that was asked for, ${way}`, async () => {
      await using proxy = await startProxy(scheme);
      for (const certificate of BAD) {
        await using exchange = await startRecordingExchange(certificate);
        await visit(library, exchange, { proxy: proxy.url, tls: { rejectUnauthorized: false } });
        const { from, decrypted } = exchange.take();
        assertEquals([from.length, decrypted.includes("GET /ws ")], [1, true]);
      }
      assertEquals(proxy.tunnels, BAD.length);
    });
  }

  for (const certificate of BAD) {
    test(`${library}: an https proxy whose certificate is ${certificate} gets no login`, async () => {
      await using proxy = await startProxy("https", certificate);
      for (const tls of ["localhost", undefined] as const) {
        await using exchange = await startRecordingExchange(tls);
        const error = await assertRejects(
          () => visit(library, exchange, { proxy: proxy.url, tls: { ca } }),
          ConnectionFailedError,
        );
        assertInstanceOf(error, ProxyConnectionError);
        assertEquals(error.stage, "tls");
        await nothingSaid(exchange, proxy);
        assertEquals([proxy.requests.length, exchange.take().from.length], [0, 0]);
      }
    });
  }

  test(`${library}: an https proxy is verified against its own name, whatever the exchange's is said to be`, async () => {
    await using proxy = await startProxy("https");
    await using exchange = await startRecordingExchange("wrong_name");
    const asked: string[] = [];
    await visit(library, exchange, {
      proxy: proxy.url,
      tls: { ca, servername: "wrong.example", checkServerIdentity: (name) => void asked.push(name) },
    });
    assertEquals(asked, ["wrong.example"]);
    assertEquals(proxy.tunnels, 1);
  });
}
