/**
 * What a measurement is: its order, as a client process gets it, and its result, as a client process prints it.
 *
 * @module
 */

/** What is measured. */
export type Mode = "transport" | "manager" | "echo" | "idle" | "bare";
/** How the server writes: about 100 KB of frames at a time, or each frame by itself, as live traffic comes. */
export type Pattern = "batch" | "single";
/** What the user's callback gets. */
export type Output = "raw" | "json";

/** One result. Rates and times are medians over the rounds in a report, and one round's in what a client prints. */
export interface Row {
  /** Name and version, such as `bun 1.4.5`. */
  readonly runtime: string;
  readonly mode: Mode;
  readonly scenario: string;
  readonly library: string;
  readonly output: Output;
  readonly tls: boolean;
  /** Only where the server writes by itself: transport, manager and bare. */
  readonly pattern?: Pattern;
  /** Messages that were measured; round trips in mode echo, connections in mode idle. */
  readonly messages: number;
  /** Payload bytes of these messages. */
  readonly bytes: number;
  /** Messages or round trips per second; 0 in mode idle. */
  readonly msgsPerSecond: number;
  /** CPU time of the client process in µs, user and system, all threads; 0 in mode idle. */
  readonly cpuMicrosPerMessage: number;
  /** Time of a round trip, in mode echo. */
  readonly p50Micros?: number;
  readonly p99Micros?: number;
  /** Growth of the client's resident memory for each connection, in mode idle. */
  readonly bytesPerConnection?: number;
}

/** What a client process is asked to do; its only argument, as JSON. */
export interface Order {
  readonly mode: Mode;
  readonly library: string;
  readonly output: Output;
  readonly tls: boolean;
  readonly port: number;
  readonly scenario: string;
  readonly pattern: Pattern;
  /** Messages or round trips before those that are measured; connections in mode idle. */
  readonly warmup: number;
  readonly messages: number;
  /** Bytes of a message in mode echo. */
  readonly echoBytes: number;
  /** Loopback addresses that connections in mode idle are spread over. */
  readonly hosts: readonly string[];
  /** SO_RCVBUF of the client's socket in bytes, where the client can set it. */
  readonly rcvbuf?: number;
}

/** What the server is asked to send; written as the name of a stream, so that a manager can subscribe to it. */
export interface Run {
  readonly scenario: string;
  readonly pattern: Pattern;
  readonly warmup: number;
  readonly messages: number;
}

/** The stream name of a run, such as `small_aggtrade@batch_750000_3000000`. */
export function streamOf({ scenario, pattern, warmup, messages }: Run): string {
  return `${scenario}@${pattern}_${warmup}_${messages}`;
}

/** Reads a stream name of {@linkcode streamOf}. */
export function runOf(stream: string): Run | undefined {
  const [, scenario, pattern, warmup, messages] = /^(\w+)@(batch|single)_(\d+)_(\d+)$/.exec(stream) ?? [];
  if (scenario === undefined) return undefined;
  return {
    scenario,
    pattern: pattern === "single" ? "single" : "batch",
    warmup: Number(warmup),
    messages: Number(messages),
  };
}

/** What the server reports about a run, after the last byte was given to the system. */
export interface Served {
  /** Payload bytes of the measured messages. */
  readonly bytes: number;
  /** CPU time of the server by wall-clock time. */
  readonly busy: number;
}
