/**
 * The negotiation of permessage-deflate (RFC 7692 5 and 7.1) without its I/O: what a client offers, and which answers it
 * takes.
 *
 * @module
 */

import type { PerMessageDeflateOptions } from "../connection.ts";
import { isToken } from "./http_head.ts";

/** The extension's registered name (RFC 7692 10). */
const NAME = "permessage-deflate";
/** The largest window of RFC 7692 7.1.2, as the base-2 logarithm of bytes: what there is without the parameters. */
const MAX_WINDOW_BITS = 15;
/** Default of {@linkcode PerMessageDeflateOptions.threshold}. */
const DEFAULT_THRESHOLD = 1024;

/** What both ends have agreed on. */
export interface DeflateParameters {
  /** Whether the server starts every message with an empty window. */
  readonly serverNoContextTakeover: boolean;
  /** Whether the client does. */
  readonly clientNoContextTakeover: boolean;
  /** Window of the server's compressor: 8 to 15. */
  readonly serverMaxWindowBits: number;
  /** Window of the client's compressor: 8 to 15. */
  readonly clientMaxWindowBits: number;
  /** Messages of fewer bytes are sent uncompressed. */
  readonly threshold: number;
}

/** An offer of the extension. */
export interface DeflateOffer {
  /** The value of Sec-WebSocket-Extensions. */
  readonly header: string;
  /** What is asked for, before the server has had its say. */
  readonly asked: DeflateParameters;
}

/** Makes the offer for an option that has been checked (see `../arguments.ts`); `undefined` if compression is off. */
export function createDeflateOffer(
  option: boolean | PerMessageDeflateOptions | undefined,
): DeflateOffer | undefined {
  if (option === undefined || option === false) return undefined;
  const options = option === true ? {} : option;
  const { serverNoContextTakeover = false, clientNoContextTakeover = false, threshold = DEFAULT_THRESHOLD } = options;
  const { serverMaxWindowBits = MAX_WINDOW_BITS, clientMaxWindowBits = MAX_WINDOW_BITS } = options;
  // The bare client_max_window_bits lets the server choose less.
  const header = [
    NAME,
    ...(serverNoContextTakeover ? ["server_no_context_takeover"] : []),
    ...(clientNoContextTakeover ? ["client_no_context_takeover"] : []),
    ...(serverMaxWindowBits < MAX_WINDOW_BITS ? [`server_max_window_bits=${serverMaxWindowBits}`] : []),
    clientMaxWindowBits < MAX_WINDOW_BITS ? `client_max_window_bits=${clientMaxWindowBits}` : "client_max_window_bits",
  ].join("; ");
  const asked = {
    serverNoContextTakeover,
    clientNoContextTakeover,
    serverMaxWindowBits,
    clientMaxWindowBits,
    threshold,
  };
  return { header, asked };
}

/**
 * Reads the server's answer.
 *
 * @param value The response's Sec-WebSocket-Extensions.
 * @returns What was agreed on, `undefined` if the server uses no extension, or a string that says why the handshake has
 * to fail (RFC 7692 5.1 and 7.1, RFC 6455 4.1).
 */
export function readDeflateAnswer(
  value: string | undefined,
  offer: DeflateOffer | undefined,
): DeflateParameters | undefined | string {
  const extensions = parseExtensions(value ?? "");
  if (extensions === undefined) return "the server's Sec-WebSocket-Extensions can't be parsed";
  const [extension, second] = extensions;
  if (extension === undefined) return undefined;
  if (offer === undefined || extension.name !== NAME) return "the server uses an extension that was not offered";
  if (second !== undefined) return "the server answers one offer with several extensions";
  return readParameters(extension.parameters, offer.asked);
}

type Parameter = readonly [name: string, value: string | undefined];

function readParameters(parameters: readonly Parameter[], asked: DeflateParameters): DeflateParameters | string {
  const seen = new Set<string>();
  const agreed = { ...asked };
  for (const [name, value] of parameters) {
    const refuse = (why: string): string => `the server's ${NAME} has the parameter ${JSON.stringify(name)} ${why}`;
    if (seen.has(name)) return refuse("twice");
    seen.add(name);
    switch (name) {
      case "server_no_context_takeover":
      case "client_no_context_takeover":
        if (value !== undefined) return refuse("with a value");
        if (name === "server_no_context_takeover") agreed.serverNoContextTakeover = true;
        else agreed.clientNoContextTakeover = true;
        break;
      case "server_max_window_bits":
      case "client_max_window_bits": {
        // RFC 7692 7.1.2: a decimal integer from 8 to 15 without leading zeros; in an answer it is never left out.
        if (value === undefined || !/^(?:[89]|1[0-5])$/.test(value)) return refuse("without a value from 8 to 15");
        const key = name === "server_max_window_bits" ? "serverMaxWindowBits" : "clientMaxWindowBits";
        if (Number(value) > asked[key]) return refuse(`with ${value}, more than the ${asked[key]} that were asked for`);
        agreed[key] = Number(value);
        break;
      }
      default:
        return refuse("which RFC 7692 does not know");
    }
  }
  // RFC 7692 7.1.1.1 and 7.1.2.1: a server accepts these by repeating them, or declines the whole offer. The client's
  // parameters are hints, which it follows itself.
  if (asked.serverNoContextTakeover && !seen.has("server_no_context_takeover")) {
    return "the server does not confirm server_no_context_takeover";
  }
  if (asked.serverMaxWindowBits < MAX_WINDOW_BITS && !seen.has("server_max_window_bits")) {
    return "the server does not confirm server_max_window_bits";
  }
  return agreed;
}

interface Extension {
  readonly name: string;
  readonly parameters: readonly Parameter[];
}

/** One parameter of RFC 6455 9.1 with the `;` before it. */
const PARAMETER = /[ \t]*;[ \t]*([^\s;,="]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;,="]+)))?/y;
/** The name of an extension, with commas of empty list members before it. */
const EXTENSION = /[ \t,]*([^\s;,="]+)/y;

/** Parses a value by the grammar of RFC 6455 9.1; `undefined` if it does not fit. */
function parseExtensions(value: string): Extension[] | undefined {
  const extensions: Extension[] = [];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(value);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (true) {
    const name = next(EXTENSION)?.[1];
    if (name === undefined) break;
    if (!isToken(name)) return undefined;
    const parameters: Parameter[] = [];
    for (let match = next(PARAMETER); match !== null; match = next(PARAMETER)) {
      const [, key = "", quoted, bare] = match;
      const parameter = quoted?.replace(/\\(.)/g, "$1") ?? bare;
      // RFC 6455 9.1: also a quoted value must be a token once it is unquoted.
      if (!isToken(key) || (parameter !== undefined && !isToken(parameter))) return undefined;
      parameters.push([key, parameter]);
    }
    extensions.push({ name, parameters });
    if (!/^[ \t]*(?:,|$)/.test(value.slice(at))) return undefined;
  }
  return /^[ \t,]*$/.test(value.slice(at)) ? extensions : undefined;
}
