/**
 * The exchange's notice that a server is about to go away.
 *
 * @module
 */

const EVENT = '"e":"serverShutdown"';
/** The three shapes of Binance web-socket-streams.md, "Server Shutdown", and web-socket-api.md: combined, raw, API. */
const COMBINED = '{"stream":"!serverShutdown"';
const RAW = `{${EVENT}`;
const WEBSOCKET_API = `{"event":{${EVENT}`;

const EXCLAMATION_MARK = 0x21;
const LETTER_S = 0x73;
/** Where a combined message has the first character of its stream's name. */
const NAME_AT = '{"stream":"'.length;
/** Where a raw message has the first character of its event type, and an event of the WebSocket API the same. */
const RAW_EVENT_AT = '{"e":"'.length;
const API_EVENT_AT = '{"event":{"e":"'.length;

/**
 * Whether a message says that the server is about to go away, so that a new connection should be opened at once. It comes
 * unasked, for spot since 2026-05; nothing says how long before. Looks at up to three characters of any other message.
 */
export function isServerShutdown(text: string): boolean {
  if (text.charCodeAt(NAME_AT) === EXCLAMATION_MARK) return text.startsWith(COMBINED);
  if (text.charCodeAt(RAW_EVENT_AT) === LETTER_S) return text.startsWith(RAW);
  return text.charCodeAt(API_EVENT_AT) === LETTER_S && text.startsWith(WEBSOCKET_API);
}
