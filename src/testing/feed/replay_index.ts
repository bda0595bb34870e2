/**
 * A recording made ready to be served: which stream each row belongs to, and its frames.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { encodeFrame, Opcode } from "../../transport/native/mod.ts";
import { scanJson } from "../json_scanner.ts";
import type { Recording } from "../recording.ts";

/** A recorded message of a stream. */
export interface ReplayRow {
  /** Time in ms since the recording's first row. */
  readonly at: number;
  readonly stream: string;
  /** Number of the row among those of its stream, from 0. */
  readonly n: number;
  /** The frame as it was recorded. */
  readonly combined: Uint8Array;
  /** A frame with the inner data only, cut out of the text. */
  readonly raw: Uint8Array;
}

/** Text rows with `stream` and `data`, in their order; all others belong to no stream. */
export function indexRecording(recording: Recording): ReplayRow[] {
  const start = recording.rows[0]?.t ?? 0;
  const rows: ReplayRow[] = [];
  const counts = new Map<string, number>();
  for (const row of recording.rows) {
    if (!("text" in row) || "http" in row) continue;
    const text = Buffer.from(row.text);
    const parts = partsOf(text);
    if (parts === undefined) continue;
    const n = counts.get(parts.stream) ?? 0;
    counts.set(parts.stream, n + 1);
    rows.push({
      n,
      at: row.t - start,
      stream: parts.stream,
      combined: encodeFrame(Opcode.Text, text, { mask: false }),
      raw: encodeFrame(Opcode.Text, parts.data, { mask: false }),
    });
  }
  return rows;
}

function partsOf(text: Buffer): { stream: string; data: Uint8Array } | undefined {
  let members: ReadonlyMap<string, readonly [number, number]>;
  try {
    ({ members } = scanJson(text));
  } catch {
    return undefined;
  }
  const stream = members.get("stream");
  const data = members.get("data");
  if (stream === undefined || data === undefined) return undefined;
  const name: unknown = JSON.parse(text.toString("utf8", ...stream));
  return typeof name === "string" ? { stream: name, data: text.subarray(...data) } : undefined;
}
