/** Invitations that wait: finding them, and sending them again. */
import assert from "node:assert/strict";
import { type Answer, assertError, assertWait, DENIED, forEachApp, send } from "../helpers/http.ts";
import { lastLinkToken, type OutboxMail, readMails } from "../helpers/mails.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { administrator, bootstrap, invite, Person } from "../helpers/person.ts";
import { rights } from "../every_operation/request_catalogue.ts";

const DAY_SECONDS = 86_400;

interface Listed {
  readonly id: number;
  readonly userEmail: string;
  readonly waitingSince?: string | null;
  readonly until?: string;
}

async function readAll(person: Person, roles: number | "*", body: Record<string, unknown>) {
  const found: Listed[] = [];
  for (let cursor: string | null = null;;) {
    const page: { member: Listed[]; nextCursor?: string | null } = await person.post(
      `/v1/role/${roles}/member/query`,
      { ...body, ...(cursor === null ? {} : { cursor }) },
    );
    found.push(...page.member);
    cursor = page.nextCursor ?? null;
    if (cursor === null) return found;
  }
}

/** Sets the first password of an account by the token of an invitation. */
function open(target: TestApp, token: string): Promise<Answer> {
  return send(target, "PUT", "/user/password/link", {
    body: { token, newPassword: "a first password of new" },
  });
}

async function mailsToNew(target: TestApp): Promise<OutboxMail[]> {
  return (await readMails(target, "invitation")).filter(({ recipient }) => recipient === "new@example.com");
}

forEachApp("an invitation waits until its account is opened, and tells since when", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  await invite(target, admin, siteId, "opened@example.com");
  target.clock.advance(60);
  await admin.addMember(siteId, "new@example.com");
  const since = new Date(target.clock.now()).toISOString();
  target.clock.advance(60);
  // A later change is not a new beginning.
  await admin.addMember(siteId, "new@example.com", {
    rights: rights("viewManagement"),
  });

  for (const roles of [siteId, "*"] as const) {
    for (const limit of [1, 2, 100]) {
      const waiting = await readAll(admin, roles, { filter: { waiting: true }, limit });
      assert.deepEqual(waiting.map(({ userEmail, waitingSince }) => [userEmail, waitingSince]), [
        ["new@example.com", since],
      ], `${roles} ${limit}`);
      const others = await readAll(admin, roles, { filter: { waiting: false }, limit });
      assert.equal(others.length, roles === "*" ? 2 : 1);
      assert.ok(others.every((member) => !("waitingSince" in member)));
    }
  }
  await open(target, await lastLinkToken(target, "invitation"));
  assert.deepEqual(await readAll(admin, siteId, { filter: { waiting: true } }), []);
});

forEachApp("members find no invitations, nor their own", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  await admin.addMember(siteId, "new@example.com");
  const viewer = await target.createUser("viewer@example.com");
  await admin.addMember(siteId, "viewer@example.com", {
    rights: rights("viewManagement"),
  });
  const seen = await readAll(new Person(target, viewer.accessToken), "*", { filter: { waiting: true } });
  assert.deepEqual(seen, []);
});

forEachApp("memberships that end before a time are found, page by page", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const inDays = (days: number): string =>
    new Date(target.clock.now() + days * DAY_SECONDS * 1000).toISOString();
  const ends = { "b@example.com": 8, "c@example.com": 6, "d@example.com": 2, "e@example.com": null };
  for (const [email, days] of Object.entries(ends)) {
    const until = days === null ? null : inDays(days);
    await admin.addMember(siteId, email, { until });
  }
  const filter = { endsBefore: inDays(7) };
  for (const roles of [siteId, "*"] as const) {
    for (const limit of [1, 100]) {
      const found = await readAll(admin, roles, { filter, limit });
      assert.deepEqual(
        found.map(({ userEmail }) => userEmail),
        ["c@example.com", "d@example.com"],
        `${roles} ${limit}`,
      );
    }
  }
  const exact = await readAll(admin, siteId, { filter: { endsBefore: inDays(6) } });
  assert.deepEqual(
    exact.map(({ userEmail }) => userEmail),
    ["d@example.com"],
    "the time itself is not before it",
  );
});

forEachApp("an invitation is sent again once a day, and its link replaces the last", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const member = await admin.addMember(siteId, "new@example.com");
  const path = `/v1/role/${siteId}/member/${member.id}/invitation`;
  const first = await lastLinkToken(target, "invitation");
  assert.deepEqual(await admin.post(`${path}?language=nl`), { sent: true });
  assert.deepEqual((await mailsToNew(target)).map(({ recipient, language }) => [recipient, language]), [
    ["new@example.com", "en"],
    ["new@example.com", "nl"],
  ]);
  const again = await admin.ask("POST", path);
  assertWait(again, "TOO_MANY_INVITATIONS", DAY_SECONDS);
  target.clock.advance(DAY_SECONDS);
  const later = await administrator(target);
  assert.deepEqual(await later.post(path), { sent: true });

  assert.notEqual((await open(target, first)).status, 200);
  assert.equal((await open(target, await lastLinkToken(target, "invitation"))).status, 200);
  assert.deepEqual(await later.post(path), { sent: false });
  assert.equal((await mailsToNew(target)).length, 3);
  const change = await later.changes<{ decision: string; memberEmail: string }>({ kind: "member.invite" });
  assert.deepEqual(change.map(({ decision, memberEmail }) => [decision, memberEmail]), [
    ["ok", "new@example.com"],
    ["too_many_invitations", "new@example.com"],
    ["ok", "new@example.com"],
    ["noop", "new@example.com"],
  ]);
});

forEachApp("only a manager of the members sends an invitation again", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const otherId = await admin.create(rootId, "Other");
  const member = await admin.addMember(siteId, "new@example.com");
  const { accessToken } = await target.createUser("viewer@example.com");
  await admin.addMember(siteId, "viewer@example.com", {
    rights: rights("viewManagement"),
  });
  const viewer = new Person(target, accessToken);
  const path = `/v1/role/${siteId}/member/${member.id}/invitation`;
  assertError(await viewer.ask("POST", path), 403, DENIED);
  assertError(await admin.ask("POST", `/v1/role/${otherId}/member/${member.id}/invitation`), 403, DENIED);
  const { secret } = await admin.post<{ secret: string }>(`/v1/role/${siteId}/key`, {
    name: "Provisioner",
    provisions: true,
  });
  assertError(await new Person(target, secret).ask("POST", path), 403, DENIED);
  assert.equal((await mailsToNew(target)).length, 1);
  await admin.delete(`/v1/role/${siteId}/member/${member.id}`);
  assertError(await admin.ask("POST", path), 403, DENIED, "taken back");
});
