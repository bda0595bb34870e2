/**
 * A server that sends small texts as fast as the client takes them until the client says "stop", and echoes all else.
 * Run by `native_messages_test.ts` as a process of its own, so that a client that hogs its process can't slow it down.
 * Prints its port; ends when it is killed.
 *
 * @module
 */

import { encodeText } from "../src/transport/native/mod.ts";
import { bytesOf } from "./frame_events.ts";
import { type Peer, TestServer } from "./native_server.ts";

const text = encodeText(JSON.stringify({ stream: "btcusdt@trade", data: "x".repeat(160) }), { mask: false });
const batch = bytesOf(...Array<Uint8Array>(500).fill(text));

async function serve(peer: Peer): Promise<void> {
  let flooding = false;
  const flood = (): void => {
    while (flooding && peer.socket.write(batch));
  };
  peer.socket.on("drain", flood);
  for (let event = await peer.next(); event[0] !== "end"; event = await peer.next()) {
    if (event[0] !== "text") continue;
    if (event[1] === "flood" || event[1] === "stop") {
      flooding = event[1] === "flood";
      flood();
    } else peer.send(encodeText(event[1], { mask: false }));
  }
}

const server = await TestServer.start();
console.log(server.port);
while (true) serve(await server.peer());
