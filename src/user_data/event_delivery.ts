/**
 * The way of an event to the user: the sinks that all streams have, and what becomes of the mistakes on that way.
 *
 * @module
 */

import { messageOf, stackOf } from "../base/mod.ts";
import { Delivery, type Output, type SignalDetails } from "../stream/mod.ts";
import type { UserDataSettings } from "./settings.ts";

/** What a stream does about its delivery. */
export interface EventDeliveryListener {
  /** Tells the user. */
  readonly signal: (details: SignalDetails) => void;
  /** Something went wrong that does not end the stream. */
  readonly onError: (error: unknown) => void;
  /** The stream can't go on. */
  readonly crash: (error: unknown, reason?: string) => void;
  /** Whether the stream has ended. */
  readonly hasEnded: () => boolean;
  readonly setPaused: (isPaused: boolean) => void;
}

/** Makes the delivery of a stream; `callback` takes the events, if they are pushed. */
export function eventDelivery<O extends Output>(
  settings: UserDataSettings<O>,
  callback: ((data: unknown) => unknown) | undefined,
  { signal, onError, crash, hasEnded, setPaused }: EventDeliveryListener,
): Delivery {
  const { id, link: { logger }, onCallbackError, namedBuffer } = settings;
  const delivery: Delivery = new Delivery({ ...settings.delivery, callback, namedBuffer: namedBuffer?.buffer }, {
    onFirstData: (data) => signal({ type: "FIRST_RECEIVED_DATA", data }),
    onCallbackError: (error, mayReport) => {
      if (!hasEnded()) onError(error);
      if (mayReport) logger.error(`Stream ${id}: onData threw ${stackOf(error)}`);
      if (onCallbackError === "crash") {
        delivery.end(true);
        crash(error, `onData threw ${messageOf(error)}`);
      } else if (mayReport && !hasEnded()) signal({ type: "CALLBACK_ERROR", error });
    },
    onInvalidMessage: (error, mayReport) => {
      onError(error);
      if (mayReport) logger.error(`Stream ${id}: a message is not JSON: ${messageOf(error)}`);
    },
    onDropped: (dropped, total) => {
      logger.warn(`Stream ${id}: ${dropped} messages dropped, ${total} in all`);
      signal({ type: "MESSAGES_DROPPED", dropped, total });
    },
    onOverflow: (error) => crash(error),
    setPaused,
  });
  return delivery;
}
