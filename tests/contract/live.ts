/** What only the running service knows, by what it is: filled in when the request is sent. */
export const LIVE_KINDS = [
  "roleId",
  "managesId",
  "memberId",
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
  "mailedCode",
  "linkToken",
  "totp",
] as const;

export type LiveKind = typeof LIVE_KINDS[number];

/** Stands in a generated request for one of the values of a kind. */
export class Live {
  constructor(readonly kind: LiveKind, readonly pick: number) {}

  toString(): string {
    return `<${this.kind} ${this.pick}>`;
  }
}

type LiveValue = string | number;

/** Known values by kind, in the order in which they were met. */
export class Pools {
  readonly #known = new Map<LiveKind, Set<LiveValue>>();

  add(kind: LiveKind, ...values: readonly LiveValue[]): void {
    const known = this.#known.get(kind) ?? new Set();
    for (const value of values) known.add(value);
    this.#known.set(kind, known);
  }

  /** Makes a kind's values these, for what changes with time. */
  replace(kind: LiveKind, values: readonly LiveValue[]): void {
    this.#known.set(kind, new Set(values));
  }

  /** The one that was met last. */
  latest(kind: LiveKind): LiveValue | undefined {
    return [...this.#known.get(kind) ?? []].at(-1);
  }

  /** The one that is meant; a value that fits nothing where none is known yet. */
  find({ kind, pick }: Live): LiveValue {
    const known = [...this.#known.get(kind) ?? []];
    return known[pick % known.length] ?? (kind.endsWith("Id") && kind !== "sessionId" ? 999_999 : "999999");
  }

  /** The tree with a value in the place of everything that stands for one. Own fields stay own, `__proto__` too. */
  fill(value: unknown): unknown {
    if (value instanceof Live) return this.find(value);
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (typeof value !== "object" || value === null) return value;
    return mapFields(value, (inner) => this.fill(inner));
  }
}

/** A copy of an object with its fields changed, never by way of a setter. */
export function mapFields(value: object, change: (inner: unknown, key: string) => unknown): object {
  const copy = {};
  for (const [key, inner] of Object.entries(value)) defineOwn(copy, key, change(inner, key));
  return copy;
}

/** Gives an object a field of its own, whatever its name. */
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
  nodeId: "nodeId",
};

/** Remembers what an answer tells that later requests can use. */
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
