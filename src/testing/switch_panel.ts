/**
 * The switches of an exchange that concern no connection that is open: what they set is looked at when it matters.
 *
 * @module
 */

import type { DataFault, DisturbOptions, RefusalOptions } from "./fault_options.ts";
import { type Switches, switchesOff } from "./switches.ts";

/** The part of `LocalExchange` that only turns switches; its docstrings are there. */
export class SwitchPanel {
  /** What the connections look at. */
  protected readonly switches: Switches = switchesOff();

  refuseConnections(status: number | undefined, options: RefusalOptions = {}): void {
    if (status === undefined) return void (this.switches.refusals = undefined);
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new RangeError(`Cannot refuse connections with the status ${status}: expected 200 to 599`);
    }
    const { headers = {}, body = "", count = Infinity } = options;
    this.switches.refusals = { status, headers, body, left: count };
  }

  ignoreHandshakes(on: boolean): void {
    this.switches.ignoreHandshakes = on;
  }

  ignorePings(on: boolean): void {
    this.switches.ignorePings = on;
  }

  ignoreClose(on: boolean): void {
    this.switches.ignoreClose = on;
  }

  silenceAcks(on: boolean): void {
    this.switches.silenceAcks = on;
  }

  dropAcks(count: number): void {
    this.switches.acksToDrop = count;
  }

  delayAcks(ms: number): void {
    this.switches.ackDelayMs = ms;
  }

  rejectControl(error: { readonly code: number; readonly msg: string } | undefined): void {
    this.switches.controlError = error;
  }

  ignoreSubscriptions(count: number): void {
    this.switches.subscriptionsToIgnore = count;
  }

  muteStreams(streams: Iterable<string> | undefined): void {
    this.switches.data.muted = new Set(streams ?? []);
  }

  disturbData(fault: DataFault, options: DisturbOptions = {}): void {
    const { count = 1 } = options;
    if (!Number.isInteger(count) || count < 1) {
      throw new RangeError(`Cannot disturb ${count} messages: expected an integer that is at least 1`);
    }
    this.switches.data.add(fault, options);
  }
}
