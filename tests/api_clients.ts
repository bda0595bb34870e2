/**
 * A bare client of the local exchange's WebSocket APIs that shares nothing with the library: the runtime's WebSocket, and
 * signatures by node:crypto.
 *
 * @module
 */

import { createHmac, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import type { LocalExchange } from "@rawtick/binance/testing";
import { Client } from "./exchange_clients.ts";

/** The key and the secret of Binance's examples (web-socket-api.md, "SIGNED request example"). */
export const API_KEY = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A";
export const API_SECRET = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
export const HMAC_KEY = { apiKey: API_KEY, apiSecret: API_SECRET };

/** An answer or an event. */
export interface Message {
  readonly id?: unknown;
  readonly status?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly msg: string; readonly data?: Record<string, unknown> };
  readonly rateLimits?: readonly { readonly rateLimitType: string; readonly count: number; readonly limit: number }[];
  readonly subscriptionId?: number;
  readonly event?: Record<string, unknown>;
}

export type Params = Readonly<Record<string, string | number | boolean | readonly string[]>>;
/** Signs the text of WebSocket API requests. */
export type Sign = (payload: string) => string;

export const hmac = (secret: string): Sign => (payload) => createHmac("sha256", secret).update(payload).digest("hex");

/** A new key pair: both keys as PEM, and what signs with the private one. */
export function keyPair(kind: "rsa" | "ed25519"): { publicKey: string; privateKey: string; sign: Sign } {
  const { publicKey, privateKey } = kind === "rsa"
    ? generateKeyPairSync("rsa", { modulusLength: 2048 })
    : generateKeyPairSync("ed25519");
  const privatePem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const key = createPrivateKey(privatePem);
  return {
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    privateKey: privatePem,
    sign: (payload) =>
      sign(kind === "rsa" ? "RSA-SHA256" : null, new TextEncoder().encode(payload), key).toString("base64"),
  };
}

export function payloadOf(params: Params): string {
  const text = (value: unknown) => Array.isArray(value) ? JSON.stringify(value) : String(value);
  return Object.keys(params).sort().map((name) => `${name}=${text(params[name])}`).join("&");
}

/** A connection to a WebSocket API. */
export class ApiClient implements AsyncDisposable {
  readonly client: Client;
  readonly messages: Message[] = [];
  #id = 0;
  #key: { apiKey: string; sign: Sign } | undefined;

  private constructor(client: Client, key: { apiKey: string; sign: Sign } | undefined) {
    this.client = client;
    this.#key = key;
  }

  static async open(
    exchange: LocalExchange,
    path = "/ws-api/v3",
    key: { apiKey: string; sign: Sign } | undefined = { apiKey: API_KEY, sign: hmac(API_SECRET) },
  ): Promise<ApiClient> {
    return new ApiClient(await Client.open(exchange, path), key);
  }

  /** The next message of any kind. */
  async next(): Promise<Message> {
    const message: Message = JSON.parse(String(await this.client.next()));
    this.messages.push(message);
    return message;
  }

  /** The next events. */
  async events(count: number): Promise<Record<string, unknown>[]> {
    const events: Record<string, unknown>[] = [];
    while (events.length < count) {
      const { event } = await this.next();
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  /** Sends a request; returns its id. */
  send(method: string, params: Params = {}): number {
    const id = ++this.#id;
    this.client.send(JSON.stringify({ id, method, params }));
    return id;
  }

  /** Sends a request with `apiKey`, `timestamp` and `signature`. */
  sendSigned(method: string, params: Params = {}): number {
    return this.send(method, this.signed(params));
  }

  signed(params: Params): Params {
    const { apiKey = "", sign = () => "" } = this.#key ?? {};
    const all = { apiKey, timestamp: Date.now(), ...params };
    return { ...all, signature: sign(payloadOf(all)) };
  }

  /** The answer to a request; events that come before it are kept in `messages`. */
  async answer(id: number): Promise<Message> {
    while (true) {
      const message = await this.next();
      if (message.id === id || (message.id === null && message.status !== undefined)) return message;
    }
  }

  ask(method: string, params: Params = {}): Promise<Message> {
    return this.answer(this.send(method, params));
  }

  askSigned(method: string, params: Params = {}): Promise<Message> {
    return this.answer(this.sendSigned(method, params));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client[Symbol.asyncDispose]();
  }
}

/** Status and code of an answer. */
export function refusal({ status, error }: Message): [status: number | undefined, code: number | undefined] {
  return [status, error?.code];
}

/** An answer by REST: its status and its body. */
export type RestAnswer = [status: number, body: Record<string, unknown>];

/** A request by REST with a key, or with none if it is `""`. */
export async function rest(
  exchange: LocalExchange,
  method: string,
  path: string,
  apiKey: string | undefined = API_KEY,
): Promise<RestAnswer> {
  const headers: Record<string, string> = apiKey === "" ? {} : { "X-MBX-APIKEY": apiKey };
  const response = await fetch(`${exchange.restUrl}${path}`, { method, headers });
  return [response.status, await response.json()];
}
