/**
 * The schema of the option `tls`.
 *
 * @module
 */

import * as z from "zod/mini";
import { flag } from "../base/mod.ts";
import { check } from "./schema_parts.ts";

function findInAuthorities(ca: readonly unknown[]): readonly [string, string] | undefined {
  const index = ca.findIndex((pem) => typeof pem !== "string" || !pem.includes("-----BEGIN CERTIFICATE-----"));
  return index < 0
    ? undefined
    : [`tls.ca[${index}]`, `Cannot use this as \`tls.ca[${index}]\`: expected a certificate in PEM`];
}

/** The schema of the option `tls`, wherever it stands. */
export const tlsSchema = z.strictObject({
  ca: z.optional(z.array(z.unknown(), "a list of certificates in PEM").check(check(findInAuthorities))),
  rejectUnauthorized: flag,
  servername: z.optional(
    z.string("a host name").check(
      // An IP address is no server name (RFC 6066 3); a name ends in a label that is not a number.
      z.regex(/^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?!\d+$)[a-z0-9_-]{1,63}$/i, "a host name"),
    ),
  ),
  checkServerIdentity: z.optional(z.custom<unknown>((value) => typeof value === "function", "a function")),
}, "an object such as `{ ca: [pem] }`").check(
  check(({ rejectUnauthorized, checkServerIdentity }) =>
    rejectUnauthorized === false && checkServerIdentity !== undefined
      ? [
        "tls.checkServerIdentity",
        "Cannot use `tls.checkServerIdentity` together with `tls.rejectUnauthorized: false`: nothing would be verified",
      ]
      : undefined
  ),
);
