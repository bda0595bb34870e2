/**
 * JSON with integers of any size, and with times in ms or µs.
 *
 * @module
 */

/** Numbers from here to `LAST_MS` are times in ms: ids are bigints here, and nothing else is as large. */
const FIRST_MS = 1e12;
const LAST_MS = 1e14;

/** Writes `value` as JSON: bigints as integers, `undefined` members left out, times times 1000 if asked. */
export function jsonText(value: unknown, isMicroseconds: boolean = false): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") {
    return String(isMicroseconds && value >= FIRST_MS && value < LAST_MS ? Math.trunc(value * 1000) : value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item, isMicroseconds)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let text = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${jsonText(member, isMicroseconds)}`;
  }
  return `{${text}}`;
}
