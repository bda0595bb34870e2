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

/** Takes secrets out of a text. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  for (const secret of secrets) if (secret !== "") text = text.replaceAll(secret, "***");
  return text;
}

/** Takes secrets out of an error, and of what caused it, and returns it. */
export function errorWithoutSecrets<E>(error: E, secrets: readonly string[]): E {
  for (let part: unknown = error, depth = 0; part instanceof Error && depth < 8; part = part.cause, depth++) {
    const { message, stack } = part;
    // Only where there is something to hide: some errors can't be changed.
    if (withoutSecrets(message, secrets) !== message) part.message = withoutSecrets(message, secrets);
    if (stack !== undefined && withoutSecrets(stack, secrets) !== stack) part.stack = withoutSecrets(stack, secrets);
  }
  return error;
}
