import { type Rights, toMask } from "../../src/graph/rights.ts";
import { randomInteger } from "../../tests/helpers/random_numbers.ts";
import type { ApiClient } from "./api_client.ts";
import type { ExpectedRights } from "./expected_rights.ts";
import type { Person } from "./people.ts";
import { oneOf } from "./random_checks.ts";

interface AnsweredRole {
  readonly id: number;
  readonly name: string;
  readonly selfRights: Rights;
  readonly userRights: Rights;
}

interface RoleList {
  readonly role: readonly AnsweredRole[];
}

/** Distinct names, by role id. */
export type RoleNames = ReadonlyMap<number, string>;

export interface QueryOptions {
  readonly people: readonly Person[];
  readonly expected: ExpectedRights;
  readonly names: RoleNames;
  readonly random: () => number;
  readonly count: number;
  readonly onStep: () => void;
}

/** Lets the people query roles, by id and by name in turn. Returns the unexpected responses. */
export async function queryRoles(options: QueryOptions): Promise<string[]> {
  const { people, expected, names, random, count, onStep } = options;
  const wrong: string[] = [];
  const ids = [...names.keys()];
  for (let n = 0; n < count; n++) {
    const person = oneOf(people, random);
    const own = oneOf(person.roleIds, random);
    const roleId = randomInteger(random, 2) === 0
      ? oneOf(ids, random)
      : oneOf([own, ...expected.graph.below(own)], random);
    const byName = n % 2 === 0;
    const filter = byName ? { name: [names.get(roleId)] } : { id: [roleId] };
    const kind = `query a role by ${byName ? "name" : "id"}`;
    const { role } = await person.client.send<RoleList>(kind, "POST", "/v1/role/query", { filter });
    const wanted = expected.isMember(roleId, person.roleIds) ? [roleId] : [];
    wrong.push(...compare(role, { wanted, names, expected, memberOf: person.roleIds }));
    onStep();
  }
  return wrong;
}

/** Queries all roles that a person sees at once. Returns the unexpected responses. */
export async function listAllRoles(
  client: ApiClient,
  { expected, names, memberOf }: Pick<Comparison, "expected" | "names" | "memberOf">,
): Promise<string[]> {
  const { role } = await client.send<RoleList>("list all roles", "POST", "/v1/role/query", {});
  const wanted = memberOf.flatMap((roleId) => [roleId, ...expected.graph.below(roleId)]);
  return compare(role, { wanted: [...new Set(wanted)], names, expected, memberOf });
}

interface Comparison {
  readonly wanted: readonly number[];
  readonly names: RoleNames;
  readonly expected: ExpectedRights;
  readonly memberOf: readonly number[];
}

function compare(
  answered: readonly AnsweredRole[],
  { wanted, names, expected, memberOf }: Comparison,
): string[] {
  const wrong: string[] = [];
  const found = new Map(answered.map((role) => [role.id, role]));
  if (found.size !== answered.length || found.size !== wanted.length) {
    wrong.push(
      `${answered.length} roles returned, ${found.size} of them different: should be ${wanted.length}`,
    );
  }
  for (const roleId of wanted) {
    const role = found.get(roleId);
    if (role === undefined) {
      wrong.push(`role ${roleId} is missing`);
      continue;
    }
    const answer = [role.name, toMask(role.selfRights), toMask(role.userRights)].join(" ");
    const rights = [expected.graph.selfRightsOf(roleId), expected.rightsOn(roleId, memberOf)];
    const should = [names.get(roleId), ...rights].join(" ");
    if (answer !== should) wrong.push(`role ${roleId}: returned "${answer}", should be "${should}"`);
  }
  return wrong;
}
