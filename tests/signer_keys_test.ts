/**
 * Keys in every form that they are handed over in: those that are taken, and what is said of the others.
 *
 * @module
 */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { createSigner, InvalidOptionsError, type Signer } from "@rawtick/binance";
import { TemporaryFolder } from "./command.ts";

const apiKey = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A";
const apiSecret = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
/** RFC 8032 7.1, TEST 1, in PKCS#8. */
const ED25519_BODY = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
/** What it signs for `session.logon` with the parameters of `tests/signer_test.ts`. */
const ED25519_SIGNATURE = "763GJeFgG09B/06V/dq24cLu6f0R57whgDMyOCubDex4CTTElmDgPSIQqLdOsvW5TBxyaaFotVCI8tUmQMChAA==";

const pem = (body: string, label = "PRIVATE KEY") => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;

const body = `${ED25519_BODY.slice(0, 20)}\n${ED25519_BODY.slice(20)}`;
const forms: Readonly<Record<string, string>> = {
  "LF": pem(body),
  "CRLF": pem(body).replaceAll("\n", "\r\n"),
  "CR": pem(body).replaceAll("\n", "\r"),
  "no line ends": pem(body).replaceAll("\n", ""),
  "spaces for line ends": pem(body).replaceAll("\n", " "),
  "line ends written out, as in an environment variable": pem(body).replaceAll("\n", "\\n"),
  "a BOM and text around it": `\ufeffBag Attributes\n    friendlyName: me\n${pem(body)}\nthe end`,
  "its public key before it": pem("AAAA", "PUBLIC KEY") + pem(body),
};
for (const [form, privateKey] of Object.entries(forms)) {
  test(`a PEM key is read with ${form}`, async () => {
    const signer = createSigner({ apiKey, privateKey });
    assertEquals(signer.kind, "Ed25519");
    assertEquals(await signer.signWebSocket({ timestamp: 1649729878532, apiKey }), ED25519_SIGNATURE);
  });
}

function refusalOf(options: unknown): InvalidOptionsError {
  // The cast: what JavaScript may pass.
  return assertThrows(() => void createSigner(options as Parameters<typeof createSigner>[0]), InvalidOptionsError);
}

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Runs openssl without asking for anything. */
function openssl(folder: TemporaryFolder, ...args: string[]): void {
  const { status, stderr } = spawnSync("openssl", args, { cwd: folder.file("."), encoding: "utf8" });
  assertEquals(status, 0, stderr);
}

/** Runs the command in backquotes that the error tells to run, and signs with what comes of it. */
async function followAdvice(folder: TemporaryFolder, error: Error, ...passwords: string[]): Promise<Signer> {
  const [, command = ""] = /`(openssl [^`]+)`/.exec(error.message) ?? [];
  openssl(folder, ...command.split(" ").slice(1), ...passwords);
  const signer = createSigner({ apiKey, privateKey: readFileSync(folder.file("private.pem"), "utf8") });
  assert((await signer.signWebSocket({ timestamp: 1 })).length > 80);
  return signer;
}

test("an encrypted key is refused with the openssl command that decrypts it", { skip: !hasOpenssl }, async () => {
  using folder = new TemporaryFolder();
  writeFileSync(folder.file("plain.pem"), pem(ED25519_BODY));
  openssl(folder, "pkcs8", "-topk8", "-in", "plain.pem", "-out", "encrypted.pem", "-passout", "pass:open sesame");
  const error = refusalOf({ apiKey, privateKey: readFileSync(folder.file("encrypted.pem"), "utf8") });
  assertEquals(error.path, "privateKey");
  assertStringIncludes(error.message, "it is an encrypted key");
  assertEquals((await followAdvice(folder, error, "-passin", "pass:open sesame")).kind, "Ed25519");
});

test("a PKCS#1 key is refused with the openssl command that converts it", { skip: !hasOpenssl }, async () => {
  using folder = new TemporaryFolder();
  openssl(folder, "genrsa", "-traditional", "-out", "pkcs1.pem", "2048");
  const text = readFileSync(folder.file("pkcs1.pem"), "utf8");
  assertStringIncludes(text, "BEGIN RSA PRIVATE KEY");
  const error = refusalOf({ apiKey, privateKey: text });
  assertStringIncludes(error.message, "it is an RSA key in PKCS#1");
  assertEquals((await followAdvice(folder, error)).kind, "RSA");
});

test("a PKCS#1 key with a passphrase is refused with the same command", { skip: !hasOpenssl }, async () => {
  using folder = new TemporaryFolder();
  openssl(folder, "genrsa", "-traditional", "-aes128", "-passout", "pass:x1234", "-out", "pkcs1.pem", "2048");
  const error = refusalOf({ apiKey, privateKey: readFileSync(folder.file("pkcs1.pem"), "utf8") });
  assertStringIncludes(error.message, "encrypted with a passphrase");
  assertEquals((await followAdvice(folder, error, "-passin", "pass:x1234")).kind, "RSA");
});

/** Empty keys: only their PKCS#8 head with the algorithm counts. */
const otherAlgorithms = {
  "an EC key": "MBwCAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEAgAA",
  "an X25519 key": "MAwCAQAwBQYDK2VuBAA=",
  "an Ed448 key": "MAwCAQAwBQYDK2VxBAA=",
  "an RSA-PSS key": "MBICAQAwCwYJKoZIhvcNAQEKBAA=",
};
const refusals: Readonly<Record<string, [options: unknown, message: string]>> = {
  "a public key": [
    { apiKey, privateKey: pem("AAAA", "PUBLIC KEY") },
    "a public key, which is the one to give to Binance",
  ],
  "a certificate": [{ apiKey, privateKey: pem("AAAA", "CERTIFICATE") }, "it is a certificate"],
  "an OpenSSH key": [{ apiKey, privateKey: pem("AAAA", "OPENSSH PRIVATE KEY") }, "ssh-keygen -p -m PKCS8"],
  "a SEC1 key": [{ apiKey, privateKey: pem("AAAA", "EC PRIVATE KEY") }, "which Binance doesn't take"],
  "a file name": [{ apiKey, privateKey: "keys/private.pem" }, "not its name"],
  "bare base64": [{ apiKey, privateKey: ED25519_BODY }, "not bare base64"],
  "a PEM text without its end": [{ apiKey, privateKey: pem(body).slice(0, 60) }, "no matching `-----END"],
  "a PEM text without its middle": [{ apiKey, privateKey: pem(ED25519_BODY.slice(0, 40)) }, "it may be cut off"],
  "a PEM text that is no base64": [{ apiKey, privateKey: pem("*?*") }, "not PKCS#8 in base64"],
  "an empty PEM text": [{ apiKey, privateKey: pem("") }, "not PKCS#8 in base64"],
  "an empty API key": [{ apiKey: "", apiSecret }, "`apiKey`: expected a text that is not empty"],
  "no API key": [{ apiSecret }, "`apiKey`"],
  "an API key with a line end": [{ apiKey: `${apiKey}\n`, apiSecret }, "without spaces around it, line ends"],
  "an empty secret": [{ apiKey, apiSecret: "" }, "`apiSecret`: expected a text that is not empty"],
  "a secret with a line end": [{ apiKey, apiSecret: `${apiSecret}\r\n` }, "without spaces around it, line ends"],
  "a PEM text as secret": [{ apiKey, apiSecret: pem(body) }, "which belongs into `privateKey`"],
  "no secret at all": [{ apiKey }, "expected `apiSecret` or `privateKey`"],
  "two secrets": [{ apiKey, apiSecret, privateKey: pem(body) }, "expected one of them"],
  "a private key that is no text": [{ apiKey, privateKey: new Uint8Array(48) }, "expected the text of a PEM file"],
};
for (const [name, text] of Object.entries(otherAlgorithms)) {
  test(`${name} is refused by its name`, () => {
    assertStringIncludes(refusalOf({ apiKey, privateKey: pem(text) }).message, `it is ${name}`);
  });
}
for (const [name, [options, message]] of Object.entries(refusals)) {
  test(`${name} is refused, and the message says what to do`, () => {
    assertStringIncludes(refusalOf(options).message, message);
  });
}

test("a key that only the runtime finds to be broken is refused by each signature", async () => {
  const signer = createSigner({ apiKey, privateKey: pem("MA4CAQAwBQYDK2VwBAIEAA==") });
  for (let i = 0; i < 2; i++) {
    const error = await assertRejects(() => signer.signWebSocket({ timestamp: 1 }), InvalidOptionsError);
    assertEquals([error.path, error.cause], ["privateKey", undefined]);
  }
});

test("a signer is made of its keys alone, and what else is given is an error", () => {
  // The casts are the point: what a user without types may write.
  const make = (options: unknown) => () => createSigner(options as Parameters<typeof createSigner>[0]);
  for (const options of [null, undefined, "key"]) {
    assertThrows(make(options), InvalidOptionsError, "expected an object with `apiKey`");
  }
  const secret = { apiKey: "key", apiSecret: "secret" };
  const error = assertThrows(make({ ...secret, passphrase: "do not show" }), InvalidOptionsError, "openssl pkey");
  assertEquals([error.path, error.message.includes("do not show")], ["passphrase", false]);
  assertThrows(make({ ...secret, secret: "x" }), InvalidOptionsError, "Unknown option `secret`");
  assertEquals(createSigner({ ...secret, privateKey: undefined }).kind, "HMAC");
});
