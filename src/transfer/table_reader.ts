import * as v from "valibot";
import { parseJson } from "../core/json.ts";
import { findLostNumbers, WRITE_AS_TEXT } from "../core/json_numbers.ts";
import { isEmail, normalizeEmail } from "../core/email.ts";
import { canonicalText, trimBlanks } from "../core/text.ts";
import { MAX_MONITORS } from "../device/monitors_queries.ts";
import { NewPropertiesSchema } from "../device/schemas.ts";
import { type Language, toLanguage } from "../mail/languages.ts";
import { PersonNameSchema } from "../role/schemas.ts";
import { readForeignHash } from "../accounts/password/foreign_hash.ts";
import { ALL_RIGHTS, type RightsMask } from "../graph/rights.ts";
import { badRights, parseRights, quote, readExternalId } from "./roles/role_format.ts";
import { GraphReader } from "./roles/role_graph.ts";
import type { TableHeader, TableKind } from "./table_header.ts";

/** A row of people. */
export interface PersonRow {
  readonly line: number;
  /** As it is stored. */
  readonly email: string;
  /** As it is stored. */
  readonly name: string | undefined;
  readonly language: Language | undefined;
  readonly externalId: string | undefined;
  /** As it is stored. */
  readonly passwordHash: string | undefined;
}

/** A row of members. References are as in the file. */
export interface MemberRow {
  readonly line: number;
  readonly role: string;
  readonly person: string;
  /** Undefined without the column. */
  readonly rights: RightsMask | undefined;
  /** Milliseconds, null without an end, and undefined without the column. */
  readonly endsAt: number | null | undefined;
}

/** A row of devices. */
export interface DeviceRow {
  readonly line: number;
  /** As in the file. */
  readonly nodeId: string;
  /** References, at least one. */
  readonly roles: readonly string[];
  readonly externalId: string | undefined;
  /** All properties with the nodeId in its canonical form, as JSON. */
  readonly properties: string;
}

/** A problem of a file, and its line. The header is line 1. */
export interface TableProblem {
  readonly kind: TableKind;
  readonly line: number;
  readonly message: string;
}

/** The cell of a column, and an empty text without it. */
type Cell = (column: string) => string;

/** Reads the rows of up to four files, one of each kind, and collects their problems. */
export class TableReader {
  readonly graph = new GraphReader();
  readonly people: PersonRow[] = [];
  readonly members: MemberRow[] = [];
  readonly devices: DeviceRow[] = [];
  /** Whether the file of devices has columns with properties. */
  hasProperties = false;
  /** The lines of people whose hash is not read. */
  readonly unreadHashes: number[] = [];
  readonly #problems: TableProblem[] = [];
  /** What may stand in one line only, by its kind and name, with that line. */
  readonly #lines = new Map<string, number>();

  /** `skipsHashes`: people whose hash cannot be read are taken for people without one, and not for problems. */
  constructor(private readonly options: { readonly skipsHashes?: boolean | undefined } = {}) {}

  /** Reports a problem of a line. */
  report(kind: TableKind, line: number, message: string): void {
    if (kind === "roles") this.graph.report(line, message);
    else this.#problems.push({ kind, line, message });
  }

  /** The problems so far but for those of roles, which `graph` has. */
  problems(): readonly TableProblem[] {
    return this.#problems;
  }

  /** Reads a row under its header. */
  add({ kind, width, named, places, others }: TableHeader, line: number, record: readonly string[]): void {
    if (record.length !== width) {
      return this.report(kind, line, `the line has ${record.length} columns, the header ${width}`);
    }
    const nameless = record.slice(named).find((cell) => trimBlanks(cell) !== "");
    if (nameless !== undefined) {
      return this.report(kind, line, `${quote(nameless)} stands in a column without a name`);
    }
    const cell: Cell = (column) => record[places.get(column) ?? -1] ?? "";
    const problems: string[] = [];
    if (kind === "roles") this.#addRole(line, cell);
    else if (kind === "people") this.#addPerson(line, cell, problems);
    else if (kind === "members") this.#addMember(line, cell, places, problems);
    else {
      this.hasProperties ||= others.size > 0 || places.has("properties");
      const further = Array.from(others, ([name, place]) => [name, record[place] ?? ""] as const);
      this.#addDevice(line, cell, further, problems);
    }
    for (const problem of problems) this.report(kind, line, problem);
  }

  #addRole(line: number, cell: Cell): void {
    const [key, name, parents] = [cell("key"), cell("name"), cell("parents")];
    const [manages, selfRights, externalId] = [cell("manages"), cell("selfRights"), cell("externalId")];
    this.graph.add(line, { key, name, parents, manages, selfRights, externalId });
  }

  #addPerson(line: number, cell: Cell, problems: string[]): void {
    const email = normalizeEmail(cell("email"));
    if (!isEmail(email)) problems.push(`email ${quote(cell("email"))} is no email address`);
    const externalId = readExternalId(cell("externalId"), problems);
    const language = trimBlanks(cell("language"));
    if (!/^([a-z]{2,3}(-[a-z0-9]{1,8})*)?$/i.test(language)) {
      problems.push(`language ${quote(language)} is no language tag such as "de"`);
    }
    const name = canonicalText(cell("name"));
    if (name !== "" && !v.is(PersonNameSchema, name)) {
      problems.push(
        `name ${quote(name)} has more than 100 characters, control characters, an @, or no letter`,
      );
    }
    const passwordHash = this.#readHash(cell("passwordHash").trim(), line, problems);
    this.#claim("email", email, line, problems);
    this.#claim("externalId of people", externalId && canonicalText(externalId), line, problems);
    if (problems.length > 0) return;
    this.people.push({
      line,
      email,
      name: name === "" ? undefined : name,
      language: language === "" ? undefined : toLanguage(language),
      externalId,
      passwordHash,
    });
  }

  #readHash(cell: string, line: number, problems: string[]): string | undefined {
    // Django writes an exclamation mark for an account that has no password.
    if (trimBlanks(cell) === "" || cell.startsWith("!")) return undefined;
    const read = readForeignHash(cell);
    if ("hash" in read) return read.hash;
    this.unreadHashes.push(line);
    if (!this.options.skipsHashes) problems.push(`passwordHash: ${read.fault}`);
    return undefined;
  }

  #addMember(line: number, cell: Cell, places: TableHeader["places"], problems: string[]): void {
    const [role, person] = [trimBlanks(cell("role")), trimBlanks(cell("person"))];
    if (role === "") problems.push("role is empty");
    if (person === "") problems.push("person is empty");
    const limit = trimBlanks(cell("rights"));
    const rights = limit === "" ? ALL_RIGHTS : parseRights(limit, "|");
    if (rights === undefined) problems.push(badRights("rights", limit));
    const endsAt = readTime(trimBlanks(cell("until")));
    if (endsAt === undefined) {
      problems.push(
        `until ${quote(cell("until"))} is no time in ISO 8601, such as 2027-01-31 or 2027-01-31T12:00:00Z`,
      );
    }
    if (problems.length > 0 || rights === undefined || endsAt === undefined) return;
    this.members.push({
      line,
      role,
      person,
      rights: places.has("rights") ? rights : undefined,
      endsAt: places.has("until") ? endsAt : undefined,
    });
  }

  #addDevice(
    line: number,
    cell: Cell,
    others: readonly (readonly [name: string, text: string])[],
    problems: string[],
  ): void {
    const roles = cell("role").split("|").map(trimBlanks);
    if (roles.includes("")) problems.push("role is empty");
    if (new Set(roles).size < roles.length) problems.push("role names a role twice");
    if (roles.length > MAX_MONITORS) problems.push(`role names more than ${MAX_MONITORS} roles`);
    const externalId = readExternalId(cell("externalId"), problems);
    const nodeId = cell("nodeId");
    const properties = readProperties(nodeId, cell("properties"), others, problems);
    this.#claim("nodeId", canonicalText(nodeId), line, problems);
    this.#claim("externalId of devices", externalId && canonicalText(externalId), line, problems);
    if (problems.length > 0) return;
    this.devices.push({ line, nodeId, roles, externalId, properties });
  }

  #claim(what: string, text: string | undefined, line: number, problems: string[]): void {
    if (text === undefined || text === "") return;
    const first = this.#lines.get(`${what} ${text}`);
    const [column = ""] = what.split(" ");
    if (first === undefined) this.#lines.set(`${what} ${text}`, line);
    else problems.push(`${column} ${quote(text)} is already in line ${first}`);
  }
}

/** Returns milliseconds, null for an empty text, and undefined for what is no time. A date is its first moment in UTC. */
function readTime(text: string): number | null | undefined {
  if (text === "") return null;
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  // A day that its month lacks would be one of the next month.
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Joins the properties of a row. A cell of another column is a property unless it is empty. */
function readProperties(
  nodeId: string,
  cell: string,
  others: readonly (readonly [name: string, text: string])[],
  problems: string[],
): string {
  let given: unknown = {};
  try {
    if (trimBlanks(cell) !== "") {
      given = parseJson(cell);
      const lost = findLostNumbers(cell);
      if (lost.length > 0) {
        const list = lost.map(({ source }) =>
          `properties holds the number ${quote(source)}: ${WRITE_AS_TEXT}`
        );
        problems.push(...list);
        return "";
      }
    }
  } catch {
    problems.push(`properties ${quote(cell)} is not JSON`);
    return "";
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    problems.push(`properties ${quote(cell)} is no JSON object`);
    return "";
  }
  const stored = canonicalText(nodeId);
  if ("nodeId" in given && !(typeof given.nodeId === "string" && canonicalText(given.nodeId) === stored)) {
    problems.push(`properties names another nodeId than ${quote(stored)}`);
  }
  const further = Object.fromEntries(others.filter(([, text]) => trimBlanks(text) !== ""));
  const properties = "nodeId" in given
    ? { ...further, ...given, nodeId: stored }
    : { nodeId: stored, ...further, ...given };
  const read = v.safeParse(NewPropertiesSchema, properties);
  if (!read.success) {
    const [issue] = read.issues;
    const path = issue.path?.map(({ key }) => String(key)).join(".") ?? "properties";
    problems.push(`${path} ${quote(path === "nodeId" ? stored : cell)} is invalid: ${issue.message}`);
  }
  return JSON.stringify(properties);
}
