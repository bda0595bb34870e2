/**
 * How each library opens a connection: the little that a benchmark needs, alike for all of them.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import type { WebSocketLibrary } from "../../src/transport/mod.ts";

/** An open connection. */
export interface Line {
  /** Sends a text message. */
  send(text: string): void;
}

/** Opens a connection; `ca` is a certificate (PEM) to trust. */
export type Dial = (url: string, onText: (text: string) => void, ca: string) => Promise<Line>;

/** What we use of npm `ws`; its types are not installed. */
interface WsModule {
  readonly WebSocket: new (url: string, options: { ca: string; perMessageDeflate: false }) => WsSocket;
}

interface WsSocket {
  on(event: "open", listener: () => void): void;
  on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  send(text: string): void;
}

/** What we use of `undici`, which may not be installed. */
interface UndiciModule {
  readonly WebSocket: new (url: string, options: { dispatcher: unknown }) => WebSocket;
  readonly Agent: new (options: { connect: { ca: string } }) => unknown;
}

function ours(library: WebSocketLibrary): Dial {
  return async (url, onText, ca) => {
    // Here, so that the others run on runtimes that are too old for it.
    const { openConnection } = await import("../../src/transport/mod.ts");
    const options = url.startsWith("wss:") ? { tls: { ca: [ca] } } : {};
    return await openConnection(library, url, { onText, onClose: () => {} }, options);
  };
}

/**
 * Messages come as a Buffer and are made a string, because that is what all others hand out. Imported by its file: for
 * the name "ws", Bun puts its own WebSocket in the place of the package.
 */
const ws: Dial = async (url, onText, ca) => {
  const file = new URL("../../node_modules/ws/wrapper.mjs", import.meta.url).href;
  const { WebSocket }: WsModule = await import(file);
  const socket = new WebSocket(url, { ca, perMessageDeflate: false });
  socket.on("message", (data) => onText(data.toString()));
  await new Promise<void>((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
  });
  return socket;
};

const undici: Dial = async (url, onText, ca) => {
  // Not a literal, so that nobody needs it to check the types.
  const name = "undici";
  const { WebSocket, Agent }: UndiciModule = await import(name);
  const socket = new WebSocket(url, { dispatcher: new Agent({ connect: { ca } }) });
  socket.onmessage = ({ data }) => onText(data);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`undici can't open ${url}`));
  });
  return socket;
};

/** The libraries for JavaScript. */
export const dials: Readonly<Record<string, Dial>> = { builtin: ours("builtin"), native: ours("native"), ws, undici };
