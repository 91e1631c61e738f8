import { BlockList, isIP, isIPv4 } from "node:net";

/** Maximum number of addresses in the cache of `parseTrustedProxies`. */
const MAX_KNOWN = 1000;

/** Whether an address is one of the configured proxies. */
export type TrustedProxies = (address: string) => boolean;

/** Parses `TRUSTED_PROXIES`: addresses or CIDR ranges. Throws a `RangeError` that names the first invalid entry. */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  // Without proxies, no request pays for the comparison.
  if (entries.length === 0) return () => false;
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix, ...rest] = entry.split("/");
    const family = isIP(address);
    const widest = family === 4 ? 32 : 128;
    const bits = prefix === undefined ? widest : /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : NaN;
    if (family === 0 || rest.length > 0 || !(bits <= widest)) {
      throw new RangeError(`"${entry}" is neither an IP address nor a CIDR range`);
    }
    list.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
  }
  // Cached: each check creates an object outside of V8's heap, and takes longer than the rest of a short request.
  const known = new Map<string, boolean>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const isTrusted = isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(address, isTrusted);
    return isTrusted;
  };
}

/**
 * Returns the client's address: the connection's peer or, if that is a trusted proxy, the rightmost untrusted entry of
 * `X-Forwarded-For`. Entries further left are unverified and ignored.
 */
export function findClientAddress(trusted: TrustedProxies, peer: string, headers: Headers): string {
  let address = normalizeAddress(peer);
  if (!trusted(address)) return address;
  const header = headers.get("X-Forwarded-For") ?? "";
  // Entry by entry, from the right: a client may send very many, and those it wrote itself need no parsing.
  for (let end = header.length; end > 0 && trusted(address);) {
    const start = header.lastIndexOf(",", end - 1) + 1;
    const previous = normalizeAddress(header.slice(start, end).trim());
    if (isIP(previous) === 0) break;
    address = previous;
    end = start - 1;
  }
  return address;
}

/** Turns an IPv4 address mapped into IPv6 into plain IPv4, and drops the brackets and ports that proxies add. */
function normalizeAddress(text: string): string {
  // The common case: plain IPv4.
  if (/^[0-9.]*$/.test(text)) return text;
  const bare = text.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  if (isIP(bare) !== 6) return bare;
  const groups = ipv6Groups(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : bare;
}

/**
 * Returns the key of an address in throttles: an IPv4 address itself, or the /64 of an IPv6 address, which is one
 * customer's network.
 */
export function addressBucket(address: string): string {
  // Without a colon, it is none of IPv6, and needs no parsing.
  return address.includes(":") && isIP(address) === 6 ? ipv6Network(address, 64) : address;
}

/** Returns the network of an IPv6 address with a prefix of `bits` (up to 112), such as `2001:db8:0:1::/64`. */
export function ipv6Network(address: string, bits: number): string {
  const groups = ipv6Groups(address).slice(0, Math.ceil(bits / 16));
  const unused = groups.length * 16 - bits;
  const masked = groups.map((group, i) => i + 1 === groups.length ? group >> unused << unused : group);
  return `${masked.map((group) => group.toString(16)).join(":")}::/${bits}`;
}

/** Returns the eight 16-bit groups of an IPv6 address (RFC 4291, 2.2), in any spelling. */
function ipv6Groups(address: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
  const text = (address.split("%")[0] ?? "").replace(dotted, (_match, ...parts: string[]) => {
    const [a, b, c, d] = parts.map(Number) as [number, number, number, number];
    return `${(a << 8 | b).toString(16)}:${(c << 8 | d).toString(16)}`;
  });
  const [left = [], right = []] = text.split("::").map((half) => half === "" ? [] : half.split(":"));
  const zeros = text.includes("::") ? Array<string>(8 - left.length - right.length).fill("0") : [];
  return [...left, ...zeros, ...right].map((group) => parseInt(group, 16));
}
