/** Adding members: limits and costs, which do not tell whether an address has an account. */
import assert from "node:assert/strict";
import {
  type Answer,
  assertError,
  assertWait,
  DENIED,
  dumpState,
  forEachApp,
  logInFully,
  query,
  queryNumber,
} from "../helpers/http.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import { ADMIN, ADMIN_PASSWORD } from "../every_operation/request_catalogue.ts";
import type { TestApp } from "../helpers/test_app.ts";

const REVISION = "x-rolegrid-revision";

/** A response without the parts that differ between any two additions. */
function shapeOf({ status, text, headers }: Answer, email: string): unknown {
  const wire = [...headers].filter(([name]) => name !== "x-request-id" && name !== REVISION);
  return { status, headers: wire, text: text.replace(/"id":\d+/, '"id":0').replace(email, "EMAIL") };
}

forEachApp("adding a known and an unknown address gets equal responses", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const otherId = await admin.create(rootId, "Other");
  await invite(target, admin, otherId, "active@example.com");
  await admin.put(`/v1/role/${otherId}/member?userEmail=invited@example.com`);
  const add = (email: string): Promise<Answer> =>
    admin.ask("PUT", `/v1/role/${rootId}/member?userEmail=${email}`, {});
  const first = await add("unknown@example.com");
  let revision = Number(first.headers.get(REVISION));
  for (const email of ["active@example.com", "invited@example.com"]) {
    const answer = await add(email);
    assert.deepEqual(shapeOf(answer, email), shapeOf(first, "unknown@example.com"), email);
    assert.equal(answer.headers.get(REVISION), String(++revision), email);
  }
});

forEachApp("a caller who may not add members gets a 403 without a time to wait", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await admin.put(`/v1/role/${rootId}/member?userEmail=first@example.com`);
  const foreign = await target.bootstrapRoot("foreign@example.com", "Foreign root");
  const path = `/v1/role/${foreign.roleId}/member?userEmail=second@example.com`;
  const answer = await admin.ask("PUT", path, {});
  assertError(answer, 403, DENIED);
  assert.equal(answer.headers.get("Retry-After"), null);
});

/** Counts the rows, by table, that could differ between addresses. */
function countRows(target: TestApp): Promise<object[]> {
  return query(
    target,
    `SELECT (SELECT count(*) FROM change_log) AS changes, (SELECT count(*) FROM member) AS members,
       (SELECT count(*) FROM outbox) AS mails, (SELECT sum(count) FROM throttle WHERE expires_at > :now) AS counted`,
    { now: target.clock.now() },
  );
}

forEachApp("adding a known or an unknown address costs the same limits, rows and mails", async (target) => {
  const { rootId } = await bootstrap(target);
  // The caller sees neither of them in a list of access.
  await target.bootstrapRoot("active@example.com", "Other root");
  target.clock.advance(86_400);
  const fresh = await logInAgain(target);
  const growth: unknown[] = [];
  for (const email of ["first@example.com", "active@example.com", "unknown@example.com"]) {
    const [before] = await countRows(target);
    await fresh.put(`/v1/role/${rootId}/member?userEmail=${email}`);
    const [after] = await countRows(target);
    growth.push(
      Object.entries(after ?? {}).map(([name, n]) => [name, n - Number(Reflect.get(before ?? {}, name))]),
    );
  }
  // The first addition of the day replaces yesterday's window. The others count on.
  assert.deepEqual(growth[1], growth[2]);
});

/** Logs the administrator in again, since their token has expired. */
async function logInAgain(target: TestApp): Promise<Person> {
  return new Person(target, (await logInFully(target, ADMIN, ADMIN_PASSWORD)).accessToken);
}

forEachApp("a caller adds fifty addresses a day, and learns when the next may follow", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const path = (email: string): string => `/v1/role/${rootId}/member?userEmail=${email}`;
  for (let i = 0; i < 50; i++) {
    await admin.put(path(`person${i}@example.com`));
    target.clock.advance(10);
  }
  const before = await dumpState(target);
  for (const email of ["one.more@example.com", "person1@example.com"]) {
    const answer = await admin.ask("PUT", path(email), {});
    if (email.startsWith("person")) assert.equal(answer.status, 200, "a member already costs nothing");
    else assertWait(answer, "TOO_MANY_INVITATIONS", 86_400 - 500);
  }
  assert.equal(await dumpState(target), before);
  target.clock.advance(86_400 - 500 - 1);
  const late = await logInAgain(target);
  assertWait(await late.ask("PUT", path("one.more@example.com"), {}), "TOO_MANY_INVITATIONS", 1);
  target.clock.advance(1);
  assert.equal((await late.ask("PUT", path("one.more@example.com"), {})).status, 200);
});

forEachApp("adding a user with a password to a role makes no link to set one", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { userId } = await target.createUser("known@x.example");
  await target.setPassword(userId, "a password that is kept");
  const links = await queryNumber(target, "SELECT count(*) FROM password_link");
  await admin.put(`/v1/role/${rootId}/member?userEmail=known@x.example`);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM password_link"), links);
});

forEachApp("an address gets one mail a day, even if it is added to several roles", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ids = [rootId, await admin.create(rootId, "A"), await admin.create(rootId, "B")];
  const mails = (): Promise<number> =>
    queryNumber(target, "SELECT count(*) FROM outbox WHERE recipient = 'busy@example.com'");
  for (const id of ids) await admin.put(`/v1/role/${id}/member?userEmail=busy@example.com`);
  assert.equal(await mails(), 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM member"), 4);
  target.clock.advance(86_400);
  const next = await logInAgain(target);
  await next.put(`/v1/role/${await next.create(rootId, "C")}/member?userEmail=busy@example.com`);
  assert.equal(await mails(), 2);
});
