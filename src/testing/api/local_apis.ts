/**
 * The WebSocket APIs of an exchange with all that belongs to them.
 *
 * @module
 */

import { AccountHandle } from "./account_handle.ts";
import { ApiPanel } from "./api_panel.ts";
import { type ApiHost, ApiService } from "./api_service.ts";
import type { LocalAccount, LocalAccountOptions } from "./local_account.ts";
import { RestDesk } from "./rest.ts";

/** The APIs, the REST endpoints, and what their user can do. */
export class LocalApis {
  readonly service: ApiService;
  readonly rest: RestDesk;
  readonly panel: ApiPanel;

  /** Creates APIs without accounts. */
  constructor(host: ApiHost) {
    this.service = new ApiService(host);
    this.rest = new RestDesk(this.service, host.clock);
    this.panel = new ApiPanel(this.service, this.rest);
  }

  /** Creates an account. */
  account(options: LocalAccountOptions): LocalAccount {
    return new AccountHandle(this.service, options);
  }

  /** Forgets all timers. */
  close(): void {
    this.service.close();
    this.rest.close();
  }
}
