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
const STREAMS = [BOOK, TRADES];
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
/** @type {{ t: number, T: number } | undefined} */
let lastTrade;
let lastEventId = "";
/** @type {keyof typeof STATES} */
let state = "connecting";
/** The streams whose connection to the exchange is there, and lost, as far as the tap has told. */
const connected = new Set();
const lost = new Set();

/** @param {{ t: number, p: string, q: string, T: number, m: boolean }} trade */
function takeTrade(trade) {
  // After a loss, the tap begins with the newest one, which may be the one that was here last.
  if (trade.t === lastTrade?.t && trade.T === lastTrade.T) return;
  // The exchange numbers the trades of a market without a gap; a local one begins anew when it is restarted.
  if (lastTrade !== undefined && trade.t > lastTrade.t + 1) missed += trade.t - lastTrade.t - 1;
  lastTrade = trade;
  trades.show(trade);
}

/** @param {{ type: string, stream?: string, streams?: string[], missed?: number | null }} signal */
function takeSignal({ type, stream, streams = STREAMS, missed }) {
  switch (type) {
    case "CONNECT":
      return follow(connected, lost, streams, "connected to the exchange");
    case "DISCONNECT":
      return follow(lost, connected, streams, "connection to the exchange lost");
    case "STREAM_UNREPAIRABLE":
      return follow(lost, connected, STREAMS, "connection to the exchange lost, the tap tries again later");
    case "STOP":
      return follow(lost, connected, STREAMS, "the tap's stream was stopped");
    case "GAP":
      return log(`the exchange's ${stream}: ${missed == null ? "some" : count(missed)} missed`);
    default:
      log(`${type}: ${stream ?? streams.join(", ")}`);
  }
}

/**
 * Streams are connected now, or lost now.
 *
 * @param {Set<string>} now
 * @param {Set<string>} before
 * @param {string[]} streams
 * @param {string} text
 */
function follow(now, before, streams, text) {
  const news = streams.filter((stream) => !now.has(stream));
  for (const stream of streams) {
    now.add(stream);
    before.delete(stream);
  }
  drawUpstream();
  if (news.length > 0) log(news.length === STREAMS.length ? text : `${text}: ${news.join(", ")}`);
}

/** What the tap has told before holds no longer. */
function forgetUpstream() {
  connected.clear();
  lost.clear();
}

function drawUpstream() {
  const upstream = element("upstream");
  const isKnown = state === "live" && connected.size + lost.size > 0;
  const now = !isKnown ? "unknown" : lost.size > 0 ? "lost" : "connected";
  if (upstream.dataset.state === now) return;
  upstream.dataset.state = now;
  upstream.textContent = now === "lost" ? "connection lost" : now;
}

new TapSource(`tap?streams=${STREAMS}&conflateMs=${CONFLATE_MS}`, {
  onState(newState, waitMs) {
    const connection = element("connection");
    connection.dataset.state = newState;
    connection.textContent = STATES[newState];
    if (newState === "live") log(++connects === 1 ? "connected to the tap" : "connected to the tap again");
    if (newState === "waiting") log(`no answer from the tap, trying again in ${(waitMs / 1_000).toFixed(1)} s`);
    if (newState === "connecting" && state === "live") log("nothing from the tap for long, connecting anew");
    if (newState === "reconnecting" && state === "live") log("connection to the tap lost");
    state = newState;
    // Who comes back with an id is told what has changed; who has none is told only what is lost.
    if (state === "live" && lastEventId === "") forgetUpstream();
    drawUpstream();
  },
  onMessage(stream, data, id) {
    messages++;
    lastEventId = id || lastEventId;
    if (stream === BOOK) book.show(data);
    else if (stream === TRADES) takeTrade(data);
    // Who comes later has not seen how the tap connected, and is told at once if the connection is lost.
    if (!lost.has(stream) && !connected.has(stream)) {
      connected.add(stream);
      drawUpstream();
    }
  },
  onSignal(signal, id) {
    lastEventId = id || lastEventId;
    takeSignal(signal);
  },
  onDropped(events) {
    forgetUpstream();
    if (events === null) isDroppedExact = false;
    else dropped += events;
    log(events === null ? "events dropped, nobody knows how many" : `${count(events)} events dropped`);
  },
});

function drawCounters() {
  element("messages").textContent = count(messages);
  element("connects").textContent = count(connects);
  element("last-event-id").textContent = lastEventId || "–";
  element("dropped").textContent = isDroppedExact
    ? count(dropped)
    : dropped === 0
    ? "unknown"
    : `${count(dropped)} + unknown`;
  element("dropped").dataset.alarm = String(dropped > 0 || !isDroppedExact);
  element("missed").textContent = count(missed);
  element("missed").dataset.alarm = String(missed > 0);
}

setInterval(drawCounters, 250);
setInterval(() => {
  element("rate").textContent = count(messages - messagesBefore);
  messagesBefore = messages;
}, 1_000);
