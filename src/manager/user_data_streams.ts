/**
 * The streams of account events of a manager: makes them, and lists them.
 *
 * @module
 */

import { InvalidOptionsError, parsePrecise } from "../base/mod.ts";
import { parserOf } from "../events/mod.ts";
import type { Exchange } from "../exchange/mod.ts";
import type { LinkSettings, Output, RateSampler, StreamBuffers } from "../stream/mod.ts";
import { checkedUserDataOptions, openUserData, type RestFetch, type UserDataStream } from "../user_data/mod.ts";
import type { ManagerOptions, UserDataStreamOptions } from "./account_options.ts";
import type { ApiStreams } from "./api_streams.ts";
import type { FinishedStreams } from "./finished_streams.ts";

/** What the manager gives to its streams of account events. */
export interface UserDataContext {
  readonly exchange: Exchange;
  readonly options: ManagerOptions;
  /** For connections to the market streams' host, which listen keys use. */
  readonly link: LinkSettings;
  readonly streamBaseUrl: string;
  readonly restFetch: RestFetch;
  readonly sampler: RateSampler;
  readonly finished: FinishedStreams;
  readonly buffers: StreamBuffers;
  readonly apis: ApiStreams;
}

/** The streams of account events of one manager. */
export class UserDataStreams {
  readonly #context: UserDataContext;
  readonly #streams = new Map<string, UserDataStream<Output>>();

  constructor(context: UserDataContext) {
    this.#context = context;
  }

  /** The streams that have not ended, in the order they were created. */
  get all(): UserDataStream<Output>[] {
    return [...this.#streams.values()];
  }

  /** The stream with this id. */
  get(id: string): UserDataStream<Output> | undefined {
    return this.#streams.get(id);
  }

  /**
   * Creates a stream.
   *
   * @param given Its options, checked but for `userData`.
   * @throws {InvalidOptionsError} if the options can't be used.
   */
  create<P extends Output>(given: UserDataStreamOptions<P>, output: P): UserDataStream<P> {
    const { exchange, options, link, streamBaseUrl, restFetch, sampler, finished, buffers, apis } = this.#context;
    const { streamBuffer, label, onData } = given;
    const defaultOutput = options.output ?? "raw";
    if (streamBuffer !== undefined && output !== defaultOutput) {
      throw new InvalidOptionsError(
        `Cannot put "${output}" into a stream buffer of this manager, which takes "${defaultOutput}": ` +
          "expected the manager's output",
        { path: "output" },
      );
    }
    const userData = checkedUserDataOptions(given.userData === true ? {} : given.userData);
    const id = crypto.randomUUID();
    const namedBuffer = streamBuffer === undefined ? undefined : buffers.open(streamBuffer);
    const stream = openUserData<P>({
      id,
      label,
      link,
      exchange,
      streamBaseUrl,
      restBaseUrl: (options.restBaseUrl ?? exchange.restBaseUrl).replace(/\/+$/, ""),
      userData,
      signer: options.signer,
      fetch: restFetch,
      openApi: ({ signer, logon, label, onConnectFailed }) =>
        apis.open({
          signer,
          logon,
          label,
          onSignal: (signal) => {
            if (signal.type === "CONNECT_FAILED") onConnectFailed(signal.url, signal.error);
          },
        }),
      delivery: {
        clock: link.clock,
        output,
        parse: parserOf(output, (text) => parsePrecise(text, options.integers)),
        maxConcurrentCallbacks: given.maxConcurrentCallbacks ?? options.maxConcurrentCallbacks ?? 1,
        bufferSize: given.bufferSize ?? options.bufferSize ?? 10_000,
        overflow: given.overflow ?? options.overflow ?? "drop-oldest",
      },
      namedBuffer,
      onCallbackError: given.onCallbackError ?? options.onCallbackError ?? "crash",
      sampler,
      onData,
      signalListeners: [options.onSignal],
      onEnd: () => {
        if (namedBuffer !== undefined) namedBuffer.users--;
        finished.add(stream.info);
        this.#streams.delete(id);
      },
    });
    // The cast: a stream is only read and stopped through the list.
    this.#streams.set(id, stream as unknown as UserDataStream<Output>);
    if (namedBuffer !== undefined) namedBuffer.users++;
    return stream;
  }
}
