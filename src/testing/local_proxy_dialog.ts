/**
 * What the dialogs of the stand-in for a proxy, HTTP and SOCKS, have in common: their side, and the server's.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { LocalProxyFaults, LocalProxyRequest } from "./local_proxy.ts";

/** Why there is no connection to the target. */
export type TunnelFailure = "refused" | "unreachable";

/** Takes the bytes of a client until its tunnel is open. */
export interface Dialog {
  push(chunk: Uint8Array): void;
}

/** What a dialog asks of the server. */
export interface DialogHost {
  /** The credentials that are asked for. */
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly faults: LocalProxyFaults;
  /** Sends an answer that is not the last. */
  say(bytes: Uint8Array): void;
  /** Sends the last answer and hangs up; `isLogin` if it is because of the credentials. */
  refuse(bytes: Uint8Array, isLogin?: boolean): void;
  /** Notes a request; true if a fault has dealt with it. */
  request(request: LocalProxyRequest): boolean;
  /**
   * Connects to the target and then answers with `success`, or calls `refused`.
   *
   * @returns What takes the bytes that the client has sent too early.
   */
  open(
    request: LocalProxyRequest,
    success: Uint8Array,
    refused: (failure: TunnelFailure) => void,
  ): (early: Uint8Array) => void;
}

/** Bytes that come in pieces and are taken when enough are there. */
export class Collector {
  #bytes = Buffer.alloc(0);

  /** Adds a piece. */
  push(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
  }

  /** What is there and not taken. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Takes the first `count` bytes, or nothing if there are fewer. */
  take(count: number): Buffer | undefined {
    if (this.#bytes.length < count) return undefined;
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }
}

/** `host:port`, an IPv6 address in brackets. */
export function hostAndPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
