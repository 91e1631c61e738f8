/** The chains of memberships, in the ways of making one that random histories do not go. */
import assert from "node:assert/strict";
import { bindBatch } from "../../src/db/statement.ts";
import { createKey as createKeyByTask } from "../../src/key/key_service.ts";
import { IMPORT_MEMBERS } from "../../src/role/member/member_import_queries.ts";
import { forEachApp, query, queryNumber } from "../helpers/http.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { type CreatedKey, makeProgram } from "../key/key_scene.ts";

/** The chain of a person's membership, with their names in place of their ids. */
async function chainOf(target: TestApp, roleId: number, name: string): Promise<string> {
  const people = await query(target, "SELECT id, email FROM user_account");
  const nameOf = new Map(people.map(({ id, email }) => [String(id), String(email).split("@")[0]]));
  const [row] = await query(
    target,
    `SELECT chain FROM member WHERE role_id = ${roleId}
      AND user_id = (SELECT id FROM user_account WHERE email = '${name}@example.com')`,
  );
  const [root = "", ...links] = String(row?.["chain"]).split(/[:/]/);
  return [root, ...links.map((id) => nameOf.get(id) ?? id)].join(" ");
}

/** A root with a site and a room. Ann, a member of the site, was brought by a member of the root. */
async function setScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const roomId = await admin.create(siteId, "Room");
  const ann = await invite(target, admin, siteId, "ann@example.com");
  const add = (by: Person, roleId: number, name: string): Promise<unknown> =>
    by.addMember(roleId, `${name}@example.com`);
  return { admin, rootId, siteId, roomId, ann, add };
}

forEachApp("whom a member of a root brings begins a branch, which ends with six ids", async (target) => {
  const { admin, rootId, siteId, roomId, ann, add } = await setScene(target);
  let giver = ann;
  for (const name of ["bea", "cid", "dan", "eve", "fay", "gus"]) {
    giver = await invite(target, giver, roomId, `${name}@example.com`);
    if (name === "bea") await add(giver, roomId, "bob");
  }
  assert.equal(await chainOf(target, siteId, "ann"), `${rootId} ann`);
  assert.equal(await chainOf(target, roomId, "bea"), `${rootId} ann bea`);
  assert.equal(await chainOf(target, roomId, "bob"), `${rootId} ann bea bob`);
  assert.equal(await chainOf(target, roomId, "fay"), `${rootId} ann bea cid dan eve fay`);
  assert.equal(await chainOf(target, roomId, "gus"), `${rootId} ann bea cid dan eve fay`);
  await add(admin, roomId, "ann");
  assert.equal(await chainOf(target, roomId, "ann"), `${rootId} ann`);
});

forEachApp("whom a key brings comes behind its maker", async (target) => {
  const { admin, rootId, siteId, roomId, ann, add } = await setScene(target);
  const bea = await invite(target, ann, siteId, "bea@example.com");
  const { program } = await makeProgram(target, bea, siteId, { provisions: true });
  const { program: ofRoot } = await makeProgram(target, admin, rootId, { provisions: true });
  await add(program, roomId, "cid");
  await add(ofRoot, siteId, "dan");
  assert.equal(await chainOf(target, roomId, "cid"), `${rootId} ann bea cid`);
  assert.equal(await chainOf(target, siteId, "dan"), `${rootId} admin dan`, "not a branch of its own");
  // An adopted key has the chain of its new maker.
  const { key: annsKey } = await makeProgram(target, ann, siteId, { provisions: true });
  const { secret } = await bea.post<CreatedKey>(`/v1/role/${siteId}/key/${annsKey.id}/adopt`);
  await add(new Person(target, secret), roomId, "eve");
  assert.equal(await chainOf(target, roomId, "eve"), `${rootId} ann bea eve`);
  // A key that an administrator makes begins a branch.
  const wishes = { roleId: siteId, name: "Loader", provisions: true };
  const made = await createKeyByTask(target.deps, "administrator", wishes);
  await add(new Person(target, made.secret), roomId, "fay");
  assert.equal(await chainOf(target, roomId, "fay"), `${rootId} ${-made.key.id} fay`);
});

forEachApp("a membership that an undo restores has its former chain", async (target) => {
  const { admin, rootId, siteId, roomId, ann, add } = await setScene(target);
  const lastRevision = () => queryNumber(target, "SELECT max(rev) FROM change_log");
  const undo = async () => admin.post(`/v1/change/${await lastRevision()}/undo`);
  await add(ann, roomId, "bea");
  await admin.delete(`/v1/role/${roomId}/member/${await admin.memberIdOf(roomId, "bea@example.com")}`);
  await undo();
  assert.equal(await chainOf(target, roomId, "bea"), `${rootId} ann bea`);
  await admin.delete(`/v1/role/${rootId}/manages/${await admin.relationIdOf(rootId, siteId)}`);
  assert.equal(await queryNumber(target, `SELECT count(*) FROM member WHERE role_id = ${roomId}`), 0);
  await undo();
  assert.equal(await chainOf(target, roomId, "bea"), `${rootId} ann bea`);
  assert.equal(await chainOf(target, siteId, "ann"), `${rootId} ann`);
});

forEachApp("whom an import brings begins a branch at the root above", async (target) => {
  const { rootId, roomId } = await setScene(target);
  const { userId } = await target.createUser("bea@example.com");
  const members = JSON.stringify([[roomId, userId, 63, null], [rootId, userId, 63, null]]);
  await target.database.write(bindBatch(IMPORT_MEMBERS, { opId: "import", runId: "run", now: 1, members }));
  for (const roleId of [roomId, rootId]) assert.equal(await chainOf(target, roleId, "bea"), `${rootId} bea`);
});

forEachApp("no response tells a chain", async (target) => {
  const { admin, rootId, siteId, ann, add } = await setScene(target);
  await add(ann, siteId, "bea");
  const [row] = await query(target, "SELECT chain FROM member ORDER BY id DESC LIMIT 1");
  const chain = String(row?.["chain"]);
  const { id } = await ann.get<{ id: number }>("/user");
  assert.match(chain, new RegExp(`^${rootId}:\\d+/\\d+$`));
  const answers = [
    await admin.ask("POST", `/v1/role/${siteId}/member/query`, {}),
    await admin.ask("POST", "/v1/change/query", {}),
    await admin.ask("POST", "/v1/grant/query", { filter: { grantedBy: { userId: id } } }),
    await ann.ask("GET", "/user/export"),
  ];
  for (const { status, text } of answers) assert.ok(status === 200 && !text.includes(chain), text);
});
