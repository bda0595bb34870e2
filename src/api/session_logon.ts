/**
 * What is asked of each new connection before anything else: the logon, or the exchange's time.
 *
 * @module
 */

import { ApiError } from "../base/mod.ts";
import { INVALID_TIMESTAMP, isPassing } from "./passing.ts";
import type { Params } from "./params.ts";
import type { Signer } from "./signer.ts";
import type { TimeOffset } from "./time_offset.ts";

/** Asks the exchange over the new connection, and takes over its time from the answer. */
export type Ask = (method: string, makeParams: () => Promise<Params>) => Promise<unknown>;

/** What a connection is introduced with. */
export interface IntroductionSettings {
  readonly ask: Ask;
  readonly signer: Signer | undefined;
  /** Whether connections log on. */
  readonly logon: boolean;
  readonly timeOffset: TimeOffset;
  /** A method that tells the exchange's time, and needs no key. */
  readonly timeMethod: string;
}

/**
 * Does what has to be done before requests are sent: the logon, else the question for the time, if there is anything to sign.
 *
 * @param isClockWrong Whether the exchange has refused a timestamp.
 * @throws {ApiError} if the exchange refuses, and what `ask` throws.
 */
export async function introduce(settings: IntroductionSettings, isClockWrong: boolean): Promise<void> {
  const { ask, signer, logon, timeOffset, timeMethod } = settings;
  if (isClockWrong) return void await ask(timeMethod, noParams);
  if (signer === undefined) return;
  if (logon) return await logOn(settings, signer);
  const measured = ask(timeMethod, noParams);
  // Once it is known, requests need not wait for a better value.
  if (timeOffset.offsetMs === undefined) await measured;
  else measured.catch(() => {});
}

/**
 * Logs a connection on (Binance web-socket-api.md, "Session Authentication"). It is the first thing that is sent; only if the
 * exchange finds our clock wrong, its time is asked for and the logon repeated.
 */
async function logOn({ ask, timeOffset, timeMethod }: IntroductionSettings, signer: Signer): Promise<void> {
  const makeParams = async () => {
    const params = { apiKey: signer.apiKey, timestamp: timeOffset.now };
    return { ...params, signature: await signer.signWebSocket(params) };
  };
  try {
    await ask("session.logon", makeParams);
  } catch (error) {
    if (!(error instanceof ApiError) || error.apiCode !== INVALID_TIMESTAMP) throw error;
    await ask(timeMethod, noParams);
    await ask("session.logon", makeParams);
  }
}

/** Parameters of a question that has none. */
export function noParams(): Promise<Params> {
  return Promise.resolve({});
}

/** Whether another logon can't help: the exchange refuses the key, its signature or what it may do. */
export function isLogonFatal(error: unknown): boolean {
  return error instanceof ApiError && !isPassing(error.status, error.apiCode);
}
