import { bind } from "../src/db/statement.ts";
import { ALL_RIGHTS, toRights } from "../src/graph/rights.ts";
import { createRole } from "../src/role/role_service.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { openProductionService, type ProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import type { Hierarchy, Relation } from "./hierarchy.ts";

/** A hierarchy with people, of whom each is a member of one role. */
export interface InsightScene {
  readonly service: ProductionService;
  readonly hierarchy: Hierarchy;
  /** A role below one of which every user is a member. */
  readonly crowdedId: number;
  /** A relation with 111 roles below, and 20 users in its parent, who are members of two other roles each. */
  readonly ofTeam: Relation;
  /** What is stored. */
  readonly input: string;
}

const PEOPLE_A_WRITE = 20_000;
const FIRST_MEMBER_ID = 10_000_000;

const INSERT_PEOPLE = defineStatement(`
  WITH RECURSIVE numbers(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)
  INSERT INTO user_account (id, email, created_at) SELECT 1000000 + n, 'person' || n || '@example.com', 0 FROM numbers`);

/** Of the roles from `:firstRole` on, each gets about as many. */
const INSERT_MEMBERS = defineStatement(`
  WITH RECURSIVE numbers(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)
  INSERT INTO member (id, role_id, user_id)
  SELECT ${FIRST_MEMBER_ID} + n, :firstRole + (n * 7919) % :roles, 1000000 + n FROM numbers`);

/** A role of which every user is a member, too. */
const INSERT_CROWD = defineStatement(`
  WITH RECURSIVE numbers(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)
  INSERT INTO member (id, role_id, user_id) SELECT ${
  2 * FIRST_MEMBER_ID
} + n, :crowdId, 1000000 + n FROM numbers`);

const INSERT_TEAM = defineStatement(`
  WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 19)
  INSERT OR IGNORE INTO member (id, role_id, user_id) SELECT ${
  3 * FIRST_MEMBER_ID
} + n, :roleId, 1000000 + n FROM numbers`);

/** Opens a service on a file with a tree of roles (3 levels: 1,110; 5: 111,110) and this many people. */
export async function openInsightScene(
  stack: AsyncDisposableStack,
  { levels, people }: { levels: number; people: number },
): Promise<InsightScene> {
  const service = stack.use(await openProductionService("file"));
  const { hierarchy, rows } = await seedService(service, { seed: 1, levels, shape: "tree" });
  const firstRole = hierarchy.levels[0]?.[0] ?? 0;
  const crowdId = await addRole(service, service.rootId, "Crowd");
  for (let first = 0; first < people; first += PEOPLE_A_WRITE) {
    const last = Math.min(first + PEOPLE_A_WRITE, people) - 1;
    await service.database.write([
      bind(INSERT_PEOPLE, { first, last }),
      bind(INSERT_MEMBERS, { first, last, firstRole, roles: rows.roles }),
      bind(INSERT_CROWD, { first, last, crowdId }),
    ]);
  }
  const topId = hierarchy.levels.at(-3)?.[0];
  const ofTeam = hierarchy.relations.find(({ childId }) => childId === topId);
  if (ofTeam === undefined) throw new TypeError("Expected at least three levels");
  await service.database.write([bind(INSERT_TEAM, { roleId: ofTeam.parentId })]);
  return {
    service,
    ofTeam,
    hierarchy,
    crowdedId: await addRole(service, crowdId, "Crowded"),
    input: `${rows.roles} roles, ${rows.closureRows} closure rows, ${people} people`,
  };
}

async function addRole(service: ProductionService, parentRoleId: number, name: string): Promise<number> {
  const all = toRights(ALL_RIGHTS);
  const input = { parentRoleId, name, selfRights: all, manages: all };
  return (await createRole(service.deps, service.actor, input)).role.id;
}
