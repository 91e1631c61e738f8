/** The revision in a response counts the decided changes, and a read sees all changes up to its own. */
import assert from "node:assert/strict";
import { type Answer, assertError, DENIED, forEachApp, MALFORMED, send } from "../helpers/http.ts";
import { bootstrap, type Manages, Person, type Role } from "../helpers/person.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";

const READS = [
  ["GET", "/v1/role", undefined],
  ["POST", "/v1/role/query", {}],
  ["POST", "/v1/role/*/manages/query", {}],
  ["GET", "/v1/role/*/member", undefined],
  ["POST", "/v1/device/query", {}],
  ["POST", "/v1/rights/check", { checks: [{ roleId: 1, right: "viewManagement" }] }],
] as const;

function revisionOf(answer: Answer, context = ""): number {
  const text = answer.headers.get("X-Rolegrid-Revision") ?? "";
  assert.match(text, /^[0-9]+$/, `${context}: ${answer.text}`);
  return Number(text);
}

/** The revision that each way of reading sees; they must agree. */
async function readRevision(person: Person): Promise<number> {
  const seen = new Set<number>();
  for (const [method, path, body] of READS) seen.add(revisionOf(await person.ask(method, path, body), path));
  const [revision] = seen;
  assert.ok(revision !== undefined && seen.size === 1, `${[...seen]}`);
  return revision;
}

forEachApp("each decided change has the next revision, and later reads have the same", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { accessToken } = await target.createUser("stranger@example.com");
  const stranger = new Person(target, accessToken);
  let revision = await readRevision(admin);
  async function change(
    method: string,
    path: string,
    body: unknown,
    status = 200,
    person = admin,
  ): Promise<Answer> {
    const answer = await person.ask(method, path, body);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    assert.equal(revisionOf(answer, path), ++revision, `${method} ${path}`);
    assert.equal(await readRevision(admin), revision, `after ${method} ${path}`);
    return answer;
  }
  const created = await change("POST", `/v1/role?parentRoleId=${rootId}`, {
    manages: ALL,
    role: { name: "A", selfRights: ALL },
  });
  const { role, manages } = created.body as { role: Role; manages: Manages };
  await change("PUT", `/v1/role/${role.id}`, { name: "B", selfRights: ALL });
  // A noop and refusals are decided, too.
  await change("PUT", `/v1/role/${role.id}`, { name: "B", selfRights: ALL });
  await change("PUT", `/v1/role/${role.id}`, { name: "C", selfRights: ALL }, 403, stranger);
  await change("PUT", `/v1/role/${rootId}/manages/${manages.id}`, rights("viewManagement"), 409);
  await change("DELETE", `/v1/role/${rootId}/manages/${manages.id}?dryRun=true`, undefined);
  await change("DELETE", `/v1/role/${rootId}/manages/${manages.id}`, undefined);
  await change("DELETE", `/v1/role/${rootId}/manages/${manages.id}`, undefined, 403);
});

forEachApp("the revision in the response undoes a change, also a move, which is two", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [fromId, toId] = [await admin.create(rootId, "From", ALL), await admin.create(rootId, "To", ALL)];
  const childId = await admin.create(fromId, "Child", ALL);
  const relationId = await admin.relationIdOf(fromId, childId);
  const moved = await admin.ask(
    "PUT",
    `/v1/role/${toId}/manages?childRoleId=${childId}&replaces=${relationId}`,
    ALL,
  );
  const undone = await admin.ask("POST", `/v1/change/${revisionOf(moved)}/undo`);
  assert.equal(undone.status, 200, undone.text);
  assert.equal(await admin.relationIdOf(fromId, childId), relationId);
  const deleted = await admin.ask("DELETE", `/v1/role/${fromId}/manages/${relationId}`);
  assert.equal((await admin.ask("POST", `/v1/change/${revisionOf(deleted)}/undo`)).status, 200);
  assert.equal(await admin.relationIdOf(fromId, childId), relationId);
});

forEachApp("a request that is refused before a decision has no revision", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const malformed = await admin.ask("POST", `/v1/role?parentRoleId=${rootId}`, {});
  assertError(malformed, 400, MALFORMED);
  assert.equal(malformed.headers.get("X-Rolegrid-Revision"), null);
  await target.database.write([{ sql: "UPDATE session SET ended_at = 1", args: {} }]);
  const refused = [
    await admin.askToCreate(rootId, "A"),
    await admin.ask("POST", "/v1/role/query", {}),
    await send(target, "GET", "/v1/role"),
  ];
  for (const answer of refused) {
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get("X-Rolegrid-Revision"), null);
  }
});

forEachApp("an attempt with a role's password has two revisions and returns the second", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [parent, child] = [await admin.create(rootId, "Parent"), await admin.create(rootId, "Child")];
  const put = (password: string): Promise<Answer> =>
    admin.ask("PUT", `/v1/role/${parent}/manages?childRoleId=${child}`, ALL, {
      headers: { "X-Child-Role-Password": password },
    });
  await admin.ask("PUT", `/v1/role/${child}/password`, { password: "open sesame open" });
  const before = await readRevision(admin);
  const wrong = await put("open sesame wrong");
  assertError(wrong, 403, DENIED);
  assert.equal(revisionOf(wrong), before + 2);
  const right = await put("open sesame open");
  assert.equal(right.status, 200, right.text);
  assert.equal(revisionOf(right), before + 4);
  assert.equal(await readRevision(admin), before + 4);
});

forEachApp("deleting the log does not decrease the revision", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await admin.create(rootId, "A");
  const revision = await readRevision(admin);
  await target.database.write([{ sql: "DELETE FROM change_log", args: {} }]);
  assert.equal(await readRevision(admin), revision);
  const answer = await admin.ask("PUT", `/v1/role/${rootId}`, { name: "B", selfRights: ALL });
  assert.equal(revisionOf(answer), revision + 1);
});

forEachApp("a database without any change has revision 0", async (target) => {
  const { accessToken } = await target.createUser("first@example.com");
  assert.equal(await readRevision(new Person(target, accessToken)), 0);
});

forEachApp("concurrent changes have their own revisions, and reads see all up to theirs", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const before = await readRevision(admin);
  const reads: { revision: number; ids: Set<number> }[] = [];
  async function read(): Promise<void> {
    const answer = await admin.ask("POST", "/v1/role/query", {});
    const { role } = answer.body as { role: Role[] };
    reads.push({ revision: revisionOf(answer), ids: new Set(role.map(({ id }) => id)) });
  }
  const changes = await Promise.all(Array.from({ length: 20 }, async () => {
    const answer = await admin.askToCreate(rootId, "A");
    await read();
    return { revision: revisionOf(answer), id: (answer.body as { role: Role }).role.id };
  }));
  const revisions = changes.map(({ revision }) => revision).toSorted((a, b) => a - b);
  assert.deepEqual(revisions, Array.from({ length: 20 }, (_, i) => before + 1 + i));
  for (const { revision, ids } of reads) {
    const expected = changes.filter((change) => change.revision <= revision).map(({ id }) => id);
    assert.deepEqual(new Set([rootId, ...expected]), ids, `revision ${revision}`);
  }
});

forEachApp("a read is fresh, and ignores the former headers for age and revision", async (target) => {
  const { admin } = await bootstrap(target);
  const revision = await readRevision(admin);
  const former = [
    { "Cache-Control": "max-age=5" },
    { "Cache-Control": "max-age=5", "X-Rolegrid-At-Least": `${revision + 1}` },
    { "X-Rolegrid-At-Least": "one" },
  ];
  for (const [method, path, body] of READS) {
    for (const headers of former) {
      const answer = await admin.ask(method, path, body, { headers });
      assert.equal(revisionOf(answer, path), revision);
      assert.equal(answer.headers.get("Age"), null);
    }
  }
});
