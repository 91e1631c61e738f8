import fc from "fast-check";
import { defineOwn } from "./live.ts";

/** Marks every hostile text that has room for it. Where the mark turns up, something submitted is repeated. */
export const MARK = "zq7marked";

/** One of several, of which each comes up as often as its weight says. */
export function weighted<T>(...options: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> {
  return fc.oneof(...options.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const TEXTS: readonly string[] = [
  `' OR '1'='1'; DROP TABLE role; -- ${MARK}`,
  `"; SELECT * FROM /.*/; DROP MEASUREMENT "${MARK}"`,
  `${MARK},tag=1 field=2 3\n${MARK} x=1`,
  `<script>alert("${MARK}")</script>`,
  `:opId :userId ?1 ${MARK}`,
  `${MARK}\u0000`,
  `${MARK}\u0001\u001b[31m\u007f\u0085`,
  `${MARK}\r\nSet-Cookie: a=b`,
  `\ud800${MARK}`,
  `${MARK}\udfff@example.com`,
  `${MARK}\u202e\u200b\ufeff`,
  `\u0130\u0323${MARK}@EXAMPLE.com`,
  `${MARK}\ufffe\u{10ffff}`,
  `%00%0a..%2f${MARK}`,
  `../${MARK}`,
  `\${jndi:ldap://${MARK}}{{${MARK}}}`,
  `${MARK}@example.com`,
  `${MARK}\u00df\ufb01\u1e9e`.repeat(20),
  ...[64, 65, 128, 129, 256, 257, 1024, 1025, 16_385].map((length) => MARK.padEnd(length, "x")),
  `${MARK}${"\u{1f600}".repeat(128)}`,
  // Of each, JSON Schema counts half as many characters as JavaScript.
  ...[6, 7, 64, 128, 129, 256, 257].map((length) => "\u{1d7d8}".repeat(length)),
  "12345\u{1d7d8}",
  ...["__proto__", "constructor", "toString", "", " ", "*", ",", "null", "NaN"],
  ...["-1", "+1", "1e3", "0x10", "01", "1.0"],
  ...["9007199254740992", "9223372036854775808", "99999999999999999999999999999999"],
];

/** A text that has a meaning to a database, browser, terminal or parser, or is too long for any field. */
export const hostileText: fc.Arbitrary<string> = fc.constantFrom(...TEXTS);

/** Hostile texts that fit into a header: visible Latin-1 without line breaks. */
export const hostileHeader: fc.Arbitrary<string> = fc.constantFrom(
  ...TEXTS.filter((text) => /^[\x21-\xff][\x20-\x7e\xa0-\xff]*$/.test(text)),
);

const DEPTH = 500;

function nest(wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = MARK;
  for (let depth = 0; depth < DEPTH; depth++) value = wrap(value);
  return value;
}

function owning(key: string, value: unknown): object {
  const made = {};
  defineOwn(made, key, value);
  return made;
}

const VALUES: readonly unknown[] = [
  ...[null, true, false, [], {}, [null], [[]]],
  ...[0, -0, -1, 1, 0.5, 2 ** 31, 2 ** 53, 2 ** 53 - 1, 2 ** 63, 1e308, -1e308, 5e-324],
  nest((inner) => [inner]),
  nest((inner) => ({ [MARK]: inner })),
  owning("__proto__", { roleManagement: true, id: 1 }),
  owning("constructor", { prototype: { [MARK]: true } }),
  { toString: MARK, valueOf: null, length: -1 },
  Array.from({ length: 1001 }, (_, i) => i),
  Array.from({ length: 1001 }, () => MARK),
];

/** A JSON value that is wrong almost everywhere. */
export const hostileValue = weighted<unknown>(
  [3, fc.constantFrom(...VALUES)],
  [2, hostileText],
  [1, fc.jsonValue({ maxDepth: 2 })],
);
