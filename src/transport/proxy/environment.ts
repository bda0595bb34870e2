/**
 * Which proxy the environment names for a URL: the rules of `proxy: "env"`, the same for both libraries.
 *
 * @module
 */

import { InvalidOptionsError, InvalidProxyUrlError } from "../../base/mod.ts";
import { isExcepted } from "./no_proxy.ts";
import { parseProxyUrl, type ProxyUrl } from "./proxy_url.ts";

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that are asked for each kind of URL, the most special first. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  "wss:": ["wss_proxy", "https_proxy", "all_proxy"],
  "https:": ["https_proxy", "all_proxy"],
  "ws:": ["ws_proxy", "http_proxy", "all_proxy"],
  "http:": ["http_proxy", "all_proxy"],
};

/** The names of all variables that are read, in lower and in upper case. */
export const proxyVariables: readonly string[] = [...new Set(Object.values(VARIABLES).flat()), "no_proxy"].flatMap((
  name,
) => [name, name.toUpperCase()]);

/** The proxy of the environment for one URL. */
export interface EnvironmentProxy {
  /** The variable that names it. */
  readonly variable: string;
  /** Its URL, with the credentials. */
  readonly url: string;
  /** The same, parsed. */
  readonly proxy: ProxyUrl;
}

/** The first of a name's spellings that has a value; an empty value counts as none. */
function valueOf(name: string, environment: Environment): readonly [variable: string, value: string] | undefined {
  for (const variable of [name, name.toUpperCase()]) {
    const value = environment[variable]?.trim();
    if (value) return [variable, value];
  }
  return undefined;
}

/**
 * The proxy that the environment names for `target`: for wss:// `wss_proxy`, `https_proxy` or `all_proxy`, for ws://
 * `ws_proxy`, `http_proxy` or `all_proxy`, each in lower case before upper case, unless `no_proxy` excepts the host.
 *
 * @throws {InvalidProxyUrlError} if the variable's value can't be used; the message names the variable.
 */
export function environmentProxy(target: URL, environment: Environment): EnvironmentProxy | undefined {
  if (isExcepted(target, valueOf("no_proxy", environment)?.[1] ?? "")) return undefined;
  for (const name of VARIABLES[target.protocol] ?? []) {
    const found = valueOf(name, environment);
    if (found === undefined) continue;
    const [variable, value] = found;
    const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
    try {
      return { variable, url, proxy: parseProxyUrl(url) };
    } catch (error) {
      if (!(error instanceof InvalidProxyUrlError)) throw error;
      const why = error.message.replace(/^Cannot/, "cannot");
      throw new InvalidProxyUrlError(`Cannot take the proxy from the environment variable ${variable}: ${why}`);
    }
  }
  return undefined;
}

/**
 * The proxy that `setting`, the option `proxy`, means for `target`.
 *
 * @throws {InvalidProxyUrlError} if it can't be used.
 */
export function proxyFor(
  setting: string | undefined,
  target: URL,
  environment: () => Environment = readEnvironment,
): ProxyUrl | undefined {
  if (setting === undefined) return undefined;
  return setting === "env" ? environmentProxy(target, environment())?.proxy : parseProxyUrl(setting);
}

/** What is used of the runtimes' globals; absent where there is no environment. */
interface EnvironmentGlobals {
  process?: { env?: Environment };
}

/**
 * Reads the variables that name proxies; there are none where a runtime has no environment.
 *
 * @throws {InvalidOptionsError} if this process is not allowed to read them.
 */
export function readEnvironment(): Environment {
  const { process } = globalThis as EnvironmentGlobals; // the cast: not every runtime has it
  try {
    return Object.fromEntries(proxyVariables.map((name) => [name, process?.env?.[name]]));
  } catch (cause) {
    throw new InvalidOptionsError(
      'Cannot use `proxy: "env"`: this process may not read the environment; expected the permission ' +
        `--allow-env=${proxyVariables.join(",")}`,
      { path: "proxy", cause },
    );
  }
}
