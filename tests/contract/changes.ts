import fc from "fast-check";
import { hostileHeader, hostileText, hostileValue, MARK, weighted } from "./hostile_values.ts";
import { defineOwn } from "./live.ts";

/** A change that makes a valid request nearly valid. `at` is the index of the changed place. */
export type Change =
  | { readonly kind: "replace"; readonly at: number; readonly value: unknown }
  | { readonly kind: "remove"; readonly at: number }
  | { readonly kind: "add"; readonly at: number; readonly key: string; readonly value: unknown }
  | { readonly kind: "text"; readonly how: TextFault }
  | { readonly kind: "type"; readonly contentType: string }
  | { readonly kind: "parameter"; readonly at: number; readonly text: string }
  | { readonly kind: "omit"; readonly at: number }
  | { readonly kind: "repeat"; readonly at: number; readonly text: string }
  | { readonly kind: "unknown"; readonly name: string; readonly text: string }
  | { readonly kind: "header"; readonly name: string; readonly value: string };

const TEXT_FAULTS = [
  "empty",
  "cut off",
  "not UTF-8",
  "with a byte order mark",
  "with a field twice",
  "with a huge number",
  "with a half surrogate",
  "in single quotes",
  "twice",
  "padded beyond the limit",
] as const;

type TextFault = typeof TEXT_FAULTS[number];

const CONTENT_TYPES = [
  "",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "APPLICATION/JSON ; charset=utf-8",
  "application/jsonp",
  "application/problem+json",
  "*/*",
];

const HEADERS = [
  "User-Agent",
  "Accept-Language",
  "X-Forwarded-For",
  "Idempotency-Key",
  "X-Child-Role-Password",
  "If-None-Match",
  "Accept-Encoding",
  "Origin",
  "Cookie",
  "X-Http-Method-Override",
];

const place = fc.nat(30);
const key: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(MARK, "__proto__", "constructor", "id", "userRights", "", "statusCode"),
  hostileText,
);

/** One change to the body. */
const bodyChange = weighted<Change>(
  [6, fc.record({ kind: fc.constant("replace"), at: place, value: hostileValue })],
  [2, fc.record({ kind: fc.constant("remove"), at: place })],
  [2, fc.record({ kind: fc.constant("add"), at: place, key, value: hostileValue })],
  [2, fc.record({ kind: fc.constant("text"), how: fc.constantFrom(...TEXT_FAULTS) })],
  [1, fc.record({ kind: fc.constant("type"), contentType: fc.constantFrom(...CONTENT_TYPES) })],
);

/** One change to the address or the headers. */
const otherChange = weighted<Change>(
  [5, fc.record({ kind: fc.constant("parameter"), at: place, text: hostileText })],
  [1, fc.record({ kind: fc.constant("omit"), at: place })],
  [1, fc.record({ kind: fc.constant("repeat"), at: place, text: hostileText })],
  [1, fc.record({ kind: fc.constant("unknown"), name: key, text: hostileText })],
  [2, fc.record({ kind: fc.constant("header"), name: fc.constantFrom(...HEADERS), value: hostileHeader })],
);

/** Up to two changes that apply to such a request. */
export function changesOf(hasBody: boolean): fc.Arbitrary<Change[]> {
  const change = hasBody ? weighted([2, bodyChange], [1, otherChange]) : otherChange;
  return weighted<Change[]>(
    [9, fc.constant([])],
    [8, fc.array(change, { minLength: 1, maxLength: 1 })],
    [2, fc.array(change, { minLength: 2, maxLength: 2 })],
  );
}

/** A copy of the JSON value with one part replaced, removed or added. */
export function changeValue(value: unknown, change: Change): unknown {
  if (change.kind !== "replace" && change.kind !== "remove" && change.kind !== "add") return value;
  const copy = structuredClone(value);
  const places = placesIn(copy);
  const found = places[change.at % (places.length + 1)];
  if (found === undefined) {
    if (change.kind === "replace") return change.value;
    if (change.kind === "add" && isObject(copy)) defineOwn(copy, change.key, change.value);
    return copy;
  }
  const { owner, name } = found;
  if (change.kind === "replace") defineOwn(owner, name, change.value);
  else if (change.kind === "remove") Reflect.deleteProperty(owner, name);
  else defineOwn(Array.isArray(owner) ? copy as object : owner, change.key, change.value);
  return copy;
}

function placesIn(value: unknown): { owner: object; name: string }[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [{ owner: value, name }, ...placesIn(inner)]);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Above every body limit except that of telemetry. */
const PADDING = 1024 * 1024 + 1;

/** The text of a body with a fault that no JSON value can express. */
export function changeText(text: string, how: TextFault): string | Uint8Array<ArrayBuffer> {
  switch (how) {
    case "empty":
      return "";
    case "cut off":
      return text.slice(0, -1);
    case "not UTF-8":
      return new Uint8Array([...new TextEncoder().encode(text.slice(0, -1)), 0x22, 0xc3, 0x28, 0xff, 0x22]);
    case "with a byte order mark":
      return `\ufeff${text}`;
    case "with a field twice":
      return text.replace(/^\{("[^"]*":)/, "{$1null,$1");
    case "with a huge number":
      return text.replace(/\d+/, "1e999");
    case "with a half surrogate":
      return text.replace(/"([^"]*)"(?=[,}\]])/, '"$1\\udc00"');
    case "in single quotes":
      return text.replaceAll('"', "'");
    case "twice":
      return text + text;
    case "padded beyond the limit":
      return text + " ".repeat(PADDING);
  }
}
