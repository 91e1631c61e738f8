import fc from "fast-check";
import type { ApiDocument } from "./api_document.ts";
import { hostileText, weighted } from "./hostile_values.ts";
import { type JsonSchema, resolveSchema } from "./json_schema.ts";
import { Live, type LiveKind } from "./live.ts";

/** The place of a value: the name of its field or parameter, and the path of the operation. */
export interface Place {
  readonly name: string;
  readonly path: string;
}

const KNOWN = 40;

function live(kind: LiveKind): fc.Arbitrary<unknown> {
  return fc.nat(KNOWN).map((pick) => new Live(kind, pick));
}

function mostly(kind: LiveKind, ...others: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> {
  return weighted([8, live(kind)], ...others.map((other): [number, typeof other] => [1, other]));
}

const word: fc.Arbitrary<string> = fc.stringMatching(/^[a-z]{1,8}$/);
const freeText = weighted(
  [4, word],
  [2, fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 })],
  [1, hostileText],
);
const newSecret: fc.Arbitrary<string> = word.map((text) => `fresh secret of ${text}`);
const wrongCode = weighted(
  [3, fc.stringMatching(/^[0-9A-HJKMNP-TV-Z]{6}$/)],
  [1, fc.constant("12345\u{1d7d8}")],
);
const newEmail: fc.Arbitrary<string> = fc.oneof(
  word.map((name) => `${name}@example.net`),
  word.map((name) => ` ${name.toUpperCase()}\u00fc@B\u00fccher.example`),
);
const MINUTE_MS = 60_000;
const time: fc.Arbitrary<unknown> = fc.oneof(
  fc.nat(300).map((minute) => Date.UTC(2026, 0, 1) + minute * MINUTE_MS),
  fc.constantFrom("2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00.123456789+01:00", -1, 1e15),
);

/** Plausible texts by the name of their field or parameter. */
const TEXTS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  email: mostly("email", newEmail),
  userEmail: mostly("email", newEmail),
  username: mostly("email", newEmail),
  password: mostly("password", newSecret),
  oldPassword: mostly("password", newSecret),
  newPassword: fc.oneof(newSecret, live("password"), fc.constantFrom("password123", "short")),
  otp: mostly("mailedCode", wrongCode),
  totp: mostly("totp", fc.stringMatching(/^[0-9]{6}$/), fc.constant("12345\u{1d7d8}")),
  recoveryCode: mostly("recoveryCode", fc.stringMatching(/^[0-9A-Z]{16}$/)),
  token: mostly("linkToken", fc.stringMatching(/^[A-Za-z0-9_-]{43}$/)),
  cursor: mostly("cursor", fc.constantFrom("0", "1", "999999999999999", "0007")),
  nodeId: mostly("nodeId", word),
  id: live("sessionId"),
  childRolePassword: live("rolePassword"),
  "X-Child-Role-Password": live("rolePassword"),
  "Idempotency-Key": fc.constantFrom("key-1", "key-2", " ", "~".repeat(64)),
  origin: fc.constantFrom("acme", "acme", "other"),
  language: fc.constantFrom("en", "nl", "fr", "de", "DE", "xx"),
  db: fc.constantFrom("plant", "plant", "p/l"),
  namespace: fc.constantFrom("plant", "plant", "p/l"),
  rp: fc.constantFrom("autogen", "autogen", "week"),
  database: fc.constantFrom("plant", "plant", "p/l"),
  bucket: fc.constantFrom("plant", "plant/autogen", "/", "p/l/week"),
  measurement: fc.oneof(fc.constant("energy"), freeText),
  field: fc.oneof(fc.constant("power"), freeText),
  select: fc.oneof(fc.constant("power"), freeText),
  time: fc.constantFrom("1m", "5m", "1h", "1d", "999999d"),
};

/** Kinds of ids by the name of the integer. */
const IDS: Readonly<Record<string, LiveKind>> = {
  roleId: "roleId",
  parentRoleId: "roleId",
  childRoleId: "roleId",
  ancestorRoleId: "roleId",
  managesId: "managesId",
  memberId: "memberId",
  keyId: "keyId",
  deviceId: "deviceId",
  monitorsId: "monitorsId",
};

function idKindOf({ name, path }: Place): LiveKind | undefined {
  if (name !== "id") return IDS[name];
  if (path.includes("/member")) return "memberId";
  if (path.includes("/monitors")) return "monitorsId";
  if (path.includes("/manage")) return "managesId";
  return path.includes("/device") ? "deviceId" : "roleId";
}

/** Values that fit a schema of the document, or nearly. Rules that only its prose states are not always kept. */
export function valueOf(document: ApiDocument, given: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  const schema = resolveSchema(document, given);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (place.name === "time" && choices !== undefined) return time;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => valueOf(document, one, place)));
  switch (schema.type) {
    case "object":
      return objectOf(document, schema, place);
    case "array":
      return fc.array(valueOf(document, schema.items ?? {}, place), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(4, schema.maxItems ?? 4),
      });
    case "integer":
    case "number":
      return numberOf(schema, place);
    case "boolean":
      return weighted([3, fc.constant(true)], [2, fc.boolean()]);
    case "null":
      return fc.constant(null);
    case "string":
      if (place.path.endsWith("/password") && place.name === "password" && place.path.startsWith("/v1/")) {
        return live("rolePassword");
      }
      return TEXTS[place.name] ?? freeText;
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function numberOf({ type, minimum = 0, maximum = 1000 }: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  const bounds = fc.constantFrom(minimum, minimum + 1, maximum);
  const kind = idKindOf(place);
  if (kind !== undefined) return mostly(kind, bounds);
  if (type === "number") return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  return fc.oneof(fc.integer({ min: 1, max: 5 }), bounds);
}

function objectOf(document: ApiDocument, schema: JsonSchema, { path }: Place): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties: further, minProperties = 0 } = schema;
  const fields = Object.entries(properties).map(([name, inner]) =>
    [name, valueOf(document, inner, { name, path })] as const
  );
  const named = fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  if (typeof further !== "object") return named;
  const value = valueOf(document, further, { name: "", path });
  const more = fc.dictionary(fc.oneof(fc.constant("power"), freeText), value, {
    minKeys: minProperties,
    maxKeys: 3,
  });
  return fc.tuple(named, more).map(([known, unknown]) => ({ ...unknown, ...known }));
}

/** Lines of InfluxDB line protocol, some of them wrong. */
export const lines: fc.Arbitrary<unknown[]> = fc.array(
  fc.tuple(
    fc.constantFrom("energy,nodeId=", "energy,kind=a,nodeId=", "energy nodeId=", "# ", "en\\ ergy,nodeId="),
    live("nodeId"),
    weighted(
      [4, fc.constantFrom(" power=1", ' power=1i,note="a b" 1767225600', " power=t", ' note="')],
      [1, hostileText],
    ),
  ),
  { minLength: 1, maxLength: 4 },
).map((list) => list.map((parts) => [...parts]));
