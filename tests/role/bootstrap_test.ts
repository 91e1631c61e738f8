/** Bootstrap creates each root role once, with a first member who may do everything. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { bootstrapRoot, findRoot } from "../../src/role/bootstrap_service.ts";
import { execute, forEachApp, query, queryNumber, testApp } from "../helpers/http.ts";

const TABLES = ["user_account", "role", "member", "outbox", "password_link", "change_log"];

async function countRows(database: Database): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(", ");
  return (await query<Record<string, number>>({ database }, `SELECT ${counts}`))[0] ?? {};
}

forEachApp("bootstrap creates a root role once, with all rights and its first member", async (target) => {
  const { deps, database } = target;
  assert.equal(await findRoot(deps, "Top"), undefined);
  const root = await bootstrapRoot(deps, { email: "a@b.example", roleName: "Top", passwordHash: "phc" });
  assert.deepEqual([root.created, root.existed, root.passwordSet, root.invited], [true, false, true, false]);
  const { roleId, userId, memberId } = root;
  assert.deepEqual({ ...await findRoot(deps, "Top") }, { roleId, userId, memberId });
  assert.equal(await queryNumber(target, "SELECT self_rights FROM role WHERE is_root"), 63);
  const before = await countRows(database);
  const again = await bootstrapRoot(deps, { email: "new@b.example", roleName: "Top", passwordHash: "other" });
  const unchanged = { created: false, existed: false, passwordSet: false, invited: false };
  assert.deepEqual(again, { ...unchanged, roleId, userId, memberId });
  assert.deepEqual(await countRows(database), before);
});

forEachApp("without a password, bootstrap invites a first member whose account has none", async (target) => {
  const { deps } = target;
  const invited = await bootstrapRoot(deps, { email: "a@b.example", roleName: "Top" });
  assert.deepEqual([invited.created, invited.passwordSet, invited.invited], [true, false, true]);
  assert.deepEqual(await query(target, "SELECT actor_email AS actor FROM outbox"), [{ actor: null }]);
  await target.setPassword(invited.userId, "a password of their own");
  const second = await bootstrapRoot(deps, { email: "a@b.example", roleName: "Other", passwordHash: "phc" });
  assert.deepEqual([second.created, second.passwordSet, second.invited], [true, false, false]);
  assert.equal(second.userId, invited.userId);
  const links = "SELECT count(*) FROM password_link";
  assert.equal(await queryNumber(target, links), 1, "a link for an account that has a password");
});

forEachApp("bootstrap adds a lasting manager to a root that has none", async (target) => {
  const { deps, database, clock } = target;
  const root = await bootstrapRoot(deps, { email: "a@b.example", roleName: "Top", passwordHash: "phc" });
  const members = (): Promise<object[]> =>
    query(target, "SELECT id, user_id AS userId, rights, ends_at AS endsAt FROM member ORDER BY id");
  const limits = [
    { rights: 62, endsAt: null },
    { rights: 63, endsAt: clock.now() + 1 },
    { rights: 63, endsAt: clock.now() },
  ];
  for (const [i, limit] of limits.entries()) {
    await execute({ database }, "UPDATE member SET rights = :rights, ends_at = :endsAt", limit);
    assert.equal(await findRoot(deps, "Top"), undefined);
    // In place of a limited membership of the same user, or beside that of another.
    const email = i === 1 ? "c@b.example" : "a@b.example";
    const again = await bootstrapRoot(deps, { email, roleName: "Top" });
    assert.deepEqual([again.created, again.existed, again.roleId], [true, true, root.roleId]);
    assert.ok((await members()).some((member) =>
      JSON.stringify(member) ===
        JSON.stringify({ id: again.memberId, userId: again.userId, rights: 63, endsAt: null })
    ));
    assert.equal((await members()).length, i === 0 ? 1 : 2);
    assert.equal((await bootstrapRoot(deps, { email: "d@b.example", roleName: "Top" })).created, false);
  }
});

for (const what of ["of one role", "of one role for one account"]) {
  testApp(`twenty simultaneous bootstraps ${what} create it once`, async ({ deps, database }) => {
    const emailOf = (i: number) => what === "of one role" ? `user${i}@b.example` : "a@b.example";
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => bootstrapRoot(deps, { email: emailOf(i), roleName: "Top" })),
    );
    assert.equal(results.filter(({ created }) => created).length, 1);
    assert.equal(new Set(results.map(({ roleId }) => roleId)).size, 1);
    const { user_account, role, outbox } = await countRows(database);
    assert.deepEqual([user_account, role, outbox], [1, 1, 1]);
  });
}
