import * as v from "valibot";
import { isEmail, normalizeEmail } from "../../src/core/email.ts";
import { canonicalText, trimBlanks } from "../../src/core/text.ts";
import { LANGUAGES } from "../../src/mail/languages.ts";
import { readForeignHash } from "../../src/accounts/password/foreign_hash.ts";
import { ALL_RIGHTS, type RightsMask } from "../../src/graph/rights.ts";
import { PersonNameSchema } from "../../src/role/schemas.ts";
import { formatLimit, type HierarchyRow } from "../../src/transfer/roles/role_format.ts";
import { TaskError } from "../lib/run_task.ts";
import { check } from "./input.ts";
import { LeftOut } from "./left_out.ts";
import type { Converted, TableRow } from "./output.ts";
import { keepExternalId, keyOf } from "./names.ts";

/** A file of an export: a realm, some of its users, or several of these in an array. */
export interface RealmFile {
  readonly path: string;
  readonly content: unknown;
}

export interface RealmOptions {
  /** What a group's members may do to the groups below it, within `memberRights`. */
  readonly manages: RightsMask;
  /** What they may do to the group itself, within `memberRights`. */
  readonly selfRights: RightsMask;
  readonly memberRights: RightsMask;
}

const text = v.optional(v.nullable(v.string()));

const RealmSchema = v.looseObject({
  realm: text,
  groups: v.optional(v.nullable(v.array(v.unknown()))),
  users: v.optional(v.nullable(v.array(v.unknown()))),
});

const GroupSchema = v.looseObject({
  id: text,
  name: v.pipe(v.string(), v.nonEmpty("must not be empty")),
  path: text,
  subGroupCount: v.optional(v.nullable(v.number())),
  subGroups: v.optional(v.nullable(v.array(v.unknown()))),
});

const UserSchema = v.looseObject({
  id: text,
  username: text,
  email: text,
  firstName: text,
  lastName: text,
  emailVerified: v.optional(v.nullable(v.boolean())),
  enabled: v.optional(v.nullable(v.boolean())),
  serviceAccountClientId: text,
  groups: v.optional(v.nullable(v.array(v.string()))),
  attributes: v.optional(v.nullable(v.record(v.string(), v.unknown()))),
  credentials: v.optional(v.nullable(v.array(v.looseObject({ type: text })))),
});
type User = v.InferOutput<typeof UserSchema>;
type Credential = NonNullable<User["credentials"]>[number];

/** Fields that are converted, or that say nothing. */
const READ_OF_REALM = new Set(["id", "realm", "groups", "users", "enabled", "roles"]);
const READ_OF_GROUP = new Set(["id", "name", "path", "subGroups", "parentId", "subGroupCount", "access"]);
const READ_OF_USER = new Set([
  ...[
    "id",
    "email",
    "firstName",
    "lastName",
    "emailVerified",
    "enabled",
    "serviceAccountClientId",
    "groups",
    "attributes",
    "credentials",
  ],
  ...["totp", "notBefore", "disableableCredentialTypes", "access", "createdTimestamp", "self", "origin"],
]);

/** Before this, Keycloak wrote the parts of a hash as fields of the credential. */
const OldPasswordSchema = v.object({
  hashedSaltedValue: v.string(),
  salt: v.string(),
  hashIterations: v.number(),
  algorithm: v.string(),
});

/**
 * Converts the files of one realm: groups become roles, users people, and users' groups memberships. Throws a
 * `TaskError` that names the place of a fault.
 */
export function convertRealm(files: readonly RealmFile[], options: RealmOptions): Converted {
  const leftOut = new LeftOut();
  const parts = files.flatMap(({ path, content }) => {
    const isList = Array.isArray(content);
    return (isList ? content : [content]).map((part: unknown, i) => {
      const place = isList ? `[${i}]` : "";
      const realm = check(path, place, RealmSchema, part);
      if (realm.realm === undefined && realm.groups === undefined && realm.users === undefined) {
        throw new TaskError(`${path} is no realm export: it has neither realm nor groups nor users.`);
      }
      return { path, place, realm };
    });
  });
  const names = new Set(parts.flatMap(({ realm }) => realm.realm ?? []));
  if (names.size > 1) {
    throw new TaskError(`The files are of several realms (${[...names].join(", ")}): convert one at a time.`);
  }
  for (const { realm } of parts) listSettings(realm, leftOut);
  if (!parts.some(({ realm }) => realm.users)) {
    const missing = 'users: no file has a list of them, as after a partial export; "kc.sh export" writes one';
    leftOut.add(missing, [...names].join());
  }
  const groups = new GroupReader(options, leftOut);
  for (const { path, place, realm } of parts) groups.add(path, `${place}.groups`, realm.groups ?? []);
  const users = new UserReader(options, leftOut, groups.keys);
  for (const { path, place, realm } of parts) {
    for (const [i, user] of (realm.users ?? []).entries()) {
      users.add(check(path, `${place}.users[${i}]`, UserSchema, user));
    }
  }
  return { roles: groups.roles, people: users.people, members: users.members, leftOut };
}

class GroupReader {
  readonly roles: HierarchyRow[] = [];
  /** Keys of roles by the group's path. */
  readonly keys = new Map<string, string>();

  constructor(private readonly options: RealmOptions, private readonly leftOut: LeftOut) {}

  /** Reads groups with all those below them. */
  add(file: string, place: string, groups: readonly unknown[]): void {
    interface Waiting {
      readonly place: string;
      readonly group: unknown;
      readonly parent: string | undefined;
    }
    const waiting: Waiting[] = [];
    const wait = (place: string, groups: readonly unknown[], parent?: string): void => {
      const found = groups.map((group, i) => ({ place: `${place}[${i}]`, group, parent }));
      waiting.push(...found.reverse());
    };
    wait(place, groups);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const group = check(file, next.place, GroupSchema, next.group);
      const path = group.path ?? `${next.parent ?? ""}/${group.name.replaceAll("/", "~/")}`;
      if (this.keys.has(path)) {
        throw new TaskError(`${file}: ${next.place.slice(1)}: the group ${path} is there twice.`);
      }
      const [given, counted] = [group.subGroups?.length ?? 0, group.subGroupCount ?? 0];
      if (given < counted) {
        throw new TaskError(
          `${file}: ${
            next.place.slice(1)
          }: the group ${path} has ${counted} groups below it, and the file ${given} of ` +
            'them, as the Admin API responds. "kc.sh export --realm REALM --file FILE" writes all of them.',
        );
      }
      this.#addRole(path, group, next.parent);
      wait(`${next.place}.subGroups`, group.subGroups ?? [], path);
    }
  }

  #addRole(path: string, group: v.InferOutput<typeof GroupSchema>, parent: string | undefined): void {
    const { manages, selfRights } = this.options;
    const key = keyOf(path);
    this.keys.set(path, key);
    this.roles.push({
      key,
      externalId: keepExternalId(group.id, "groups", this.leftOut),
      name: group.name,
      selfRights,
      topRights: parent === undefined ? ALL_RIGHTS : undefined,
      parents: new Map(parent === undefined ? [] : [[keyOf(parent), manages]]),
    });
    listFields(group, READ_OF_GROUP, "groups", path, this.leftOut);
  }
}

class UserReader {
  readonly people: TableRow[] = [];
  readonly members: TableRow[] = [];
  readonly #seen = new Set<string>();

  constructor(
    private readonly options: RealmOptions,
    private readonly leftOut: LeftOut,
    private readonly keys: ReadonlyMap<string, string>,
  ) {}

  /** Reads a user, their password and groups. */
  add(user: User): void {
    const name = user.username ?? user.email ?? user.id ?? "without a name";
    const email = normalizeEmail(user.email ?? "");
    const reason = this.#whyNot(user, email);
    if (reason !== undefined) return this.leftOut.add(reason, name);
    this.#seen.add(email);
    if (user.emailVerified !== true) {
      this.leftOut.add("converted, but Keycloak has not verified the address", email);
    }
    listFields(user, READ_OF_USER, "users", name, this.leftOut);
    this.people.push({
      email,
      name: this.#fullName(user, name),
      language: this.#language(user, name),
      externalId: keepExternalId(user.id, "users", this.leftOut),
      passwordHash: this.#password(user.credentials ?? [], name),
    });
    for (const path of new Set(user.groups)) {
      const role = this.keys.get(path);
      if (role === undefined) {
        this.leftOut.add("memberships in groups that no file has", `${name} in ${path}`);
      } else this.members.push({ role, person: email, rights: formatLimit(this.options.memberRights) });
    }
  }

  #whyNot({ serviceAccountClientId, enabled, email: given }: User, email: string): string | undefined {
    if (serviceAccountClientId) return "service accounts (make keys of roles instead)";
    // Keycloak takes a user without this field for disabled, too.
    if (enabled !== true) return "disabled users";
    if (!given) return "users without an address";
    if (!isEmail(email)) return "users whose address is not valid here";
    return this.#seen.has(email) ? "users with the address of another" : undefined;
  }

  #fullName({ firstName, lastName }: User, user: string): string | undefined {
    const full = canonicalText([firstName, lastName].map((part) => trimBlanks(part ?? "")).join(" "));
    if (full === "" || v.is(PersonNameSchema, full)) return full || undefined;
    this.leftOut.add("names that are too long, or have control characters, an @, or no letter", user);
    return undefined;
  }

  #language({ attributes }: User, name: string): string | undefined {
    let language: string | undefined;
    for (const [attribute, value] of Object.entries(attributes ?? {})) {
      const [first]: unknown[] = Array.isArray(value) ? value : [value];
      const primary = typeof first === "string" ? first.toLowerCase().split(/[-_]/)[0] : undefined;
      if (attribute === "locale" && LANGUAGES.some((offered) => offered === primary)) language = primary;
      else if (!isEmpty(value)) this.leftOut.add(`attribute "${attribute}" of users`, name);
    }
    return language;
  }

  #password(credentials: readonly Credential[], name: string): string | undefined {
    let hash: string | undefined;
    for (const credential of credentials) {
      const { type } = credential;
      const read = type === "password" ? readPassword(credential) : undefined;
      if (read === undefined) this.leftOut.add(`credentials of type ${type ?? "unknown"}`, name);
      else if ("fault" in read) this.leftOut.add(`passwords: ${read.fault}`, name);
      else if (hash !== undefined) this.leftOut.add("second passwords", name);
      else hash = read.hash;
    }
    return hash;
  }
}

type ReadPassword = { readonly hash: string } | { readonly fault: string };

/** Returns the credential as an import reads it. */
function readPassword(credential: Credential): ReadPassword {
  const { credentialData, secretData } = credential;
  if (credential["temporary"] === true) {
    return { fault: "temporary ones, to be changed at the first sign-in" };
  }
  if (!isEmpty(credential["value"])) return { fault: "those in clear text, which only a reset replaces" };
  const old = v.safeParse(OldPasswordSchema, credential);
  const hash = old.success
    ? JSON.stringify({
      credentialData: JSON.stringify({
        hashIterations: old.output.hashIterations,
        algorithm: old.output.algorithm,
      }),
      secretData: JSON.stringify({ value: old.output.hashedSaltedValue, salt: old.output.salt }),
    })
    : JSON.stringify({ credentialData, secretData });
  const read = readForeignHash(hash);
  return "fault" in read ? read : { hash };
}

/** Lists the settings of a realm, none of which is converted, by their names. */
function listSettings(realm: v.InferOutput<typeof RealmSchema>, leftOut: LeftOut): void {
  const roles = realm["roles"];
  if (isRecord(roles)) {
    for (const role of namesIn(roles["realm"])) leftOut.add("realm roles", role);
    for (const [client, own] of Object.entries(isRecord(roles["client"]) ? roles["client"] : {})) {
      for (const role of namesIn(own)) leftOut.add("client roles", `${client}: ${role}`);
    }
  }
  for (const [field, value] of Object.entries(realm)) {
    if (READ_OF_REALM.has(field) || isEmpty(value)) continue;
    if (!Array.isArray(value) || !value.some(isRecord)) leftOut.add("settings of the realm", field);
    else for (const name of namesIn(value)) leftOut.add(`${field} of the realm`, name);
  }
}

/** Lists the fields of a group or user that are not converted; with their values only if these are names of roles. */
function listFields(
  thing: Readonly<Record<string, unknown>>,
  read: ReadonlySet<string>,
  kind: string,
  name: string,
  leftOut: LeftOut,
): void {
  for (const [field, value] of Object.entries(thing)) {
    if (read.has(field) || isEmpty(value)) continue;
    // An address that is also the username is not lost.
    if (field === "username" && value === thing["email"]) continue;
    const values = field === "realmRoles" || field === "requiredActions" ? `: ${value}` : "";
    leftOut.add(`${field} of ${kind}`, `${name}${values}`);
  }
}

/** The names of a list's entries, or their places. Other values of them may be secret. */
function namesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry: unknown, i) => {
    const named = isRecord(entry) ? entry["clientId"] ?? entry["name"] ?? entry["alias"] : undefined;
    return typeof named === "string" ? named : `#${i + 1}`;
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === false;
}
