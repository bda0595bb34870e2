/**
 * The command `tap`: writes the messages of streams to stdout until something ends it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type Logger, messageOf, SubscriptionRejectedError, systemClock, type Timer } from "../base/mod.ts";
import type { ExchangeKey } from "../exchange/mod.ts";
import { BinanceWebSocketApiManager } from "../manager/mod.ts";
import type { BinanceStream, Signal } from "../stream/mod.ts";
import { describeClose, type WebSocketLibrary } from "../transport/portable.ts";
import { CommandFailedError } from "./failures.ts";
import { aborted, type CommandIo, isBrokenPipe } from "./io.ts";
import { LineWriter } from "./line_writer.ts";
import { RecordingFile } from "./recording_file.ts";

/** The options of the command, as they were parsed. */
export interface TapOptions {
  readonly exchange: string;
  readonly library: string;
  readonly url?: string;
  readonly proxy?: string;
  readonly output: "raw" | "json";
  readonly stats?: true;
  readonly record?: string;
  readonly seconds?: number;
  readonly count?: number;
}

/**
 * Bytes that may wait for a slow reader of stdout: minutes of a busy market, and more than a recording that is
 * replayed at once usually has.
 */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;
const STATS_INTERVAL_MS = 1_000;
/** The exchange acknowledges any name; only silence tells that there is no such stream. */
const SILENCE_MS = 5_000;

/**
 * Taps the streams; resolves when it has come to a clean end and everything is written.
 *
 * @throws {InvalidOptionsError} if the arguments can't be used.
 * @throws {CommandFailedError} if the stream crashed, all streams were refused, or a file or stdout can't be written.
 */
export async function tap(streams: readonly string[], options: TapOptions, io: CommandIo): Promise<void> {
  await using session = new TapSession(options, io);
  session.start(streams);
  await session.finish();
}

class TapSession implements AsyncDisposable {
  readonly #options: TapOptions;
  readonly #io: CommandIo;
  readonly #manager: BinanceWebSocketApiManager;
  readonly #writer: LineWriter;
  readonly #ended = Promise.withResolvers<void>();
  readonly #startedAt: number = systemClock.monotonic();
  readonly #connectedUrls = new Set<string>();
  #secondsTimer: Timer | undefined;
  #statsTimer: Timer | undefined;
  #silenceTimer: Timer | undefined;
  #stream: BinanceStream | undefined;
  #recording: RecordingFile | undefined;
  #messages = 0;
  #bytes = 0;
  #isEnding = false;
  #endedAt = 0;
  #isReaderGone = false;
  #failure: CommandFailedError | undefined;

  constructor(options: TapOptions, io: CommandIo) {
    this.#options = options;
    this.#io = io;
    const { exchange, library, url, proxy } = options;
    this.#manager = new BinanceWebSocketApiManager({
      // The casts: the manager checks whatever the user wrote.
      exchange: exchange as ExchangeKey,
      websocketLibrary: library as WebSocketLibrary,
      ...(url !== undefined && { websocketBaseUrl: url }),
      ...(proxy !== undefined && { proxy }),
      onData: (text) => this.#take(text),
      // A message that can't be written as JSON is reported, and no reason to end.
      onCallbackError: "continue",
      onSignal: (signal) => this.#signalled(signal),
      logger: this.#logger(),
    });
    this.#writer = new LineWriter(
      (bytes) => io.write(bytes),
      MAX_WAITING_BYTES,
      (error) => this.#unwritable(error),
    );
  }

  /** Starts to tap. The file is not touched before everything else was found to be in order. */
  start(streams: readonly string[]): void {
    const { record, seconds, stats } = this.#options;
    this.#stream = this.#manager.createStream({ streams });
    if (record !== undefined) this.#recording = new RecordingFile(record, (error) => this.#end(error));
    this.#stream.ready.then(() => this.#awaitData(), (error: unknown) => this.#refused(error));
    if (seconds !== undefined) {
      this.#secondsTimer = systemClock.setTimer(() => this.#end(this.#neverConnected(seconds)), seconds * 1_000);
    }
    if (stats) this.#reportRegularly();
    void aborted(this.#io.signal).then(() => this.#end());
  }

  /** Resolves when something has ended it and everything that was taken is written. */
  async finish(): Promise<void> {
    await this.#ended.promise;
    await this.#manager.stopManager();
    this.#recording?.close();
    await this.#writer.flush();
    if (!this.#isReaderGone) this.#io.report(this.#summary());
    if (this.#failure !== undefined) throw this.#failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
    await this.#manager.stopManager();
  }

  /** The way of every message. */
  #take(text: string): void {
    if (this.#isEnding) return;
    const { output, stats, count } = this.#options;
    this.#recording?.text(text);
    this.#writer.push(output === "json" ? JSON.stringify(JSON.parse(text)) : text);
    this.#messages++;
    if (stats) this.#bytes += Buffer.byteLength(text);
    // What was dropped for a slow reader was not written, and does not count.
    if (count !== undefined && this.#messages - this.#writer.dropped >= count) this.#end();
  }

  /** The first reason to end is the one that counts. */
  #end(failure?: CommandFailedError): void {
    if (failure !== undefined) this.#failure ??= failure;
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#endedAt = systemClock.monotonic();
    this.#secondsTimer?.cancel();
    this.#statsTimer?.cancel();
    this.#silenceTimer?.cancel();
    this.#ended.resolve();
  }

  #neverConnected(seconds: number): CommandFailedError | undefined {
    return this.#connectedUrls.size > 0 ? undefined : new CommandFailedError(`Cannot connect within ${seconds} s`);
  }

  #awaitData(): void {
    if (this.#isEnding) return;
    this.#silenceTimer = systemClock.setTimer(() => {
      if (this.#messages > 0) return;
      this.#io.report(
        "acknowledged, but nothing came yet: a stream that is quiet, or one that the exchange doesn't know",
      );
    }, SILENCE_MS);
  }

  #unwritable(error: unknown): void {
    this.#isReaderGone = isBrokenPipe(error);
    if (this.#isReaderGone) this.#end();
    else this.#end(new CommandFailedError(`Cannot write to stdout: ${messageOf(error)}`, { cause: error }));
  }

  #refused(error: unknown): void {
    // A crash and a stop have signals of their own, and a missing answer is logged and asked for again.
    if (!(error instanceof SubscriptionRejectedError)) return;
    if (this.#stream?.subscriptions.length === 0) this.#end(new CommandFailedError(error.message, { cause: error }));
  }

  #signalled(signal: Signal): void {
    switch (signal.type) {
      case "CONNECT": {
        this.#recording?.url(signal.url);
        const verb = this.#connectedUrls.has(signal.url) ? "reconnected" : "connected";
        this.#connectedUrls.add(signal.url);
        return this.#io.report(`${verb} to ${shorten(signal.url)} (${this.#options.library})`);
      }
      case "DISCONNECT":
        if (!this.#isEnding) this.#io.report(`disconnected: ${describeClose(signal.close)}; reconnecting`);
        return;
      case "CALLBACK_ERROR":
        return this.#io.report(`cannot take a message: ${messageOf(signal.error)}`);
      case "STREAM_UNREPAIRABLE":
        return this.#end(new CommandFailedError(signal.error.message, { cause: signal.error }));
    }
  }

  /** Errors have signals; the rest is for debugging. */
  #logger(): Logger {
    const ignore = () => {};
    return { debug: ignore, info: ignore, warn: (message) => this.#io.report(shorten(message)), error: ignore };
  }

  /** Reports once a second; `before` is what had come by `at`. */
  #reportRegularly(before = 0, at = this.#startedAt): void {
    this.#statsTimer = systemClock.setTimer(() => {
      const messages = this.#messages;
      const now = systemClock.monotonic();
      const rate = Math.round((messages - before) / ((now - at) / 1_000));
      const received = `${counted(messages, "message")}, ${rate} msgs/s, ${this.#bytes} bytes`;
      this.#io.report(`${received}, ${this.#reconnects}${this.#losses}`);
      this.#reportRegularly(messages, now);
    }, STATS_INTERVAL_MS);
  }

  #summary(): string {
    const seconds = ((this.#endedAt - this.#startedAt) / 1_000).toFixed(1);
    return `${counted(this.#messages, "message")} in ${seconds} s, ${this.#reconnects}${this.#losses}`;
  }

  get #reconnects(): string {
    return counted(this.#stream?.statistics.reconnects ?? 0, "reconnect");
  }

  get #losses(): string {
    const { dropped } = this.#writer;
    return dropped === 0 ? "" : `, ${dropped} dropped because stdout was read too slowly`;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The URL of a connection without its empty list of streams. */
function shorten(text: string): string {
  return text.replaceAll("?streams=", "");
}
