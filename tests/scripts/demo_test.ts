/** The demo organization is complete, its people can log in, and an interrupted one is completed. */
import assert from "node:assert/strict";
import { hasDemo, lacksDemo, makeDemo, refuseDemo } from "../../scripts/lib/demo.ts";
import { openDemoPeople } from "../../scripts/lib/demo_people.ts";
import { describeDemo } from "../../scripts/lib/demo_report.ts";
import { demoOrganization } from "../../scripts/lib/demo_organization.ts";
import { openKeptMails } from "../../src/mail/mailbox.ts";
import { verifyClosure } from "../../src/graph/closure/closure_service.ts";
import type { Actor } from "../../src/core/actor.ts";
import { issueAccessToken } from "../../src/identity/session_service.ts";
import { execute, forEachApp, login, logInFully, query, queryNumber } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import { activateTotp } from "../helpers/second_factors.ts";
import { openTestApp, TEST_URL } from "../helpers/test_app.ts";

const PASSWORDS = { adminPassword: "the administrator's own", password: "everybody's password" };
const INPUT = { adminEmail: "admin@example.com", ...PASSWORDS };

Deno.test("the demo lists each role once, after its parents, and gives people existing roles only", () => {
  const { rootName, roles, people } = demoOrganization();
  const known = new Set([rootName]);
  for (const { name, parents } of roles) {
    assert.ok(!known.has(name), name);
    for (const { parent } of parents) assert.ok(known.has(parent), `${parent} above ${name}`);
    assert.ok(parents[0].rights.roleManagement, name);
    known.add(name);
  }
  assert.equal(roles.length, 3 + 6 + 12 + 39 + 60);
  assert.equal(roles.filter(({ parents }) => parents.length === 3).length, 1);
  for (const { email, roles: held } of people) {
    for (const role of held) assert.ok(known.has(role), `${role} of ${email}`);
  }
  assert.ok(people.filter(({ roles: held }) => held.length > 1).length >= 2);
});

forEachApp("the demo's people can log in, except two with pending invitations", async (target) => {
  const { deps } = target;
  assert.equal(await hasDemo(deps), false);
  const result = await makeDemo(deps, INPUT);
  assert.deepEqual([await hasDemo(deps), await lacksDemo(deps)], [true, false]);
  assert.equal(result.admin, "set");
  assert.equal((await login(target, INPUT.adminEmail, INPUT.adminPassword)).status, 200);
  for (const { person, password } of result.people) {
    assert.equal(password, person.stillInvited ? "invited" : "set", person.email);
    assert.equal((await login(target, person.email, INPUT.password)).status, person.stillInvited ? 401 : 200);
  }
  const kept: (string | undefined)[] = [];
  for await (const { recipient, template } of openKeptMails(deps)) {
    assert.equal(template, "invitation");
    kept.push(recipient);
  }
  const invited = demoOrganization().people.filter((person) => person.stillInvited);
  assert.deepEqual(kept.toSorted(), invited.map(({ email }) => email).toSorted());
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role"), 121);
  // The devices of one of two houses have changed hands.
  const closed = "SELECT count(*) FROM monitors WHERE valid_until IS NOT NULL";
  assert.deepEqual([
    await queryNumber(target, closed),
    await queryNumber(target, "SELECT count(*) FROM monitors"),
  ], [3, 9]);
  const left = "SELECT count(*) FROM session WHERE client = 'Operator task' AND ended_at IS NULL";
  assert.equal(await queryNumber(target, left), 0);
  assert.equal((await verifyClosure(target.database)).differenceCount, 0);
  const lines = describeDemo(result, INPUT).join("\n");
  assert.match(lines, /^Administrator +admin@example.com +Lumenveld Platform +the administrator's own$/m);
  assert.match(lines, /^Markus Weber +\S+ +Dachwerk Köln, Haushalt Weber +everybody's password$/m);
  assert.match(lines, /^Tom Bakker .*\(not set: see the mail\)$/m);
  assert.doesNotMatch(lines, /Pieter/);

  // What the page offers to try is there: the house, who may not manage it, and who left it since.
  const stories = await openDemoPeople(deps, INPUT.adminEmail).listStories();
  assert.deepEqual(stories.map(({ name }) => name), ["why", "sale", "past"]);
  const [why, sale, past] = stories.map(({ path }) => new URL(path, TEST_URL));
  const roleId = Number(why?.searchParams.get("role"));
  assert.equal(past?.pathname, sale?.pathname);
  assert.equal(past?.pathname, `/role/${roleId}`);
  const { accessToken } = await logInFully(target, stories[0]?.email ?? "", INPUT.password);
  const ines = new Person(target, accessToken);
  const question = {
    userEmail: why?.searchParams.get("person"),
    roleId,
    right: why?.searchParams.get("right"),
  };
  const { allowed, fix } = await ines.post<{ allowed: boolean; fix: unknown[] }>(
    "/v1/rights/explain",
    question,
  );
  assert.deepEqual([allowed, fix.length], [false, 1]);
  const readersAt = async (when: object): Promise<string[]> => {
    const { access } = await ines.post<{ access: { userEmail: string | null }[] }>(
      `/v1/role/${roleId}/access/query`,
      when,
    );
    return access.map(({ userEmail }) => userEmail ?? "").toSorted();
  };
  const [from, to] = ["from", "to"].map((name) => new Date(past?.searchParams.get(name) ?? "").toISOString());
  const former = demoOrganization().former.email;
  const now = await readersAt({});
  assert.ok(!now.includes(former));
  assert.deepEqual(
    await readersAt({ during: { from, to } }),
    [...now, former].toSorted(),
  );

  // A click proves the presence of those whom a click signed in, also if they have no password yet.
  const people = openDemoPeople(deps, INPUT.adminEmail);
  const ADDRESS = "192.0.2.1";
  const clicked: Actor[] = [];
  const tokens: string[] = [];
  for (const email of [INPUT.adminEmail, "tom@maasdak.example"]) {
    const token = await issueAccessToken(deps, await people.signIn(email, "a browser") ?? "", ADDRESS);
    const { userId, sessionId } = await deps.accessTokens.verify(token);
    clicked.push({ userId, sessionId });
    tokens.push(token);
    const proven = await deps.sudoTokens.verify(await people.prove({ userId, sessionId }, ADDRESS) ?? "");
    assert.deepEqual([proven.userId, proven.sessionId], [userId, sessionId]);
    const [event] = await query(
      target,
      "SELECT event, result, user_id, session_id, address FROM security_event ORDER BY id DESC LIMIT 1",
    );
    assert.deepEqual({ ...event }, {
      event: "password.prove",
      result: "ok",
      user_id: userId,
      session_id: sessionId,
      address: ADDRESS,
    });
  }
  const [admin, tom] = clicked as [Actor, Actor];
  const byPassword = await deps.accessTokens.verify(accessToken);
  // That of another person, and one that the service itself opened for a person who is none of the demo's.
  const crossed = { userId: admin.userId, sessionId: tom.sessionId };
  await execute(target, "UPDATE user_account SET email = 'tom@elsewhere.example' WHERE id = :id", {
    id: tom.userId,
  });
  for (const actor of [byPassword, crossed, tom]) assert.equal(await people.prove(actor, ADDRESS), undefined);
  await activateTotp(target, tokens[0] ?? "");
  await assert.rejects(people.prove(admin, ADDRESS), { code: "SUDO_TOKEN_REQUIRED" });
  await execute(target, "UPDATE session SET ended_at = 1, ended_reason = 'test'");
  await assert.rejects(people.prove(admin, ADDRESS), { code: "TOKEN_INVALID" });
});

Deno.test("a database that refuses the demo gets none from later starts either", async () => {
  await using target = await openTestApp("file");
  assert.equal(await lacksDemo(target.deps), true);
  await refuseDemo(target.deps);
  assert.deepEqual([await lacksDemo(target.deps), await hasDemo(target.deps)], [false, false]);
});

Deno.test("an interrupted demo is completed, and nothing is created twice", async () => {
  await using target = await openTestApp("file");
  const giveUp = (done: number): void => {
    if (done === 125) throw new RangeError("interrupted");
  };
  await assert.rejects(makeDemo(target.deps, { ...INPUT, onProgress: giveUp }), /interrupted/);
  assert.equal(await hasDemo(target.deps), false);
  const others = { adminPassword: "x".repeat(12), password: "a new password" };
  const result = await makeDemo(target.deps, { ...INPUT, ...others });
  assert.equal(result.admin, "unchanged");
  assert.deepEqual(result.people.slice(0, 6).map(({ password }) => password), [
    ...Array.from({ length: 5 }, () => "unchanged"),
    "set",
  ]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role"), 121);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM member"), 13);
  assert.equal((await login(target, INPUT.adminEmail, INPUT.adminPassword)).status, 200);
});
