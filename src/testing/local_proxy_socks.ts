/**
 * The stand-in's side of SOCKS4 with its extension 4a, and of SOCKS5 (RFC 1928) with user name and password (RFC 1929).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { LocalProxyRequest } from "./local_proxy.ts";
import { Collector, type Dialog, type DialogHost } from "./local_proxy_dialog.ts";

const CONNECT = 1;
/** Longest user name and longest host name of SOCKS4 here, in bytes; the protocol has no limit. */
const SOCKS4_TEXT_LIMIT = 512;

/** SOCKS4 and SOCKS4a: one request, one answer. */
export class Socks4Dialog implements Dialog {
  readonly #host: DialogHost;
  readonly #bytes = new Collector();
  #isDone = false;
  #early: ((bytes: Uint8Array) => void) | undefined;

  constructor(host: DialogHost) {
    this.#host = host;
  }

  push(chunk: Uint8Array): void {
    if (this.#isDone) return this.#early?.(chunk);
    this.#bytes.push(chunk);
    const { bytes } = this.#bytes;
    if (bytes[0] !== undefined && bytes[0] !== 4) return this.#refuse(91);
    if (bytes.length > 8 + 2 * SOCKS4_TEXT_LIMIT) return this.#refuse(91);
    const userEnd = bytes.indexOf(0, 8);
    if (bytes.length < 9 || userEnd < 0) return;
    const address = bytes.subarray(4, 8);
    // 0.0.0.x: a name follows (SOCKS4a).
    const hasName = address[0] === 0 && address[1] === 0 && address[2] === 0 && address[3] !== 0;
    const nameEnd = hasName ? bytes.indexOf(0, userEnd + 1) : userEnd;
    if (nameEnd < 0) return;
    const user = bytes.toString("utf8", 8, userEnd);
    this.#answer(bytes[1] ?? 0, {
      host: hasName ? bytes.toString("utf8", userEnd + 1, nameEnd) : address.join("."),
      port: bytes.readUInt16BE(2),
      username: user === "" ? undefined : user,
      headers: {},
    }, bytes.subarray(nameEnd + 1));
  }

  #answer(command: number, request: LocalProxyRequest, rest: Uint8Array): void {
    this.#isDone = true;
    const { faults, login } = this.#host;
    if (this.#host.request(request)) return;
    if (faults.refuse !== undefined) return this.#refuse(faults.refuse);
    if (command !== CONNECT) return this.#refuse(91);
    if (login !== undefined && request.username !== login.username) return this.#refuse(93, true);
    this.#early = this.#host.open(request, Buffer.from([0, 90, 0, 0, 0, 0, 0, 0]), () => this.#refuse(91));
    this.#early(rest);
  }

  #refuse(code: number, isLogin = false): void {
    this.#isDone = true;
    this.#host.refuse(Buffer.from([0, code, 0, 0, 0, 0, 0, 0]), isLogin);
  }
}

type Socks5State = "methods" | "login" | "request" | "done";

const NO_LOGIN = 0x00;
const USER_PASSWORD = 0x02;
const NO_ACCEPTABLE_METHOD = 0xff;
const ADDRESS_LENGTHS: Readonly<Record<number, number>> = { 1: 4, 4: 16 };

/** SOCKS5: methods, login, request. */
export class Socks5Dialog implements Dialog {
  readonly #host: DialogHost;
  readonly #bytes = new Collector();
  #state: Socks5State = "methods";
  #username: string | undefined;
  #early: ((bytes: Uint8Array) => void) | undefined;

  constructor(host: DialogHost) {
    this.#host = host;
  }

  push(chunk: Uint8Array): void {
    if (this.#state === "done") return this.#early?.(chunk);
    this.#bytes.push(chunk);
    while (this.#step());
  }

  /** Takes the next message if it is complete. */
  #step(): boolean {
    switch (this.#state) {
      case "methods":
        return this.#methods();
      case "login":
        return this.#login();
      case "request":
        return this.#request();
      case "done":
        return false;
    }
  }

  #methods(): boolean {
    const { bytes } = this.#bytes;
    if (bytes[0] !== undefined && bytes[0] !== 5) return this.#refuse(Buffer.from([5, NO_ACCEPTABLE_METHOD]));
    const message = this.#bytes.take(2 + (bytes[1] ?? 0));
    if (bytes.length < 2 || message === undefined) return false;
    const { login, faults } = this.#host;
    const method = login === undefined && !faults.rejectLogins ? NO_LOGIN : USER_PASSWORD;
    if (faults.refuseMethods || !message.subarray(2).includes(method)) {
      return this.#refuse(Buffer.from([5, NO_ACCEPTABLE_METHOD]), true);
    }
    this.#state = method === NO_LOGIN ? "request" : "login";
    this.#host.say(Buffer.from([5, method]));
    return true;
  }

  #login(): boolean {
    const { bytes } = this.#bytes;
    const nameLength = bytes[1];
    const passwordLength = nameLength === undefined ? undefined : bytes[2 + nameLength];
    if (nameLength === undefined || passwordLength === undefined) return false;
    const message = this.#bytes.take(3 + nameLength + passwordLength);
    if (message === undefined) return false;
    const { login, faults } = this.#host;
    const username = message.toString("utf8", 2, 2 + nameLength);
    const password = message.toString("utf8", 3 + nameLength);
    this.#username = username;
    const isRight = message[0] === 1 && username === login?.username && password === login.password;
    if (faults.rejectLogins || !isRight) return this.#refuse(Buffer.from([1, 1]), true);
    this.#state = "request";
    this.#host.say(Buffer.from([1, 0]));
    return true;
  }

  #request(): boolean {
    const { bytes } = this.#bytes;
    const type = bytes[3];
    if (type === undefined) return false;
    const isName = type === 3;
    const length = isName ? bytes[4] : ADDRESS_LENGTHS[type];
    if (length === undefined) return isName ? false : this.#refuse(reply(8));
    const start = isName ? 5 : 4;
    const message = this.#bytes.take(start + length + 2);
    if (message === undefined) return false;
    const address = message.subarray(start, start + length);
    const request: LocalProxyRequest = {
      host: isName ? address.toString() : textOf(address),
      port: message.readUInt16BE(start + length),
      username: this.#username,
      headers: {},
    };
    const rest = this.#bytes.bytes;
    this.#state = "done";
    const { faults } = this.#host;
    if (this.#host.request(request)) return false;
    if (faults.refuse !== undefined) return this.#refuse(reply(faults.refuse));
    if (message[0] !== 5 || message[1] !== CONNECT) return this.#refuse(reply(7));
    this.#early = this.#host.open(request, reply(0), (failure) => this.#refuse(reply(failure === "refused" ? 5 : 4)));
    this.#early(rest);
    return false;
  }

  #refuse(answer: Uint8Array, isLogin = false): false {
    this.#state = "done";
    this.#host.refuse(answer, isLogin);
    return false;
  }
}

/** A reply with an address of zeros: nobody needs it after CONNECT. */
function reply(code: number): Uint8Array {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

/** An IP address in its text form; IPv6 without the compression of zeros. */
function textOf(address: Buffer): string {
  if (address.length === 4) return address.join(".");
  const groups = Array.from({ length: 8 }, (_, index) => address.readUInt16BE(2 * index).toString(16));
  return new URL(`http://[${groups.join(":")}]/`).hostname.replace(/^\[|\]$/g, "");
}
