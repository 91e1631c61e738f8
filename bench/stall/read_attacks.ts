import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf, type Strike } from "./attack.ts";
import { maskOf, toRights } from "../../src/graph/rights.ts";
import type { LargeScene, Person } from "../../tests/helpers/large_scene.ts";

/** Reads whose work is a product of two lists: the request's list, and the roles above each of its entries. */

const ABOVE = 1000;
const LEAVES = 500;
const NAME = "deep leaf";

/** Roles of one name below one role that is below many others. */
interface DeepWorld {
  readonly tops: readonly number[];
  readonly hub: number;
  readonly leaves: readonly number[];
  readonly askers: Readonly<Record<Asker, Person>>;
}

/**
 * The insider is a member of all roles above the leaves; the outsider of as many other roles, and sees nothing of this;
 * the neighbour of the role right above the leaves.
 */
type Asker = "insider" | "outsider" | "neighbour";

const worlds = new WeakMap<LargeScene, Promise<DeepWorld>>();

/** The world of a scene, which all of these attacks share. */
function deepWorldOf(scene: LargeScene): Promise<DeepWorld> {
  const world = worlds.get(scene) ?? buildDeepWorld(scene);
  worlds.set(scene, world);
  return world;
}

async function buildDeepWorld(scene: LargeScene): Promise<DeepWorld> {
  const tops = await scene.addRoles(ABOVE);
  const [hub = 0] = await scene.addRoles(1, { parentIds: tops });
  const leaves: number[] = [];
  // All at once would be more rows than a server writes in time.
  while (leaves.length < LEAVES) {
    leaves.push(...await scene.addRoles(LEAVES / 10, { parentIds: [hub], name: NAME }));
  }
  const askers = {
    insider: await scene.addPerson(tops),
    outsider: await scene.addPerson(await scene.addRoles(ABOVE)),
    neighbour: await scene.addPerson([hub]),
  };
  return { tops, hub, leaves, askers };
}

interface Request {
  readonly by: Asker;
  readonly path: string;
  readonly body: unknown;
}

/** An attack with requests about the deep world, each on a connection of its own. */
function overDeepWorld(
  name: string,
  requestsOf: (world: DeepWorld, scene: LargeScene) => readonly Request[] | Promise<readonly Request[]>,
): Attack {
  return {
    name,
    answers: [200],
    async prepare(scene) {
      const world = await deepWorldOf(scene);
      const strikes = (await requestsOf(world, scene)).map(({ by, path, body }) =>
        crowdOf({ connections: 1, path, body, token: world.askers[by].token })
      );
      return async (target) => {
        await Promise.all(strikes.map((strike) => strike(target)));
      };
    },
  };
}

/** The same request of both who have many memberships. */
function byMany(path: string, body: unknown): Request[] {
  return (["insider", "outsider"] as const).map((by) => ({ by, path, body }));
}

const MANAGING = maskOf("roleManagement");
const UNKNOWN = Array.from({ length: 1000 }, (_, i) => i + 1_000_000_000_000);
const ADDRESSES = Array.from({ length: 1000 }, (_, i) => `member${i}@deep.example`);
/** How many of these have an account. */
const ACCOUNTS = 200;

const ADD_ACCOUNTS = [
  defineStatement(`INSERT INTO user_account (email, created_at) SELECT value, 0 FROM json_each(:emails)`),
  defineStatement(`
    INSERT INTO member (id, role_id, user_id)
    SELECT :firstId + row_number() OVER (), role.value, account.id FROM json_each(:emails) asked
    CROSS JOIN user_account account ON account.email = asked.value CROSS JOIN json_each(:roleIds) role`),
];

/** A change of each role, and of one parent of all. */
const ADD_CHANGES = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, parent_id, decision, step)
  SELECT 'deep ' || value, 0, 1, 's', 'manages.put', value, :hub, 'ok', 'grow' FROM json_each(:roleIds)`);

const CHAIN = 1500;
const MEMBERSHIPS_BELOW = 400;

/** Relations that make a chain of the roles of a list, each below the one before it. */
const ADD_CHAIN = [
  defineStatement(`
    INSERT INTO manages (id, parent_id, child_id, rights)
    SELECT :firstId + lower.key, upper.value, lower.value, 63 FROM json_each(:roleIds) lower
    CROSS JOIN json_each(:roleIds) upper WHERE upper.key = lower.key - 1`),
  defineStatement(`
    INSERT INTO role_closure (descendant_id, ancestor_id, rights)
    SELECT lower.value, upper.value, 63 FROM json_each(:roleIds) lower CROSS JOIN json_each(:roleIds) upper
    WHERE upper.key < lower.key`),
];

export const READ_ATTACKS: readonly Attack[] = [
  overDeepWorld("500 ids of roles below 1,000 others", ({ leaves }) => [
    ...byMany("/v1/role/query", { filter: { id: leaves } }),
    { by: "neighbour", path: "/v1/role/query", body: { filter: { id: leaves, ancestorRoleId: UNKNOWN } } },
  ]),
  overDeepWorld("the names of 500 roles below 1,000 others", () => {
    const filters = [{ name: [NAME] }, { namePrefix: NAME }];
    return filters.flatMap((filter): Request[] => [
      { by: "insider", path: "/v1/role/query", body: { filter } },
      { by: "neighbour", path: "/v1/role/query", body: { filter: { ...filter, ancestorRoleId: UNKNOWN } } },
    ]);
  }),
  overDeepWorld("what is below 500 roles that are below 1,000 others", ({ leaves, tops }) => [
    ...byMany("/v1/role/query", { filter: { ancestorRoleId: leaves } }),
    {
      by: "insider",
      path: "/v1/role/query",
      body: { filter: { ancestorRoleId: tops.slice(0, 1000) }, limit: 1000 },
    },
  ]),
  overDeepWorld("all roles below 1,000 own ones that have 500 below each", () => [
    { by: "insider", path: "/v1/role/query", body: {} },
  ]),
  overDeepWorld("relations from and to 500 roles below 1,000 others", ({ leaves }) => [
    ...byMany("/v1/role/*/manages/query", { filter: { childRoleId: leaves } }),
    ...byMany(`/v1/role/${leaves.slice(0, 500)}/managed-by/query`, {}),
    ...byMany("/v1/role/*/managed-by/query", { limit: 1000 }),
  ]),
  overDeepWorld("members of 500 roles below 1,000 others", ({ leaves }) => [
    ...byMany(`/v1/role/${leaves.slice(0, 500)}/member/query`, {}),
    ...byMany("/v1/role/*/member/query", {}),
  ]),
  {
    name:
      "previews of a relation below 500 roles that are below 1,000 others, by a member of 1,000 elsewhere",
    answers: [200, 429],
    async prepare(scene) {
      const { leaves } = await deepWorldOf(scene);
      const [below = 0] = await scene.addRoles(1, { parentIds: leaves });
      const [child = 0] = await scene.addRoles(1, { parentIds: [below] });
      const { token } = await scene.addPerson([below, ...await scene.addRoles(ABOVE)]);
      const path = `/v1/role/${below}/manages?childRoleId=${child}&dryRun=true`;
      return crowdOf({ connections: 4, method: "PUT", path, token, body: toRights(MANAGING) });
    },
  },
  overDeepWorld("1,000 addresses, of which 200 have 500 memberships each", async ({ leaves }, scene) => {
    await scene.write(ADD_ACCOUNTS, {
      emails: JSON.stringify(ADDRESSES.slice(0, ACCOUNTS)),
      roleIds: JSON.stringify(leaves),
      firstId: scene.takeFirstId(ACCOUNTS * leaves.length + 1),
    });
    return [
      ...byMany("/v1/role/*/member/query", { filter: { userEmail: ADDRESSES }, limit: 1000 }),
      ...byMany(`/v1/role/${leaves[0]}/access/query`, { filter: { userEmail: ADDRESSES } }),
    ];
  }),
  overDeepWorld("what an unknown person has access to, of 500 roles below 1,000 others", ({ leaves }) => [
    ...byMany("/v1/access/query", { userEmail: "nobody@deep.example", roleId: leaves }),
    { by: "neighbour", path: "/v1/access/query", body: { userEmail: "nobody@deep.example", roleId: leaves } },
  ]),
  overDeepWorld(
    "summaries of 150 roles below 1,000 others, and of 1,000 parents",
    ({ leaves, hub, tops }) => [
      ...byMany("/v1/role/summary", { id: leaves.slice(0, 150) }),
      ...byMany("/v1/role/summary", { id: [hub, ...tops.slice(0, 149)] }),
    ],
  ),
  overDeepWorld("what is around a role below 1,000 others and above 500", ({ hub, askers }) => {
    const path = `/v1/role/${hub}/neighbourhood/query`;
    const userEmail = askers.insider.email;
    return [
      { by: "insider", path, body: { limit: 100 } },
      { by: "insider", path, body: { limit: 100, userEmail } },
      { by: "neighbour", path, body: { limit: 100, userEmail } },
    ];
  }),
  {
    name: "what is around a role with 20,000 relations, for members of 32, of 5,000 and of all roles above",
    answers: [200],
    onServer: true,
    async prepare(scene) {
      const upper = await scene.addRoles(98);
      const lower = await scene.addRoles(98, { parentIds: upper });
      const [roleId = 0] = await scene.addRoles(1, { parentIds: lower });
      await scene.addRoles(100, { parentIds: [roleId, ...lower] });
      const callers = [
        await scene.addPerson(upper.slice(0, 32)),
        await scene.addPerson([...upper.slice(0, 1), ...await scene.addRoles(5000)]),
        await scene.addPerson([...upper, ...lower, roleId]),
      ];
      const path = `/v1/role/${roleId}/neighbourhood/query`;
      const strikes = callers.flatMap(({ token, email: userEmail }) =>
        [{ limit: 100 }, { limit: 100, userEmail }].map((body) =>
          crowdOf({ connections: 1, path, token, body })
        )
      );
      return async (target) => {
        await Promise.all(strikes.map((strike) => strike(target)));
      };
    },
  },
  {
    name: "what is around a role below 1,999 others and one below 20,000, for members of all of these",
    answers: [200],
    async prepare(scene) {
      const parents: number[] = [];
      while (parents.length < 20_000) parents.push(...await scene.addRoles(5000));
      const { token } = await scene.addPerson(parents);
      const strikes: Strike[] = [];
      for (const count of [1999, 20_000]) {
        const [roleId] = await scene.addRoles(1, { parentIds: parents.slice(0, count) });
        strikes.push(crowdOf({ connections: 2, path: `/v1/role/${roleId}/neighbourhood/query`, token }));
      }
      return async (target) => {
        await Promise.all(strikes.map((strike) => strike(target)));
      };
    },
  },
  overDeepWorld("500 checks of rights on roles below 1,000 others, now and then", ({ leaves }) => {
    const checks = leaves.map((roleId) => ({ roleId, right: "roleManagement" }));
    return [
      ...byMany("/v1/rights/check", { checks }),
      ...byMany("/v1/rights/check", { checks, asOf: new Date().toISOString() }),
    ];
  }),
  overDeepWorld("changes of 500 roles below 1,000 others", async ({ leaves, hub }, scene) => {
    await scene.write([ADD_CHANGES], { roleIds: JSON.stringify(leaves), hub });
    const from = "1970-01-01T00:00:00Z";
    return [
      ...byMany("/v1/change/query", { filter: { from } }),
      ...byMany("/v1/change/query", { filter: { from, roleId: hub } }),
    ];
  }),
  overDeepWorld("searches among 500 roles below 1,000 others", ({ askers }) => {
    const action = { name: "roleManagement" };
    return [askers.insider, askers.outsider].flatMap(({ userId }) => {
      const subject = { type: "user", id: String(userId) };
      return byMany("/access/v1/search/resource", {
        subject,
        action,
        resource: { type: "role" },
        page: { limit: 1000 },
      });
    });
  }),
  {
    name: "lists and explanations for a member of 400 roles below a chain of 1,500 hidden ones",
    answers: [200],
    async prepare(scene) {
      const chain = await scene.addRoles(CHAIN);
      await scene.write(ADD_CHAIN, {
        roleIds: JSON.stringify(chain),
        firstId: scene.takeFirstId(chain.length),
      });
      const mine = await scene.addRoles(MEMBERSHIPS_BELOW, { parentIds: chain.slice(-1) });
      const [roleId = 0] = await scene.addRoles(1, { parentIds: mine });
      const { token, email: userEmail } = await scene.addPerson(mine);
      const requests: [string, unknown][] = [
        [`/v1/role/${roleId}/access/query`, {}],
        ["/v1/access/query", { userEmail }],
        ["/v1/role/query", {}],
        ["/v1/role/*/member/query", { limit: 1000 }],
        ["/v1/role/*/managed-by/query", { limit: 1000 }],
        ["/v1/rights/explain", { roleId, right: "alarmManagement" }],
        ["/v1/role/summary", { id: mine.slice(0, 150) }],
        [`/v1/role/${mine[0]}/manages/query`, {}],
      ];
      const strikes = requests.map(([path, body]) => crowdOf({ connections: 1, path, token, body }));
      return async (target) => {
        await Promise.all(strikes.map((strike) => strike(target)));
      };
    },
  },
];
