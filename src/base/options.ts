/**
 * Checking options with zod: all problems at once, each with its path and what to write instead.
 *
 * @module
 */

import type { z } from "zod/mini";
import { InvalidOptionsError } from "./errors.ts";
import { listOf, quoted } from "./text.ts";

/**
 * Checks options with a schema in which the message of every check says what was expected, and gives a copy of them:
 * each option is read once, inherited ones and getters too, so that what was checked is what is used.
 *
 * @throws {InvalidOptionsError} or the class that a check put into its `params.error`.
 */
export function checkedOptions<T extends object>(schema: z.ZodMiniType, input: T, known: readonly string[]): T {
  const copy = copyOf(input, known);
  const result = schema.safeParse(copy);
  if (!result.success) throwProblems(result.error.issues.flatMap((issue) => problemsOf(issue, copy, known)));
  // The cast: the copy has what the schema knows, and nothing else is left.
  return copy as T;
}

function copyOf(input: unknown, known: readonly string[]): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const names = new Set([...Object.keys(input), ...known.filter((name) => name in input)]);
  // The cast: any object may be asked for its properties.
  return Object.fromEntries([...names].map((name) => [name, (input as Record<string, unknown>)[name]]));
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
  if (issue.code === "custom" && issue.params?.error instanceof InvalidOptionsError) {
    const { error } = issue.params;
    return error.errors.length > 0 ? [...error.errors] : [error];
  }
  const path = pathOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownOption(path === "" ? key : `${path}.${key}`, key, path === "" ? known : []));
  }
  // The cast: zod's path leads through objects and lists.
  const value = issue.path.reduce<unknown>((object, key) => (object as Record<PropertyKey, unknown>)?.[key], input);
  const subject = path === "" ? "as options" : `as \`${path}\``;
  return [new InvalidOptionsError(`Cannot use ${shown(value)} ${subject}: expected ${issue.message}`, { path })];
}

function unknownOption(path: string, key: string, known: readonly string[]): InvalidOptionsError {
  const plain = (name: string) => name.replaceAll(/[_-]/g, "").toLowerCase();
  const same = known.filter((name) => plain(name) === plain(key));
  // `library` for `websocketLibrary`, `apiTimeout` for `apiTimeoutMs`, `outputs` for `output`.
  const near = known.filter((name) => {
    const [short = "", long = ""] = [plain(name), plain(key)].sort((one, other) => one.length - other.length);
    return short.length > 3 && long.includes(short);
  });
  const meant = same.length > 0 ? same : near;
  const hint = meant.length > 0
    ? `: did you mean ${meant.slice(0, 3).map((name) => `\`${name}\``).join(" or ")}?`
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
export function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value === null || ["undefined", "number", "boolean", "bigint"].includes(typeof value)) return String(value);
  return typeof value === "function" ? "a function" : "an object";
}
