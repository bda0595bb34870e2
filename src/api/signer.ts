/**
 * Signs requests with WebCrypto: HMAC-SHA256, RSA and Ed25519, as Binance web-socket-api.md ("SIGNED request security")
 * and rest-api.md ("Signed Endpoint Examples") say.
 *
 * @module
 */

import { InvalidOptionsError } from "../base/mod.ts";
import { type Params, signingPayload } from "./params.ts";
import { hexOf, parsePrivateKey } from "./pem.ts";
import { Redacted } from "./redacted.ts";

/**
 * An API key and what signs with it. {@linkcode createSigner} makes one that prints as `[redacted]` everywhere, in
 * `console.log`, JSON, template strings, errors and stack traces; only its property `apiKey` gives the API key away. An
 * object of your own does too, for a key that never leaves a key service.
 *
 * @example
 * ```ts
 * import { createSigner, type Signer } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * const signer: Signer = createSigner({ apiKey: "your-api-key", apiSecret: "your-secret" });
 * assertEquals(JSON.stringify({ signer }), '{"signer":"[redacted]"}');
 * ```
 */
export interface Signer {
  /** Kind of the key. `session.logon` takes only `"Ed25519"` (Binance web-socket-api.md, "Session Authentication"). */
  readonly kind: "HMAC" | "RSA" | "Ed25519";
  /** The API key, as Binance shows it. */
  readonly apiKey: string;
  /**
   * Signature of the parameters of a WebSocket API request, to be sent as `signature`. All of `params` are signed but
   * `signature` itself and what is undefined, so `apiKey` and `timestamp` have to be among them.
   *
   * @returns Lower-case hex for HMAC, base64 for RSA and Ed25519.
   * @throws {TypeError} for a value that can't be sent, such as NaN.
   * @throws {InvalidOptionsError} if the runtime refuses the private key.
   */
  signWebSocket(params: Params): Promise<string>;
  /**
   * Signature of a REST request: of its query, followed by its body if it has one, in the order in which they are sent and
   * already percent-encoded. Percent-encode the signature too, base64 has `+`, `/` and `=`.
   *
   * @returns Lower-case hex for HMAC, base64 for RSA and Ed25519.
   * @throws {TypeError} if `query` is not percent-encoded.
   * @throws {InvalidOptionsError} if the runtime refuses the private key.
   */
  signRest(query: string): Promise<string>;
}

/**
 * An API key with its secret or its private key.
 *
 * @example
 * ```ts
 * import { createSigner, type SignerOptions } from "@rawtick/binance";
 *
 * const options: SignerOptions = { apiKey: "your-api-key", apiSecret: "your-secret" };
 * console.log(createSigner(options).kind);
 * ```
 */
export type SignerOptions =
  | {
    /** The API key, as Binance shows it. */
    readonly apiKey: string;
    /** The secret that Binance has shown once: signs with HMAC-SHA256. */
    readonly apiSecret: string;
    readonly privateKey?: undefined;
  }
  | {
    /** The API key that Binance has given for the public key. */
    readonly apiKey: string;
    /** Text of a PEM file with an RSA or Ed25519 key in PKCS#8 (`-----BEGIN PRIVATE KEY-----`), not encrypted. */
    readonly privateKey: string;
    readonly apiSecret?: undefined;
  };

/**
 * Makes a signer from an API key and either its secret (HMAC-SHA256) or a private key (RSA or Ed25519, which the key itself
 * tells).
 *
 * @throws {InvalidOptionsError} if an option is unknown, or a key is missing or can't be used, with what to do about it and
 * without any part of it: an encrypted private key for instance, or one in PKCS#1.
 *
 * @example The signature of an order (Binance web-socket-api.md, "SIGNED request example (HMAC)")
 * ```ts
 * import { createSigner } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * const signer = createSigner({
 *   apiKey: "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A",
 *   apiSecret: "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j",
 * });
 * const signature = await signer.signWebSocket({
 *   symbol: "BTCUSDT",
 *   side: "SELL",
 *   type: "LIMIT",
 *   timeInForce: "GTC",
 *   quantity: "0.01000000",
 *   price: "52000.00",
 *   recvWindow: 100,
 *   timestamp: 1645423376532,
 *   apiKey: signer.apiKey,
 * });
 * assertEquals(signature, "aa1b5712c094bc4e57c05a1a5c1fd8d88dcd628338ea863fec7b88e59fe2db24");
 * ```
 *
 * @example A query for REST, signed with an Ed25519 key
 * ```ts
 * import { createSigner } from "@rawtick/binance";
 *
 * const { privateKey } = await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"]) as CryptoKeyPair;
 * const pkcs8 = btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey))));
 * const signer = createSigner({
 *   apiKey: "your-api-key",
 *   privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----`,
 * });
 * const query = new URLSearchParams({ symbol: "BTCUSDT", timestamp: String(Date.now()) }).toString();
 * console.log(`${query}&signature=${encodeURIComponent(await signer.signRest(query))}`);
 * ```
 */
export function createSigner(options: SignerOptions): Signer {
  checkOptions(options);
  const { apiKey, apiSecret, privateKey } = options;
  checkKey("apiKey", apiKey);
  if (apiSecret !== undefined && privateKey !== undefined) {
    throw new InvalidOptionsError("Cannot use both `apiSecret` and `privateKey`: expected one of them");
  }
  if (privateKey === undefined) {
    if (apiSecret === undefined) throw new InvalidOptionsError("Cannot sign: expected `apiSecret` or `privateKey`");
    if (typeof apiSecret === "string" && apiSecret.includes("-----BEGIN")) {
      throw unusable("apiSecret", "it is a key in PEM, which belongs into `privateKey`");
    }
    checkKey("apiSecret", apiSecret);
    return new WebCryptoSigner(apiKey, "HMAC", new TextEncoder().encode(apiSecret));
  }
  if (typeof privateKey !== "string") throw unusable("privateKey", "expected the text of a PEM file");
  const { kind, pkcs8 } = parsePrivateKey(privateKey);
  return new WebCryptoSigner(apiKey, kind, pkcs8);
}

function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptionsError(
      "Cannot make a signer of this: expected an object with `apiKey`, and `apiSecret` or `privateKey`",
    );
  }
  const unknown = Object.entries(options).find(([name, value]) =>
    value !== undefined && !["apiKey", "apiSecret", "privateKey"].includes(name)
  )?.[0];
  if (unknown === undefined) return;
  const hint = /^pass(?:phrase|word)$/i.test(unknown)
    ? "keys are not decrypted here, decrypt it with `openssl pkey -in encrypted.pem -out private.pem`"
    : "expected `apiKey`, and `apiSecret` or `privateKey`";
  throw new InvalidOptionsError(`Unknown option \`${unknown}\` of a signer: ${hint}`, { path: unknown });
}

/** Refuses what is certainly no key, in particular the line end that a file has left behind. */
function checkKey(path: string, key: unknown): void {
  if (typeof key !== "string" || key === "") throw unusable(path, "expected a text that is not empty");
  if (/^ |[^ -~]| $/.test(key)) {
    throw unusable(path, "expected the key alone, without spaces around it, line ends or non-ASCII characters");
  }
}

function unusable(path: string, reason: string): InvalidOptionsError {
  return new InvalidOptionsError(`Cannot use this \`${path}\`: ${reason}`, { path });
}

const encoder = new TextEncoder();

const ALGORITHMS = {
  HMAC: { name: "HMAC", hash: "SHA-256" },
  RSA: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  Ed25519: { name: "Ed25519" },
} as const;

class WebCryptoSigner extends Redacted implements Signer {
  readonly #kind: Signer["kind"];
  readonly #apiKey: string;
  #secret: Uint8Array<ArrayBuffer>;
  #key: Promise<CryptoKey> | undefined;

  constructor(apiKey: string, kind: Signer["kind"], secret: Uint8Array<ArrayBuffer>) {
    super();
    this.#apiKey = apiKey;
    this.#kind = kind;
    this.#secret = secret;
  }

  // Getters, so that nothing is left for a copy or an inspection of its properties.
  get kind(): Signer["kind"] {
    return this.#kind;
  }

  get apiKey(): string {
    return this.#apiKey;
  }

  signWebSocket(params: Params): Promise<string> {
    return this.#sign(() => signingPayload(params));
  }

  signRest(query: string): Promise<string> {
    return this.#sign(() => {
      if (/[^!-~]/.test(query)) throw new TypeError("Cannot sign this query: expected it to be percent-encoded");
      return query;
    });
  }

  async #sign(payload: () => string): Promise<string> {
    const bytes = encoder.encode(payload());
    // Not imported before it is needed: workerd allows no such work outside of a request.
    const key = await (this.#key ??= this.#importKey());
    const signature = new Uint8Array(await crypto.subtle.sign(ALGORITHMS[this.#kind].name, key, bytes));
    return this.#kind === "HMAC" ? hexOf(signature) : btoa(String.fromCharCode(...signature));
  }

  async #importKey(): Promise<CryptoKey> {
    const kind = this.#kind;
    const format = kind === "HMAC" ? "raw" : "pkcs8";
    try {
      const key = await crypto.subtle.importKey(format, this.#secret, ALGORITHMS[kind], false, ["sign"]);
      // From here on only the runtime holds it, in a key that can't be exported.
      this.#secret.fill(0);
      return key;
    } catch (error) {
      // Without the error itself: nobody promises that a runtime leaves the key out of it.
      const name = error instanceof Error ? error.name : "an unknown error";
      throw unusable(kind === "HMAC" ? "apiSecret" : "privateKey", `this runtime refuses it as ${kind} key (${name})`);
    }
  }
}
