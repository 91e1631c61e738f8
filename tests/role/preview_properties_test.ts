import assert from "node:assert/strict";
import fc from "fast-check";
import { type Answer, query, send } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import { readCount } from "../helpers/read_count.ts";
import { openQuickApp, type TestApp } from "../helpers/test_app.ts";
import { verifyClosure } from "../../src/role/closure/closure_service.ts";
import { RIGHT_NAMES, type RightName } from "../../src/role/rights.ts";

/** What a preview shows is what then happens, found by comparing all pairs of roles before and after. */

const WORLDS = Math.ceil(readCount("ROLEGRID_SEQUENCES", 200) / 8);
const ROLES = 8;
const ROLE_MANAGEMENT = 1;

interface Shown {
  readonly tag: string;
  readonly rights: Record<RightName, { gained: number; lost: number }>;
  readonly people: { gained: number; lost: number };
  readonly unmanaged: number[];
  readonly hiddenUnmanaged: number;
  readonly changes: { actingRoleId: number; roleId: number; gained: RightName[]; lost: RightName[] }[];
  readonly hidden: number;
  readonly truncated: boolean;
}

interface MemberRow {
  readonly id: number;
  readonly roleId: number;
  readonly userId: number;
  readonly rights: number;
}

/** The rights of each acting role on each role, and the live members. */
interface State {
  readonly pairs: ReadonlyMap<string, number>;
  readonly members: readonly MemberRow[];
  readonly roleIds: readonly number[];
}

async function readState(target: TestApp): Promise<State> {
  const pairs = await query<{ acting: number; role: number; rights: number }>(
    target,
    `SELECT ancestor_id AS acting, descendant_id AS role, rights FROM role_closure
     UNION ALL SELECT id, id, self_rights FROM role ORDER BY 1, 2`,
  );
  return {
    pairs: new Map(pairs.map(({ acting, role, rights }) => [`${acting} ${role}`, rights])),
    members: await query<MemberRow>(
      target,
      `SELECT id, role_id AS roleId, user_id AS userId, rights FROM member
       WHERE ends_at IS NULL OR ends_at > :now`,
      { now: target.clock.now() },
    ),
    roleIds: (await query<{ id: number }>(target, "SELECT id FROM role ORDER BY id")).map(({ id }) => id),
  };
}

function managedRoles({ pairs, members, roleIds }: State): Set<number> {
  const managed = roleIds.filter((role) =>
    members.some(({ roleId, userId, rights }) =>
      userId > 0 && (rights & (pairs.get(`${roleId} ${role}`) ?? 0) & ROLE_MANAGEMENT) !== 0
    )
  );
  return new Set(managed);
}

function namesOf(mask: number): RightName[] {
  return RIGHT_NAMES.filter((_, bit) => (mask >> bit & 1) === 1);
}

/** The effect that the two states tell of, for somebody who sees the roles of which `sees` is true. */
function compareStates(before: State, after: State, sees: (role: number) => boolean): Omit<Shown, "tag"> {
  const changed = [...new Set([...before.pairs.keys(), ...after.pairs.keys()])].map((pair) => {
    const [acting = 0, role = 0] = pair.split(" ").map(Number);
    const [old, now] = [before.pairs.get(pair) ?? 0, after.pairs.get(pair) ?? 0];
    return { acting, role, gained: now & ~old, lost: old & ~now };
  }).filter(({ gained, lost }) => gained !== 0 || lost !== 0)
    .sort((a, b) => a.acting - b.acting || a.role - b.role);
  const people = (way: "gained" | "lost"): number =>
    new Set(
      before.members.filter(({ roleId, rights }) =>
        changed.some((pair) => pair.acting === roleId && (pair[way] & rights) !== 0)
      ).map(({ userId }) => userId),
    ).size;
  const managed = managedRoles(after);
  const unmanaged = [...managedRoles(before)].filter((role) =>
    !managed.has(role) && after.roleIds.includes(role)
  ).sort((a, b) => a - b);
  const shown = changed.filter(({ acting, role }) => sees(acting) && sees(role));
  return {
    rights: Object.fromEntries(RIGHT_NAMES.map((name, bit) => [name, {
      gained: changed.filter(({ gained }) => gained >> bit & 1).length,
      lost: changed.filter(({ lost }) => lost >> bit & 1).length,
    }])) as Shown["rights"],
    people: { gained: people("gained"), lost: people("lost") },
    unmanaged: unmanaged.filter(sees),
    hiddenUnmanaged: unmanaged.filter((role) => !sees(role)).length,
    changes: shown.map(({ acting, role, gained, lost }) => ({
      actingRoleId: acting,
      roleId: role,
      gained: namesOf(gained),
      lost: namesOf(lost),
    })),
    hidden: changed.length - shown.length,
    truncated: false,
  };
}

/** Roles R0 (a root) to R7, of which each has relations from some before it, and members with masks. */
const WORLD = fc.record({
  relations: fc.array(
    fc.record({
      parent: fc.nat(ROLES - 2),
      child: fc.integer({ min: 1, max: ROLES - 1 }),
      rights: fc.nat(63),
    }),
    { minLength: 4, maxLength: 14 },
  ),
  selfRights: fc.array(fc.nat(63), { minLength: ROLES, maxLength: ROLES }),
  members: fc.array(
    fc.record({
      role: fc.nat(ROLES - 1),
      user: fc.nat(3),
      rights: fc.oneof(fc.constant(63), fc.nat(63)),
      hasEnded: fc.nat(5).map((n) => n === 0),
    }),
    { maxLength: 8 },
  ),
  roots: fc.array(fc.nat(ROLES - 1), { maxLength: 2 }),
});

const COMMANDS = fc.array(
  fc.record({
    kind: fc.constantFrom("put", "update", "move", "delete", "role"),
    first: fc.nat(1000),
    second: fc.nat(1000),
    third: fc.nat(1000),
    rights: fc.oneof(fc.nat(63), fc.constant(63), fc.constant(1)),
  }),
  { minLength: 3, maxLength: 6 },
);

type World = typeof WORLD extends fc.Arbitrary<infer T> ? T : never;
type Command = typeof COMMANDS extends fc.Arbitrary<infer T> ? (T extends (infer E)[] ? E : never) : never;

/** A caller above all, and one who is a member of R1 alone, as are those that the world names. */
async function setScene(target: TestApp, world: World): Promise<{ actors: Person[]; ids: number[] }> {
  await target.reset();
  const { userId, roleId } = await target.bootstrapRoot("root@example.com", "Root");
  const top = new Person(target, await target.accessToken(userId));
  const ids: number[] = [];
  for (let i = 0; i < ROLES; i++) ids.push(await top.create(roleId, `R${i}`));
  const users = [];
  for (let i = 0; i < 4; i++) users.push(await target.createUser(`user${i}@example.com`));
  const id = (i: number): number => ids[i] ?? 0;
  for (const { parent, child, rights } of world.relations) {
    if (parent >= child) continue;
    await top.ask("PUT", `/v1/role/${id(parent)}/manages?childRoleId=${id(child)}`, toBody(rights));
  }
  for (const [i, mask] of world.selfRights.entries()) {
    await top.put(`/v1/role/${id(i)}`, { name: `R${i}`, selfRights: toBody(mask) });
  }
  let memberId = 1_000_000;
  for (
    const { role, user, rights, hasEnded } of [
      { role: 1, user: 0, rights: 63, hasEnded: false },
      ...world.members,
    ]
  ) {
    await target.database.write([{
      sql: `INSERT INTO member (id, role_id, user_id, rights, ends_at)
        VALUES (:id, :role, :user, :rights, :end) ON CONFLICT DO NOTHING`,
      args: {
        id: BigInt(memberId++),
        role: BigInt(id(role)),
        user: BigInt(users[user]?.userId ?? 0),
        rights: BigInt(rights),
        end: hasEnded ? BigInt(target.clock.now()) : null,
      },
    }]);
  }
  for (const i of world.roots) {
    await target.database.write([{ sql: `UPDATE role SET is_root = 1 WHERE id = ${id(i)}`, args: {} }]);
  }
  return { actors: [top, new Person(target, users[0]?.accessToken ?? "")], ids: [roleId, ...ids] };
}

function toBody(mask: number): Record<string, boolean> {
  return Object.fromEntries(RIGHT_NAMES.map((name, bit) => [name, (mask >> bit & 1) === 1]));
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

async function toRequest(
  target: TestApp,
  ids: readonly number[],
  { kind, first, second, third, rights }: Command,
): Promise<Request | undefined> {
  const relations = await query<{ id: number; parentId: number; childId: number }>(
    target,
    "SELECT id, parent_id AS parentId, child_id AS childId FROM manages ORDER BY id",
  );
  const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];
  const relation = pick(relations, third);
  const body = toBody(rights);
  const ofPair = `/v1/role/${pick(ids, first)}/manages?childRoleId=`;
  if (kind === "role") {
    return {
      method: "PUT",
      path: `/v1/role/${pick(ids, first)}`,
      body: { name: `N${second}`, selfRights: body },
    };
  }
  if (kind === "put") return { method: "PUT", path: `${ofPair}${pick(ids, second)}`, body };
  if (relation === undefined) return undefined;
  if (kind === "move") {
    return { method: "PUT", path: `${ofPair}${relation.childId}&replaces=${relation.id}`, body };
  }
  const byId = `/v1/role/${relation.parentId}/manages/${relation.id}`;
  return kind === "delete" ? { method: "DELETE", path: byId } : { method: "PUT", path: byId, body };
}

function withoutIds(answer: Answer): unknown {
  const { effect: _, manages, ...rest } = answer.body as {
    effect?: unknown;
    manages?: { id: number | null };
  };
  return { ...rest, ...(manages === undefined ? {} : { manages: { ...manages, id: 0 } }) };
}

async function tryCommand(target: TestApp, actor: Person, request: Request): Promise<string> {
  const { method, path, body } = request;
  const before = await readState(target);
  const sees = new Set(await actor.roleIds());
  const dryPath = `${path}${path.includes("?") ? "&" : "?"}dryRun=true`;
  const sent = { token: actor.accessToken, ...(body === undefined ? {} : { body }) };
  const rehearsed = await send(target, method, dryPath, sent);
  assert.deepEqual(await readState(target), before, "a dry run changed something");
  if (rehearsed.status !== 200) {
    assert.equal((await send(target, method, path, sent)).text, rehearsed.text);
    return String(rehearsed.status);
  }
  const { tag, revision: _, ...shown } = (rehearsed.body as { effect: Shown & { revision: number } }).effect;
  const made = await send(target, method, path, { ...sent, headers: { "If-Effect": tag } });
  assert.equal(made.status, 200, `${method} ${path}: ${made.text}`);
  assert.deepEqual(withoutIds(made), withoutIds(rehearsed));
  const after = await readState(target);
  assert.deepEqual(shown, compareStates(before, after, (role) => sees.has(role)), `${method} ${path}`);
  return shown.unmanaged.length > 0 ? "200 unmanaged" : shown.hidden > 0 ? "200 hidden" : "200";
}

Deno.test("a preview is what then happens, for every relation and role of random worlds", async () => {
  await using target = await openQuickApp();
  const tally = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(WORLD, COMMANDS, async (world, commands) => {
      const { actors, ids } = await setScene(target, world);
      for (const command of commands) {
        // Previews are limited.
        target.clock.advance(60);
        const request = await toRequest(target, ids, command);
        if (request === undefined) continue;
        const actor = actors[command.first % 3 === 0 ? 1 : 0] as Person;
        const result = `${command.kind} ${await tryCommand(target, actor, request)}`;
        tally.set(result, (tally.get(result) ?? 0) + 1);
      }
      assert.equal((await verifyClosure(target.database)).differenceCount, 0);
    }),
    { numRuns: WORLDS },
  );
  // A few worlds do not have everything.
  if (WORLDS < 10) return;
  for (const kind of ["put", "update", "move", "delete", "role"]) {
    assert.ok((tally.get(`${kind} 200`) ?? 0) > 0, `no ${kind} succeeded: ${JSON.stringify([...tally])}`);
  }
});
