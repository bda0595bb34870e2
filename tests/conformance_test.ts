/**
 * The conformance suite in small: some cases of each category on this runtime, and that a client which does wrong fails.
 * The whole suite is `deno task conformance`.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../tools/runtimes.ts";
import { bytesOf } from "./conformance/bytes.ts";
import type { ConformanceCase, Observation } from "./conformance/case.ts";
import { allCases } from "./conformance/cases/mod.ts";
import { deviations, selects } from "./conformance/deviations/mod.ts";
import { frame } from "./conformance/frames.ts";
import { judge, type Verdict } from "./conformance/judge.ts";
import { FuzzingServer } from "./conformance/server.ts";
import { runTarget } from "./conformance/suite.ts";

/** Quick ones of each category, such that deviate with a built-in WebSocket among them. */
const SAMPLE = (
  "1.1.3 1.1.8 1.1.12 1.2.7 2.4 2.5 2.10 3.1 3.3 3.8.5 4.1.1 4.2.3 5.1 5.6 5.9 5.18 5.19 6.1.3 6.2.3 6.3.2 6.4.2 6.11.5 " +
  "6.22.3 7.1.7 7.3.1 7.3.2 7.5.1 7.7.4 7.9.5 9.3.4 9.5.5 9.9.3 9.9.12 10.1.1 12.1.4 13.3.2 13.11.1 20.1.9 20.1.13 " +
  "20.2.9 20.2.13 21.1.1 21.2.3 22.1.4 22.2.1 22.3.3 22.4.4 22.4.5"
).split(" ");

for (const library of ["native", "builtin"] as const) {
  test(`${library}: a sample of the conformance suite passes`, { timeout: 60_000 }, async () => {
    await using server = await FuzzingServer.start();
    const target = { library, runtime: currentRuntime };
    const { cases, faults, checks } = await runTarget(server, target, new Set(SAMPLE), { category: () => {} });
    assertEquals(cases.filter(({ outcome }) => outcome === "failed"), []);
    assertEquals(faults, []);
    assertEquals([cases.length, checks], [SAMPLE.length, 3]);
  });
}

/** A case by its id. */
function caseNamed(id: string): ConformanceCase {
  const found = allCases.find((one) => one.id === id);
  assert(found !== undefined, `there is a case ${id}`);
  return found;
}

const MASK = [1, 2, 3, 4] as const;
const masked = (opcode: number, payload: Uint8Array | string): Uint8Array => frame({ opcode, payload, mask: MASK });
const CLOSE = bytesOf(0x03, 0xe8);

/** Plays a case against a hand-made client, which sends `answer` and then a Close frame when anything has come. */
async function playAgainst(id: string, answer: (socket: Socket) => void, seen: readonly string[]): Promise<Verdict> {
  await using server = await FuzzingServer.start();
  const conformanceCase = caseNamed(id);
  const plan = conformanceCase.prepare();
  const { url, peer: connection } = server.expect(plan);
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const key = createHash("md5").update(`${id} ${Math.random()}`).digest("base64");
  socket.on("error", () => {});
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  let upgraded = false;
  let answered = false;
  let tail = "";
  socket.on("data", (chunk) => {
    tail += chunk.toString("latin1");
    if (!upgraded) {
      const end = tail.indexOf("\r\n\r\n");
      if (end < 0) return;
      upgraded = true;
      tail = tail.slice(end + 4);
    }
    if (tail === "" || answered) return;
    answered = true;
    answer(socket);
    socket.write(masked(8, CLOSE));
  });
  const peer = await connection;
  await plan.play(peer);
  socket.destroy();
  const observed: Observation = { wire: peer.wire, wasReset: false, seen, canPing: true, faults: [] };
  return judge({ library: "native", runtime: currentRuntime }, conformanceCase, plan, observed);
}

/** What a listener sees in case 2.2. */
const SEEN = ["open", "ping <48656c6c6f2c20776f726c6421>", 'closed 1000 "" cleanly'];
const pong = masked(10, "Hello, world!");

test("a hand-made client that answers a ping once passes", async () => {
  assertEquals(await playAgainst("2.2", (socket) => socket.write(pong), SEEN), { outcome: "strict" });
});

test("a client that does wrong fails, and the verdict says in what", async () => {
  const wrong: readonly (readonly [string, (socket: Socket) => void, readonly string[]])[] = [
    [
      "pong <48656c6c6f2c20776f726c6421>, pong <48656c6c6f2c20776f726c6421>",
      (socket) => socket.write(bytesOf(pong, pong)),
      SEEN,
    ],
    ["got [close 1000", () => {}, SEEN],
    ["got [pong <6e6f>", (socket) => socket.write(masked(10, "no")), SEEN],
    [
      "violation: the client did not mask",
      (socket) => socket.write(frame({ opcode: 10, payload: "Hello, world!" })),
      SEEN,
    ],
    ["violation: RSV1 is set", (socket) => socket.write(frame({ opcode: 10, payload: "", rsv: 4, mask: MASK })), SEEN],
    ["the listener was told: expected [open, ping", (socket) => socket.write(pong), [
      ...SEEN,
      'closed 1000 "" cleanly',
    ]],
    ["the listener was told: expected [open, ping", (socket) => socket.write(pong), SEEN.slice(0, 2)],
  ];
  for (const [words, answer, seen] of wrong) {
    const { outcome, why = "" } = await playAgainst("2.2", answer, seen);
    assertEquals(outcome, "failed", words);
    assert(why.includes(words), `${words} is not in: ${why}`);
  }
});

test("a listed deviation that is not seen any more fails", () => {
  const target = { library: "builtin", runtime: "deno" } as const;
  const test = caseNamed("3.1");
  const plan = test.prepare();
  const conformant: Observation = { ...plan.expected, wasReset: false, canPing: false, faults: [] };
  assertEquals(judge({ ...target, library: "native" }, test, plan, conformant), { outcome: "strict" });
  const { outcome, why = "" } = judge(target, test, plan, conformant);
  assertEquals(outcome, "failed");
  assert(why.endsWith("has disappeared: take it out of deviations/"), why);
  assertEquals(judge(target, test, plan, { ...conformant, wire: [] }).outcome, "deviates");
  assertEquals(judge(target, test, plan, { ...conformant, wire: ["close 1003"] }).outcome, "failed");
});

test("each case has an id of its own, and each deviation is about cases that there are", () => {
  assertEquals(new Set(allCases.map(({ id }) => id)).size, allCases.length);
  const selectors = [...deviations.values()].flat().flatMap(({ cases }) => cases);
  assertEquals(selectors.filter((selector) => !allCases.some(({ id }) => selects(selector, id))), []);
  const autobahn = allCases.filter(({ id }) => /^6\.(?:[1-9]|1\d|2[0-3])\./.test(id));
  assertEquals(autobahn.length, 145);
});
