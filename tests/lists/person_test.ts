/** People all of whose roles the caller manages: what the caller learns of their accounts, and ending their sessions. */
import assert from "node:assert/strict";
import { assertError, DENIED, forEachApp, login, logInFully, MALFORMED, send } from "../helpers/http.ts";
import { administrator, bootstrap, invite, Person } from "../helpers/person.ts";
import { activateTotp } from "../helpers/second_factors.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import type { TestApp } from "../helpers/test_app.ts";

const TECHNICIAN = "technician@example.com";

interface Account {
  readonly id: number;
  readonly name?: string;
}

interface Told {
  readonly userId: number;
  readonly name?: string;
  readonly lastSignInAt: string | null;
  readonly factors: string[];
}

/** An installer with a technician below the root, and a manager of the installer alone. */
async function makeInstaller(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const installerId = await admin.create(rootId, "Installer");
  const manager = await invite(target, admin, installerId, "manager@example.com");
  target.clock.advance(60);
  const signedInAt = new Date(target.clock.now()).toISOString();
  const technician = await invite(target, manager, installerId, TECHNICIAN);
  await manager.addMember(installerId, TECHNICIAN, { rights: rights("viewManagement") });
  const { id: userId } = await technician.get<Account>("/user");
  const memberId = await manager.memberIdOf(installerId, TECHNICIAN);
  const sessions = `/v1/role/${installerId}/member/${memberId}/session`;
  return { admin, rootId, installerId, manager, technician, userId, memberId, sessions, signedInAt };
}

async function ask(person: Person, ...userId: number[]): Promise<Told[]> {
  return (await person.post<{ person: Told[] }>("/v1/person/query", { userId })).person;
}

/** Returns whether a request of the person is accepted. */
async function isSignedIn(person: Person): Promise<boolean> {
  return (await person.ask("GET", "/user")).status === 200;
}

forEachApp(
  "a manager learns name, last sign-in and factors of the people who are theirs alone",
  async (target) => {
    const { manager, technician, userId, signedInAt } = await makeInstaller(target);
    const { id: managerId } = await manager.get<Account>("/user");
    assert.deepEqual(await ask(manager, userId), [{ userId, lastSignInAt: signedInAt, factors: [] }]);
    await technician.put("/user", { language: "nl", name: "  Tom Visser " });
    await activateTotp(target, technician.accessToken);
    assert.deepEqual(await ask(manager, 999, userId, userId), [
      { userId, name: "Tom Visser", lastSignInAt: signedInAt, factors: ["totp"] },
    ]);
    assert.deepEqual((await ask(manager, userId, managerId)).map((told) => told.userId), [managerId, userId]);
    assert.deepEqual(await ask(technician, userId, managerId), [], "to one who manages no people");
  },
);

forEachApp("nothing is told of a person who has a role elsewhere, or had one on record", async (target) => {
  const { admin, rootId, manager, installerId, userId, memberId } = await makeInstaller(target);
  const otherId = await admin.create(rootId, "Another installer");
  const stranger = await invite(target, admin, otherId, "stranger@example.com");
  const until = new Date(target.clock.now() + 3_600_000).toISOString();
  await stranger.addMember(otherId, TECHNICIAN, { until });
  assert.deepEqual(await ask(stranger, userId), [], "to a caller who added the address");
  assert.deepEqual(await ask(manager, userId), []);
  assert.equal((await ask(admin, userId)).length, 1, "to a caller who manages both");
  target.clock.advance(3600);
  assert.deepEqual(await ask(await signInAgain(target, "manager@example.com"), userId), [], "after its end");
  await (await administrator(target)).delete(`/v1/role/${installerId}/member/${memberId}`);
  const again = await signInAgain(target, "stranger@example.com");
  const { id } = await again.addMember(otherId, TECHNICIAN);
  assert.deepEqual(await ask(again, userId), [], "of a person who has just lost their role");
  assertError(await again.ask("DELETE", `/v1/role/${otherId}/member/${id}/session`), 403, DENIED);
});

forEachApp(
  "a deletion elsewhere, which may be undone, leaves the account of a person as it was",
  async (target) => {
    const { admin, rootId, manager, userId } = await makeInstaller(target);
    const otherId = await admin.create(rootId, "Another installer");
    await admin.addMember(otherId, TECHNICIAN);
    const relationId = await admin.relationIdOf(rootId, otherId);
    await admin.delete(`/v1/role/${rootId}/manages/${relationId}`);
    assert.deepEqual(await ask(manager, userId), []);
  },
);

forEachApp(
  "a peer who could not remove the last keeper of a root cannot sign them out either",
  async (target) => {
    const { admin, rootId, memberId } = await bootstrap(target);
    const peer = await invite(target, admin, rootId, "peer@example.com");
    await admin.addMember(rootId, "peer@example.com", { rights: rights("userManagement") });
    const path = `/v1/role/${rootId}/member/${memberId}/session`;
    const refused = await peer.ask("DELETE", path);
    assert.equal(refused.status, 409, refused.text);
    assert.equal(await isSignedIn(admin), true);
    await admin.addMember(rootId, "peer@example.com", { rights: null });
    assert.deepEqual(await (await signInAgain(target, "peer@example.com")).delete(path), { ended: 1 });
  },
);

forEachApp(
  "a name can be taken away, stays without the field, and has 1 to 100 characters",
  async (target) => {
    const { technician } = await makeInstaller(target);
    const put = (name: unknown) => technician.ask("PUT", "/user", { language: "en", name });
    for (const bad of ["", " ", "a".repeat(101), "two\nlines", "ada@example.com", "\u200b\u2800", 7]) {
      assertError(await put(bad), 400, MALFORMED, JSON.stringify(bad));
    }
    assert.equal(
      (await technician.put<Account>("/user", { language: "en", name: "é".repeat(100) })).name?.length,
      100,
    );
    await technician.put("/user", { language: "fr" });
    const account = await technician.get<Account>("/user");
    assert.equal(account.name, "é".repeat(100));
    assert.equal((await technician.put<Account>("/user", account)).name, account.name, "sent back");
    assert.equal((await technician.put<Account>("/user", { language: "fr", name: null })).name, undefined);
  },
);

forEachApp(
  "a manager ends all sessions of a person who is theirs alone, and both logs say so",
  async (target) => {
    const { manager, technician, sessions } = await makeInstaller(target);
    const other = await signInAgain(target, TECHNICIAN);
    assert.deepEqual(await manager.delete(sessions), { ended: 2 });
    assert.deepEqual([await isSignedIn(technician), await isSignedIn(other)], [false, false]);
    assert.deepEqual(await manager.delete(sessions), { ended: 0 });
    assert.equal(await isSignedIn(manager), true);
    const changes = await manager.changes<Record<string, unknown>>({ kind: "member.sign_out" });
    assert.deepEqual(changes.map(({ decision, memberEmail }) => [decision, memberEmail]), [
      ["ok", TECHNICIAN],
      ["noop", TECHNICIAN],
    ]);
    const again = await signInAgain(target, TECHNICIAN);
    const { event } = await again.get<{ event: { event: string; result: string; address: string | null }[] }>(
      "/user/security-log",
    );
    assert.deepEqual(event.filter((each) => each.event === "session.end_by_manager"), [
      { ...event[1], event: "session.end_by_manager", result: "ok", address: null },
    ]);
  },
);

forEachApp("only a manager of all roles of a person ends their sessions", async (target) => {
  const { admin, rootId, installerId, manager, technician, userId, memberId, sessions } = await makeInstaller(
    target,
  );
  const refuse = async (person: Person, path: string, why: string): Promise<void> => {
    assertError(await person.ask("DELETE", path), 403, DENIED, why);
  };
  await refuse(technician, sessions.replace(`/${memberId}/`, `/${memberId + 999}/`), "unknown");
  await refuse(manager, sessions.replace(`role/${installerId}`, `role/${rootId}`), "of another role");
  const { secret } = await manager.post<{ secret: string }>(`/v1/role/${installerId}/key`, {
    name: "Provisioner",
    provisions: true,
  });
  await refuse(new Person(target, secret), sessions, "a key");
  const asked = await new Person(target, secret).ask("POST", "/v1/person/query", { userId: [userId] });
  assertError(asked, 403, DENIED);
  const otherId = await admin.create(rootId, "Another installer");
  const other = await invite(target, admin, otherId, "other@example.com");
  await refuse(other, sessions, "no manager of the role");
  const { id } = await admin.addMember(otherId, TECHNICIAN);
  await refuse(manager, sessions, "the person has a role elsewhere");
  await refuse(other, `/v1/role/${otherId}/member/${id}/session`, "added the address");
  assert.equal(await isSignedIn(technician), true);
  assert.deepEqual(await (await administrator(target)).delete(sessions), { ended: 1 });
});

forEachApp("a sign-in that waits for its second factor ends with the sessions", async (target) => {
  const { technician, manager, sessions } = await makeInstaller(target);
  const { app } = await activateTotp(target, technician.accessToken);
  const started = await login(target, TECHNICIAN, `the first password of ${TECHNICIAN}`);
  const { partialAuthToken: waiting } = started.body as { partialAuthToken: string };
  await manager.delete(sessions);
  const body = { totp: app.code() };
  const answer = await send(target, "POST", "/user/2fa/totp/authenticate", { token: waiting, body });
  assertError(answer, 401, "Failed to verify token");
});

async function signInAgain(target: TestApp, email: string): Promise<Person> {
  const { accessToken } = await logInFully(target, email, `the first password of ${email}`);
  return new Person(target, accessToken);
}
