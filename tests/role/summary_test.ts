/** A summary counts the visible parents, the children and the descendants of roles, up to its limits. */
import assert from "node:assert/strict";
import { execute, testApp } from "../helpers/http.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { idsFrom } from "./many_relations.ts";

interface Summary {
  readonly id: number;
  readonly parents: number;
  readonly children: number;
  readonly descendants: number;
}

async function summarize(person: Person, ...id: number[]): Promise<Summary[]> {
  return (await person.post<{ summary: Summary[] }>("/v1/role/summary", { id })).summary;
}

/** Makes a user a direct member of a role. */
async function join(target: TestApp, email: string, roleId: number): Promise<Person> {
  const { userId, accessToken } = await target.createUser(email);
  const id = 5_000_000 + userId;
  await execute(target, `INSERT INTO member (id, user_id, role_id) VALUES (${id}, ${userId}, ${roleId})`);
  return new Person(target, accessToken);
}

testApp("a summary counts visible parents, children and all descendants", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const countryId = await admin.create(rootId, "Country");
  const otherId = await admin.create(rootId, "Other");
  const installerId = await admin.create(countryId, "Installer");
  const siteId = await admin.create(installerId, "Site");
  await admin.put(`/v1/role/${otherId}/manages?childRoleId=${siteId}`, ALL);
  const [root, country, other, installer, site] = [
    { id: rootId, parents: 0, children: 2, descendants: 4 },
    { id: countryId, parents: 1, children: 1, descendants: 2 },
    { id: otherId, parents: 1, children: 1, descendants: 1 },
    { id: installerId, parents: 1, children: 1, descendants: 1 },
    { id: siteId, parents: 2, children: 0, descendants: 0 },
  ];
  assert.deepEqual(
    await summarize(admin, siteId, installerId, rootId, countryId, otherId, siteId, 999_999),
    [root, country, other, installer, site].sort((a, b) => a.id - b.id),
  );
  const member = await join(target, "installer@example.com", installerId);
  assert.deepEqual(
    await summarize(member, siteId, installerId, rootId, countryId, otherId),
    [{ ...installer, parents: 0 }, { ...site, parents: 1 }].sort((a, b) => a.id - b.id),
  );
});

testApp("a summary takes from 1 to 150 roles", async (target) => {
  const { admin } = await bootstrap(target);
  for (const id of [[], Array.from({ length: 151 }, (_, i) => i + 1), [-1], ["1"], 1, undefined]) {
    assert.equal((await admin.ask("POST", "/v1/role/summary", { id })).status, 400, String(id));
  }
  assert.deepEqual((await summarize(admin, ...Array.from({ length: 150 }, (_, i) => i + 1))).length, 1);
});

const FIRST_ID = 1_000_000;

testApp("a summary counts up to 100,000 descendants and up to 1,000 parents", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const childId = await admin.create(rootId, "Child");
  const [above, below, belowChild] = [1100, 100_500, 20_000].map((count) => idsFrom(FIRST_ID, count));
  await execute(target, [
    `INSERT INTO role (id, name, self_rights) SELECT id, 'role', 0 FROM ${above}`,
    `INSERT INTO manages (id, parent_id, child_id, rights) SELECT id, id, ${childId}, 63 FROM ${above}`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT id, ${rootId}, 63 FROM ${below}`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT id, ${childId}, 63 FROM ${belowChild}`,
  ]);
  const [root, child] = await summarize(admin, rootId, childId);
  assert.equal(root?.descendants, 100_000);
  assert.equal(child?.descendants, 20_000);
  assert.equal(child?.parents, 1000);
});

testApp("a summary of many large roles counts at least 20,000 descendants of each", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ids = [rootId];
  for (let i = 0; i < 31; i++) ids.push(await admin.create(rootId, "Large"));
  const below = idsFrom(FIRST_ID, 20_001);
  await execute(
    target,
    ids.map((id) =>
      `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT id, ${id}, 63 FROM ${below}`
    ),
  );
  const counts = (await summarize(admin, ...ids.toReversed())).map(({ descendants }) => descendants);
  assert.deepEqual(counts, [20_032, ...Array(29).fill(20_001), 20_000, 20_000]);
});
