/**
 * Questions to the exchange what a connection carries: LIST_SUBSCRIPTIONS (Binance web-socket-streams.md).
 *
 * @module
 */

import { type Clock, SubscriptionTimeoutError, type Timer } from "../base/mod.ts";
import { controlMessage } from "../exchange/mod.ts";
import type { Pacer } from "./pacer.ts";

/**
 * What the exchange carries, compared with what is wanted.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type SubscriptionAudit } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * await stream.ready;
 * const { missing, surplus }: SubscriptionAudit = await stream.auditSubscriptions();
 * assertEquals([missing, surplus], [[], []]);
 * ```
 */
export interface SubscriptionAudit {
  /** Wanted, acknowledged, and not carried any more; subscribed to again. */
  readonly missing: readonly string[];
  /** Carried, and not wanted; unsubscribed from. */
  readonly surplus: readonly string[];
}

/** What a connection needs to send a control message and to wait for its answer. */
export interface ControlOptions {
  readonly clock: Clock;
  /** How long in ms the exchange may take to answer. */
  readonly ackTimeoutMs: number;
  /** Whether nothing is read, so that no answer can come. */
  readonly isPaused: () => boolean;
  /** Sends a control message over the connection; false if that is closing, and its end is about to be told. */
  readonly send: (text: string) => boolean;
  /** Numbers the control messages. */
  readonly nextId: () => number;
}

/** Calls `expire` when an answer is overdue. While nothing is read, none can come, and the time starts anew. */
export function patience(
  { clock, ackTimeoutMs, isPaused }: ControlOptions,
  expire: () => void,
): { readonly timer: Timer } {
  const wait = () => clock.setTimer(() => isPaused() ? void (running.timer = wait()) : expire(), ackTimeoutMs);
  const running = { timer: wait() };
  return running;
}

interface Question {
  readonly patience: { readonly timer: Timer };
  /** Takes the answer. */
  readonly compare: (listed: ReadonlySet<string>) => SubscriptionAudit;
  readonly resolve: (audit: SubscriptionAudit) => void;
  readonly reject: (error: Error) => void;
}

/** The questions of one connection that wait for their answers. */
export class Audits {
  readonly #options: ControlOptions;
  readonly #questions = new Map<number, Question>();
  /** Those that wait until they may be sent. */
  readonly #paced = new Set<() => void>();

  /** Nothing has been asked yet. */
  constructor(options: ControlOptions) {
    this.#options = options;
  }

  /**
   * Asks the exchange, when the pacer allows it.
   *
   * @param pacerOf The pacer of the connection; `undefined` while that is not open.
   * @param wanted What an error for a missing answer names.
   * @param compare Called with the answer as soon as it is there, before any other message.
   * @throws {TypeError} if the connection is not open, or ends before the answer.
   * @throws {SubscriptionTimeoutError} if there is no answer.
   */
  async ask(
    pacerOf: () => Pacer | undefined,
    wanted: Iterable<string>,
    compare: Question["compare"],
  ): Promise<SubscriptionAudit> {
    const { clock, ackTimeoutMs, nextId, send } = this.#options;
    for (let delayMs = 0; (delayMs = pacerOf()?.delayMs ?? 0) > 0;) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = clock.setTimer(resolve, delayMs);
      this.#paced.add(resolve);
      await promise;
      this.#paced.delete(resolve);
      timer.cancel();
    }
    const id = nextId();
    const pacer = pacerOf();
    if (pacer === undefined || !send(controlMessage("LIST_SUBSCRIPTIONS", undefined, id))) {
      throw new TypeError("Cannot ask for the subscriptions: the connection is not open");
    }
    pacer.note();
    const { promise, resolve, reject } = Promise.withResolvers<SubscriptionAudit>();
    const expire = (): void => {
      this.#questions.delete(id);
      reject(new SubscriptionTimeoutError([...wanted], ackTimeoutMs));
    };
    this.#questions.set(id, { patience: patience(this.#options, expire), compare, resolve, reject });
    return await promise;
  }

  /** Takes an answer with a list; returns whether it is one to a question. */
  answer(id: number, listed: readonly unknown[]): boolean {
    const question = this.#questions.get(id);
    if (question === undefined) return false;
    this.#questions.delete(id);
    question.patience.timer.cancel();
    question.resolve(question.compare(new Set(listed.filter((stream) => typeof stream === "string"))));
    return true;
  }

  /** The connection is gone, and no answer comes any more. */
  end(): void {
    for (const { patience, reject } of this.#questions.values()) {
      patience.timer.cancel();
      reject(new TypeError("Cannot ask for the subscriptions: the connection has ended"));
    }
    this.#questions.clear();
    for (const go of this.#paced) go();
  }
}
