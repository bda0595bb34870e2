/**
 * Reads the JUnit reports that both test runners write.
 *
 * @module
 */

/** One test of a report. */
export interface TestCase {
  readonly name: string;
  /** Line of the call that declared the test, from 1; 0 if the report does not say. */
  readonly line: number;
  readonly result: "passed" | "failed" | "skipped";
  /** What failed, with its stack; the runner's reason for a skip; else empty. */
  readonly message: string;
}

/** The tests of a report, in its order, at whatever depth they are nested. */
export function parseJunit(xml: string): TestCase[] {
  const cases = xml.matchAll(/<testcase((?:\s+[\w:.-]+="[^"]*")*)\s*(?:\/>|>([\s\S]*?)<\/testcase>)/g);
  return Array.from(cases, ([, head = "", body = ""]) => {
    const attributes = parseAttributes(head);
    const base = { name: attributes.get("name") ?? "", line: Number(attributes.get("line") ?? 0) };
    const failure = parseElement(body, "failure") ?? parseElement(body, "error");
    if (failure !== undefined) return { ...base, result: "failed", message: failure };
    const skipped = parseElement(body, "skipped");
    if (skipped !== undefined) return { ...base, result: "skipped", message: skipped };
    return { ...base, result: "passed", message: "" };
  });
}

/** Text of an element, or its `message` if it has no text; undefined without such an element. */
function parseElement(xml: string, element: string): string | undefined {
  const pattern = `<${element}((?:\\s+[\\w:.-]+="[^"]*")*)\\s*(?:/>|>([\\s\\S]*?)</${element}>)`;
  const found = new RegExp(pattern).exec(xml);
  if (found === null) return undefined;
  const text = decode(found[2] ?? "").trim();
  return text === "" ? parseAttributes(found[1] ?? "").get("message") ?? "" : text;
}

function parseAttributes(head: string): Map<string, string> {
  return new Map(
    Array.from(head.matchAll(/([\w:.-]+)="([^"]*)"/g), ([, name = "", value = ""]) => [name, decode(value)]),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function decode(text: string): string {
  return text.replaceAll(
    /<!\[CDATA\[([\s\S]*?)\]\]>|&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (whole, data, hex, decimal, name) => {
      if (data !== undefined) return data;
      if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      return ENTITIES[name] ?? whole;
    },
  );
}
