/**
 * All clients of the tap's benchmark in one process, on Bun's raw sockets: they check every event and are cheap enough to
 * leave a core to the tap.
 *
 * What makes them cheap: clients at the same place of a feed get the same bytes. A chunk that equals, byte for byte, one
 * that was read a moment ago has the same events in it, and is not read again.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import { answer, ownUsage, type Usage } from "./asking.ts";
import { nowMicros } from "./clock.ts";
import { arePlain, readEvents } from "./events.ts";
import { ChunkedFraming, type Framing, WebSocketFraming } from "./framing.ts";
import { Histogram, type Quantiles } from "./histogram.ts";
import { Ledger, type Piece } from "./ledger.ts";
import { DIRECT_PATH, STREAM } from "./upstream.ts";

/** How a client is answered. */
export type ClientFormat = "sse" | "ndjson" | "websocket" | "websocket-lines";

/** What the process is started with. */
export interface ClientsSettings {
  readonly tapPort: number;
  readonly upstreamPort: number;
  readonly format: ClientFormat;
}

/** What it says about itself. */
export interface ClientsReport extends Usage {
  /** Clients that are connected and read. */
  readonly connected: number;
  /** Trades that all of them have got since the last `begin`. */
  readonly trades: number;
  /** Events that the tap said it had dropped, and signals, since the beginning. */
  readonly dropped: number;
  readonly signals: number;
  /** Clients that have every trade from their first one to the last that the direct subscriber has, in order. */
  readonly complete: number;
  /** How often a client left and came back. */
  readonly returns: number;
  /** What was wrong with some of the others. */
  readonly problems: readonly string[];
  /** From the moment at which the exchange has sent a trade, in µs: since the last `begin`, of all clients. */
  readonly latency: Quantiles;
  /** The same for one that is connected to the exchange itself. */
  readonly direct: Quantiles;
  /** Reads of all of them since the last `begin`. */
  readonly reads: number;
  /** Part of them that brought the same bytes as one before. */
  readonly known: number;
}

/** What is used of a socket of Bun's. */
interface Socket {
  readonly data: Client;
  write(bytes: string | Uint8Array): number;
  pause(): void;
  terminate(): void;
}

interface Handlers {
  data(socket: Socket, chunk: Buffer): void;
  close(socket: Socket): void;
  error(socket: Socket, error: Error): void;
}

/** The cast: a global of that name is Bun's. */
const { Bun } = globalThis as {
  readonly Bun?: {
    connect(options: { hostname: string; port: number; data: Client; socket: Handlers }): Promise<Socket>;
  };
};

interface KnownChunk {
  readonly bytes: Buffer;
  readonly piece: Piece;
}

/** How many chunks are remembered: of a flush there is one, and of those before it what slower clients still get. */
const REMEMBERED = 8;
/** Connections that are opened at a time. */
const OPENED_AT_ONCE = 32;

/** A connection that is read, closed and opened again. */
class Client {
  readonly ledger = new Ledger();
  readonly latency: Histogram;
  readonly #terminator: "\n" | "\n\n";
  readonly #path: string;
  readonly #isSocket: boolean;
  #framing: Framing | undefined;
  #socket: Socket | undefined;
  #head = "";
  #text = "";
  #known: (KnownChunk | undefined)[];
  #connected: (() => void) | undefined;

  constructor(path: string, format: ClientFormat, known: (KnownChunk | undefined)[], latency: Histogram) {
    this.#path = path;
    this.#isSocket = format.startsWith("websocket");
    this.#terminator = format === "sse" ? "\n\n" : "\n";
    this.#known = known;
    this.latency = latency;
  }

  /** Asks for the stream; from behind the last event that it has, if it has any. */
  async connect(port: number, lastEventId: string, isReading: boolean): Promise<void> {
    if (Bun === undefined) throw new Error("Cannot connect: expected to run on Bun");
    this.#framing = undefined;
    this.#head = this.#text = "";
    const answered = new Promise<void>((resolve) => this.#connected = resolve);
    const socket = this.#socket = await Bun.connect({ hostname: "127.0.0.1", port, data: this, socket: handlers });
    if (!isReading) socket.pause();
    const resume = lastEventId === "" ? "" : `Last-Event-ID: ${lastEventId}\r\n`;
    const upgrade = this.#isSocket
      ? "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      : "";
    socket.write(`GET ${this.#path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${upgrade}${resume}\r\n`);
    if (isReading) await answered;
  }

  /** Goes away without a word. */
  disconnect(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }

  isOf(socket: Socket): boolean {
    return this.#socket === socket;
  }

  /** It was closed by the other side. */
  lost(socket: Socket, why: string): void {
    if (this.isOf(socket)) this.ledger.problem ??= why;
    this.#connected?.();
  }

  read(socket: Socket, chunk: Buffer): void {
    if (!this.isOf(socket)) return;
    const now = nowMicros();
    if (this.#framing === undefined) {
      const rest = this.#readHead(socket, chunk);
      if (rest !== undefined && rest.length > 0) this.#take(this.#read(rest), now);
      return;
    }
    const known = this.#framing.isBetween && this.#text === "" ? this.#find(chunk) : undefined;
    counters.chunks++;
    if (known === undefined) return this.#take(this.#readAndRemember(chunk), now);
    counters.known++;
    this.#take(known, now);
  }

  #find(chunk: Buffer): Piece | undefined {
    for (const known of this.#known) {
      if (known !== undefined && known.bytes.length === chunk.length && known.bytes.equals(chunk)) return known.piece;
    }
    return undefined;
  }

  #readAndRemember(chunk: Buffer): Piece {
    const wasBetween = this.#framing?.isBetween === true && this.#text === "";
    const piece = this.#read(chunk);
    // What neither begins nor ends within an event means the same for everybody.
    if (wasBetween && this.#framing?.isBetween === true && this.#text === "") {
      this.#known[counters.remembered++ % REMEMBERED] = { bytes: chunk, piece };
    }
    return piece;
  }

  #read(chunk: Buffer): Piece {
    const text = this.#text + (this.#framing?.read(chunk) ?? "");
    const events = readEvents(text, this.#terminator);
    this.#text = text.slice(events.end);
    if (events.epoch !== "") epoch = events.epoch;
    return { ...events, isPlain: arePlain(events) };
  }

  #take(piece: Piece, now: number): void {
    this.ledger.take(piece);
    for (let index = 0; index < piece.times.length; index++) {
      // Those that are no trades have no time.
      if ((piece.trades[index] ?? -1) >= 0) this.latency.add(now - (piece.times[index] ?? 0));
    }
  }

  #readHead(socket: Socket, chunk: Buffer): Buffer | undefined {
    this.#head += chunk.toString("latin1");
    const end = this.#head.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const head = this.#head.slice(0, end);
    const expected = this.#isSocket ? " 101 " : " 200 ";
    if (!head.slice(0, 16).includes(expected)) throw new Error(`The tap has answered: ${this.#head.slice(0, 300)}`);
    if (this.#isSocket) this.#framing = new WebSocketFraming((payload) => pong(socket, payload));
    else if (/^transfer-encoding: *chunked/im.test(head)) this.#framing = new ChunkedFraming();
    else throw new Error(`The tap's response is not chunked: ${head}`);
    this.#connected?.();
    return Buffer.from(this.#head.slice(end + 4), "latin1");
  }
}

/** Masked with zeros. */
function pong(socket: Socket, payload: Buffer): void {
  socket.write(Buffer.concat([Buffer.from([0x8a, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
}

const handlers: Handlers = {
  data: (socket, chunk) => socket.data.read(socket, chunk),
  close: (socket) => socket.data.lost(socket, "the connection was closed"),
  error: (socket, error) => socket.data.lost(socket, error.message),
};
const counters = { chunks: 0, known: 0, remembered: 0 };
let epoch = "";

/** The clients and what can be done with them. */
class Clients {
  readonly #settings: ClientsSettings;
  readonly #path: string;
  readonly #latency = new Histogram();
  readonly #known: KnownChunk[] = [];
  readonly #clients: Client[] = [];
  readonly #stuck: Client[] = [];
  readonly #direct = new Client(`${DIRECT_PATH}`, "websocket", [], new Histogram());
  #tradesBefore = 0;
  #returns = 0;
  #next = 0;
  #churn: ReturnType<typeof setInterval> | undefined;

  constructor(settings: ClientsSettings) {
    this.#settings = settings;
    this.#path = `/?streams=${STREAM}${/ndjson|lines/.test(settings.format) ? "&format=ndjson" : ""}`;
  }

  /** Adds clients that read, or that never do. */
  async open(count: number, isReading: boolean): Promise<void> {
    const { tapPort, upstreamPort, format } = this.#settings;
    if (!this.#direct.ledger.trades) await this.#direct.connect(upstreamPort, "", true);
    const open = async () => {
      while (count-- > 0) {
        const client = new Client(this.#path, format, this.#known, this.#latency);
        (isReading ? this.#clients : this.#stuck).push(client);
        await client.connect(tapPort, "", isReading);
      }
    };
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, open));
  }

  /** From now on so many a second go away and come back for what they have missed. */
  churn(perSecond: number): void {
    if (perSecond === 0) return clearInterval(this.#churn);
    this.#churn = setInterval(() => {
      const client = this.#clients[this.#next++ % this.#clients.length];
      if (client === undefined || client.ledger.lastNumber === 0) return;
      client.disconnect();
      this.#returns++;
      void client.connect(this.#settings.tapPort, `${epoch}-${client.ledger.lastNumber}`, true);
    }, 1000 / perSecond);
  }

  /** Forgets what was measured. */
  begin(): void {
    this.#latency.clear();
    this.#direct.latency.clear();
    this.#tradesBefore = this.#trades;
    counters.chunks = counters.known = 0;
  }

  /** Closes all connections to the tap. */
  close(): void {
    for (const client of [...this.#clients, ...this.#stuck]) client.disconnect();
  }

  get report(): ClientsReport {
    const ledgers = this.#clients.map(({ ledger }) => ledger);
    const last = this.#direct.ledger.lastTrade;
    const incomplete = ledgers.filter(({ problem, dropped, lastTrade }) =>
      problem !== undefined || dropped > 0 || lastTrade !== last
    );
    return {
      ...ownUsage(),
      connected: ledgers.length,
      trades: this.#trades - this.#tradesBefore,
      dropped: ledgers.reduce((sum, { dropped }) => sum + dropped, 0),
      signals: ledgers.reduce((sum, { signals }) => sum + signals, 0),
      complete: ledgers.length - incomplete.length,
      returns: this.#returns,
      problems: [
        ...(this.#direct.ledger.problem === undefined ? [] : [`direct: ${this.#direct.ledger.problem}`]),
        ...incomplete.slice(0, 3).map(({ problem, dropped, lastTrade }) =>
          problem ?? (dropped > 0 ? `${dropped} events were dropped` : `trade ${lastTrade} was the last of ${last}`)
        ),
      ],
      latency: this.#latency.quantiles,
      direct: this.#direct.latency.quantiles,
      reads: counters.chunks,
      known: counters.known / Math.max(1, counters.chunks),
    };
  }

  get #trades(): number {
    return this.#clients.reduce((sum, { ledger }) => sum + ledger.trades, 0);
  }
}

if (import.meta.main) {
  const clients = new Clients(JSON.parse(process.argv[2] ?? "{}"));
  await answer({}, async ({ ask, count }): Promise<ClientsReport> => {
    if (ask === "open") await clients.open(Number(count), true);
    else if (ask === "open stuck") await clients.open(Number(count), false);
    else if (ask === "churn") clients.churn(Number(count));
    else if (ask === "begin") clients.begin();
    else if (ask === "close") clients.close();
    return clients.report;
  });
  process.exit(0);
}
