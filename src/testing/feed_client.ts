/**
 * What the feed of a connection is told about it.
 *
 * @module
 */

import { Disturber } from "./data_faults.ts";
import type { FeedClient } from "./feed/feed.ts";
import type { Ledger } from "./ledger.ts";
import type { Session } from "./session.ts";
import type { SessionHost } from "./session_host.ts";

/** The connection as its feed sees it. */
export function feedClientOf(
  session: Session,
  { rules, switches }: SessionHost,
  ledger: Ledger,
  actions: Pick<FeedClient, "wake" | "overflow">,
): FeedClient {
  return {
    get isCombined() {
      return session.isCombined;
    },
    get isSilent() {
      return session.isSilent;
    },
    ledger,
    disturber: new Disturber(switches.data, session.id),
    isMicroseconds: session.target.isMicroseconds,
    market: rules.payloadsOf(session.target.prefix),
    ...actions,
  };
}
