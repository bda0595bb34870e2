/**
 * The variable `NO_PROXY`: the hosts that no proxy of the environment is used for.
 *
 * @module
 */

/** An IP address as a number, and how many bits it has. */
interface Address {
  readonly value: bigint;
  readonly bits: 32 | 128;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "ws:": "80", "http:": "80", "wss:": "443", "https:": "443" };

function parseAddress(text: string): Address | undefined {
  if (/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)) {
    return { value: text.split(".").reduce((value, part) => (value << 8n) + BigInt(part), 0n), bits: 32 };
  }
  if (!text.includes(":") || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL parser writes every IPv6 address in one way, in hexadecimal groups.
  const [left = "", right] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::");
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const [before, after] = [groups(left), groups(right ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const value = [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
  // ::ffff:0:0/96 are IPv4 addresses (RFC 4291 2.5.5.2).
  return value >> 32n === 0xffffn ? { value: value & 0xffffffffn, bits: 32 } : { value, bits: 128 };
}

/** Whether the address is in the network `base`/`prefix`. */
function isIn(address: Address, base: Address, prefix: number): boolean {
  if (address.bits !== base.bits || prefix > base.bits) return false;
  const shift = BigInt(base.bits - prefix);
  return address.value >> shift === base.value >> shift;
}

/** An entry's host and port; an IPv6 address without brackets has no port. */
function splitEntry(entry: string): readonly [host: string, port: string | undefined] {
  const bracketed = /^\[([^\]]*)\](\/\d+)?(?::(\d+))?$/.exec(entry);
  if (bracketed !== null) return [`${bracketed[1]}${bracketed[2] ?? ""}`, bracketed[3]];
  const named = /^([^:]*):(\d+)$/.exec(entry);
  return named === null ? [entry, undefined] : [named[1] ?? "", named[2]];
}

/**
 * Whether `list`, the value of `NO_PROXY`, excepts the URL. Entries are separated by commas or blanks: `*` for every
 * host; a name for itself and its subdomains, also written `.name` or `*.name`; an IP address, with or without brackets; a
 * network such as `10.0.0.0/8`; each but `*` with a port behind a colon, if it means only that one. Names are compared as
 * they are written, nothing is looked up.
 */
export function isExcepted(target: URL, list: string): boolean {
  const host = target.hostname.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const port = target.port === "" ? DEFAULT_PORTS[target.protocol] : target.port;
  const address = parseAddress(host);
  return list.toLowerCase().split(/[\s,]+/).some((entry) => {
    if (entry === "") return false;
    if (entry === "*") return true;
    const [pattern, wantedPort] = splitEntry(entry);
    if (wantedPort !== undefined && wantedPort !== port) return false;
    const [base = "", prefix] = pattern.split("/");
    const network = parseAddress(base);
    if (network !== undefined) {
      if (address === undefined || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return false;
      return isIn(address, network, prefix === undefined ? network.bits : Number(prefix));
    }
    const name = pattern.replace(/^\*?\./, "").replace(/\.$/, "");
    return name !== "" && address === undefined && (host === name || host.endsWith(`.${name}`));
  });
}
