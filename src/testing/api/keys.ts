/**
 * API keys and their signatures (Binance web-socket-api.md, "SIGNED request example"; api_key_types.md).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import type { Account } from "./account.ts";

/** Which kind of key it is. */
export type KeyKind = "HMAC" | "RSA" | "Ed25519";

/** A key of an account. */
export class ApiKey {
  /** The name of the key that clients send. */
  readonly apiKey: string;
  readonly kind: KeyKind;
  readonly account: Account;
  /** Whether it can't be used any more. */
  isRevoked = false;
  readonly #secret: string | KeyObject;

  /**
   * Creates a key.
   *
   * @param secret The secret of an HMAC key, or the public key (PEM) of an RSA or Ed25519 key.
   * @throws {TypeError} if the public key is neither.
   */
  constructor(
    apiKey: string,
    secret: { readonly apiSecret: string } | { readonly publicKey: string },
    account: Account,
  ) {
    this.apiKey = apiKey;
    this.account = account;
    if ("apiSecret" in secret) {
      this.kind = "HMAC";
      this.#secret = secret.apiSecret;
      return;
    }
    const publicKey = createPublicKey(secret.publicKey);
    const type = publicKey.asymmetricKeyType;
    if (type !== "rsa" && type !== "ed25519") {
      throw new TypeError(`Cannot use a public key of the type "${type}": expected RSA or Ed25519`);
    }
    this.kind = type === "rsa" ? "RSA" : "Ed25519";
    this.#secret = publicKey;
  }

  /** Whether `signature` is the key's for `payload`: hex in either case for HMAC, base64 for the others. */
  verifies(payload: string, signature: string): boolean {
    const data = Buffer.from(payload);
    const secret = this.#secret;
    if (typeof secret === "string") {
      const expected = createHmac("sha256", secret).update(data).digest();
      const given = Buffer.from(signature, "hex");
      return signature.length === 2 * expected.length && given.length === expected.length &&
        timingSafeEqual(expected, given);
    }
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) return false;
    try {
      return verify(this.kind === "RSA" ? "RSA-SHA256" : null, data, secret, Buffer.from(signature, "base64"));
    } catch {
      // A signature of the wrong length is no reason to end the exchange.
      return false;
    }
  }
}
