/** A search finds exactly what contains the text, of what other operations list. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Found, NamedRole } from "../../src/lists/search/find_service.ts";
import { foldText } from "../../src/core/text.ts";
import { testKind } from "../helpers/databases.ts";
import { type Manages, type Member, Person, type Role } from "../helpers/person.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { openTestApp, START_MS, type TestApp } from "../helpers/test_app.ts";
import { ALL_RIGHTS, closureOf, EMPTY_WORLD, type ModelRole } from "../model/oracle_rights.ts";

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
const SHARES = [["file", 0.02], ["remote", 0.005]] as const;

/** The first sees so many roles that an index finds candidates, the last has many memberships. */
const EMAILS = ["ada@example.com", "bob@example.com", "eve@example.com"];
const [MANY_ROLES, , MANY_MEMBERSHIPS] = EMAILS;
const BELOW_ADA = 5001;
const OF_EVE = 33;
const ROLES = 24;
const PEOPLE = 10;
const DEVICES = 16;

/** Letters with one or several cases, signs of patterns, of quotes and of directions, and pairs of code units. */
const LETTERS = [..."aAbkKzäÄßẞéÉſİıσΣςжЖ😀👍'\"%_*?[]^-\\ 7\u202b\u200fشK"];

const letters = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 9 });
const name = letters.map((all) => all.join(""));
const place = fc.integer({ min: 0, max: ROLES - 1 });
const WORLDS = fc.record({
  names: fc.array(name, { minLength: ROLES, maxLength: ROLES }),
  renamed: fc.array(fc.tuple(place, name), { maxLength: 4 }),
  relations: fc.array(fc.tuple(place, place, fc.integer({ min: 0, max: ALL_RIGHTS })), { minLength: ROLES }),
  people: fc.array(name, { minLength: PEOPLE, maxLength: PEOPLE }),
  members: fc.array(fc.tuple(fc.integer({ min: 0, max: PEOPLE - 1 }), place, fc.boolean()), {
    minLength: 2 * PEOPLE,
  }),
  own: fc.array(fc.tuple(fc.constantFrom(...EMAILS), place), { minLength: 3, maxLength: 6 }),
  devices: fc.array(fc.tuple(name, fc.option(name)), { minLength: DEVICES, maxLength: DEVICES }),
  monitors: fc.array(fc.tuple(place, fc.integer({ min: 0, max: DEVICES - 1 }), fc.boolean()), {
    minLength: 2 * DEVICES,
  }),
  deleted: fc.array(fc.integer({ min: 0, max: PEOPLE - 1 }), { maxLength: 2 }),
  texts: fc.array(
    fc.record({
      of: fc.nat(),
      from: fc.nat(8),
      length: fc.integer({ min: 1, max: 5 }),
      isUpper: fc.option(fc.boolean()),
    }),
    { minLength: 12, maxLength: 12 },
  ),
  limit: fc.integer({ min: 1, max: 4 }),
});
type World = typeof WORLDS extends fc.Arbitrary<infer T> ? T : never;

const roleIdOf = (place: number): number => 1000 + place;
const deviceIdOf = (place: number): number => 2000 + place;
const userIdOf = (place: number): number => 300_000 + place;
const emailOf = (local: string, place: number): string => `${local.toLowerCase()}${place}@example.com`;

/** Stores the world, changes some of it, and returns the people who search, by address. */
async function build(target: TestApp, world: World): Promise<Map<string, Person>> {
  await target.reset();
  const people = new Map<string, Person>();
  const userIds = new Map<string, number>();
  for (const email of EMAILS) {
    const { userId, accessToken } = await target.createUser(email);
    userIds.set(email, userId);
    people.set(email, new Person(target, accessToken));
  }
  const roles = world.names.map((name, i) => ({ id: roleIdOf(i), name }));
  const pairs = new Map(
    world.relations.filter(([one, other]) => one !== other).map(([one, other, rights]) => {
      const [parentId, childId] = [Math.min(one, other), Math.max(one, other)].map(roleIdOf) as [
        number,
        number,
      ];
      return [`${parentId} ${childId}`, { parentId, childId, rights }] as const;
    }),
  );
  const relations = [...pairs.values()].map((pair, i) => ({ id: 50_000 + i, byPassword: false, ...pair }));
  const model = {
    ...EMPTY_WORLD,
    roles: new Map(
      roles.map((role) => [role.id, { ...role, selfRights: ALL_RIGHTS }]),
    ) as unknown as ReadonlyMap<number, ModelRole>,
    relations: new Map(relations.map((relation) => [relation.id, relation])),
  };
  const bigRoot = 100_000;
  const filler = Array.from({ length: BELOW_ADA }, (_, i) => bigRoot + 1 + i);
  const elsewhere = Array.from({ length: OF_EVE }, (_, i) => 200_000 + i);
  const closure = [...closureOf(model)].flatMap(([above, below]) =>
    [...below].map(([id, rights]) => [above, id, rights])
  );
  const write = (sql: string, rows: readonly unknown[]) => ({ sql, args: { rows: JSON.stringify(rows) } });
  await target.database.write([
    write(
      `INSERT INTO role (id, name, self_rights)
       SELECT value ->> 'id', value ->> 'name', ${ALL_RIGHTS} FROM json_each(:rows)`,
      [...roles, ...[bigRoot, ...filler, ...elsewhere].map((id) => ({ id, name: `filler ${id}` }))],
    ),
    write(
      `INSERT INTO manages (id, parent_id, child_id, rights)
       SELECT value ->> 'id', value ->> 'parentId', value ->> 'childId', value ->> 'rights' FROM json_each(:rows)`,
      relations,
    ),
    write(
      `INSERT INTO role_closure (ancestor_id, descendant_id, rights)
       SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows)`,
      [...closure, ...filler.map((id) => [bigRoot, id, 0])],
    ),
    write(
      `INSERT INTO user_account (id, email, created_at) SELECT value ->> 0, value ->> 1, 0 FROM json_each(:rows)`,
      world.people.map((local, i) => [userIdOf(i), emailOf(`before${local}`, i)]),
    ),
    write(
      `INSERT INTO member (id, user_id, role_id, ends_at)
       SELECT 60000 + key, value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows)
       WHERE true ON CONFLICT DO NOTHING`,
      [
        ...world.members.map(([person, place, hasEnded]) => [
          userIdOf(person),
          roleIdOf(place),
          START_MS + (hasEnded ? -1 : 1_000_000),
        ]),
        ...world.own.map(([email, place]) => [userIds.get(email), roleIdOf(place), null]),
        [userIds.get(MANY_ROLES ?? ""), bigRoot, null],
        ...elsewhere.map((id) => [userIds.get(MANY_MEMBERSHIPS ?? ""), id, null]),
      ],
    ),
    write(
      `INSERT INTO device (id, node_id, properties, updated_at)
       SELECT value ->> 0, value ->> 1, value ->> 2, 0 FROM json_each(:rows)`,
      world.devices.map(([nodeId], i) => [deviceIdOf(i), nodeId, JSON.stringify({ nodeId, name: "before" })]),
    ),
    write(
      `INSERT INTO monitors (id, role_id, device_id, valid_until)
       SELECT 80000 + key, value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows)`,
      [...new Map(world.monitors.map((each) => [`${each[0]} ${each[1]}`, each])).values()]
        .map(([place, device, isClosed]) => [
          roleIdOf(place),
          deviceIdOf(device),
          isClosed ? START_MS - 1 : null,
        ]),
    ),
    // What triggers do after the first insertion.
    write(
      `UPDATE role SET name = changed.value ->> 1 FROM json_each(:rows) changed WHERE role.id = changed.value ->> 0`,
      [...new Map(world.renamed).entries()].map(([place, name]) => [roleIdOf(place), name]),
    ),
    write(
      `UPDATE user_account SET email = changed.value ->> 1 FROM json_each(:rows) changed
       WHERE user_account.id = changed.value ->> 0`,
      world.people.map((local, i) => [userIdOf(i), emailOf(local, i)]),
    ),
    write(
      `UPDATE device SET properties = changed.value ->> 1 FROM json_each(:rows) changed
       WHERE device.id = changed.value ->> 0`,
      world.devices.map(([nodeId, name], i) => [deviceIdOf(i), JSON.stringify({ nodeId, name: name ?? i })]),
    ),
    write(
      `DELETE FROM member WHERE user_id IN (SELECT value FROM json_each(:rows))`,
      world.deleted.map(userIdOf),
    ),
    write(
      `DELETE FROM user_account WHERE id IN (SELECT value FROM json_each(:rows))`,
      world.deleted.map(userIdOf),
    ),
  ]);
  return people;
}

/** Whether a text has another in it, or begins with it if that is short: as both are folded (see `core/text_test.ts`). */
function contains(whole: string, text: string): boolean {
  const [all, asked] = [foldText(whole), foldText(text)];
  return isShort(text) ? all.startsWith(asked) : all.includes(asked);
}

function isShort(text: string): boolean {
  return Math.min([...text].length, [...foldText(text)].length) < 3;
}
/** All that a person sees, as other operations list it. */
interface Seen {
  readonly role: readonly Role[];
  readonly parentsOf: (roleId: number) => NamedRole[];
  readonly addresses: readonly string[];
  readonly rolesOf: (email: string) => NamedRole[];
  readonly device: readonly { readonly id: number; readonly properties: Record<string, unknown> }[];
  readonly watchersOf: (deviceId: number) => NamedRole[];
}

async function seenBy(person: Person): Promise<Seen> {
  const { role } = await person.post<Pick<Seen, "role">>("/v1/role/query");
  const { manages } = await person.post<{ manages: Manages[] }>("/v1/role/*/manages/query");
  const { member } = await person.post<{ member: Member[] }>("/v1/role/*/member/query");
  const { device } = await person.post<Pick<Seen, "device">>("/v1/device/query");
  const { monitors } = await person.post<
    { monitors: { roleId: number; deviceId: number; until?: string }[] }
  >("/v1/role/*/monitors/query");
  const names = new Map(role.map(({ id, name }) => [id, name]));
  const firstThree = (ids: readonly number[]): NamedRole[] =>
    ids.toSorted((a, b) => a - b).slice(0, 3).map((id) => ({ id, name: names.get(id) ?? "" }));
  const others = member.filter(({ userEmail }) => !EMAILS.includes(userEmail));
  return {
    role,
    parentsOf: (id) =>
      firstThree(manages.filter((each) => each.childRoleId === id).map((each) => each.parentRoleId)),
    addresses: [...new Set(others.map(({ userEmail }) => userEmail))],
    rolesOf: (email) =>
      firstThree(others.filter((each) => each.userEmail === email).map((each) => each.roleId)),
    device,
    watchersOf: (id) =>
      firstThree(
        monitors.filter((each) => each.deviceId === id && each.until === undefined).map((each) =>
          each.roleId
        ),
      ),
  };
}

/** All pages of one kind. */
async function findAll<K extends "role" | "person" | "device">(
  person: Person,
  kind: K,
  text: string,
  limit: number,
): Promise<Found[K]> {
  const hits: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Found = await person.post("/v1/search", {
      text,
      kind: [kind],
      limit,
      ...cursor && { cursor },
    });
    assert.ok(page[kind].length <= limit);
    assert.equal(page.matched, isShort(text) ? "beginning" : "anywhere");
    hits.push(...page[kind]);
    cursor = page.nextCursor[kind];
  }
  return hits as Found[K];
}

async function assertFound(person: Person, seen: Seen, text: string, limit: number): Promise<void> {
  const isId = /^[0-9]+$/.test(text);
  const byId = <T extends { readonly id: number }>(hits: readonly T[], all: readonly T[]): T[] => {
    const first = isId ? all.filter(({ id }) => id === Number(text)) : [];
    return [...first, ...hits.filter((hit) => !first.includes(hit))];
  };
  const roles = byId(seen.role.filter(({ name }) => contains(name, text)), seen.role);
  assert.deepEqual(
    await findAll(person, "role", text, limit),
    roles.map(({ id, name }) => ({ id, name, parents: seen.parentsOf(id) })),
  );
  const found = await findAll(person, "person", text, limit);
  assert.deepEqual(
    found.filter(({ userEmail }) => !EMAILS.includes(userEmail)).map(({ userEmail, roles }) => ({
      userEmail,
      roles,
    })),
    seen.addresses.filter((email) => contains(email, text))
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .map((userEmail) => ({ userEmail, roles: seen.rolesOf(userEmail) })),
  );
  const texts = ({ properties: { nodeId, name } }: Seen["device"][number]): string[] =>
    [nodeId, name].filter((each) => typeof each === "string");
  const devices = byId(
    seen.device.filter((device) => texts(device).some((each) => contains(each, text))),
    seen.device,
  );
  assert.deepEqual(
    await findAll(person, "device", text, limit),
    devices.map((device) => {
      const [nodeId, name] = texts(device);
      return { id: device.id, nodeId, ...name !== undefined && { name }, roles: seen.watchersOf(device.id) };
    }),
  );
}

/** The order of accounts. */
function placeOf(email: string): number {
  return Number(/([0-9])@/.exec(email)?.[1]);
}

for (const [kind, share] of SHARES) {
  testKind(kind, "a search finds exactly what contains the text, of what other operations list", async () => {
    await using target = await openTestApp(kind);
    await fc.assert(
      fc.asyncProperty(WORLDS, async (world) => {
        const people = await build(target, world);
        const all = [
          ...world.names,
          ...world.people.map(emailOf),
          ...world.devices.flatMap(([nodeId, name]) => name === null ? [nodeId] : [nodeId, name]),
          String(roleIdOf(3)),
          String(deviceIdOf(3)),
        ];
        for (const person of people.values()) {
          const seen = await seenBy(person);
          for (const { of, from, length, isUpper } of world.texts) {
            const whole = [...all[of % all.length] ?? ""];
            const part = whole.slice(from % whole.length).slice(0, length).join("");
            const text = isUpper === null ? part : isUpper ? part.toUpperCase() : part.toLowerCase();
            // Of three letters, those that a row writes as two are not found in its midst.
            if (/^(ss.|.ss)$/u.test(foldText(text))) continue;
            await assertFound(person, seen, text, world.limit);
          }
        }
      }),
      { seed: SEED, numRuns: Math.max(1, Math.ceil(SEQUENCES * share)), endOnFailure: true },
    );
  });
}
