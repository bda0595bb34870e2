/**
 * The negotiation of permessage-deflate with servers that answer whatever a test says.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConnectionFailedError, InvalidOptionsError, type PerMessageDeflateOptions } from "../src/transport/mod.ts";
import { frame } from "./frame_events.ts";
import { openNative } from "../src/transport/native/mod.ts";
import { headerOf, Recorder, TestServer, upgradeAnswer } from "./native_server.ts";

type Option = boolean | PerMessageDeflateOptions | undefined;

/** What the server was asked, and whether its answer was taken; a refusal is its message. */
async function negotiate(option: Option, answer: string | undefined): Promise<{ offer: string; refused?: string }> {
  let offer = "";
  await using server = await TestServer.start({
    respond(head, socket) {
      offer = headerOf(head, "sec-websocket-extensions");
      socket.write(upgradeAnswer(head, { "Sec-WebSocket-Extensions": answer }));
    },
  });
  const options = option === undefined ? {} : { perMessageDeflate: option };
  const opening = openNative(`ws://localhost:${server.port}`, new Recorder(), options);
  try {
    (await opening).terminate();
    return { offer };
  } catch (error) {
    assert(error instanceof ConnectionFailedError && error.code === "HANDSHAKE_INVALID", String(error));
    return { offer, refused: error.message.slice(error.message.indexOf(": ") + 2) };
  }
}

test("compression is offered only if it is asked for, with what was asked", async () => {
  const offers: readonly (readonly [Option, string])[] = [
    [undefined, ""],
    [false, ""],
    [true, "permessage-deflate; client_max_window_bits"],
    [{}, "permessage-deflate; client_max_window_bits"],
    [{ serverMaxWindowBits: 15, clientMaxWindowBits: 15 }, "permessage-deflate; client_max_window_bits"],
    [
      { serverNoContextTakeover: true, clientNoContextTakeover: true, serverMaxWindowBits: 8, clientMaxWindowBits: 9 },
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=8; " +
      "client_max_window_bits=9",
    ],
  ];
  for (const [option, offer] of offers) assertEquals(await negotiate(option, undefined), { offer });
});

/** Answers to a plain offer, and to one that asks for things. */
const asking = { serverNoContextTakeover: true, serverMaxWindowBits: 12, clientMaxWindowBits: 11 };

for (
  const [option, answers] of [
    [true, [
      "permessage-deflate",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; server_max_window_bits=8; client_max_window_bits=8",
      'permessage-deflate;server_max_window_bits="10" ; client_max_window_bits=15',
      ", permessage-deflate ,",
    ]],
    [asking, [
      undefined,
      "permessage-deflate; server_no_context_takeover; server_max_window_bits=12",
      "permessage-deflate; client_max_window_bits=9; server_max_window_bits=9; server_no_context_takeover",
    ]],
  ] as const
) {
  test(`answers that fit are taken: ${JSON.stringify(option)}`, async () => {
    for (const answer of answers) assertEquals((await negotiate(option, answer)).refused, undefined, answer);
  });
}

const NOT_OFFERED = "the server uses an extension that was not offered";
const UNPARSED = "the server's Sec-WebSocket-Extensions can't be parsed";
const parameter = (name: string, why: string) => `the server's permessage-deflate has the parameter "${name}" ${why}`;
const RANGE = "without a value from 8 to 15";

for (
  const [option, refusals] of [
    [undefined, [["permessage-deflate", NOT_OFFERED], ["x-other", NOT_OFFERED], ["=", UNPARSED]]],
    [true, [
      ["x-other", NOT_OFFERED],
      ["x-webkit-deflate-frame", NOT_OFFERED],
      ["Permessage-Deflate", NOT_OFFERED],
      ["permessage-deflate, x-other", "the server answers one offer with several extensions"],
      ["permessage-deflate, permessage-deflate", "the server answers one offer with several extensions"],
      ["permessage-deflate; x=1", parameter("x", "which RFC 7692 does not know")],
      [
        "permessage-deflate; Server_No_Context_Takeover",
        parameter("Server_No_Context_Takeover", "which RFC 7692 does not know"),
      ],
      ["permessage-deflate; server_no_context_takeover=1", parameter("server_no_context_takeover", "with a value")],
      [
        'permessage-deflate; client_no_context_takeover="true"',
        parameter("client_no_context_takeover", "with a value"),
      ],
      [
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        parameter("server_no_context_takeover", "twice"),
      ],
      [
        "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
        parameter("server_max_window_bits", "twice"),
      ],
      ...["", "=7", "=16", "=08", "=010", "=+9", "=9.0", "=1e1", "=0", "=-9", "=a", "=150"].flatMap((value) => [
        [`permessage-deflate; server_max_window_bits${value}`, parameter("server_max_window_bits", RANGE)] as const,
        [`permessage-deflate; client_max_window_bits${value}`, parameter("client_max_window_bits", RANGE)] as const,
      ]),
      ["permessage-deflate;", UNPARSED],
      ["permessage-deflate; server_max_window_bits=", UNPARSED],
      ["permessage-deflate; server_max_window_bits=1 0", UNPARSED],
      ['permessage-deflate; server_max_window_bits="10', UNPARSED],
      ['permessage-deflate; server_max_window_bits=""', UNPARSED],
      ['permessage-deflate; server_max_window_bits="1 0"', UNPARSED],
      ["permessage-deflate server_no_context_takeover", UNPARSED],
      ["; server_no_context_takeover", UNPARSED],
      ["permessage-deflate; ser/ver", UNPARSED],
    ]],
    [asking, [
      ["permessage-deflate", "the server does not confirm server_no_context_takeover"],
      ["permessage-deflate; server_no_context_takeover", "the server does not confirm server_max_window_bits"],
      [
        "permessage-deflate; server_no_context_takeover; server_max_window_bits=13",
        parameter("server_max_window_bits", "with 13, more than the 12 that were asked for"),
      ],
      [
        "permessage-deflate; server_no_context_takeover; server_max_window_bits=12; client_max_window_bits=12",
        parameter("client_max_window_bits", "with 12, more than the 11 that were asked for"),
      ],
    ]],
  ] as const
) {
  test(`answers that don't fit fail the handshake: ${JSON.stringify(option ?? "nothing offered")}`, async () => {
    for (const [answer, refused] of refusals) assertEquals((await negotiate(option, answer)).refused, refused, answer);
  });
}

test("several header lines are one list", async () => {
  await using server = await TestServer.start({
    respond: (head, socket) =>
      void socket.write(
        upgradeAnswer(head, {
          "Sec-WebSocket-Extensions": "permessage-deflate",
          "Sec-Websocket-Extensions": "x-other",
        }),
      ),
  });
  const opening = openNative(`ws://localhost:${server.port}`, new Recorder(), { perMessageDeflate: true });
  await assertRejects(() => opening, ConnectionFailedError, "several extensions");
});

test("options out of range are refused before anything is opened", async () => {
  const wrong: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ serverMaxWindowBits: 7 }, "serverMaxWindowBits"],
    [{ serverMaxWindowBits: 16 }, "serverMaxWindowBits"],
    [{ clientMaxWindowBits: 8 }, "clientMaxWindowBits"],
    [{ clientMaxWindowBits: 9.5 }, "clientMaxWindowBits"],
    [{ clientMaxWindowBits: "9" }, "clientMaxWindowBits"],
    [{ threshold: -1 }, "threshold"],
    [{ serverNoContextTakeover: 1 }, "serverNoContextTakeover"],
    [{ clientNoContextTakeover: "yes" }, "clientNoContextTakeover"],
  ];
  for (const [option, name] of wrong) {
    // The casts: what a caller without types could pass.
    const options = { perMessageDeflate: option as PerMessageDeflateOptions };
    await assertRejects(() => openNative("ws://localhost:1", new Recorder(), options), InvalidOptionsError, name);
  }
});

test("a server that declines compression gets and sends what is not compressed", async () => {
  await using server = await TestServer.start();
  const recorder = new Recorder();
  const connection = await openNative(`ws://localhost:${server.port}`, recorder, {
    perMessageDeflate: { threshold: 0 },
  });
  const peer = await server.peer();
  connection.send("x".repeat(5_000));
  assertEquals(await peer.next(), ["text", "x".repeat(5_000)]);
  peer.send(frame(0xc1, "x"));
  await recorder.wait(2);
  const { error } = recorder.closes[0] ?? {};
  assert(error !== undefined && "code" in error && error.code === "RESERVED_BITS");
});
