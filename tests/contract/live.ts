/** Kinds of values that only the running service knows. They are filled in when the request is sent. */
const LIVE_KINDS = [
  "roleId",
  "managesId",
  "memberId",
  "keyId",
  "deviceId",
  "monitorsId",
  "sessionId",
  "cursor",
  "email",
  "nodeId",
  "roleName",
  "password",
  "rolePassword",
  "recoveryCode",
  "sudoToken",
  "partialToken",
  "accessToken",
  "refreshToken",
  "keySecret",
  "mailedCode",
  "linkToken",
  "totp",
] as const;

export type LiveKind = typeof LIVE_KINDS[number];

/** A placeholder in a generated request for one of the values of a kind. */
export class Live {
  constructor(readonly kind: LiveKind, readonly pick: number) {}

  toString(): string {
    return `<${this.kind} ${this.pick}>`;
  }
}

type LiveValue = string | number;

/** Known values by kind, in the order in which they were learned. */
export class Pools {
  readonly #known = new Map<LiveKind, Set<LiveValue>>();

  add(kind: LiveKind, ...values: readonly LiveValue[]): void {
    const known = this.#known.get(kind) ?? new Set();
    for (const value of values) known.add(value);
    this.#known.set(kind, known);
  }

  /** Replaces the values of a kind that changes with time. */
  replace(kind: LiveKind, values: readonly LiveValue[]): void {
    this.#known.set(kind, new Set(values));
  }

  /** The value that was learned last. */
  latest(kind: LiveKind): LiveValue | undefined {
    return [...this.#known.get(kind) ?? []].at(-1);
  }

  /** The value of a placeholder, or one that matches nothing if none is known yet. */
  find({ kind, pick }: Live): LiveValue {
    const known = [...this.#known.get(kind) ?? []];
    return known[pick % known.length] ?? (kind.endsWith("Id") && kind !== "sessionId" ? 999_999 : "999999");
  }

  /** Replaces all placeholders in a tree. Own fields stay own fields, even `__proto__`. */
  fill(value: unknown): unknown {
    if (value instanceof Live) return this.find(value);
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (typeof value !== "object" || value === null) return value;
    return mapFields(value, (inner) => this.fill(inner));
  }
}

/** A copy of an object with changed fields. Never calls a setter. */
function mapFields(value: object, change: (inner: unknown, key: string) => unknown): object {
  const copy = {};
  for (const [key, inner] of Object.entries(value)) defineOwn(copy, key, change(inner, key));
  return copy;
}

/** Defines an own field of any name. */
export function defineOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

const FIELDS: readonly (readonly [list: string, field: string, kind: LiveKind])[] = [
  ["role", "id", "roleId"],
  ["role", "name", "roleName"],
  ["manages", "id", "managesId"],
  ["manages", "childRoleId", "roleId"],
  ["member", "id", "memberId"],
  ["member", "userEmail", "email"],
  ["key", "id", "keyId"],
  ["device", "id", "deviceId"],
  ["monitors", "id", "monitorsId"],
  ["session", "id", "sessionId"],
];

const TEXTS: Readonly<Record<string, LiveKind>> = {
  nextCursor: "cursor",
  recoveryCodes: "recoveryCode",
  sudoToken: "sudoToken",
  partialAuthToken: "partialToken",
  accessToken: "accessToken",
  refreshToken: "refreshToken",
  secret: "keySecret",
  nodeId: "nodeId",
};

/** Remembers the values in a response that later requests can use. */
export function harvest(pools: Pools, body: unknown, list = ""): void {
  if (Array.isArray(body)) { for (const item of body) harvest(pools, item, list); }
  if (typeof body !== "object" || body === null || Array.isArray(body)) return;
  for (const [key, value] of Object.entries(body)) {
    const kind = FIELDS.find(([of, field]) => of === list && field === key)?.[2] ?? TEXTS[key];
    for (const one of [value].flat()) {
      if (kind !== undefined && (typeof one === "string" || typeof one === "number")) pools.add(kind, one);
    }
    harvest(pools, value, key);
  }
}
