/**
 * Which cases can't be run on which target, and why. What a target can do is checked against this before its run, so
 * that a case can't stay skipped once it could be run.
 *
 * @module
 */

import type { ConformanceCase } from "./case.ts";
import type { ClientProcess } from "./client_process.ts";
import type { ClientSetup } from "./client_protocol.ts";
import { runCase } from "./runner.ts";
import type { FuzzingServer } from "./server.ts";
import { nameOf, RUNTIMES, type Target } from "./targets.ts";
import { text } from "./frames.ts";

const EVERYWHERE = ["native", "ws"].flatMap((library) => RUNTIMES.map((runtime) => `${library} on ${runtime}`));

/** The targets that offer permessage-deflate when they are asked to. The switch for categories 12 and 13. */
const DEFLATE: readonly string[] = [...EVERYWHERE, "builtin on bun"];

/** The targets that take parameters for that offer. */
const DEFLATE_PARAMETERS: readonly string[] = EVERYWHERE;

/** The targets that can send pings. */
const PINGS: readonly string[] = [...EVERYWHERE, "builtin on bun"];

/** Why a case is not run on a target, or `undefined` if it is. */
export function skipReason(target: Target, { needs }: ConformanceCase): string | undefined {
  const name = nameOf(target);
  if ((needs === "deflate" || needs === "deflateParameters") && !DEFLATE.includes(name)) {
    return "permessage-deflate can't be asked for with the runtime's own WebSocket";
  }
  if (needs === "deflateParameters" && !DEFLATE_PARAMETERS.includes(name)) {
    return "the runtime's own WebSocket takes no parameters for permessage-deflate";
  }
  if (needs === "pings" && !PINGS.includes(name)) return "the runtime's own WebSocket can't send pings";
  return undefined;
}

/** What is wrong with the lists above for a target. */
export async function checkSkips(server: FuzzingServer, client: ClientProcess, target: Target): Promise<string[]> {
  const name = nameOf(target);
  const faults: string[] = [];
  const expect = (what: string, can: boolean, list: readonly string[]): void => {
    if (can !== list.includes(name)) faults.push(`${name} ${can ? "can" : "can't"} do ${what}: change skips.ts`);
  };
  const plain = await probe(server, client, {});
  const asked = await probe(server, client, { perMessageDeflate: true });
  const parameters = await probe(server, client, { perMessageDeflate: { serverMaxWindowBits: 10 } });
  // Node's own WebSocket always offers it, which is no answer to the option.
  expect("permessage-deflate", asked.deflate && !plain.deflate, DEFLATE);
  expect("parameters of permessage-deflate", parameters.deflate && !plain.deflate, DEFLATE_PARAMETERS);
  expect("pings", plain.canPing, PINGS);
  return faults;
}

async function probe(
  server: FuzzingServer,
  client: ClientProcess,
  setup: ClientSetup,
): Promise<{ deflate: boolean; canPing: boolean }> {
  let deflate = false;
  const { observed } = await runCase(server, client, {
    id: "probe",
    title: "asks for nothing",
    prepare: () => ({
      client: setup,
      async play(peer) {
        deflate = peer.request.headers.get("sec-websocket-extensions")?.includes("permessage-deflate") ?? false;
        await peer.send(text("probe"));
        await peer.received(1);
        await peer.close(1000);
      },
      expected: { wire: [], seen: [] },
      // An option that is refused never gets as far as the server.
      limitMs: 1_000,
    }),
  });
  return { deflate, canPing: observed.canPing };
}
