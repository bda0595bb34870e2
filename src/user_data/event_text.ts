/**
 * Account events as texts: which type they have, and how they are handed on, without parsing them.
 *
 * @module
 */

const TYPE = /"e"\s*:\s*"([^"\\]*)"/;

/** Type of an event. Binance sends it first; elsewhere it is searched for. `""` if there is none. */
export function eventTypeOf(text: string): string {
  return TYPE.exec(text)?.[1] ?? "";
}

/** An event in the combined form, under the name of its account, which needs no escaping. */
export function underName(account: string, event: string): string {
  return `{"stream":"${account}","data":${event}}`;
}

/** The event of the combined form, or the text itself if it is not in that form (Binance "User Data Streams" pages). */
export function eventOf(text: string): string {
  if (!text.startsWith('{"stream":')) return text;
  const at = text.indexOf(',"data":');
  return at < 0 ? text : text.slice(at + ',"data":'.length, -1);
}
