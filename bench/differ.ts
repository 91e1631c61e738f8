// deno-lint-ignore-file no-console -- A program for the terminal.
import { isDeepStrictEqual } from "node:util";
import type { Answer, Sent } from "../tests/helpers/http.ts";
import type { TestApp } from "../tests/helpers/test_app.ts";
import { checkOut } from "./against.ts";

/**
 * Sends the same random changes to this code and to that of an earlier commit, each on a database of its own. Responses,
 * rows of the log and tables must be equal: `deno run -A --config tests/deno.json bench/differ.ts COMMIT [seeds]
 * [requests of each]`. Exits with 1 if they differ.
 */

const ROLES = 30;
const PEOPLE = 10;
const KEYS = 4;
const SHOWN = 3;
const RIGHTS = [
  "roleManagement",
  "userManagement",
  "viewManagement",
  "deviceManagement",
  "reportManagement",
  "alarmManagement",
] as const;
/** What a response or a row has by chance. */
const BY_CHANCE = /"(tag|secret|prefix|session_id|op_id|secret_mac|family_hash|id)":"[^"]*"/g;
const LOG =
  `SELECT rev, at, actor_id, via_role_id, kind, decision, step, parent_id, role_id, relation_id, subject_id,
  old_rights, new_rights, cost, blocked_role_id, gone_relation_ids, gone_role_ids, closure_rows, details, attempts,
  undoes, counted_to, counted_for FROM change_log ORDER BY rev`;
const TABLES = [
  "SELECT * FROM role ORDER BY id",
  "SELECT * FROM manages ORDER BY id",
  "SELECT * FROM member ORDER BY id",
  "SELECT * FROM role_closure ORDER BY 1, 2",
  "SELECT * FROM id_sequence ORDER BY 1",
  "SELECT * FROM root_usage ORDER BY 1, 2",
  "SELECT scope, key, count FROM throttle ORDER BY 1, 2",
  "SELECT * FROM manages_history ORDER BY 1, 2",
  "SELECT * FROM member_history ORDER BY 1, 2",
  "SELECT * FROM role_history ORDER BY 1, 2",
  "SELECT id, email, language FROM user_account ORDER BY id",
  "SELECT recipient, template, role_name, actor_email, brand, language, expires_at FROM outbox ORDER BY rowid",
  "SELECT user_id, key, fingerprint, expires_at FROM idempotency_key ORDER BY 1, 2",
];

type Helpers = typeof import("../tests/helpers/test_app.ts");
type Http = typeof import("../tests/helpers/http.ts");

/** One version of the service with its database. */
interface Side {
  readonly target: TestApp;
  readonly send: Http["send"];
  readonly query: Http["query"];
  /** Sessions of people, secrets of keys. */
  readonly callers: (string | { readonly userId: number; readonly sessionId: string })[];
}

/** Numbers below `n`, the same for a seed. */
function randomOf(seed: number): (n: number) => number {
  let state = seed * 2_654_435_761 >>> 0 || 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

/** Small limits, which random changes reach, for every second seed. */
const LIMITS = {
  storeLimits: {
    roles: 60,
    devices: 1000,
    bucket: { capacity: 100_000, drainSeconds: 36_000 },
    trashDays: 0,
    provisionPerDay: 20,
  },
};

async function openSide(directory: URL, seed: number): Promise<Side> {
  const { openTestApp }: Helpers = await import(new URL("tests/helpers/test_app.ts", directory).href);
  const { send, query }: Http = await import(new URL("tests/helpers/http.ts", directory).href);
  return { target: await openTestApp("file", seed % 2 === 0 ? LIMITS : {}), send, query, callers: [] };
}

function rightsOf(mask: number): Record<string, boolean> {
  return Object.fromEntries(RIGHTS.map((name, bit) => [name, (mask >> bit & 1) === 1]));
}

interface Order extends Sent {
  readonly method: string;
  readonly path: string;
  /** Previews the change, then applies it with its effect. */
  readonly applies?: boolean;
}

/** Makes the same world on both sides: roles, members with rights and ends, demands, keys. */
async function prepare(sides: readonly Side[], random: (n: number) => number): Promise<number[]> {
  const first = await Promise.all(sides.map(async (side) => {
    const { userId, roleId } = await side.target.bootstrapRoot("admin@example.com", "Root");
    side.callers.push({ userId, ...await side.target.openSession(userId) });
    return roleId;
  }));
  const roleIds = [first[0] ?? 0];
  async function both(order: Order): Promise<unknown> {
    const answers = await Promise.all(sides.map((side) => ask(side, 0, order)));
    return answers[0]?.body;
  }
  const anyRole = (): number => roleIds[random(roleIds.length)] ?? 0;
  const mask = (): number => random(3) > 0 ? 63 : random(64);
  for (let i = 0; i < ROLES; i++) {
    const body = { manages: rightsOf(mask() | 1), role: { name: `r${i}`, selfRights: rightsOf(mask()) } };
    const made = await both({ method: "POST", path: `/v1/role?parentRoleId=${anyRole()}`, body });
    roleIds.push((made as { role: { id: number } }).role.id);
  }
  for (let i = 0; i < PEOPLE; i++) {
    const email = `p${i}@example.com`;
    for (const { target, callers } of sides) {
      const { userId } = await target.createUser(email);
      callers.push({ userId, ...await target.openSession(userId) });
    }
    for (let n = 0; n <= random(4); n++) {
      const until = random(4) === 0
        ? new Date(sides[0]!.target.clock.now() + random(400) * 1000).toISOString()
        : null;
      const body = { rights: rightsOf(mask()), until };
      await both({ method: "PUT", path: `/v1/role/${anyRole()}/member?userEmail=${email}`, body });
    }
  }
  for (let i = 0; i < KEYS; i++) {
    const order: Order = {
      method: "POST",
      path: `/v1/role/${anyRole()}/key`,
      body: { name: `k${i}`, rights: rightsOf(mask()) },
    };
    const maker = i % 2 === 0 ? 0 : 1 + random(PEOPLE);
    for (const side of sides) {
      const secretOf = async (person: number): Promise<string | undefined> =>
        ((await ask(side, person, order)).body as { secret?: string } | undefined)?.secret;
      side.callers.push(await secretOf(maker) ?? await secretOf(0) ?? "");
    }
  }
  for (const { target } of sides) {
    await target.database.write([{ sql: "UPDATE role_key SET provisions = 1 WHERE id % 2 = 0", args: {} }]);
  }
  const demands = Array.from({ length: 6 }, () => [anyRole(), 1 + random(2)] as const);
  const meeting = Array.from({ length: PEOPLE }, () => random(3));
  for (const { target } of sides) {
    const run = (sql: string) => target.database.write([{ sql, args: {} }]);
    for (const [roleId, needs] of demands) {
      await run(`UPDATE role SET needs = ${needs} WHERE id = ${roleId}`);
      await run(`UPDATE member SET needs = ${needs} WHERE role_id = ${roleId} AND user_id > 0`);
    }
    for (const [i, meets] of meeting.entries()) {
      await run(`UPDATE session SET meets = ${meets} WHERE user_id = ${i + 2}`);
    }
  }
  return roleIds;
}

async function ask(side: Side, person: number, { method, path, applies, ...sent }: Order): Promise<Answer> {
  const token = await tokenOf(side, person);
  if (!applies) return await side.send(side.target, method, path, { ...sent, token });
  const previewed = await side.send(side.target, method, `${path}dryRun=true`, { ...sent, token });
  const { effect } = (previewed.body ?? {}) as { effect?: { tag: string } };
  if (effect === undefined) return previewed;
  return await side.send(side.target, method, path, { ...sent, token, headers: { "If-Effect": effect.tag } });
}

/** Access tokens end after ten minutes, so each request has a new one. */
async function tokenOf({ target: { deps }, callers }: Side, person: number): Promise<string> {
  const caller = callers[person] ?? "";
  if (typeof caller === "string") return caller;
  const claims = { ...caller, authenticatedAtMs: deps.clock(), assuranceLevel: 1 } as const;
  return await deps.accessTokens.sign(claims);
}

/** What is there to be changed. */
interface Things {
  readonly roleIds: readonly number[];
  readonly relations: readonly {
    readonly id: number;
    readonly parent_id: number;
    readonly child_id: number;
  }[];
  readonly members: readonly { readonly id: number; readonly role_id: number }[];
  readonly rev: number;
  readonly now: number;
}

/** A random change of relations, members or roles, or of what these depend on. */
function orderOf(random: (n: number) => number, { roleIds, relations, members, rev, now }: Things): Order {
  const oneOf = <T>(list: readonly T[]): T | undefined => list[random(list.length)];
  const role = (): number => oneOf(roleIds) ?? 0;
  const mask = (): Record<string, boolean> => rightsOf(random(2) ? 63 : random(64));
  const run = random(5);
  const dry = run === 0 ? "dryRun=true" : "";
  const mode = run === 1 ? { applies: true } : {};
  const [a, b] = [role(), random(20) === 0 ? 999_999 : role()];
  const kind = random(24);
  if (kind < 5) {
    return { method: "PUT", path: `/v1/role/${a}/manages?childRoleId=${b}&${dry}`, body: mask(), ...mode };
  }
  if (kind < 7) {
    const path = `/v1/role/${a}/manages/${oneOf(relations)?.id ?? 0}?${dry}`;
    return { method: "PUT", path, body: mask(), ...mode };
  }
  if (kind < 9) {
    const path = `/v1/role/${a}/manages?childRoleId=${b}&replaces=${oneOf(relations)?.id ?? 0}&${dry}`;
    return { method: "PUT", path, body: mask(), ...mode };
  }
  if (kind < 10) {
    const path = `/v1/role/${a}/manages/${oneOf(relations)?.id ?? 0}?cascade=refuse&${dry}`;
    return { method: "DELETE", path, ...mode };
  }
  if (kind < 14) {
    const path = `/v1/change/${Math.max(1, rev - random(40))}/undo?${dry}`;
    return { method: "POST", path, body: {}, ...mode };
  }
  if (kind < 18) {
    const email = random(3) === 0 ? `n${random(40)}@example.com` : `p${random(PEOPLE)}@example.com`;
    const invite = random(6) === 0 ? `&invite=${random(2) === 0}` : "";
    const rights = [{}, { rights: null }, { rights: mask() }][random(3)];
    const until =
      [{}, { until: null }, { until: new Date(now + random(400) * 1000 + 1000).toISOString() }][random(3)];
    const path = `/v1/role/${a}/member?userEmail=${email}${invite}&${dry}`;
    return { method: "PUT", path, body: { ...rights, ...until }, ...mode };
  }
  if (kind < 20) {
    const named = oneOf(members);
    const roleId = random(8) === 0 ? a : named?.role_id;
    return { method: "DELETE", path: `/v1/role/${roleId}/member/${named?.id ?? 0}?${dry}`, ...mode };
  }
  const externalId = random(3) === 0 ? { externalId: oneOf([null, "x1", "x2", "X 3"]) } : {};
  const settings = { name: `r${random(3)}`, selfRights: mask(), ...externalId };
  if (kind < 22) {
    const keyed = random(3) === 0 ? { headers: { "Idempotency-Key": `"k${random(6)}"` } } : {};
    const body = { manages: mask(), role: settings };
    return { method: "POST", path: `/v1/role?parentRoleId=${a}`, body, ...keyed };
  }
  return { method: "PUT", path: `/v1/role/${a}?${dry}`, body: settings, ...mode };
}

/** Returns how many responses, rows and tables differ. */
async function compare(directories: readonly URL[], seed: number, requests: number): Promise<number> {
  const random = randomOf(seed);
  const sides = await Promise.all(directories.map((directory) => openSide(directory, seed)));
  const roleIds = await prepare(sides, random);
  const counts = new Map<string, number>();
  let differing = 0;
  const note = (what: string, ...values: readonly unknown[]): void => {
    if (differing++ < SHOWN) console.log(`seed ${seed}: ${what}`, ...values);
  };
  let things: Things = { roleIds, relations: [], members: [], rev: 1, now: 0 };
  for (let i = 0; i < requests; i++) {
    const { target, query } = sides[0]!;
    if (i % 20 === 0) {
      const roles = await query<{ id: number }>(target, "SELECT id FROM role ORDER BY id LIMIT 60");
      things = {
        ...things,
        roleIds: roles.map(({ id }) => id),
        relations: await query(target, "SELECT id, parent_id, child_id FROM manages ORDER BY id"),
        members: await query(target, "SELECT id, role_id FROM member ORDER BY id"),
      };
    }
    const [{ rev = 1 } = {}] = await query<{ rev: number }>(target, "SELECT max(rev) AS rev FROM change_log");
    things = { ...things, rev, now: target.clock.now() };
    const order = aimed(orderOf(random, things), random, things);
    const person = random(3) === 0 ? 0 : random(sides[0]!.callers.length);
    const advance = random(10) === 0 ? 30 : 0;
    const answers: string[] = [];
    for (const side of sides) {
      side.target.clock.advance(advance);
      const { status, text } = await ask(side, person, order);
      answers.push(`${status} ${text.replaceAll(BY_CHANCE, '"$1":""')}`);
    }
    const status = answers[0]?.slice(0, 3) ?? "";
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (Deno.env.get("SHOW") === status) {
      console.log(person, order.method, order.path, JSON.stringify(order.body), answers[0]);
    }
    if (answers[0] !== answers[1]) {
      note(`${order.method} ${order.path} ${JSON.stringify(order.body)}`, ...answers);
    }
  }
  for (const sql of [LOG, ...TABLES]) {
    const [before = [], after = []] = await Promise.all(sides.map(({ query, target }) => query(target, sql)));
    for (let i = 0; i < Math.max(before.length, after.length); i++) {
      if (!isDeepStrictEqual({ ...before[i] }, { ...after[i] })) note(sql.slice(0, 60), before[i], after[i]);
    }
  }
  for (const { target } of sides) await target[Symbol.asyncDispose]();
  const statuses = [...counts].sort().map(([status, count]) => `${count} of ${status}`).join(", ");
  console.log(`seed ${seed}: ${requests} requests (${statuses}), ${differing} differ`);
  return differing;
}

/** Often names the parent and the child that a relation has, so that fewer requests are refused. */
function aimed(
  order: Order,
  random: (n: number) => number,
  { relations }: Things,
): Order {
  if (random(4) === 0) return order;
  const found = relations[random(relations.length)];
  if (found === undefined) return order;
  const path = order.path
    .replace(/\/role\/\d+\/manages\/\d+/, `/role/${found.parent_id}/manages/${found.id}`)
    .replace(/childRoleId=\d+&replaces=\d+/, `childRoleId=${found.child_id}&replaces=${found.id}`);
  const isPair = random(3) === 0 && !path.includes("replaces");
  return {
    ...order,
    path: isPair
      ? path.replace(
        /\/role\/\d+\/manages\?childRoleId=\d+/,
        `/role/${found.parent_id}/manages?childRoleId=${found.child_id}`,
      )
      : path,
  };
}

const [commit, seeds = "10", requests = "2500"] = Deno.args;
if (commit === undefined) throw new RangeError("Name the commit to compare with");
await using copy = await checkOut(commit);
const directories = [new URL(`file://${copy.path}/`), new URL("../", import.meta.url)];
let differing = 0;
for (let seed = 1; seed <= Number(seeds); seed++) {
  differing += await compare(directories, seed, Number(requests));
}
console.log(differing === 0 ? "Both are equal." : `${differing} responses and rows differ.`);
// Threads of the databases are still there.
Deno.exit(differing === 0 ? 0 : 1);
