/**
 * Signatures: Binance's published examples, RSA as WebCrypto verifies it, and REST queries.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createSigner, type Params, signedQuery } from "@rawtick/binance";
import { restQuery } from "../src/api/params.ts";

// Binance web-socket-api.md, "SIGNED request example": these keys are public.
const apiKey = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A";
const apiSecret = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
/** RFC 8032 7.1, TEST 1: the secret key in PKCS#8, and the public key. */
const ED25519_BODY = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
const ED25519_PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

const pem = (body: string, label = "PRIVATE KEY") => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const bytesOfHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const bytesOfBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

const hmac = createSigner({ apiKey, apiSecret });
const ed25519 = createSigner({ apiKey, privateKey: pem(ED25519_BODY) });

/** Requests of Binance web-socket-api.md in the order of the documents, and what is signed for them. */
const requests: Readonly<Record<string, { params: Params; hmac: string; ed25519?: string }>> = {
  "order.place (ASCII)": {
    params: {
      symbol: "BTCUSDT",
      side: "SELL",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: "0.01000000",
      price: "52000.00",
      recvWindow: 100,
      timestamp: 1645423376532,
      apiKey,
    },
    hmac: "aa1b5712c094bc4e57c05a1a5c1fd8d88dcd628338ea863fec7b88e59fe2db24",
    ed25519: "/RNKbCSA6iS23rmPP+v/A6061Gd8Cq3H5fR1YlWyOYP0CZ6Oq/+spQodx1F1B63EIhUSP2QmDaMDAMBFCTI+CQ==",
  },
  "order.place (non-ASCII symbol)": {
    params: {
      symbol: "\uff11\uff12\uff13\uff14\uff15\uff16",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: "1.00000000",
      price: "0.10000000",
      recvWindow: 5000,
      timestamp: 1645423376532,
      apiKey,
    },
    hmac: "b33892ae8e687c939f4468c6268ddd4c40ac1af18ad19a064864c47bae0752cd",
    ed25519: "mJbISGuwO1HHZrm+Wd32uD9KDBXb0zMml9SPA+kJZzlLwAppfT1j8D+5E0mSzU2uRqkNFQ97vh/w3oZgbhQPAg==",
  },
  "session.logon": {
    params: { timestamp: 1649729878532, apiKey },
    hmac: "1cf54395b336b0a9727ef27d5d98987962bc47aca6e13fe978612d0adee066ed",
    ed25519: "763GJeFgG09B/06V/dq24cLu6f0R57whgDMyOCubDex4CTTElmDgPSIQqLdOsvW5TBxyaaFotVCI8tUmQMChAA==",
  },
  "order.place (second example)": {
    params: {
      symbol: "BTCUSDT",
      side: "SELL",
      type: "LIMIT",
      timeInForce: "GTC",
      price: "23416.10000000",
      quantity: "0.00847000",
      apiKey,
      timestamp: 1660801715431,
      signature: "left out",
    },
    hmac: "15af09e41c36f3cc61378c2fbe2c33719a03dd5eba8d0f9206fbda44de717c88",
  },
  "userDataStream.subscribe.signature": {
    params: { timestamp: 1747385641636, apiKey },
    hmac: "681110a6057ad58657af22f5640fab9dd17418834cdfccdc81be8b0f7b2cde3e",
    ed25519: "Mg7eipLI1sQ9Xn/lVbtF5RK7zugzztn9Sw3eMI+R+64cqYNTBY/BLdwIyV212EbnutigNFGvPasbCi6XCX7lCg==",
  },
  "userDataStream.subscribe.signature with recvWindow": {
    params: { timestamp: 1747385641636, recvWindow: 5000, apiKey },
    hmac: "49601ffc5b0122c3c7ee3ea85ef7d6cd76256f5191a57c976418faa32e917653",
  },
};

for (const [name, { params, hmac: hex, ed25519: signature }] of Object.entries(requests)) {
  test(`the HMAC signature of ${name} is the published one`, async () => {
    assertEquals(await hmac.signWebSocket(params), hex);
  });
  if (signature === undefined) continue;
  test(`the Ed25519 signature of ${name} is the one that RFC 8032's first test key gives`, async () => {
    assertEquals(await ed25519.signWebSocket(params), signature);
  });
}

test("the order of the parameters, and those that are undefined, change nothing", async () => {
  const { params, hmac: hex } = requests["order.place (ASCII)"] ?? { params: {} };
  const reversed = Object.fromEntries(Object.entries(params).reverse());
  assertEquals(await hmac.signWebSocket({ stopPrice: undefined, ...reversed, signature: undefined }), hex);
});

/** Binance rest-api.md, "Signed Endpoint Examples", and the USD-M futures' general information. */
const queries = [
  {
    secret: apiSecret,
    params: {
      symbol: "LTCBTC",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: 1,
      price: "0.1",
      recvWindow: 5000,
      timestamp: 1499827319559,
    },
    query:
      "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559",
    hmac: "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71",
  },
  {
    secret: apiSecret,
    params: {
      symbol: "\uff11\uff12\uff13\uff14\uff15\uff16",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: 1,
      price: 0.1,
      recvWindow: 5000,
      timestamp: 1499827319559,
    },
    query:
      "symbol=%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1" +
      "&price=0.1&recvWindow=5000&timestamp=1499827319559",
    hmac: "e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3",
  },
  {
    secret: "2b5eb11e18796d12d88f13dc27dbbd02c2cc51ff7059765ed9821957d82bb4d9",
    params: {
      symbol: "BTCUSDT",
      side: "BUY",
      type: "LIMIT",
      quantity: 1,
      price: 9000,
      timeInForce: "GTC",
      recvWindow: 5000,
      timestamp: 1591702613943,
    },
    query:
      "symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=1&price=9000&timeInForce=GTC&recvWindow=5000&timestamp=1591702613943",
    hmac: "3c661234138461fcc7a7d8746c6558c9842d4e10870d2ecbedf7777cad694af9",
  },
];

for (const { secret, params, query, hmac: hex } of queries) {
  test(`a REST query is percent-encoded, then signed in the given order: ${query.slice(0, 20)}…`, async () => {
    const signer = createSigner({ apiKey, apiSecret: secret });
    assertEquals(restQuery(params), query);
    assertEquals(await signer.signRest(query), hex);
    assertEquals(await signedQuery(signer, params), `${query}&signature=${hex}`);
  });
}

test("the base64 of an Ed25519 signature is percent-encoded in a REST query", async () => {
  const query = await signedQuery(ed25519, { symbol: "BTCUSDT", timestamp: 1 });
  assertMatch(query, /^symbol=BTCUSDT&timestamp=1&signature=[A-Za-z0-9%]+%3D%3D$/);
  const signature = new URLSearchParams(query).get("signature") ?? "";
  assert(await verifyEd25519(signature, "symbol=BTCUSDT&timestamp=1"));
});

test("what fetch sends is what was signed, whatever the values are", async () => {
  const params = { note: 'it\'s "50%" (of) 5*5 + 1 <ü> ~!#&=?/\\^`{|}', timestamp: 1 };
  const query = await signedQuery(hmac, params);
  const sent = new URL(`http://127.0.0.1/api/v3/order?${query}`);
  assertEquals(sent.search, `?${query}`);
  assertEquals(sent.searchParams.get("note"), params.note);
});

test("a REST query that is not percent-encoded is refused instead of signed", async () => {
  await assertRejects(() => hmac.signRest("symbol=\uff11"), TypeError, "percent-encoded");
  await assertRejects(() => hmac.signRest("note=two words"), TypeError, "percent-encoded");
});

async function verifyEd25519(signature: string, text: string): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", bytesOfHex(ED25519_PUBLIC), "Ed25519", false, ["verify"]);
  return await crypto.subtle.verify("Ed25519", key, bytesOfBase64(signature), new TextEncoder().encode(text));
}

for (const modulusLength of [2048, 4096]) {
  test(`WebCrypto verifies the signatures of an RSA key of ${modulusLength} bits`, { timeout: 60_000 }, async () => {
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    const { privateKey, publicKey } = await crypto.subtle.generateKey(
      { ...algorithm, modulusLength, publicExponent: Uint8Array.of(1, 0, 1) },
      true,
      ["sign", "verify"],
    );
    const lines = base64(await crypto.subtle.exportKey("pkcs8", privateKey)).match(/.{1,64}/g) ?? [];
    const signer = createSigner({ apiKey, privateKey: pem(lines.join("\n")) });
    assertEquals([signer.kind, signer.apiKey], ["RSA", apiKey]);
    const verify = async (signature: string, text: string) =>
      await crypto.subtle.verify(algorithm.name, publicKey, bytesOfBase64(signature), new TextEncoder().encode(text));

    const signature = await signer.signWebSocket({ timestamp: 2, symbol: "\uff11", apiKey: "k" });
    assertEquals(bytesOfBase64(signature).length, modulusLength / 8);
    assert(await verify(signature, "apiKey=k&symbol=\uff11&timestamp=2"));
    assert(!await verify(signature, "apiKey=k&symbol=\uff11&timestamp=3"));
    assert(await verify(await signer.signRest("b=1&a=%C3%BC"), "b=1&a=%C3%BC"));
  });
}

test("many signatures at once import the key once and are all right", async () => {
  const signer = createSigner({ apiKey, apiSecret });
  const { params, hmac: hex } = requests["session.logon"] ?? { params: {} };
  const signatures = await Promise.all(Array.from({ length: 50 }, () => signer.signWebSocket(params)));
  assertEquals(new Set(signatures), new Set([hex]));
});
