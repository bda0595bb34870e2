/**
 * Category 20, ours: the client's request, and which answers to it open a connection (RFC 6455 4.1).
 *
 * @module
 */

import { bytesOf } from "../bytes.ts";
import type { Answer, ConformanceCase, Expectation, Plan } from "../case.ts";
import type { ClientSetup } from "../client_protocol.ts";
import { describeEnd } from "../description.ts";
import { close, text } from "../frames.ts";
import type { Peer } from "../peer.ts";
import { answersTo, type CaseRow, group, taken } from "../plans.ts";
import { acceptFor, answerTo, type UpgradeRequest } from "../upgrade.ts";

type Respond = (request: UpgradeRequest) => string | Answer;

const answer = (respond: Respond) => (request: UpgradeRequest): Answer => {
  const made = respond(request);
  return typeof made === "string" ? { head: made } : made;
};

/** The answer opens the connection. */
function opens(title: string, respond: Respond, client: ClientSetup = {}): CaseRow {
  return [title, () => ({
    ...taken([["text", "open"]], (peer) => peer.send(text("open"))),
    respond: answer(respond),
    client,
  })];
}

/** The answer does not; the listener never hears of it, and the client ends TCP. */
function rejects(title: string, error: string, respond: Respond, more: Partial<Plan> = {}): CaseRow {
  return [title, () => ({
    respond: answer(respond),
    async play(peer: Peer) {
      if (!await peer.left(500)) await peer.close(1000);
    },
    expected: { wire: [], seen: ["rejected"], error },
    ...more,
  })];
}

const invalid = (title: string, respond: Respond, client: ClientSetup = {}): CaseRow =>
  rejects(title, "HANDSHAKE_INVALID", respond, { client });
const changed = (title: string, changes: Parameters<typeof answerTo>[1], client: ClientSetup = {}): CaseRow =>
  invalid(title, (request) => answerTo(request, changes), client);
const startLine = (line: string): CaseRow =>
  invalid(`the status line ${JSON.stringify(line)}`, (request) => answerTo(request, {}, line));

function status(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): CaseRow {
  return rejects(
    `status ${code}`,
    "HANDSHAKE_REJECTED",
    (request) => answerTo(request, { "Content-Length": "2", ...headers }, `HTTP/1.1 ${code} ${reason}`) + "no",
  );
}

/** Replaces a part of a good answer. */
const replaced = (title: string, from: string, to: string): CaseRow =>
  invalid(title, (request) => answerTo(request).replace(from, to));

/** What is seen where an answer opens that should not: the server closes with 1000 then. */
const OPENED: Pick<Expectation, "wire" | "seen"> = {
  wire: ["close 1000"],
  seen: ["open", describeEnd(1000, "", true)],
};

const greeting = answersTo([["text", "early"]]);
const offered = { protocols: ["mqtt", "chat"] };

/** 20.1: answers that open, 20.2: answers that don't. The request itself is checked in every case of the suite. */
export const handshake: readonly ConformanceCase[] = [
  ...group("20.1", [
    ["a request without an offer of extensions that nobody asked for", () => {
      const plan = taken([["text", "plain"]], async (peer) => {
        const extensions = peer.request.headers.get("sec-websocket-extensions");
        if (extensions !== undefined) peer.wire.push(`offers ${extensions}`);
        await peer.send(text("plain"));
      });
      return plan;
    }],
    opens("header names in lower case", (request) =>
      answerTo(request, {
        Upgrade: null,
        Connection: null,
        "Sec-WebSocket-Accept": null,
        upgrade: "websocket",
        connection: "upgrade",
        "sec-websocket-accept": acceptFor(request),
      })),
    opens("the value WebSocket", (request) => answerTo(request, { Upgrade: "WebSocket" })),
    opens("Connection: keep-alive, Upgrade", (request) => answerTo(request, { Connection: "keep-alive, Upgrade" })),
    opens("two Connection headers", (request) => answerTo(request, { Connection: ["keep-alive", "Upgrade"] })),
    opens("no reason behind the status", (request) => answerTo(request, {}, "HTTP/1.1 101 ")),
    opens(
      "another reason behind the status",
      (request) => answerTo(request, {}, "HTTP/1.1 101 Web Socket Protocol Handshake"),
    ),
    opens("spaces around the values", (request) => answerTo(request, { Upgrade: "  websocket\t ", Server: "" })),
    opens(
      "8 KiB of other headers",
      (request) =>
        answerTo(
          request,
          Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`X-Filler-${at}`, "x".repeat(85)])),
        ),
    ),
    ["an answer in writes of 1 byte", () => {
      let head = "";
      const plan = taken([["text", "open"]], async (peer) => {
        await peer.sendChopped(1, bytesOf(head));
        await peer.send(text("open"));
      });
      return { ...plan, respond: (request) => ((head = answerTo(request)), { head: "" }) };
    }],
    ["a text in the same write as the answer", () => ({
      ...taken([["text", "early"]], () => Promise.resolve()),
      respond: (request) => ({ head: answerTo(request), greeting: text("early") }),
    })],
    ["a text and a Close frame in the same write as the answer", () => ({
      respond: (request) => ({ head: answerTo(request), greeting: bytesOf(text("early"), close(1000)) }),
      play: (peer) => peer.finish(),
      expected: {
        wire: [...greeting.wire, "close 1000"],
        seen: ["open", ...greeting.seen, describeEnd(1000, "", true)],
      },
      allowed: [{ because: "answers that wait need not be sent after the Close frame", wire: ["close 1000"] }],
    })],
    opens(
      "one of the subprotocols that were offered",
      (request) => answerTo(request, { "Sec-WebSocket-Protocol": "chat" }),
      offered,
    ),
    ["no subprotocol although some were offered", () => ({
      ...taken([["text", "open"]], (peer) => peer.send(text("open"))),
      client: offered,
      allowed: [{
        because: "RFC 6455 4.1 lets a server choose none, the WebSocket standard of WHATWG does not",
        wire: [],
        seen: ["rejected"],
        error: "*",
      }],
    })],
  ]),
  ...group("20.2", [
    status(200, "OK"),
    status(301, "Moved Permanently", { Location: "/elsewhere" }),
    status(307, "Temporary Redirect", { Location: "/elsewhere" }),
    status(400, "Bad Request"),
    status(401, "Unauthorized", { "WWW-Authenticate": 'Basic realm="x"' }),
    status(403, "Forbidden"),
    status(404, "Not Found"),
    status(418, "I'm a teapot"),
    status(429, "Too Many Requests", { "Retry-After": "1" }),
    status(500, "Internal Server Error"),
    status(503, "Service Unavailable"),
    changed("no Sec-WebSocket-Accept", { "Sec-WebSocket-Accept": null }),
    changed("a Sec-WebSocket-Accept of another key", { "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" }),
    invalid(
      "a Sec-WebSocket-Accept in lower case",
      (request) => answerTo(request, { "Sec-WebSocket-Accept": acceptFor(request).toLowerCase() }),
    ),
    invalid(
      "two Sec-WebSocket-Accept",
      (request) => answerTo(request, { "Sec-WebSocket-Accept": [acceptFor(request), acceptFor(request)] }),
    ),
    changed("no Upgrade", { Upgrade: null }),
    changed("Upgrade: h2c", { Upgrade: "h2c" }),
    changed("no Connection", { Connection: null }),
    changed("Connection: keep-alive", { Connection: "keep-alive" }),
    changed("an extension that was not offered", { "Sec-WebSocket-Extensions": "x-unknown" }),
    changed("permessage-deflate, which was not offered", { "Sec-WebSocket-Extensions": "permessage-deflate" }),
    changed("a subprotocol although none was offered", { "Sec-WebSocket-Protocol": "chat" }),
    changed("a subprotocol that was not offered", { "Sec-WebSocket-Protocol": "other" }, offered),
    changed("two subprotocols", { "Sec-WebSocket-Protocol": "mqtt, chat" }, offered),
    startLine("HTTP/1.0 101 Switching Protocols"),
    startLine("HTTP/2 101 Switching Protocols"),
    startLine("HTTP/1.1 1010 Switching Protocols"),
    startLine("ICY 101 OK"),
    startLine("101 Switching Protocols"),
    invalid("no HTTP at all", () => "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    replaced("a header without a colon", "Upgrade: websocket\r\n", "Upgrade: websocket\r\nnonsense\r\n"),
    replaced("a space before a colon", "Upgrade: websocket", "Upgrade : websocket"),
    replaced("a folded header", "Upgrade: websocket", "Upgrade:\r\n websocket"),
    replaced("a NUL in a value", "Upgrade: websocket\r\n", "Upgrade: websocket\r\nX: a\0b\r\n"),
    rejects(
      "more than 64 KiB of headers",
      "HANDSHAKE_INVALID",
      (request) => answerTo(request, { "X-Filler": "x".repeat(70_000) }),
      {
        allowed: [{ because: "no rule limits the head of an answer", ...OPENED }],
      },
    ),
    rejects("the end of TCP in the middle of the answer", "CONNECTION_FAILED", () => "HTTP/1.1 101 Switching", {
      async play(peer) {
        peer.endTcp();
        await peer.left();
      },
    }),
    rejects("no answer within handshakeTimeoutMs", "HANDSHAKE_TIMEOUT", () => "", {
      client: { handshakeTimeoutMs: 150 },
      play: async (peer) => void await peer.left(),
    }),
    rejects(
      "only a part of the answer within handshakeTimeoutMs",
      "HANDSHAKE_TIMEOUT",
      () => "HTTP/1.1 101 Switching",
      {
        client: { handshakeTimeoutMs: 150 },
        play: async (peer) => void await peer.left(),
      },
    ),
  ]),
];
