/**
 * What earlier setups found out, kept in `node_modules` so that it goes away together with what it describes.
 *
 * @module
 */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ROOT } from "./process.ts";

/** What is remembered between setups. */
export interface State {
  /** Hash of the package.json and package-lock.json that `node_modules` was installed from. */
  readonly npm?: string;
  /** Whether JSR could be reached. */
  readonly jsr?: {
    /** What was asked: the answer counts only for the same question. */
    readonly question: string;
    readonly reachable: boolean;
    /** When it was asked, in ms since 1970. */
    readonly at: number;
  };
  /** Hash of what the `@std` packages in `node_modules` were bundled from. */
  readonly bundles?: string;
  /** A Deno that npx fetched. */
  readonly deno?: FetchedRuntime;
  /** A Bun that npx fetched. */
  readonly bun?: FetchedRuntime;
}

/** A runtime that npx fetched into its cache. */
export interface FetchedRuntime {
  readonly range: string;
  readonly path: string;
}

/** Folder of the remembered state; `npm ci` deletes it. */
export const STATE_FOLDER: string = join(ROOT, "node_modules", ".rawtick");
const STATE_FILE = join(STATE_FOLDER, "state.json");

/** The remembered state, or an empty one. */
export function readState(): State {
  try {
    return JSON.parse(readFileSync(STATE_FILE, "utf8"));
  } catch {
    return {};
  }
}

/** Adds to the remembered state. */
export function writeState(change: State): void {
  mkdirSync(STATE_FOLDER, { recursive: true });
  writeWhole(STATE_FILE, JSON.stringify({ ...readState(), ...change }, null, 2) + "\n");
}

/** Writes a file so that a concurrent reader sees the old or the new text, never a part; does nothing if it is the same. */
export function writeWhole(path: string, text: string): void {
  try {
    if (readFileSync(path, "utf8") === text) return;
  } catch {
    // Not there yet.
  }
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, text);
  renameSync(part, path);
}
