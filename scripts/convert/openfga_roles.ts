import * as v from "valibot";
import { isEmail, normalizeEmail } from "../../src/core/email.ts";
import { ALL_RIGHTS, includesRights, maskOf, type RightsMask } from "../../src/graph/rights.ts";
import {
  badRights,
  formatLimit,
  type HierarchyRow,
  parseRights,
} from "../../src/transfer/roles/role_format.ts";
import { check, parseJson } from "./input.ts";
import { LeftOut } from "./left_out.ts";
import { keepExternalId, keyOf } from "./names.ts";
import { describeTuple, type Subject, type Tuple } from "./openfga_tuples.ts";
import type { Converted, TableRow } from "./output.ts";

const RightsSchema = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }): RightsMask => {
    const rights = parseRights(dataset.value, "|");
    if (rights !== undefined) return rights;
    addIssue({ message: badRights("it", dataset.value) });
    return NEVER;
  }),
);

/** What a tuple of a relation means; the rights are those that it gives. */
const RuleSchema = v.union(
  [
    v.strictObject({ parent: RightsSchema }),
    v.strictObject({ child: RightsSchema }),
    v.strictObject({ member: RightsSchema }),
  ],
  'expected one of "parent", "child" and "member", with rights such as "all" or "viewManagement|alarmManagement"',
);

const MappingSchema = v.strictObject({
  /** Types of people. */
  people: v.array(v.string()),
  /** Types of objects that become roles. */
  roles: v.record(
    v.string(),
    v.strictObject({
      /** Relations whose usersets stand for all members of such a role. */
      members: v.optional(v.array(v.string()), []),
      selfRights: v.optional(RightsSchema, "all"),
    }),
  ),
  /** By the object's type and the relation: "team#member". */
  relations: v.record(v.string(), RuleSchema),
});
export type Mapping = v.InferOutput<typeof MappingSchema>;
type Rule = v.InferOutput<typeof RuleSchema>;

/** Reads the text of a mapping. Throws a `TaskError` that names the place of a fault. */
export function readMapping(path: string, text: string): Mapping {
  const mapping = check(path, "", MappingSchema, parseJson(path, text));
  const types = Object.keys(mapping.roles);
  const known = v.picklist(types, `must begin with a type of "roles" (${types.join(", ")}) and "#"`);
  for (const relation of Object.keys(mapping.relations)) {
    check(path, `relations["${relation}"]`, known, relation.split("#")[0]);
  }
  return mapping;
}

const ROLE_MANAGEMENT = maskOf("roleManagement");

/** Converts tuples as the mapping says. What it does not name is listed. */
export function convertTuples(tuples: readonly Tuple[], mapping: Mapping, leftOut: LeftOut): Converted {
  const converter = new Converter(mapping, leftOut);
  for (const tuple of tuples) converter.add(tuple);
  return converter.finish();
}

class Converter {
  /** Rights of the parents by their name, by the name of the role. */
  readonly #roles = new Map<
    string,
    { readonly subject: Subject; readonly parents: Map<string, RightsMask> }
  >();
  /** Rights by person, by the name of the role. */
  readonly #members = new Map<string, Map<string, RightsMask>>();
  readonly #people = new Set<string>();
  readonly #unusedRules: Set<string>;

  constructor(private readonly mapping: Mapping, private readonly leftOut: LeftOut) {
    this.#unusedRules = new Set(Object.keys(mapping.relations));
  }

  /** Adds a tuple, or lists it. */
  add(tuple: Tuple): void {
    const { user, relation, object, condition } = tuple;
    for (const subject of [user, object]) {
      if (this.#isRole(subject)) this.#note(subject);
    }
    const name = `${object.type}#${relation}`;
    const rule = Object.hasOwn(this.mapping.relations, name) ? this.mapping.relations[name] : undefined;
    this.#unusedRules.delete(name);
    const reason = condition !== undefined
      ? `tuples with the condition ${condition}`
      : user.id === "*"
      ? "tuples of everyone of a type"
      : rule === undefined
      ? `tuples of ${name}, which the mapping does not name`
      : this.#apply(rule, tuple);
    if (reason !== undefined) this.leftOut.add(reason, describeTuple(tuple));
  }

  /** Returns why the rule does not fit. */
  #apply(rule: Rule, { user, object }: Tuple): string | undefined {
    if (!this.#isRole(user)) {
      if (!("member" in rule) || !this.mapping.people.includes(user.type) || user.relation !== undefined) {
        return `tuples with a user of type ${user.type}, where the mapping has another`;
      }
      const members = this.#members.get(nameOf(object)) ?? new Map<string, RightsMask>();
      const person = this.#referTo(user);
      this.#members.set(nameOf(object), members.set(person, (members.get(person) ?? 0) | rule.member));
      return undefined;
    }
    const isUserset = user.relation !== undefined;
    if (isUserset && !this.mapping.roles[user.type]?.members.includes(user.relation)) {
      return `tuples of ${user.type}#${user.relation}, which is not in "members" of ${user.type}`;
    }
    if (isUserset !== "member" in rule) {
      return `tuples with ${isUserset ? "the members of a role" : "a role"}, where the mapping has another`;
    }
    const [parent, child] = "child" in rule ? [object, user] : [user, object];
    if (nameOf(parent) === nameOf(child)) return "tuples that give the members of a role rights on itself";
    const { parents } = this.#note(child);
    const rights = "member" in rule ? rule.member : "parent" in rule ? rule.parent : rule.child;
    parents.set(nameOf(parent), (parents.get(nameOf(parent)) ?? 0) | rights);
    return undefined;
  }

  #isRole({ type, id }: Subject): boolean {
    return Object.hasOwn(this.mapping.roles, type) && id !== "*";
  }

  #note(subject: Subject): { readonly parents: Map<string, RightsMask> } {
    const name = nameOf(subject);
    const role = this.#roles.get(name) ?? { subject, parents: new Map<string, RightsMask>() };
    this.#roles.set(name, role);
    return role;
  }

  /** Returns a reference to a person: an address, or the external id by which the import is to find the account. */
  #referTo({ type, id }: Subject): string {
    if (isEmail(id)) {
      const email = normalizeEmail(id);
      this.#people.add(email);
      return email;
    }
    const reference = this.mapping.people.length === 1 ? id : `${type}:${id}`;
    if (!this.#people.has(reference)) {
      this.leftOut.add(
        "people whose id is no address: people.csv or the database must have it as externalId",
        reference,
      );
      this.#people.add(reference);
    }
    return reference;
  }

  finish(): Converted {
    const { leftOut } = this;
    for (const rule of this.#unusedRules) {
      leftOut.add("rules of the mapping for which there is no tuple", rule);
    }
    const roles = Array.from(this.#roles, ([name, { subject, parents }]): HierarchyRow => {
      const isManaged = [...parents.values()].some((rights) => includesRights(rights, ROLE_MANAGEMENT));
      if (!isManaged && parents.size > 0) {
        leftOut.add("converted, but placed at the top, since no parent has roleManagement over them", name);
      }
      return {
        key: keyOf(name),
        externalId: keepExternalId(name, "roles", leftOut),
        name: subject.id,
        selfRights: this.mapping.roles[subject.type]?.selfRights ?? ALL_RIGHTS,
        topRights: isManaged ? undefined : ALL_RIGHTS,
        parents: new Map(Array.from(parents, ([parent, rights]) => [keyOf(parent), rights])),
      };
    });
    const people = [...this.#people].filter(isEmail).map((email): TableRow => ({ email }));
    const members = Array.from(this.#members, ([role, own]) => {
      return Array.from(own, ([person, rights]): TableRow => ({
        role: keyOf(role),
        person,
        rights: formatLimit(rights),
      }));
    });
    return { roles, people, members: members.flat(), leftOut };
  }
}

function nameOf({ type, id }: Subject): string {
  return `${type}:${id}`;
}
