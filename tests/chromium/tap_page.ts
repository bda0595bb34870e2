/**
 * A page that is a client of a tap in every way that pages can be. Tests call `globalThis.tapPage`, and read what it has.
 *
 * @module
 */

/** What a page got by EventSource. */
export interface PageEvent {
  /** `"message"` if it has no other name. */
  readonly name: string;
  /** The id that the browser comes back with. */
  readonly id: string;
  // What JSON says.
  readonly data: Record<string, unknown>;
}

/** What tests call. */
export interface TapPage {
  /** What came by EventSource so far. */
  readonly events: readonly PageEvent[];
  /** How often the EventSource was open so far. */
  readonly opened: number;
  /** The state of the EventSource: 0 connects (again), 1 is open, 2 has given up. */
  readonly readyState: number | undefined;
  /** Opens an EventSource. */
  listen(url: string): void;
  /** The first line of NDJSON that is a message, asked for with a token in a header; or why there is none within 10 s. */
  fetchMessage(url: string, token: string): Promise<string>;
  /** The first message of a WebSocket; or the code that it was closed with; or that there is nothing within 10 s. */
  receiveMessage(url: string): Promise<string>;
}

/** How long in ms a page waits for a message. */
const PATIENCE_MS = 10_000;

class Page implements TapPage {
  readonly events: PageEvent[] = [];
  opened = 0;
  #source: EventSource | undefined;

  get readyState(): number | undefined {
    return this.#source?.readyState;
  }

  listen(url: string): void {
    const source = this.#source = new EventSource(url);
    source.addEventListener("open", () => void this.opened++);
    for (const name of ["message", "signal", "dropped"]) {
      source.addEventListener(name, (event) => {
        const { lastEventId, data }: MessageEvent<string> = event;
        this.events.push({ name, id: lastEventId, data: JSON.parse(data) });
      });
    }
  }

  async fetchMessage(url: string, token: string): Promise<string> {
    const abort = new AbortController();
    setTimeout(() => abort.abort("nothing"), PATIENCE_MS);
    try {
      const headers = { accept: "application/x-ndjson", authorization: `Bearer ${token}` };
      const { ok, status, body } = await fetch(url, { headers, signal: abort.signal });
      if (!ok || body === null) return `status ${status}`;
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (true) {
        const { done, value } = await reader.read();
        if (done) return "ended";
        text += value;
        const message = text.split("\n").slice(0, -1).find((line) =>
          line.includes('"stream"') && !line.includes("event")
        );
        if (message !== undefined) return message;
      }
    } catch (error) {
      return String(error);
    } finally {
      abort.abort();
    }
  }

  receiveMessage(url: string): Promise<string> {
    const socket = new WebSocket(url);
    return new Promise((resolve) => {
      socket.onmessage = ({ data }: MessageEvent<string>) => {
        if (data.includes('"event"')) return;
        resolve(data);
        socket.close();
      };
      socket.onclose = ({ code }) => resolve(`closed with ${code}`);
      setTimeout(() => resolve("nothing"), PATIENCE_MS);
    });
  }
}

Object.assign(globalThis, { tapPage: new Page() });
