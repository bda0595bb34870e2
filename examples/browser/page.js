// @ts-check
/// <reference lib="dom" />

/**
 * A live order book and trades, from a tap: see `server.ts`.
 *
 * @module
 */

import { TapSource } from "./tap_source.js";
import { BookView, count, element, log, TradesView } from "./views.js";

const BOOK = "btcusdt@depth20@100ms";
const TRADES = "btcusdt@trade";
/** More books a second than anybody can read are not sent. */
const CONFLATE_MS = 250;

const STATES = {
  connecting: "connecting",
  live: "live",
  reconnecting: "connection lost, reconnecting",
  waiting: "no answer, trying again",
};

const book = new BookView();
const trades = new TradesView();
let messages = 0;
let messagesBefore = 0;
let connects = 0;
let dropped = 0;
let isDroppedExact = true;
let missed = 0;
/** @type {number | undefined} */
let lastTrade;
let lastEventId = "";

/** @param {{ t: number, p: string, q: string, T: number, m: boolean }} trade */
function takeTrade(trade) {
  // The exchange numbers the trades of a market without a gap; a local one begins anew when it is restarted.
  if (lastTrade !== undefined && trade.t > lastTrade + 1) missed += trade.t - lastTrade - 1;
  lastTrade = trade.t;
  trades.show(trade);
}

/** @param {{ type: string, stream?: string, missed?: number | null }} signal */
function takeSignal({ type, stream, missed }) {
  if (type === "CONNECT") showUpstream("connected");
  if (type === "DISCONNECT" || type === "STREAM_UNREPAIRABLE" || type === "STOP") showUpstream("lost");
  const details = [stream, missed == null ? undefined : `${count(missed)} missed`].filter(Boolean).join(", ");
  log(`${type}${details === "" ? "" : `: ${details}`}`);
}

/** @param {"connected" | "lost" | "unknown"} state */
function showUpstream(state) {
  const upstream = element("upstream");
  if (upstream.dataset.state === state) return;
  upstream.dataset.state = state;
  upstream.textContent = state === "lost" ? "connection lost" : state;
}

/** @type {keyof typeof STATES} */
let lastState = "connecting";

new TapSource(`tap?streams=${BOOK},${TRADES}&conflateMs=${CONFLATE_MS}`, {
  onState(state, waitMs) {
    const connection = element("connection");
    connection.dataset.state = state;
    connection.textContent = STATES[state];
    if (state === "live") log(++connects === 1 ? "connected to the tap" : "connected to the tap again");
    else showUpstream("unknown");
    if (lastState === "live" && state === "reconnecting") log("connection to the tap lost");
    if (state === "waiting") log(`no answer from the tap, trying again in ${(waitMs / 1_000).toFixed(1)} s`);
    lastState = state;
  },
  onMessage(stream, data, id) {
    messages++;
    lastEventId = id;
    if (stream === BOOK) book.show(data);
    else if (stream === TRADES) takeTrade(data);
    // A page that comes later has not seen how the tap connected. Books may be those that the tap keeps for newcomers.
    if (stream === TRADES && element("upstream").dataset.state === "unknown") showUpstream("connected");
  },
  onSignal: takeSignal,
  onDropped(events) {
    if (events === null) isDroppedExact = false;
    else dropped += events;
    log(events === null ? "events dropped, nobody knows how many" : `${count(events)} events dropped`);
  },
});

function drawCounters() {
  element("messages").textContent = count(messages);
  element("connects").textContent = count(connects);
  element("last-event-id").textContent = lastEventId || "–";
  element("dropped").textContent = count(dropped) + (isDroppedExact ? "" : " + unknown");
  element("dropped").dataset.alarm = String(dropped > 0 || !isDroppedExact);
  element("missed").textContent = count(missed);
  element("missed").dataset.alarm = String(missed > 0);
}

setInterval(drawCounters, 250);
setInterval(() => {
  element("rate").textContent = count(messages - messagesBefore);
  messagesBefore = messages;
}, 1_000);
