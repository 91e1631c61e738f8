/** A creation that is repeated under its Idempotency-Key happens once and gets the first response. */
import assert from "node:assert/strict";
import {
  type Answer,
  assertError,
  DENIED,
  forEachApp,
  MALFORMED,
  query,
  queryNumber,
  testApp,
} from "../helpers/http.ts";
import { bootstrap, invite, type Manages, Person, type Role } from "../helpers/person.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { purge } from "../../src/purge/purge_service.ts";

const REUSED = "The Idempotency-Key was already used for a different request: send this one with a new key";
const DAY_SECONDS = 86_400;
const BODY = { manages: ALL, role: { name: "Plant", selfRights: ALL } };

interface Created {
  readonly manages: Manages;
  readonly role: Role;
}

function create(person: Person, parentId: number, key: string, body: unknown = BODY): Promise<Answer> {
  const headers = { "Idempotency-Key": key };
  return person.ask("POST", `/v1/role?parentRoleId=${parentId}`, body, { headers });
}

function created(answer: Answer): Created {
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Created;
}

const COUNT_ROLES = "SELECT count(*) AS n FROM role";

testApp("a creation repeated under its key gets the first response and creates nothing", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const first = created(await create(admin, rootId, "a key of mine"));
  const ids = await query(target, "SELECT name, last_id FROM id_sequence ORDER BY name");
  assert.deepEqual(created(await create(admin, rootId, "a key of mine")), first);
  assert.equal(await queryNumber(target, COUNT_ROLES), 2);
  assert.deepEqual(await query(target, "SELECT name, last_id FROM id_sequence ORDER BY name"), ids);
  assert.notEqual(created(await create(admin, rootId, "another key")).role.id, first.role.id);
  assert.notEqual(await admin.create(rootId, "Plant"), first.role.id, "without a key each one is new");
});

forEachApp("fifty simultaneous creations under a key create one role, with one response", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(admin, rootId, "once")));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(await queryNumber(target, COUNT_ROLES), 2);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM manages"), 1);
});

testApp("a key used with another path, query or body is refused and changes nothing", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { role } = created(await create(admin, rootId, "k"));
  assertError(await create(admin, role.id, "k"), 422, REUSED, "another parent");
  const renamed = { ...BODY, role: { name: "Plant 2", selfRights: ALL } };
  assertError(await create(admin, rootId, "k", renamed), 422, REUSED, "another name");
  const weaker = { ...BODY, manages: rights("roleManagement") };
  assertError(await create(admin, rootId, "k", weaker), 422, REUSED, "other rights");
  assert.equal(await queryNumber(target, COUNT_ROLES), 2);
  const reordered = { role: { selfRights: ALL, name: "Plant" }, manages: ALL };
  assert.equal(
    created(await create(admin, rootId, "k", reordered)).role.id,
    role.id,
    "another order of keys",
  );
});

testApp("a refused request does not use up its key", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  assertError(await create(admin, rootId + 1000, "k"), 403, DENIED);
  assert.equal((await create(admin, rootId, "k", { ...BODY, manages: rights() })).status, 409);
  assert.equal((await create(admin, rootId, "k", { role: {} })).status, 400);
  assert.equal(created(await create(admin, rootId, "k")).role.name, "Plant");
});

testApp("a key belongs to one user", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const other = await invite(target, admin, rootId, "other@example.com");
  const first = created(await create(admin, rootId, "k"));
  assert.notEqual(created(await create(other, rootId, "k")).role.id, first.role.id);
  const elsewhere = { ...BODY, role: { name: "Grid", selfRights: ALL } };
  assertError(await create(other, rootId, "k", elsewhere), 422, REUSED);
});

testApp("a repeated creation returns its first result even after an update or a deletion", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const first = created(await create(admin, rootId, "k"));
  await admin.put(`/v1/role/${first.role.id}`, { name: "Renamed", selfRights: rights() });
  assert.deepEqual(created(await create(admin, rootId, "k")), first);
  await admin.delete(`/v1/role/${rootId}/manages/${first.manages.id}`);
  const repeated = created(await create(admin, rootId, "k"));
  assert.deepEqual(repeated, { manages: first.manages, role: { ...first.role, userRights: rights() } });
  assert.equal(await queryNumber(target, COUNT_ROLES), 1);
});

testApp("a key returns nothing to an ended session", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  created(await create(admin, rootId, "k"));
  target.clock.advance(120 * DAY_SECONDS);
  assert.equal((await create(admin, rootId, "k")).status, 401);
});

testApp("a key can be reused after 24 hours, before and after the purge", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot("root@example.com", "Energy Inc");
  const person = async (): Promise<Person> => {
    return new Person(target, await target.accessToken(userId));
  };
  const first = created(await create(await person(), roleId, "k"));
  target.clock.advance(DAY_SECONDS - 1);
  assert.equal(created(await create(await person(), roleId, "k")).role.id, first.role.id);
  await purge(target.deps);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM idempotency_key"), 1, "still in use");
  target.clock.advance(1);
  const second = created(await create(await person(), roleId, "k"));
  assert.notEqual(second.role.id, first.role.id);
  assert.equal(created(await create(await person(), roleId, "k")).role.id, second.role.id);
  target.clock.advance(DAY_SECONDS);
  await purge(target.deps);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM idempotency_key"), 0);
});

testApp("a key has 1 to 64 printable characters", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  for (const key of ["", "k".repeat(65), "a\tb", "\u00e9"]) {
    assertError(await create(admin, rootId, key), 400, MALFORMED, JSON.stringify(key));
  }
  assert.equal(await queryNumber(target, COUNT_ROLES), 1);
  for (const key of ["k".repeat(64), '"8e03978e-40d5-43e8-bc93-6894a57f9324"', "a b~"]) {
    created(await create(admin, rootId, key));
  }
  assert.equal(await queryNumber(target, COUNT_ROLES), 4);
});

Deno.test("the description lists the key as an optional header of the creation, with its length", async () => {
  const document = JSON.parse(await Deno.readTextFile(new URL("../../openapi.json", import.meta.url)));
  const { parameters, responses } = document.paths["/v1/role"].post;
  const header = parameters.find(({ name }: { name: string }) => name === "Idempotency-Key");
  const { in: place, required = false, schema } = header;
  const { type, minLength, maxLength } = schema;
  assert.deepEqual(
    { place, required, type, minLength, maxLength },
    { place: "header", required: false, type: "string", minLength: 1, maxLength: 64 },
  );
  assert.match(responses["422"].description, /Idempotency-Key/);
});
