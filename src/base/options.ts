/**
 * Checking options with zod: all problems at once, each with its path and what to write instead.
 *
 * @module
 */

import type { z } from "zod/mini";
import { InvalidOptionsError } from "./errors.ts";
import { listOf } from "./text.ts";

/**
 * Checks `input` with a schema in which the message of every check says what was expected.
 *
 * @throws {InvalidOptionsError} or the class that a check put into its `params.error`.
 */
export function checkOptions(schema: z.ZodMiniType, input: unknown, known: readonly string[]): void {
  const result = schema.safeParse(input);
  if (result.success) return;
  throwProblems(result.error.issues.flatMap((issue) => problemsOf(issue, input, known)));
}

/** Throws one problem as itself, several as one error that lists them. */
export function throwProblems(problems: readonly InvalidOptionsError[]): never {
  const [first, ...others] = problems;
  if (first !== undefined && others.length === 0) throw first;
  throw new InvalidOptionsError(
    `Cannot use these options:\n${
      problems.map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`).join("\n")
    }`,
    { errors: problems },
  );
}

function problemsOf(issue: z.core.$ZodIssue, input: unknown, known: readonly string[]): InvalidOptionsError[] {
  if (issue.code === "custom" && issue.params?.error instanceof InvalidOptionsError) return [issue.params.error];
  const path = pathOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownOption(path === "" ? key : `${path}.${key}`, key, path === "" ? known : []));
  }
  // The cast: zod's path leads through objects and lists.
  const value = issue.path.reduce<unknown>((object, key) => (object as Record<PropertyKey, unknown>)?.[key], input);
  const subject = path === "" ? "as options" : `as \`${path}\``;
  return [new InvalidOptionsError(`Cannot use ${show(value)} ${subject}: expected ${issue.message}`, { path })];
}

function unknownOption(path: string, key: string, known: readonly string[]): InvalidOptionsError {
  const plain = (name: string) => name.replaceAll(/[_-]/g, "").toLowerCase();
  const meant = known.find((name) => plain(name) === plain(key));
  const hint = meant !== undefined
    ? `: did you mean \`${meant}\`?`
    : known.length > 0
    ? `: expected ${listOf(known, "or", 40)}`
    : "";
  return new InvalidOptionsError(`Unknown option \`${key}\`${hint}`, { path });
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map((key, index) => typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${String(key)}`).join(
    "",
  );
}

/** A value in a message: objects only by their kind, since they may hold secrets. */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value === null || ["undefined", "number", "boolean", "bigint"].includes(typeof value)) return String(value);
  return typeof value === "function" ? "a function" : "an object";
}
