/**
 * The way from a URL to an upgraded socket: the first owner of the socket, with everything that can go wrong on it.
 *
 * @module
 */

import { ConnectionFailedError, HandshakeTimeoutError, systemClock, type Timer } from "../../base/mod.ts";
import type { TlsOptions } from "../connection.ts";
import type { ProxyUrl } from "../proxy/proxy_url.ts";
import {
  type AcceptedUpgrade,
  checkUpgradeResponse,
  HttpHeadReader,
  parseStatusLine,
  type UpgradeRequest,
} from "./handshake.ts";
import { Rejection } from "./rejection.ts";
import type { ByteSocket, ByteSocketHandler, OpenSocket } from "./socket.ts";
import { describeSocketError } from "./socket_errors.ts";

/** How long the body of a rejection is waited for, in ms: the status is known, the reconnect should not wait. */
const BODY_WAIT_MS = 250;

/** What limits the opening. */
export interface OpeningOptions {
  /** Longest time in ms for DNS, TCP, TLS and the handshake together. */
  readonly timeoutMs: number;
  /** Gives up when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** What is asked of TLS. */
  readonly tls: TlsOptions;
  /** The proxy to go through. */
  readonly proxy?: ProxyUrl | undefined;
}

/** How the opening ends: exactly one of the two is called, once, and not before `open()` has returned. */
export interface OpeningResult {
  /** The server has upgraded. `rest` came behind its answer, and is valid during the call. */
  onUpgraded(socket: ByteSocket, accepted: AcceptedUpgrade, rest: Uint8Array): void;
  /** It has not, and the socket is destroyed. */
  onFailed(error: unknown): void;
}

/** One opening handshake. */
export class Opening implements ByteSocketHandler {
  readonly #request: UpgradeRequest;
  readonly #options: OpeningOptions;
  readonly #result: OpeningResult;
  readonly #socket: ByteSocket;
  readonly #timer: Timer;
  readonly #head = new HttpHeadReader();
  #rejection: Rejection | undefined;
  #bodyTimer: Timer | undefined;
  #settled = false;

  /**
   * Starts to connect. The options' signal must not be aborted yet.
   *
   * @throws {ConnectionFailedError} if the attempt fails at once.
   */
  constructor(openSocket: OpenSocket, request: UpgradeRequest, options: OpeningOptions, result: OpeningResult) {
    this.#request = request;
    this.#options = options;
    this.#result = result;
    this.#timer = systemClock.setTimer(() => this.#onTimeout(), options.timeoutMs);
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    try {
      this.#socket = openSocket({ ...request, tls: options.tls, proxy: options.proxy }, this);
    } catch (error) {
      this.#settle();
      throw this.#error(describeSocketError(error), error);
    }
  }

  /** Sends the request. */
  onOpen(): void {
    let sent = 0;
    // A fresh socket takes a whole request: it is smaller than any send buffer.
    while (sent < this.#request.bytes.length) {
      const taken = this.#socket.write(this.#request.bytes.subarray(sent));
      if (taken === 0) break;
      sent += taken;
    }
    if (sent < this.#request.bytes.length) this.#fail(this.#error("the socket does not take the request"));
  }

  /** Reads the response. */
  onBytes(chunk: Uint8Array): void {
    if (this.#settled) return;
    if (this.#rejection !== undefined) {
      this.#readBody(this.#rejection, chunk);
      return;
    }
    try {
      const head = this.#head.push(chunk);
      if (head === undefined) return;
      if (parseStatusLine(head.startLine).status === 101) {
        const accepted = checkUpgradeResponse(head, this.#request);
        this.#settle();
        this.#result.onUpgraded(this.#socket, accepted, head.rest);
        return;
      }
      this.#rejection = new Rejection(head);
      this.#bodyTimer = systemClock.setTimer(() => this.#reject(), BODY_WAIT_MS);
      this.#readBody(this.#rejection, head.rest);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Nothing waits to be sent. */
  onDrain(): void {}

  /** The peer or the system has ended the connection. */
  onEnd(error: unknown): void {
    if (this.#rejection !== undefined) this.#reject();
    else if (error instanceof ConnectionFailedError) this.#fail(error);
    else this.#fail(this.#error(describeSocketError(error), error));
  }

  #readBody(rejection: Rejection, chunk: Uint8Array): void {
    rejection.push(chunk);
    if (rejection.isComplete) this.#reject();
  }

  #onTimeout(): void {
    if (this.#rejection !== undefined) return this.#reject();
    const error = new HandshakeTimeoutError(this.#request.origin, this.#options.timeoutMs);
    // The socket tells how far the way through the proxy got.
    if (this.#socket.giveUp?.(error) !== true) this.#fail(error);
  }

  #reject(): void {
    this.#fail(this.#rejection?.toError(this.#request.origin));
  }

  #error(why: string, cause?: unknown): ConnectionFailedError {
    const { proxy } = this.#options;
    const way = proxy === undefined ? "" : ` through the proxy ${proxy.masked}`;
    return new ConnectionFailedError(
      `Cannot open ${this.#request.origin}${way}: ${why}`,
      cause === undefined ? {} : { cause },
    );
  }

  readonly #onAbort = (): void => this.#fail(this.#options.signal?.reason);

  #fail(error: unknown): void {
    if (this.#settled) return;
    this.#settle();
    this.#socket.destroy();
    this.#result.onFailed(error);
  }

  #settle(): void {
    this.#settled = true;
    this.#timer.cancel();
    this.#bodyTimer?.cancel();
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }
}
