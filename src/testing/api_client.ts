/**
 * What a connection to a WebSocket API does to its socket.
 *
 * @module
 */

import type { ApiClient } from "./api/api_connection.ts";
import type { ControlDesk } from "./control_desk.ts";
import type { Session } from "./session.ts";
import type { SessionTimers } from "./session_timers.ts";

/** RFC 6455 7.4.1: a message violates the policy. */
const POLICY_VIOLATION = 1008;

/** The socket's side of an API connection; answers obey the switches of all answers. */
export function apiClientOf(session: Session, desk: ControlDesk, timers: SessionTimers): ApiClient {
  return {
    id: session.id,
    answer: (text, delayMs) => {
      if (delayMs > 0) timers.later(delayMs, () => desk.answer(text, false));
      else desk.answer(text, false);
    },
    send: (text) => void (session.isSilent || session.send(text)),
    kill: (options) => session.kill(options),
    disconnect: () => session.close(POLICY_VIOLATION, "disconnected"),
  };
}
