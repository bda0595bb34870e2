/**
 * Private keys in PEM: takes PKCS#8 of RSA and Ed25519, and says of anything else what it is and how to convert it.
 *
 * @module
 */

import { InvalidOptionsError } from "../base/mod.ts";

/** A private key as WebCrypto imports it. */
export interface PrivateKey {
  readonly kind: "RSA" | "Ed25519";
  /** DER of PKCS#8 (RFC 5958 `PrivateKeyInfo`). */
  readonly pkcs8: Uint8Array<ArrayBuffer>;
}

/** RFC 7468: a label between dashes, base64, the same label again. */
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----/gs;

/** Object identifiers of `AlgorithmIdentifier` in hex, without tag and length. */
const KINDS: Readonly<Record<string, PrivateKey["kind"]>> = {
  "2a864886f70d010101": "RSA", // rsaEncryption, RFC 8017 A.1
  "2b6570": "Ed25519", // RFC 8410 3
};

/** The other key types that openssl makes, to name them. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  "2a864886f70d01010a": "an RSA-PSS key",
  "2a8648ce3d0201": "an EC key (ECDSA)",
  "2b656e": "an X25519 key",
  "2b656f": "an X448 key",
  "2b6571": "an Ed448 key",
};

/** What to do with the PEM blocks that are often taken for the right one. */
const HINTS: Readonly<Record<string, string>> = {
  "ENCRYPTED PRIVATE KEY": "an encrypted key. Decrypt it with `openssl pkey -in encrypted.pem -out private.pem`",
  "RSA PRIVATE KEY":
    "an RSA key in PKCS#1. Convert it with `openssl pkcs8 -topk8 -nocrypt -in pkcs1.pem -out private.pem`",
  "OPENSSH PRIVATE KEY": "a key of OpenSSH. Convert it with `ssh-keygen -p -m PKCS8 -f key`, or make a new one with " +
    "`openssl genpkey -algorithm ed25519 -out private.pem`",
  "EC PRIVATE KEY": "an EC key (ECDSA), which Binance doesn't take",
  "PUBLIC KEY": "a public key, which is the one to give to Binance",
  "RSA PUBLIC KEY": "a public key, which is the one to give to Binance",
  "CERTIFICATE": "a certificate",
};

/**
 * Reads the private key out of a PEM text. Line ends may be LF, CRLF, CR, none at all, or written out as `\n` as in an
 * environment variable; whatever stands before or after the block is ignored, as RFC 7468 says.
 *
 * @throws {InvalidOptionsError} with the path `privateKey` if there is no such key. No part of the text is in the message.
 */
export function parsePrivateKey(pem: string): PrivateKey {
  const blocks = [...pem.replaceAll(/\\[rn]/g, "\n").matchAll(BLOCK)].map(([, label = "", body = ""]) => [label, body]);
  const [label, body] = blocks.find(([label]) => label?.endsWith("PRIVATE KEY")) ?? blocks[0] ?? [];
  if (label === undefined || body === undefined) {
    throw refusal(
      pem.includes("-----BEGIN")
        ? "its block has no matching `-----END …-----` line"
        : "expected the text of a PEM file (`-----BEGIN PRIVATE KEY-----`), not its name and not bare base64",
    );
  }
  if (label !== "PRIVATE KEY") {
    const encrypted = body.includes("ENCRYPTED") ? ", encrypted with a passphrase that the command asks for" : "";
    throw refusal(`it is ${HINTS[label] ?? `a block of another kind (${label})`}${encrypted}`);
  }
  const pkcs8 = bytesOfBase64(body);
  const algorithm = pkcs8 === undefined ? undefined : algorithmOf(pkcs8);
  if (pkcs8 === undefined || algorithm === undefined) {
    throw refusal("what is between its BEGIN and END lines is not PKCS#8 in base64; it may be cut off");
  }
  const kind = KINDS[algorithm];
  if (kind === undefined) {
    throw refusal(`it is ${OTHER_KINDS[algorithm] ?? "a key of another kind"}; Binance takes RSA and Ed25519`);
  }
  return { kind, pkcs8 };
}

function refusal(reason: string): InvalidOptionsError {
  return new InvalidOptionsError(`Cannot use this \`privateKey\`: ${reason}`, { path: "privateKey" });
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll(/\s/g, "")), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;

/** The algorithm's identifier in `SEQUENCE { INTEGER, SEQUENCE { OBJECT IDENTIFIER, … }, OCTET STRING, … }`. */
function algorithmOf(der: Uint8Array): string | undefined {
  const info = element(der, 0, der.length, SEQUENCE);
  if (info === undefined || info.end !== der.length) return undefined;
  const version = element(der, info.start, info.end, INTEGER);
  const algorithm = version && element(der, version.end, info.end, SEQUENCE);
  const identifier = algorithm && element(der, algorithm.start, algorithm.end, OBJECT_IDENTIFIER);
  const key = algorithm && element(der, algorithm.end, info.end, OCTET_STRING);
  if (identifier === undefined || key === undefined) return undefined;
  return hexOf(der.subarray(identifier.start, identifier.end));
}

/** Where the content of the DER element at `at` lies, if it has this tag and ends by `limit`. */
function element(der: Uint8Array, at: number, limit: number, tag: number): { start: number; end: number } | undefined {
  const first = der[at + 1];
  if (der[at] !== tag || first === undefined) return undefined;
  // X.690 8.1.3: below 128 it is the length, otherwise the number of bytes that hold it.
  const size = first < 0x80 ? 0 : first - 0x80;
  let length = size === 0 ? first : 0;
  if (size > 4) return undefined;
  for (let i = 0; i < size; i++) length = length * 256 + (der[at + 2 + i] ?? 0);
  const start = at + 2 + size;
  return start + length <= limit ? { start, end: start + length } : undefined;
}

/** Bytes in lower-case hex. */
export function hexOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += (byte < 16 ? "0" : "") + byte.toString(16);
  return text;
}
