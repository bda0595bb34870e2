/**
 * The byte sequences of category 6: those of Autobahn's suite, which took most of them from Markus Kuhn's stress test
 * for UTF-8 decoders. The Unicode standard, table 3-7, says which are valid.
 *
 * @module
 */

/** Whether a sequence is valid, and its bytes in hexadecimal. */
export type Sequence = readonly [valid: boolean, hex: string];

/** κόσμε */
export const KOSME = "cebae1bdb9cf83cebcceb5";

const valid = (...sequences: readonly string[]): Sequence[] => sequences.map((hex) => [true, hex]);
const invalid = (...sequences: readonly string[]): Sequence[] => sequences.map((hex) => [false, hex]);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
/** Each lead byte, followed by a space. */
const lonely = (from: number, to: number): string => range(from, to).map((byte) => `${hex(byte)}20`).join("");

/** All prefixes of κόσμε; valid where they end with a character. */
const prefixes = range(1, KOSME.length / 2).map((length): Sequence => [
  [2, 5, 7, 9, 11].includes(length),
  KOSME.slice(0, 2 * length),
]);

/** U+nFFFE and U+nFFFF of the planes 1 to 16. */
const nonCharacters = range(1, 16).flatMap((plane) =>
  [0xfffe, 0xffff].map((low) => {
    const code = plane * 0x1_0000 + low;
    return [
      0xf0 | (code >> 18),
      0x80 | ((code >> 12) & 0x3f),
      0x80 | ((code >> 6) & 0x3f),
      0x80 | (code & 0x3f),
    ].map(hex).join("");
  })
);

/** Sequences whose last continuation byte is missing. */
const incomplete = ["c0", "e080", "f08080", "f8808080", "fc80808080", "df", "efbf", "f7bfbf", "fbbfbfbf", "fdbfbfbfbf"];

/** The groups 6.5 to 6.23. */
export const sequences: readonly (readonly [group: string, title: string, sequences: readonly Sequence[]])[] = [
  [
    "6.5",
    "valid characters of every length",
    valid(
      "68656c6c6f24776f726c64",
      "68656c6c6fc2a2776f726c64",
      "68656c6c6fe282ac776f726c64",
      "68656c6c6ff0a4ada2776f726c64",
      KOSME,
    ),
  ],
  ["6.6", "a prefix of κόσμε", prefixes],
  ["6.7", "the first character of a length", valid("00", "c280", "e0a080", "f0908080")],
  ["6.8", "the first sequence of 5 and of 6 bytes", invalid("f888808080", "fc8480808080")],
  ["6.9", "the last character of a length", valid("7f", "dfbf", "efbfbf", "f48fbfbf")],
  ["6.10", "the last sequence of 4, 5 and 6 bytes", invalid("f7bfbfbf", "fbbfbfbfbf", "fdbfbfbfbfbf")],
  ["6.11", "a boundary", [...valid("ed9fbf", "ee8080", "efbfbd", "f48fbfbf"), ...invalid("f4908080")]],
  [
    "6.12",
    "continuation bytes without a lead byte",
    invalid(
      "80",
      "bf",
      "80bf",
      "80bf80",
      "80bf80bf",
      "80bf80bf80",
      "80bf80bf80bf",
      range(0x80, 0xbf).map(hex).join(""),
    ),
  ],
  [
    "6.13",
    "lead bytes without continuation",
    invalid(
      lonely(0xc0, 0xdf),
      lonely(0xe0, 0xef),
      lonely(0xf0, 0xf7),
      lonely(0xf8, 0xfb),
      lonely(0xfc, 0xfd),
    ),
  ],
  ["6.14", "a sequence without its last byte", invalid(...incomplete)],
  ["6.15", "all of 6.14 together", invalid(incomplete.join(""))],
  ["6.16", "bytes that UTF-8 does not have", invalid("fe", "ff", "fefeffff")],
  ["6.17", "an overlong slash", invalid("c0af", "e080af", "f08080af", "f8808080af", "fc80808080af")],
  [
    "6.18",
    "the last overlong sequence of a length",
    invalid(
      "c1bf",
      "e09fbf",
      "f08fbfbf",
      "f887bfbfbf",
      "fc83bfbfbfbf",
    ),
  ],
  ["6.19", "an overlong NUL", invalid("c080", "e08080", "f0808080", "f880808080", "fc8080808080")],
  ["6.20", "a surrogate", invalid("eda080", "edadbf", "edae80", "edafbf", "edb080", "edbe80", "edbfbf")],
  [
    "6.21",
    "a pair of surrogates",
    invalid(
      "eda080edb080",
      "eda080edbfbf",
      "edadbfedb080",
      "edadbfedbfbf",
      "edae80edb080",
      "edae80edbfbf",
      "edafbfedb080",
      "edafbfedbfbf",
    ),
  ],
  ["6.22", "a code point that is no character", valid("efbfbe", "efbfbf", ...nonCharacters)],
  [
    "6.23",
    "a special of the end of plane 0",
    valid("efbfb9", "efbfba", "efbfbb", "efbfbc", "efbfbd", "efbfbe", "efbfbf"),
  ],
];
