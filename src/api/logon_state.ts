/**
 * Who a connection is logged on as.
 *
 * @module
 */

/** A logon that the exchange has confirmed. */
export interface Logon {
  readonly apiKey: string;
}

/** Whether a request of this name changes who is logged on. */
export function changesLogon(method: string): boolean {
  return isLogon(method) || withoutVersion(method) === "session.logout";
}

/** Whether a request of this name logs a connection on. */
export function isLogon(method: string): boolean {
  return withoutVersion(method) === "session.logon";
}

/** A version may stand before a method's name (Binance web-socket-api.md, "Request format"). */
export function withoutVersion(method: string): string {
  return method.replace(/^v3\//, "");
}

/** A request that relies on a logon. */
export interface RelyingRequest {
  readonly state: string;
  /** When it was sent, by the monotonic clock. */
  readonly sentAt: number;
}

/** What was given up counts until then, in ms after it was sent: the exchange executes it within that time, or never. */
const SETTLED_MS = 1_000;

/**
 * Who one connection is logged on as, as far as the exchange has said. A request without a signature of its own is one of
 * whoever that is: while it is not certain, nobody is.
 */
export class LogonState {
  #current: Logon | undefined;
  /** Requests without an answer that change it. */
  #changes = 0;
  /** Two of them were on their way at once: which one was the last, nobody has said. */
  #isAmbiguous = false;
  /** Requests without an answer that rely on it. */
  readonly inUse: Set<RelyingRequest> = new Set();

  /** The logon; `undefined` if there is none, or it is not certain which. */
  get current(): Logon | undefined {
    return this.#changes === 0 ? this.#current : undefined;
  }

  /** Whether something may still be executed for who is logged on. */
  isNeeded(now: number): boolean {
    return [...this.inUse].some(({ state, sentAt }) => state !== "abandoned" || now - sentAt < SETTLED_MS);
  }

  /** A request that changes it was sent. */
  changing(): void {
    if (this.#changes++ > 0) this.#isAmbiguous = true;
  }

  /** Such a request was answered; `apiKey` is logged on now, or nobody, as far as is known. */
  changed(apiKey: string | undefined): void {
    this.#current = apiKey === undefined || this.#isAmbiguous ? undefined : { apiKey };
    if (--this.#changes === 0) this.#isAmbiguous = false;
  }

  /** A logon has ended; returns whether it was still the one of the connection. */
  lost(logon: Logon | undefined): boolean {
    if (logon === undefined || logon !== this.#current) return false;
    this.#current = undefined;
    return true;
  }

  /** Whoever was logged on is not any more. */
  end(): void {
    this.#current = undefined;
  }
}
