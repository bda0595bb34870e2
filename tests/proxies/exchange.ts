/**
 * The exchange at the far end: a local exchange behind relays that see who comes, and every byte before and after TLS.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { startLocalExchange } from "@rawtick/binance/testing";
import { type RelayedConnection, startRelay, textSent } from "./relay.ts";

/** A certificate of tests/certs. */
export type CertificateName = "localhost" | "wrong_name" | "self_signed" | "expired";

/** What came to the exchange since the last time it was asked. */
export interface Visits {
  /** The addresses that TCP connections came from. */
  readonly from: readonly string[];
  /** All bytes that were sent, encrypted ones too, and the text of the messages; one character for each byte. */
  readonly bytes: string;
  /** The heads of the requests, and what followed them, decrypted. */
  readonly decrypted: string;
}

/** A running exchange. */
export interface RecordingExchange extends AsyncDisposable {
  /** Its base URL, with the name `localhost`. */
  readonly url: string;
  /** Connections that are open. */
  readonly open: number;
  /** What was seen since the last time. */
  take(): Visits;
}

/** A file of tests/certs. */
export function certificateFile(name: string): string {
  return readFileSync(new URL(`../certs/${name}`, import.meta.url), "utf8");
}

/** Starts one: `wss://` if there is a certificate. */
export async function startRecordingExchange(certificate?: CertificateName): Promise<RecordingExchange> {
  await using started = new AsyncDisposableStack();
  const exchange = started.use(await startLocalExchange({ messagesPerSecond: 0 }));
  const tls = certificate &&
    { cert: certificateFile(`${certificate}.pem`), key: certificateFile(`${certificate}.key`) };
  const terminator = tls && started.use(await startRelay(exchange.port, tls));
  const front = started.use(await startRelay(terminator?.port ?? exchange.port));
  let messages = 0;
  const resources = started.move();
  return {
    url: `${tls === undefined ? "ws" : "wss"}://localhost:${front.port}`,
    get open() {
      return front.open + exchange.connections;
    },
    take() {
      const outer: readonly RelayedConnection[] = front.take();
      const decrypted = terminator === undefined ? textSent(outer) : textSent(terminator.take());
      const texts = exchange.controlMessages.slice(messages).map(({ text }) => text);
      messages = exchange.controlMessages.length;
      return {
        from: outer.map(({ from }) => from),
        bytes: [textSent(outer), decrypted, ...texts].join("\n"),
        decrypted,
      };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
