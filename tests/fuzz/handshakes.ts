/**
 * A part about the opening handshake: answers with random faults.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import fc from "fast-check";
import { ConnectionFailedError } from "../../src/base/mod.ts";
import type { CloseInfo } from "../../src/transport/connection.ts";
import { acceptOf, attempt } from "./fake_socket.ts";
import { expectEnough, parametersOf, type Part } from "./part.ts";
import { chop, chops } from "./streams.ts";

/** One change of the answer: what, where, and from which of the lists. */
type Change = readonly [kind: number, place: number, choice: number];

const changes = fc.array(fc.tuple(fc.nat(12), fc.nat(0xffff), fc.nat(0xffff)), { maxLength: 4 });

const STATUS_LINES = [
  "HTTP/1.1 101 Switching Protocols",
  "HTTP/1.1 101 ",
  "HTTP/1.1 101 x",
  "HTTP/1.0 101 Switching Protocols",
  "HTTP/1.1 200 OK",
  "HTTP/1.1 429 Too Many Requests",
  "HTTP/1.1 1010 x",
  "HTTP/1.1  101 x",
  "http/1.1 101 x",
  "HTTP/2 101",
  "101",
  "",
];
const VALUES = [
  "websocket",
  "WebSocket",
  "Upgrade",
  "keep-alive, Upgrade",
  "h2c",
  "",
  "chat",
  "mqtt",
  "a, b",
  "\0",
  "é",
];
const LINES = [
  "Upgrade: websocket",
  "Upgrade: h2c",
  "Connection: Upgrade",
  "Connection: close",
  "Sec-WebSocket-Protocol: chat",
  "Sec-WebSocket-Protocol: mqtt",
  "Sec-WebSocket-Protocol: other",
  "Sec-WebSocket-Protocol: chat, mqtt",
  "Sec-WebSocket-Extensions: permessage-deflate",
  "Sec-WebSocket-Extensions: x",
  "Sec-WebSocket-Extensions: ",
  "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
  "Content-Length: 0",
  "Transfer-Encoding: chunked",
  "Set-Cookie: a=b",
  " folded",
  "no colon",
  "space : before",
  ": no name",
  "X: \x7f",
  `X: ${"x".repeat(9_000)}`,
];
/** Bytes that matter in a head. */
const BYTES = [0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a, 0x41, 0x7f, 0x80, 0xff];

/** A good answer with the changes, and perhaps a subprotocol. */
function answerWith(accept: string, subprotocol: boolean, list: readonly Change[]): Uint8Array {
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
    ...(subprotocol ? ["Sec-WebSocket-Protocol: chat"] : []),
  ];
  const onLines = list.filter(([kind]) => kind < 8);
  for (const [kind, place, choice] of onLines) changeLine(lines, kind, place, choice);
  let bytes: Uint8Array = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  for (const [kind, place, choice] of list) {
    const at = place % (bytes.length + 1);
    const byte = BYTES[choice % BYTES.length] ?? 0;
    if (kind === 8) bytes = bytes.slice(0, at);
    if (kind === 9) bytes = bytes.map((old, index) => index === at ? byte : old);
    if (kind === 10) bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]);
    if (kind === 11) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + (choice % 3))]);
    if (kind === 12) bytes = Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  }
  return bytes;
}

function changeLine(lines: string[], kind: number, place: number, choice: number): void {
  const at = place % lines.length;
  const line = lines[at] ?? "";
  const [name = "", value = ""] = line.split(/: ?(.*)/s);
  const other = (place >> 4) % lines.length;
  if (kind === 0) lines.splice(at, 1);
  if (kind === 1) lines.splice(at, 0, line);
  if (kind === 2) [lines[at], lines[other]] = [lines[other] ?? "", line];
  if (kind === 3) lines[at] = choice % 2 === 0 ? line.toUpperCase() : line.toLowerCase();
  if (kind === 4) lines[at] = `${name}: ${VALUES[choice % VALUES.length]}`;
  if (kind === 5) lines.splice(1 + (place % lines.length), 0, LINES[choice % LINES.length] ?? "");
  if (kind === 6) lines[0] = STATUS_LINES[choice % STATUS_LINES.length] ?? "";
  if (kind === 7) lines[at] = `${name}:${[" ", "\t", "  "][choice % 3]}${value}${["", " ", "\t "][place % 3]}`;
}

/**
 * Whether RFC 6455 4.1 and RFC 9112 let a connection open with these bytes; written apart from `src`. A head may have
 * 16 KiB (our own limit).
 */
function permits(bytes: Uint8Array, accept: string, offered: readonly string[]): boolean {
  const text = Buffer.from(bytes).toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  if (end < 0 || end + 4 > 16 * 1024) return false;
  const [status = "", ...lines] = text.slice(0, end).split("\r\n");
  // RFC 9112 4: the space behind the code is wanted, but whole families of servers leave it out.
  if (!/^HTTP\/1\.1 101(?: [\t\x20-\x7e\x80-\xff]*)?$/.test(status)) return false;
  const fields = new Map<string, string[]>();
  for (const line of lines) {
    const match =
      /^([!#$%&'*+\-.^_`|~0-9a-zA-Z]+):[\t ]*((?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)[\t ]*$/
        .exec(line);
    if (match === null) return false;
    const name = (match[1] ?? "").toLowerCase();
    fields.set(name, [...fields.get(name) ?? [], match[2] ?? ""]);
  }
  const membersOf = (name: string): string[] =>
    (fields.get(name) ?? []).flatMap((value) => value.split(",")).map((one) => one.trim()).filter((one) => one !== "");
  const single = (name: string): string | undefined => {
    const values = fields.get(name);
    return values?.length === 1 ? values[0] : undefined;
  };
  if (single("upgrade")?.toLowerCase() !== "websocket") return false;
  if (!membersOf("connection").some((one) => one.toLowerCase() === "upgrade")) return false;
  if (single("sec-websocket-accept") !== accept) return false;
  if (membersOf("sec-websocket-extensions").length > 0) return false;
  const protocols = fields.get("sec-websocket-protocol");
  if (protocols === undefined) return true;
  if (protocols.length !== 1) return false;
  return protocols[0] === "" || offered.includes(protocols[0] ?? "");
}

/** Answers with faults. */
export const handshakes: Part = {
  name: "handshakes",
  claim: "an answer opens a connection exactly if RFC 6455 4.1 lets it, and else there is one rejection and no more",
  share: 12,
  async run(options) {
    const counts = { opened: 0, rejected: 0 };
    await fc.assert(
      fc.asyncProperty(changes, chops, fc.boolean(), fc.boolean(), async (list, lengths, offers, chooses) => {
        const { open, socket: socketOf } = attempt();
        const ends: CloseInfo[] = [];
        let opens = 0;
        const offered = offers ? ["chat", "mqtt"] : [];
        const opening = open("ws://localhost/", {
          onOpen: () => void opens++,
          onText: () => {},
          onClose: (info) => void ends.push(info),
        }, { protocols: offered });
        const outcome = opening.then(() => undefined, (error: unknown) => ({ error }));
        const socket = socketOf();
        socket.handler.onOpen();
        const accept = acceptOf(socket);
        const bytes = answerWith(accept, chooses, list);
        for (const piece of chop(bytes, lengths)) {
          if (socket.state === "open") socket.handler.onBytes(piece);
        }
        if (socket.state === "open") socket.handler.onEnd(undefined);
        const rejection = await outcome;
        const isPermitted = permits(bytes, accept, offered);
        if ((opens === 1) !== isPermitted) {
          throw new Error(
            `opened ${opens} times, permitted: ${isPermitted}: ${
              JSON.stringify(Buffer.from(bytes).toString("latin1"))
            }`,
          );
        }
        if (isPermitted) {
          counts.opened++;
          if (rejection !== undefined) throw new Error(`It opened, and rejected with ${rejection.error}`);
          if (ends.length !== 1) throw new Error(`onClose came ${ends.length} times`);
        } else {
          counts.rejected++;
          if (!(rejection?.error instanceof ConnectionFailedError)) {
            throw new Error(`Rejected with ${rejection?.error}`);
          }
          if (ends.length !== 0) throw new Error("onClose came without onOpen");
          if (socket.state !== "destroyed") throw new Error(`After the rejection the socket is ${socket.state}`);
        }
      }),
      parametersOf(options),
    );
    expectEnough(counts, "opened", options.runs / 20);
    expectEnough(counts, "rejected", options.runs / 20);
    return counts;
  },
};
