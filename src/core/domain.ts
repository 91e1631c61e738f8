/** Domains with letters beyond ASCII: each has one form for comparing, in ASCII (ACE), and one for showing, in Unicode. */

const ACE_PREFIX = "xn--";

/** Whether a domain is of ASCII, in small letters, and hides no others: then it is both forms. */
export function isPlainDomain(domain: string): boolean {
  return /^[a-z0-9.-]*$/.test(domain) && !domain.includes(ACE_PREFIX);
}

/** Whether the last label is a number, as of no name in DNS: such a host is an IP address, of which there are many forms. */
export function endsInNumber(domain: string): boolean {
  return /(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(domain);
}

/**
 * Returns the form of a domain for comparing: ASCII in small letters, by UTS 46, non-transitional, so that "faß" is not
 * "fass". A domain that the standard refuses, or takes for an IP address, stays as it is.
 */
export function toAce(domain: string): string {
  if (!/^[\p{L}\p{M}\p{N}.\u3002-]+$/u.test(domain)) return domain;
  try {
    const { hostname } = new URL(`ws://${domain}`);
    return endsInNumber(hostname) ? domain : hostname;
  } catch {
    return domain;
  }
}

/** Returns the form of a domain for showing. Domains with the same ACE form have the same. */
export function toShown(domain: string): string {
  if (isPlainDomain(domain)) return domain;
  const ace = toAce(domain);
  const labels = ace.split(".").map((label) => {
    return label.startsWith(ACE_PREFIX) ? decodePunycode(label.slice(ACE_PREFIX.length)) : label;
  });
  const shown = labels.every((label) => label !== undefined) ? labels.join(".") : ace;
  return toAce(shown) === ace ? shown : ace;
}

const BASE = 36;
const [MIN_THRESHOLD, MAX_THRESHOLD, SKEW, DAMP] = [1, 26, 38, 700];
const [FIRST_BIAS, FIRST_CODE_POINT] = [72, 128];
/** Of a label; far more than a name server takes. */
const MAX_LENGTH = 256;

/** Decodes Punycode (RFC 3492, 6.2). Undefined if a text is none. */
function decodePunycode(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const end = text.lastIndexOf("-");
  const decoded = Array.from(text.slice(0, Math.max(0, end)), (letter) => letter.codePointAt(0) ?? 0);
  let [at, codePoint, bias, place] = [end + 1, FIRST_CODE_POINT, FIRST_BIAS, 0];
  while (at < text.length) {
    const before = place;
    for (let weight = 1, k = BASE;; k += BASE) {
      const digit = digitOf(text.charAt(at++));
      if (digit === undefined) return undefined;
      place += digit * weight;
      const threshold = Math.min(Math.max(k - bias, MIN_THRESHOLD), MAX_THRESHOLD);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = decoded.length + 1;
    bias = adapt(place - before, length, before === 0);
    codePoint += Math.floor(place / length);
    place %= length;
    if (codePoint > 0x10ffff) return undefined;
    decoded.splice(place++, 0, codePoint);
  }
  return String.fromCodePoint(...decoded);
}

function digitOf(letter: string): number | undefined {
  const digit = "abcdefghijklmnopqrstuvwxyz0123456789".indexOf(letter);
  return letter === "" || digit === -1 ? undefined : digit;
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - MIN_THRESHOLD) * MAX_THRESHOLD) / 2; k += BASE) {
    rest = Math.floor(rest / (BASE - MIN_THRESHOLD));
  }
  return k + Math.floor((BASE - MIN_THRESHOLD + 1) * rest / (rest + SKEW));
}
