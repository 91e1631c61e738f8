/** The neighbourhood of a role agrees with what the other operations say. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { testKind } from "../helpers/databases.ts";
import { type Manages, Person, type Role } from "../helpers/person.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { openTestApp, START_MS, type TestApp } from "../helpers/test_app.ts";
import {
  ALL_RIGHTS,
  closureOf,
  EMPTY_WORLD,
  type ModelRelation,
  type ModelRole,
} from "../model/oracle_rights.ts";
import type { AccessBody, PersonAccess, RoleAccess } from "../lists/access_scene.ts";
import { idsOf, type Neighbourhood, neighbourhoodOf, type Summary } from "./neighbourhood_scene.ts";

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
const SHARES = [["file", 0.05], ["remote", 0.01]] as const;

const EMAILS = ["ada@example.com", "bob@example.com", "eve@example.com"];
/** A member of so many roles elsewhere that SQL judges them by the roles above. */
const MANY = "eve@example.com";
const ELSEWHERE = 33;
const NAME_ELSEWHERE = "elsewhere";

interface Hierarchy {
  /** Self rights of each role. */
  readonly roles: readonly number[];
  /** From the role with the lesser index to the other one. */
  readonly relations: readonly (readonly [one: number, other: number, rights: number])[];
  readonly members:
    readonly (readonly [email: string, role: number, rights: number, hasEnded: boolean | null])[];
}

const mask = fc.integer({ min: 0, max: ALL_RIGHTS });
const hierarchies: fc.Arbitrary<Hierarchy> = fc.integer({ min: 4, max: 14 }).chain((count) => {
  const place = fc.integer({ min: 0, max: count - 1 });
  const membership = fc.tuple(fc.constantFrom(...EMAILS), place, mask, fc.option(fc.boolean(), { freq: 2 }));
  return fc.record({
    roles: fc.array(mask, { minLength: count, maxLength: count }),
    relations: fc.array(fc.tuple(place, place, mask), { minLength: count, maxLength: 3 * count }),
    members: fc.array(membership, { minLength: 3, maxLength: 8 }),
  });
});

const roleIdOf = (place: number): number => 1000 + place;

/** Stores the hierarchy, and returns its people by address. */
async function build(
  target: TestApp,
  { roles, relations, members }: Hierarchy,
): Promise<Map<string, Person>> {
  await target.reset();
  const pairs = new Map(
    relations.filter(([one, other]) => one !== other).map(
      ([one, other, rights], i): [string, ModelRelation] => {
        const [parentId, childId] = [Math.min(one, other), Math.max(one, other)].map(roleIdOf) as [
          number,
          number,
        ];
        return [`${parentId} ${childId}`, { id: 5000 + i, parentId, childId, rights, byPassword: false }];
      },
    ),
  );
  const all = [...roles, ...Array<number>(ELSEWHERE).fill(ALL_RIGHTS)];
  const world = {
    ...EMPTY_WORLD,
    roles: new Map(
      all.map((selfRights, i) => {
        const name = i < roles.length ? `role ${i}` : NAME_ELSEWHERE;
        return [roleIdOf(i), { id: roleIdOf(i), name, selfRights }];
      }),
    ) as unknown as ReadonlyMap<number, ModelRole>,
    relations: new Map([...pairs.values()].map((relation) => [relation.id, relation])),
  };
  const people = new Map<string, Person>();
  const userIds = new Map<string, number>();
  for (const email of EMAILS) {
    const { userId, accessToken } = await target.createUser(email);
    userIds.set(email, userId);
    people.set(email, new Person(target, accessToken));
  }
  const elsewhere = Array.from(
    { length: ELSEWHERE },
    (_, i) => [MANY, roles.length + i, ALL_RIGHTS, null] as const,
  );
  const insert = (sql: string, rows: readonly unknown[]) => ({ sql, args: { rows: JSON.stringify(rows) } });
  await target.database.write([
    insert(
      `INSERT INTO role (id, name, self_rights) SELECT value ->> 'id', value ->> 'name', value ->> 'selfRights' FROM json_each(:rows)`,
      [...world.roles.values()],
    ),
    insert(
      `INSERT INTO manages (id, parent_id, child_id, rights)
       SELECT value ->> 'id', value ->> 'parentId', value ->> 'childId', value ->> 'rights' FROM json_each(:rows)`,
      [...world.relations.values()],
    ),
    insert(
      `INSERT INTO role_closure (ancestor_id, descendant_id, rights)
       SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows)`,
      [...closureOf(world)].flatMap(([above, below]) =>
        [...below].map(([id, rights]) => [above, id, rights])
      ),
    ),
    insert(
      `INSERT INTO member (id, user_id, role_id, rights, ends_at)
       SELECT 9000 + key, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(:rows)
       WHERE true ON CONFLICT DO NOTHING`,
      [...members, ...elsewhere].map(([email, place, rights, hasEnded]) => {
        const endsAt = hasEnded === null ? null : START_MS + (hasEnded ? -1 : 1_000_000);
        return [userIds.get(email), roleIdOf(place), rights, endsAt];
      }),
    ),
  ]);
  return people;
}

/** All pages as one, of which each has the same but for the children. */
async function readPages(
  asker: Person,
  roleId: number,
  body: object,
  limit: number,
): Promise<Neighbourhood[]> {
  const pages: Neighbourhood[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Neighbourhood = await neighbourhoodOf(asker, roleId, {
      ...body,
      limit,
      ...cursor && { cursor },
    });
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

/** How far the roles above the first one are from it, over relations that the asker sees. */
function distancesOf(roleId: number, relations: readonly Manages[]): Map<number, number> {
  const distances = new Map([[roleId, 0]]);
  for (const [id, distance] of distances) {
    for (const { parentRoleId } of relations.filter(({ childRoleId }) => childRoleId === id)) {
      if (!distances.has(parentRoleId)) distances.set(parentRoleId, distance + 1);
    }
  }
  return distances;
}

/** Compares what is around each role with what the other operations say. */
async function assertAround(
  asker: Person,
  ownEmail: string,
  email: string | undefined,
  limit: number,
): Promise<void> {
  const { role: roles } = await asker.post<{ role: Role[] }>("/v1/role/query");
  const { manages: relations } = await asker.post<{ manages: Manages[] }>("/v1/role/*/manages/query");
  const { member } = await asker.post<{ member: { roleId: number }[] }>("/v1/role/*/member/query", {
    filter: { userEmail: [ownEmail] },
  });
  for (const { id: roleId } of roles.filter(({ name }) => name !== NAME_ELSEWHERE)) {
    const pages = await readPages(asker, roleId, email === undefined ? {} : { userEmail: email }, limit);
    const distances = distancesOf(roleId, relations);
    const children = relations.filter(({ parentRoleId }) => parentRoleId === roleId).map((each) =>
      each.childRoleId
    );
    assert.deepEqual(pages.flatMap(({ role }) => idsOf(role).filter((id) => !distances.has(id))), children);
    for (const { role, manages, summary, memberOf, person, moreAbove, moreManages } of pages) {
      const ids = idsOf(role);
      assert.deepEqual([moreAbove, moreManages], [false, false]);
      const above = ids.filter((id) => distances.has(id));
      assert.deepEqual(new Set(above), new Set(distances.keys()));
      assert.deepEqual(above.map((id) => distances.get(id)), [...distances.values()], "nearest first");
      assert.deepEqual(role, ids.map((id) => roles.find((each) => each.id === id)));
      assert.deepEqual(manages, relations.filter(({ childRoleId }) => ids.includes(childRoleId)));
      assert.deepEqual(
        { summary },
        await asker.post<{ summary: Summary[] }>("/v1/role/summary", { id: ids }),
      );
      assert.deepEqual(memberOf, ids.filter((id) => member.some((own) => own.roleId === id)));
      if (email === undefined) {
        assert.equal(person, undefined);
        continue;
      }
      const { access } = await asker.post<AccessBody<RoleAccess>>("/v1/access/query", {
        userEmail: email,
        roleId: ids,
      });
      assert.deepEqual(person?.access, access);
      assert.deepEqual(person.mayAsk, await askedBy(asker, email === ownEmail, ids));
      const direct = access.filter((each) => each.direct).map((each) => each.roleId);
      const through = await membershipsOver(asker, roleId, email);
      const known = ids.filter((id) => direct.includes(id) || (above.includes(id) && through.includes(id)));
      assert.deepEqual(person.memberOf, email === ownEmail ? memberOf : known);
    }
  }
}

/** The roles about which the asker may ask: the asker has access to each, so its list is not empty. */
async function askedBy(asker: Person, isAboutSelf: boolean, ids: readonly number[]): Promise<number[]> {
  if (isAboutSelf) return [...ids];
  const asked: number[] = [];
  for (const id of ids) {
    const { access } = await asker.post<AccessBody<PersonAccess>>(`/v1/role/${id}/access/query`);
    if (access.length > 0) asked.push(id);
  }
  return asked;
}

/** The roles over which the person has access to a role, as the list of access to that role names them. */
async function membershipsOver(asker: Person, roleId: number, email: string): Promise<number[]> {
  const { access } = await asker.post<AccessBody<PersonAccess>>(`/v1/role/${roleId}/access/query`, {
    filter: { userEmail: [email] },
  });
  return access.flatMap(({ direct, through }) => [...direct ? [roleId] : [], ...through]);
}

for (const [kind, share] of SHARES) {
  const numRuns = Math.ceil(SEQUENCES * share);
  testKind(
    kind,
    `the neighbourhood of a role agrees with the other operations, in ${numRuns} hierarchies, seed ${SEED}`,
    async () => {
      await using target = await openTestApp(kind);
      const holds = fc.asyncProperty(hierarchies, async (hierarchy) => {
        const people = await build(target, hierarchy);
        let n = hierarchy.relations.length;
        for (const [own, asker] of people) {
          await assertAround(asker, own, [undefined, ...EMAILS, "nobody@example.com"][n++ % 5], 1 + n % 4);
        }
      });
      await fc.assert(holds, { numRuns, seed: SEED });
    },
  );
}
