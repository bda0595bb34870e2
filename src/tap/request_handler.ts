/**
 * From a request to the answer of a tap.
 *
 * @module
 */

import { TapRefusedError } from "../base/mod.ts";
import { Origins, TokenCheck } from "./access.ts";
import type { TapOptions } from "./options.ts";
import { refusal } from "./refusal.ts";
import type { TapService } from "./service.ts";
import { clientOptionsOf, formatOf, parametersOf } from "./tap_request.ts";
import { checkHandshake, upgradeOf } from "./upgrade.ts";

const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "Authorization, Last-Event-ID",
  "access-control-max-age": "86400",
};

/** For requests without a host, as HTTP/1.0 allows: only the path and the query of a URL count. */
const NO_HOST = "http://localhost";

function urlOf({ url }: Request): URL {
  if (URL.canParse(url, NO_HOST)) return new URL(url, NO_HOST);
  throw new TapRefusedError(400, "INVALID_URL", "Cannot read the URL of this request: expected a valid `Host`");
}

/** Answers requests. */
export class RequestHandler {
  readonly #service: TapService;
  readonly #options: TapOptions;
  readonly #tokens: TokenCheck | undefined;
  readonly #origins: Origins;
  #refused = 0;

  constructor(service: TapService, options: TapOptions) {
    const { token, cors = [] } = options;
    this.#service = service;
    this.#options = options;
    this.#tokens = token === undefined ? undefined : new TokenCheck([token].flat());
    this.#origins = new Origins([cors].flat());
  }

  /** Requests that were refused. */
  get refused(): number {
    return this.#refused;
  }

  /** Answers a request; what can't be served is an answer too. */
  async handle(request: Request, server: unknown): Promise<Response> {
    const headers = this.#origins.headersFor(request);
    try {
      return await this.#serve(request, server, headers);
    } catch (error) {
      if (!(error instanceof TapRefusedError)) throw error;
      this.#refused++;
      return refusal(error, headers);
    }
  }

  async #serve(request: Request, server: unknown, headers: Readonly<Record<string, string>>): Promise<Response> {
    if (request.method === "OPTIONS") {
      return new Response(null, { status: 204, headers: { ...headers, ...PREFLIGHT_HEADERS } });
    }
    if (request.method !== "GET") {
      throw new TapRefusedError(405, "METHOD_NOT_ALLOWED", `Cannot ${request.method} a tap: expected GET`);
    }
    const url = urlOf(request);
    const parameters = parametersOf(url);
    await this.#tokens?.check(request, parameters);
    const format = formatOf(request, parameters);
    const wanted = clientOptionsOf(request, parameters);
    if (format !== "websocket") return this.#service.respond(this.#service.admit(wanted), format, headers);
    checkHandshake(request);
    this.#origins.check(request, url);
    const upgrade = upgradeOf(this.#options.upgrade, server);
    const isBatched = parameters.get("format") === "ndjson";
    const client = this.#service.socketClient(this.#service.admit(wanted), isBatched ? "ndjson" : "json");
    try {
      return upgrade(request, client);
    } catch (error) {
      client.closed();
      throw error;
    }
  }
}
