/**
 * Probes of the manager: streams, requests, account events, and the doors that it comes through.
 *
 * @module
 */

import { createSigner, type ManagerOptions } from "@rawtick/binance/edge-full";
import { ask, type Context, type DoorName, type Feature, no, type Probe, within, yes } from "../probe.ts";
import { KEYS } from "../protocol.ts";
import { STEP_MS } from "./connection.ts";

/** A manager that tells nobody but the probe what happens. */
function managerOf({ place, library }: Context, options: ManagerOptions<"raw"> = {}, told: string[] = []) {
  const { exchange, rest } = place.addresses;
  const keep = (text: string): void => void told.push(text);
  return new place.Manager<"raw">({
    websocketLibrary: library,
    websocketBaseUrl: exchange,
    websocketApiBaseUrl: exchange,
    restBaseUrl: rest,
    reconnectMinDelayMs: 20,
    logger: { debug() {}, info() {}, warn: keep, error: keep },
    ...options,
  });
}

/** Waits for account events of a deposit. */
function userData(exchange: "binance.com" | "binance.com-futures"): Probe {
  return async (context) => {
    const told: string[] = [];
    const { promise, resolve } = Promise.withResolvers<string>();
    await using manager = managerOf(context, { exchange }, told);
    const signer = createSigner(context.place.addresses.keys.hmac);
    try {
      const stream = manager.createStream({ userData: { signer }, onData: (text) => resolve(text) });
      await within(STEP_MS, stream.ready, "the stream is not ready");
    } catch (error) {
      // What it has logged says more than that it is not ready yet.
      throw new Error(told[0]?.replace(/^.*?: /, "") ?? String(error), { cause: error });
    }
    await ask(context.place, "deposit", { apiKey: signer.apiKey });
    const text = await within(STEP_MS, promise, "no event");
    return /"e":"(balanceUpdate|outboundAccountPosition|ACCOUNT_UPDATE)"/.test(text) ? yes : no(text);
  };
}

/** A manager of a door gets a message. */
function door(name: DoorName, title: string): Feature {
  return {
    id: `door-${name}`,
    title,
    async probe({ place, library }) {
      const use = place.doors[name];
      if (use === undefined) return no("it can't be bundled for this runtime");
      await use(library, place.addresses);
      return yes;
    },
  };
}

/** The rows. */
export const managers: readonly Feature[] = [
  {
    id: "stream",
    title: "a stream of the manager that is cut off reconnects, and goes on",
    async probe(context) {
      const signals: string[] = [];
      let messages = 0;
      let wake = (): void => {};
      const until = async (condition: () => boolean, what: string): Promise<void> => {
        while (!condition()) await within(STEP_MS, new Promise<void>((resolve) => wake = resolve), what);
      };
      await using manager = managerOf(context, {
        onData() {
          messages++;
          wake();
        },
        onSignal({ type }) {
          signals.push(type);
          wake();
        },
      });
      await manager.createStream({ streams: ["btcusdt@trade"] }).ready;
      await until(() => messages > 0, "no message");
      await ask(context.place, "cut");
      await until(() => signals.at(-1) === "CONNECT" && signals.length > 1, "no second connection");
      const before = messages;
      await until(() => messages > before, "no message after it");
      const expected = "CONNECT FIRST_RECEIVED_DATA DISCONNECT CONNECT";
      return signals.join(" ").startsWith(expected) ? yes : no(signals.join(" "));
    },
  },
  ...KEYS.map((name): Feature => ({
    id: `signed-${name}`,
    title: `requests signed with ${{ hmac: "HMAC", ed25519: "Ed25519", rsa: "RSA" }[name]} (\`createSigner\`)`,
    async probe(context) {
      await using manager = managerOf(context, { signer: createSigner(context.place.addresses.keys[name]) });
      manager.createStream({ api: true });
      const { canTrade } = await manager.api.spot.accountStatus({}, { timeoutMs: STEP_MS });
      return canTrade === true ? yes : no(`canTrade is ${canTrade}`);
    },
  })),
  { id: "user-data", title: "account events over the WebSocket API (spot)", probe: userData("binance.com") },
  {
    id: "listen-key",
    title: "account events with a listen key (futures)",
    probe: userData("binance.com-futures"),
  },
];

/** The rows of the doors. */
export const doors: readonly Feature[] = [
  door("edge", "`@rawtick/binance/edge`"),
  door("edge-full", "`@rawtick/binance/edge-full`"),
  door("main", "`@rawtick/binance`"),
  door("transport", "`@rawtick/binance/transport`"),
  door("testing", "`@rawtick/binance/testing`, which serves itself"),
];
