/**
 * What all streams do alike, whatever brings their messages: hand them to the user, tell signals, and end once.
 *
 * @module
 */

import { messageOf, quoted, stackOf, StreamCrashedError, StreamStoppedError } from "../base/mod.ts";
import { Delivery, type DeliverySettings } from "./delivery.ts";
import type { LinkSettings } from "./link_settings.ts";
import type { Meter, RateSampler } from "./rates.ts";
import { type SignalDetails, type SignalListener, signalTeller } from "./signal_teller.ts";
import type { NamedBuffer } from "./stream_buffers.ts";
import type { LinkStatistics, StreamInfo, StreamStatistics } from "./stream_state.ts";

/** What the life of a stream is made of. */
export interface StreamLifeSettings {
  readonly id: string;
  readonly label: string | undefined;
  readonly link: Pick<LinkSettings, "clock" | "logger">;
  readonly delivery: Omit<DeliverySettings, "callback" | "namedBuffer">;
  /** Takes the messages, if there is one. */
  readonly namedBuffer: NamedBuffer | undefined;
  /** What an `onData` that throws does to the stream. */
  readonly onCallbackError: "crash" | "continue";
  /** Measures how much comes. */
  readonly sampler: RateSampler;
  /** Who takes the signals, one after the other. */
  readonly signalListeners: readonly (SignalListener | undefined)[];
  /** Called once, when the stream has ended. */
  readonly onEnd: () => void;
}

/** What brings the messages. */
export interface Inflow {
  /** The exchange should be held back, or not any more. */
  setPaused(isPaused: boolean): void;
  /** Ends; resolves when nothing is open any more. `reason` is what those who wait for something get. */
  stop(reason: Error): Promise<void>;
}

/** What only a stream itself knows of its statistics. */
export type InflowStatistics =
  & Pick<StreamStatistics, "reconnectTimes" | "rollovers" | "gaps" | "missedMessages" | "subscriptions">
  & Pick<StreamStatistics, "freeSubscriptionSlots">;

/** The life of one stream, from its first message to its end. */
export class StreamLife {
  /** Tells the user a signal. */
  readonly signal: (details: SignalDetails) => void;
  /** The way of every message. */
  readonly delivery: Delivery;
  readonly #settings: StreamLifeSettings;
  readonly #inflow: Inflow;
  readonly #meter: Meter;
  readonly #createdAt: number;
  #endedAt: number | undefined;
  #end: Promise<void> | undefined;
  #endedBy: StreamStoppedError | StreamCrashedError | undefined;
  #lastError: unknown;

  /** @param callback Takes the messages, if they are pushed. */
  constructor(settings: StreamLifeSettings, callback: ((data: unknown) => unknown) | undefined, inflow: Inflow) {
    const { id, link: { clock, logger }, namedBuffer } = settings;
    this.#settings = settings;
    this.#inflow = inflow;
    this.signal = signalTeller(settings, settings.signalListeners);
    this.delivery = new Delivery({ ...settings.delivery, callback, namedBuffer: namedBuffer?.buffer }, {
      onFirstData: (data) => this.signal({ type: "FIRST_RECEIVED_DATA", data }),
      onCallbackError: (error, mayReport) => this.#callbackFailed(error, mayReport),
      onInvalidMessage: (error, mayReport) => {
        this.#lastError = error;
        if (mayReport) logger.error(`Stream ${id}: a message is not JSON: ${messageOf(error)}`);
      },
      onDropped: (dropped, total) => {
        logger.warn(`Stream ${id}: ${dropped} messages dropped, ${total} in all`);
        this.signal({ type: "MESSAGES_DROPPED", dropped, total });
      },
      onOverflow: (error) => void this.crash(error),
      setPaused: (isPaused) => inflow.setPaused(isPaused),
    });
    this.#createdAt = clock.now();
    this.#meter = settings.sampler.add(this.delivery);
  }

  /** Why it has ended; `undefined` while it has not. */
  get endedBy(): StreamStoppedError | StreamCrashedError | undefined {
    return this.#endedBy;
  }

  /** How it has ended; `undefined` while it has not. */
  get ended(): "stopped" | "crashed" | undefined {
    return this.#endedBy && (this.#endedBy instanceof StreamCrashedError ? "crashed" : "stopped");
  }

  /** What went wrong last. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Something went wrong that does not end the stream. */
  failed(error: unknown, signal: SignalDetails): void {
    this.#lastError = error;
    this.signal(signal);
  }

  /** Ends the stream because the user wants it; resolves when nothing is open any more. Can be repeated. */
  stop(): Promise<void> {
    return this.#finish(new StreamStoppedError(this.#settings.id));
  }

  /** Ends the stream because it can't go on. */
  crash(error: unknown, reason: string = messageOf(error)): Promise<void> {
    return this.#finish(new StreamCrashedError(this.#settings.id, reason, { cause: error }));
  }

  /**
   * Reads the messages from the stream's own buffer.
   *
   * @throws {TypeError} if they go elsewhere.
   */
  read(): AsyncIterator<unknown, undefined> {
    const { id, namedBuffer } = this.#settings;
    const { buffer } = this.delivery;
    if (namedBuffer !== undefined) {
      throw new TypeError(
        `Cannot read the stream ${id}: its messages go to the stream buffer ${quoted(namedBuffer.name)}; read that`,
      );
    }
    if (buffer === undefined) {
      throw new TypeError(`Cannot read the stream ${id}: its messages go to \`onData\`; leave that out to read them`);
    }
    return buffer.read();
  }

  /** The same as a web stream. Cancelling it does not stop the stream. */
  get readable(): ReadableStream<unknown> {
    const iterator = this.read();
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    }, { highWaterMark: 0 });
  }

  /** Counters since the stream was created. */
  statistics(links: LinkStatistics[], inflow: InflowStatistics): StreamStatistics {
    const { messages, characters, callbackErrors, invalidMessages, dropped, buffered } = this.delivery;
    const latencies = links.flatMap(({ latencyMs }) => latencyMs ?? []);
    return {
      createdAt: this.#createdAt,
      endedAt: this.#endedAt,
      uptimeMs: this.#meter.uptimeMs,
      receivedMessages: messages,
      receivedCharacters: characters,
      ...this.#meter.rates,
      lastDataAgeMs: this.#meter.lastDataAgeMs,
      latencyMs: latencies.length > 0 ? Math.max(...latencies) : undefined,
      droppedMessages: dropped,
      bufferedMessages: buffered,
      reconnects: links.reduce((total, { reconnects }) => total + reconnects, 0),
      callbackErrors,
      invalidMessages,
      ...inflow,
      links,
    };
  }

  /** Everything that a stream tells about itself. */
  info(
    { state, stateReason, subscriptions, statistics }: {
      readonly state: StreamInfo["state"];
      readonly stateReason: string | undefined;
      readonly subscriptions: readonly string[];
      readonly statistics: StreamStatistics;
    },
  ): StreamInfo {
    const { id, label, delivery: { output }, namedBuffer } = this.#settings;
    return {
      id,
      label,
      state,
      stateReason,
      lastError: this.#lastError === undefined ? undefined : messageOf(this.#lastError),
      output,
      streamBuffer: namedBuffer?.name,
      streams: subscriptions,
      statistics,
    };
  }

  #callbackFailed(error: unknown, mayReport: boolean): void {
    const { id, link: { logger }, onCallbackError } = this.#settings;
    const hasEnded = this.#endedBy !== undefined;
    if (!hasEnded) this.#lastError = error;
    if (mayReport) logger.error(`Stream ${id}: onData threw ${stackOf(error)}`);
    if (onCallbackError === "crash") {
      this.delivery.end(true);
      void this.crash(error, `onData threw ${messageOf(error)}`);
    } else if (mayReport && !hasEnded) this.signal({ type: "CALLBACK_ERROR", error });
  }

  /** The one way out: ends what brings the messages, then the readers, and tells about it once. */
  #finish(reason: StreamStoppedError | StreamCrashedError): Promise<void> {
    if (this.#end !== undefined) return this.#end;
    // Before anything is closed: what closes may call us again.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#end = promise;
    this.#closeAll(reason).then(resolve);
    return promise;
  }

  async #closeAll(reason: StreamStoppedError | StreamCrashedError): Promise<void> {
    const { link: { clock, logger }, sampler, namedBuffer, onEnd } = this.#settings;
    this.#endedBy = reason;
    // After a crash, what has come before it is still delivered.
    this.delivery.end(reason instanceof StreamStoppedError);
    await this.#inflow.stop(reason);
    this.#endedAt = clock.now();
    sampler.end(this.#meter);
    const hasCrashed = reason instanceof StreamCrashedError;
    if (hasCrashed) {
      this.#lastError = reason;
      logger.error(reason.message);
      this.signal({ type: "STREAM_UNREPAIRABLE", error: reason });
    } else {
      logger.info(reason.message);
      this.signal({ type: "STOP" });
    }
    if (namedBuffer === undefined) this.delivery.buffer?.end(hasCrashed ? reason : undefined);
    onEnd();
  }
}
