/**
 * Finds exported symbols that have no `@example`.
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { ROOT } from "./process.ts";

/** A declaration in the output of `deno doc --json`, as far as it is used here. */
interface Declaration {
  readonly location: Location;
  readonly kind: string;
  readonly jsDoc?: { readonly tags?: readonly { readonly kind: string }[] };
  /** Of a re-export by name (kind `"reference"`): where the symbol is declared. */
  readonly def?: { readonly target?: Location };
}

interface Location {
  readonly filename: string;
  readonly line: number;
  readonly col: number;
}

/** The output of `deno doc --json`, version 2, as far as it is used here. */
interface Documentation {
  readonly version: number;
  readonly nodes: Readonly<Record<string, { readonly symbols?: readonly DocumentedSymbol[] }>>;
}

interface DocumentedSymbol {
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

/**
 * The exported symbols without an example, as `src/folder/file.ts:12 name`, each once however often it is re-exported.
 *
 * @param document Runs `deno doc --json` over the files, with private symbols too if wanted.
 */
export async function symbolsWithoutExample(
  entryPoints: readonly string[],
  document: (files: readonly string[], withPrivate: boolean) => Promise<string>,
): Promise<string[]> {
  const exported = parse(await document(entryPoints, false));
  const targets = exported.flatMap((symbol) => symbol.declarations).flatMap(({ def }) => def?.target ?? []);
  const files = [...new Set(targets.map((target) => target.filename))];
  const declared = new Map<string, DocumentedSymbol>();
  if (files.length > 0) {
    for (const symbol of parse(await document(files, true))) {
      for (const declaration of symbol.declarations) declared.set(key(declaration.location), symbol);
    }
  }
  const missing = new Set<string>();
  for (const symbol of exported) {
    const declarations = symbol.declarations.flatMap((declaration) => resolve(declaration, declared));
    const first = declarations[0];
    const hasExample = declarations.some(({ jsDoc }) => jsDoc?.tags?.some((tag) => tag.kind === "example") ?? false);
    if (first !== undefined && !hasExample) missing.add(`${place(first.location)} ${symbol.name}`);
  }
  return [...missing].sort();
}

/** Follows a re-export by name to the declarations that it names. */
function resolve(declaration: Declaration, declared: ReadonlyMap<string, DocumentedSymbol>): readonly Declaration[] {
  const target = declaration.def?.target;
  if (declaration.kind !== "reference" || target === undefined) return [declaration];
  const found = declared.get(key(target));
  // The target may be a re-export by name in its turn.
  return found?.declarations.flatMap((next) => next.kind === "reference" ? resolve(next, declared) : [next]) ??
    [declaration];
}

function parse(json: string): DocumentedSymbol[] {
  const documentation: Documentation = JSON.parse(json);
  if (documentation.version !== 2) {
    throw new Error(`Cannot read version ${documentation.version} of "deno doc --json": expected 2`);
  }
  return Object.values(documentation.nodes).flatMap((node) => node.symbols ?? []);
}

function key(location: Location): string {
  return `${location.filename}:${location.line}:${location.col}`;
}

function place(location: Location): string {
  return `${location.filename.replace(pathToFileURL(ROOT).href, "")}:${location.line}`;
}
