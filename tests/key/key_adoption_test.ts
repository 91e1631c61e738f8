/** A manager of a role's members becomes the maker of a key, with a new secret. */
import assert from "node:assert/strict";
import { createKey as createKeyByTask } from "../../src/key/key_service.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import {
  assertError,
  assertUnchanged,
  DENIED,
  execute,
  forEachApp,
  query,
  queryNumber,
  testApp,
  UNVERIFIED,
} from "../helpers/http.ts";
import { readMails } from "../helpers/mails.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import { SUDO_HEADER } from "../helpers/sudo.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { effectIn } from "../changes/effect_scene.ts";
import { type CreatedKey, createKey, daysAfter, listKeys, makeProgram } from "./key_scene.ts";

const [MAKER, ADOPTER] = ["maker@example.com", "adopter@example.com"];

/** A site with a room. The maker has made a key of the site that provisions, and a member of the room by it. */
async function setScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const roomId = await admin.create(siteId, "Room");
  const maker = await invite(target, admin, siteId, MAKER);
  const adopter = await invite(target, admin, siteId, ADOPTER);
  const { key, program } = await makeProgram(target, maker, siteId, { provisions: true });
  const path = `/v1/role/${siteId}/key/${key.id}/adopt`;
  await program.addMember(roomId, "first@example.com");
  await execute(target, "DELETE FROM outbox");
  return { admin, rootId, siteId, roomId, maker, adopter, key, program, path };
}

async function idOf(person: Person): Promise<number> {
  return (await person.get<{ id: number }>("/user")).id;
}

forEachApp("an adopted key has a new secret and maker, and keeps its id and what it gave", async (target) => {
  const { admin, rootId, siteId, roomId, maker, adopter, key, program, path } = await setScene(target);
  await admin.delete(`/v1/role/${siteId}/member/${await admin.memberIdOf(siteId, MAKER)}`);
  const more = `/v1/role/${roomId}/member?userEmail=second@example.com`;
  assertError(await program.ask("PUT", more, {}), 403, DENIED);
  target.clock.advance(1);
  const { key: adopted, secret } = await adopter.post<CreatedKey>(path);
  assert.deepEqual(adopted, {
    ...key,
    prefix: adopted.prefix,
    createdAt: new Date(target.clock.now()).toISOString(),
    createdBy: ADOPTER,
  });
  assert.ok(secret.startsWith(adopted.prefix) && adopted.prefix !== key.prefix);
  assert.deepEqual(await listKeys(admin, siteId), [adopted]);
  assertError(await program.ask("POST", "/v1/role/query", {}), 401, UNVERIFIED);
  const renewed = new Person(target, secret);
  await renewed.put(more);
  assert.deepEqual((await readMails(target)).map(({ template, recipient }) => [template, recipient]), [
    ["key_created", ADOPTER],
  ]);
  const grants = async (grantedBy: unknown): Promise<unknown[]> =>
    (await admin.post<{ grant: { kind: string; id: number }[] }>("/v1/grant/query", {
      filter: { grantedBy },
    }))
      .grant.map(({ kind, id }) => [kind, id]);
  assert.equal((await grants({ keyId: key.id })).length, 2);
  assert.deepEqual(await grants({ userId: await idOf(adopter) }), [["key", key.id]]);
  assert.deepEqual(await grants({ userId: await idOf(maker) }), []);
  const change = await admin.changes<Record<string, unknown>>({ kind: "key.adopt" });
  assert.deepEqual(change.map(({ keyId, keyName, decision }) => [keyId, keyName, decision]), [
    [key.id, key.name, "ok"],
  ]);
  // Whoever ends what the former maker made and gave does not end it.
  await admin.post("/v1/access/end", { userEmail: MAKER, under: rootId, granted: true });
  assert.deepEqual(await renewed.roleIds(), [siteId, roomId]);
  assert.notEqual(await admin.memberIdOf(roomId, "first@example.com"), 0);
  await admin.post("/v1/access/end", { userEmail: ADOPTER, under: rootId, granted: true });
  assertError(await renewed.ask("POST", "/v1/role/query", {}), 401, UNVERIFIED);
  assert.equal(await admin.memberIdOf(roomId, "first@example.com"), 0);
});

testApp("a preview of an adoption needs no proof and changes nothing", async (target) => {
  const { adopter, key, program, path, siteId } = await setScene(target);
  const preview = await adopter.ask("POST", `${path}?dryRun=true`, undefined, {
    headers: { [SUDO_HEADER]: "" },
  });
  assert.deepEqual(effectIn(preview).changes, []);
  assert.deepEqual((preview.body as CreatedKey).key, { ...key, lastUsedAt: null });
  assert.equal("secret" in (preview.body as object), false);
  assert.equal((await program.roleIds()).length, 2);
  const { tag } = effectIn(preview);
  const answer = await adopter.ask("POST", path, undefined, { headers: { "If-Effect": tag } });
  assert.equal(answer.status, 200, answer.text);
  assert.equal((await listKeys(adopter, siteId))[0]?.createdBy, ADOPTER);
});

testApp("only those adopt a key who could make it, with proof", async (target) => {
  const { admin, siteId, roomId, rootId, maker, adopter, key, path } = await setScene(target);
  const { key: ended } = await createKey(maker, siteId, { expiresAt: daysAfter(target.clock.now(), 0.001) });
  const { program: other } = await makeProgram(target, admin, rootId);
  const start = target.clock.now();
  target.clock.advance(120);
  await assertUnchanged(target, "adoption", async () => {
    const withoutProof = await adopter.ask("POST", path, undefined, { headers: { [SUDO_HEADER]: "" } });
    assertError(withoutProof, 401, "SUDO_TOKEN_REQUIRED");
    for (
      const [by, place] of [
        [other, path],
        [adopter, `/v1/role/${roomId}/key/${key.id}/adopt`],
        [adopter, `/v1/role/${siteId}/key/${ended.id}/adopt`],
        [adopter, `/v1/role/${siteId}/key/999999/adopt`],
      ] as const
    ) {
      assertError(await by.ask("POST", place), 403, DENIED, place);
    }
    const headers = { "Idempotency-Key": "one" };
    assert.equal((await adopter.ask("POST", path, undefined, { headers })).status, 400);
  });
  // The adopter's one membership has the key's rights and does not end before it.
  const limit = (more: unknown): Promise<unknown> => admin.addMember(siteId, ADOPTER, more);
  const almost = { ...ALL, alarmManagement: false };
  for (
    const limits of [{ rights: almost }, { rights: rights() }, { rights: null, until: daysAfter(start, 89) }]
  ) {
    await limit(limits);
    assertError(await adopter.ask("POST", path), 403, DENIED, JSON.stringify(limits));
  }
  await limit({ until: daysAfter(start, 91) });
  assert.equal((await adopter.ask("POST", path)).status, 200);
  // Makers renew the secret of their own keys in this way.
  assert.equal((await adopter.ask("POST", path)).status, 200);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role_key"), 3);
});

testApp("a key adopted since a transfer of the address began counts as made since", async (target) => {
  const { adopter, siteId, path, key } = await setScene(target);
  const before = target.clock.now();
  target.clock.advance(10);
  await adopter.post(path);
  const adopterId = await idOf(adopter);
  assert.deepEqual(
    await query(target, "SELECT id FROM role_key WHERE created_by = :adopterId AND created_at >= :before", {
      adopterId,
      before,
    }),
    [{ id: key.id }],
  );
  assert.deepEqual((await adopter.get<{ key: { id: number }[] }>("/user/key")).key.map(({ id }) => id), [
    key.id,
  ]);
  const { key: made } = await createKeyByTask(target.deps, "administrator", { roleId: siteId, name: "Task" });
  await adopter.post(`/v1/role/${siteId}/key/${made.id}/adopt`);
  assert.equal((await listKeys(adopter, siteId)).at(-1)?.createdBy, ADOPTER);
});
