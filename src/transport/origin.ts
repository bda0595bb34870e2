/**
 * What may be shown of a URL.
 *
 * @module
 */

/** The part of a URL that an error message may show: a path may hold a listen key. */
export function originOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}
