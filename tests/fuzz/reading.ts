/**
 * Two parts about reading: valid streams, and damaged ones, against what is known of them.
 *
 * @module
 */

import fc from "fast-check";
import { expectEnough, parametersOf, type Part } from "./part.ts";
import { readAll } from "./reference_reader.ts";
import { expectSame, readWithOurs } from "./readers.ts";
import { chops, damage, damages, encode, validStreams } from "./streams.ts";

const keys = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const LARGE = 1 << 20;

/** Valid streams, chopped anywhere. */
export const valid: Part = {
  name: "valid",
  claim: "a valid stream gives the same events however it is chopped, in both roles",
  share: 25,
  run(options) {
    const counts = { events: 0, pieces: 0 };
    fc.assert(
      fc.property(validStreams, chops, keys, fc.boolean(), ({ frames, events }, lengths, key, masked) => {
        const bytes = masked ? encode(frames, key) : encode(frames);
        expectSame("chopped", readWithOurs(bytes, { masked, maxMessageBytes: LARGE }, lengths), events);
        expectSame("reference", readAll(bytes, { masked, maxMessageBytes: LARGE }), events);
        counts.events += events.length;
        counts.pieces += lengths.length;
      }),
      parametersOf(options),
    );
    return Promise.resolve(counts);
  },
};

/** Damaged streams, chopped anywhere, with small limits. */
export const damaged: Part = {
  name: "damaged",
  claim: "of damaged bytes the reader makes what the reference makes: the same events, then at most one violation",
  share: 30,
  run(options) {
    const counts: Record<string, number> = { "fail 1002": 0, "fail 1007": 0, "fail 1009": 0, close: 0, unfinished: 0 };
    fc.assert(
      fc.property(validStreams, damages, chops, fc.boolean(), fc.nat(3), (stream, list, lengths, masked, limit) => {
        const bytes = damage(masked ? encode(stream.frames, [1, 2, 130, 4]) : encode(stream.frames), list);
        const limits = {
          masked,
          maxMessageBytes: [50, 1_000, 66_000, LARGE][limit] ?? LARGE,
          maxFragments: limit === 0 ? 2 : 100,
        };
        const wanted = readAll(bytes, limits);
        expectSame("chopped", readWithOurs(bytes, limits, lengths), wanted);
        const last = wanted.at(-1) ?? "";
        const kind = last.startsWith("fail") ? last : last.startsWith("close") ? "close" : "unfinished";
        counts[kind] = (counts[kind] ?? 0) + 1;
      }),
      parametersOf(options),
    );
    for (const kind of ["fail 1002", "fail 1007", "fail 1009"]) expectEnough(counts, kind, options.runs / 200);
    return Promise.resolve(counts);
  },
};
