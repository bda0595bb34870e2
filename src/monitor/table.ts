/**
 * Text tables for a terminal.
 *
 * @module
 */

/** SGR codes of ECMA-48. */
const CODES = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;

/** How a text may look. */
export type Style = keyof typeof CODES;

/** A text with a look. */
export interface Cell {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** Colours a text, or leaves it as it is. */
export type Paint = (cell: Cell) => string;

/** How texts are painted, with colours or without. Nothing in a text is taken for a command by the terminal. */
export function painter(colors: boolean): Paint {
  return ({ text, style }) => {
    const plain = printable(text);
    return colors && style !== undefined ? `\x1b[${CODES[style]}m${plain}\x1b[0m` : plain;
  };
}

// deno-lint-ignore no-control-regex -- these are what must not reach a terminal
const CONTROL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Labels, close reasons and URLs come from elsewhere: what would move the cursor, or turn the text around, is shown as a question mark. */
function printable(text: string): string {
  return text.replace(CONTROL, "?");
}

/** Cuts a text that is too long, with an ellipsis. */
export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Lines with a name and what it means, the names in one column. */
export function labelledLines(rows: readonly (readonly [name: string, ...cells: Cell[]])[], paint: Paint): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, ...cells]) => ` ${name.padEnd(width)}  ${cells.map(paint).join(" ")}`);
}

/** A table: the first two columns to the left, the others, which are numbers, to the right. */
export function tableLines(rows: readonly (readonly Cell[])[], paint: Paint): string[] {
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from(
    { length: count },
    (_, column) => Math.max(...rows.map((row) => row[column]?.text.length ?? 0)),
  );
  return rows.map((row) =>
    ` ${
      row.map((cell, column) => {
        const filler = " ".repeat((widths[column] ?? 0) - cell.text.length);
        return column < 2 ? paint(cell) + filler : filler + paint(cell);
      }).join("  ")
    }`.trimEnd()
  );
}

/** Lines between two rules, under a title. */
export function framed(title: string, lines: readonly string[], colors: boolean): string {
  const rule = "=".repeat(100);
  return [rule, painter(colors)({ text: title, style: "bold" }), rule, ...lines, rule].join("\n");
}
