/** People are invited, sign in, and leave; their sessions are renewed and end. */
import assert from "node:assert/strict";
import {
  type Answer,
  assertError,
  DENIED,
  forEachApp,
  logInFully,
  MALFORMED,
  query,
  send,
  tokenFrom,
  UNVERIFIED,
} from "../helpers/http.ts";
import { bootstrap, invite, type Member, Person } from "../helpers/person.ts";
import { ADMIN, ADMIN_PASSWORD, ALL, openInvitation, rights } from "../every_operation/request_catalogue.ts";
import type { TestApp } from "../helpers/test_app.ts";

const MEMBERLESS = "The root role would be left without a member";

interface Mail {
  readonly template: string;
  readonly recipient: string;
  readonly language: string;
  readonly brand: string | null;
  readonly roleName: string | null;
  readonly actorEmail: string | null;
  readonly sealed: number;
}

function mailsTo(target: TestApp, recipient: string): Promise<Mail[]> {
  return query<Mail>(
    target,
    `SELECT template, recipient, language, brand, role_name AS roleName, actor_email AS actorEmail,
       sealed_params IS NOT NULL AS sealed FROM outbox WHERE recipient = :recipient ORDER BY created_at`,
    { recipient },
  );
}

async function logIn(target: TestApp, email: string, password: string): Promise<Person> {
  return new Person(target, (await logInFully(target, email, password)).accessToken);
}

forEachApp("people are invited, log in by their link, hear of another role, and leave", async (target) => {
  const { admin, rootId, memberId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const otherId = await admin.create(rootId, "Other site");

  // An unknown address gets an account and an invitation.
  const add = (roleId: number, email: string, more = ""): Promise<{ member: Member }> =>
    admin.put(`/v1/role/${roleId}/member?userEmail=${encodeURIComponent(email)}${more}`, {});
  const { member } = await add(siteId, " Grace@Example.COM", "&origin=acme&language=NL");
  assert.deepEqual(member, { id: member.id, roleId: siteId, userEmail: "grace@example.com" });
  const invitation = {
    template: "invitation",
    recipient: "grace@example.com",
    language: "nl",
    brand: "acme",
    roleName: "Site",
    actorEmail: ADMIN,
    sealed: 1,
  };
  assert.deepEqual(await mailsTo(target, "grace@example.com"), [invitation]);

  // An existing member gets nothing. In another role on the same day they become a member without a second mail.
  assert.deepEqual(await add(siteId, "grace@example.com"), { member });
  await add(otherId, "grace@example.com");
  assert.deepEqual(await mailsTo(target, "grace@example.com"), [invitation]);

  // An unsupported language falls back to English. An unknown brand is refused.
  await add(siteId, "greek@example.com", "&language=el");
  assert.deepEqual((await mailsTo(target, "greek@example.com")).map(({ language }) => language), ["en"]);
  // Without one, the invitation and the account are in that of the inviter's account.
  await admin.put("/user", { language: "de" });
  await add(siteId, "greta@example.com");
  assert.deepEqual((await mailsTo(target, "greta@example.com")).map(({ language }) => language), ["de"]);
  await admin.put("/user", { language: "en" });
  const branded = `/v1/role/${siteId}/member?userEmail=a@example.com&origin=nobody`;
  assertError(await admin.ask("PUT", branded, {}), 400, MALFORMED);

  // The link sets the first password, once. Then the user can log in.
  const link = await openInvitation(target, "grace@example.com");
  const redeem = (newPassword: string): Promise<Answer> =>
    send(target, "PUT", "/user/password/link", { body: { token: link, newPassword } });
  const faults = {
    "short": "PASSWORD_TOO_SHORT",
    ["x".repeat(257)]: "PASSWORD_TOO_LONG",
    "password1": "PASSWORD_TOO_COMMON",
    "GRACE@example.com": "PASSWORD_EQUALS_NAME",
  };
  for (const [password, fault] of Object.entries(faults)) {
    assertError(await redeem(password), 400, fault, "a refused password spends nothing");
  }
  const set = await redeem("a first password of theirs");
  const seen = [set.status, set.text, set.headers.get("Content-Type")];
  assert.deepEqual(seen, [200, "null", "application/json"]);
  assertError(await redeem("a second password of theirs"), 401, "OTP_INVALID_EXPIRED");
  const templates = (await mailsTo(target, "grace@example.com")).map(({ template }) => template);
  assert.deepEqual(templates, ["invitation", "password_set"]);
  const grace = await logIn(target, "grace@example.com", "a first password of theirs");
  assert.deepEqual(await grace.roleIds(), [siteId, otherId]);
  // As a direct member, by the role's self rights.
  assert.deepEqual(await grace.holds(siteId, "roleManagement"), [true]);
  assertError(await grace.ask("PUT", `/v1/role/${siteId}`, { name: "Mine", selfRights: ALL }), 403, DENIED);

  // A known address gets a notice in the language of its account.
  target.clock.advance(86_400);
  const fresh = await logIn(target, ADMIN, ADMIN_PASSWORD);
  const thirdId = await fresh.create(rootId, "Third site");
  await fresh.put(`/v1/role/${thirdId}/member?userEmail=grace@example.com`);
  assert.deepEqual((await mailsTo(target, "grace@example.com")).at(-1), {
    ...invitation,
    template: "member_added",
    roleName: "Third site",
    brand: null,
    sealed: 0,
  });

  // Members are removed by the administrator or leave themselves. The root keeps its last member.
  const gone = await fresh.delete(`/v1/role/${siteId}/member/${member.id}`);
  assert.deepEqual(gone, { deletedNodeIds: [], deletedRelationIds: [member.id] });
  const again = await logIn(target, "grace@example.com", "a first password of theirs");
  assert.deepEqual(await again.roleIds(), [otherId, thirdId]);
  assertError(await again.ask("DELETE", `/v1/role/${siteId}/member/${member.id}`), 403, DENIED);
  const { member: own } = await again.post<{ member: Member[] }>("/v1/role/*/member/query", {
    filter: { userEmail: ["grace@example.com"] },
  });
  for (const { id, roleId } of own) await again.delete(`/v1/role/${roleId}/member/${id}`);
  assert.deepEqual(await again.roleIds(), []);
  assertError(await fresh.ask("DELETE", `/v1/role/${rootId}/member/${memberId}`), 409, MEMBERLESS);
});

forEachApp("a member without any right may leave a role, but not remove another member", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests", ALL, rights());
  const [guest, other] = [await invite(target, admin, roleId, "guest@x.example"), "other@x.example"];
  const { member: others } = await admin.put<{ member: Member }>(
    `/v1/role/${roleId}/member?userEmail=${other}`,
  );
  const { member } = await guest.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`, {});
  assert.deepEqual(member.map(({ userEmail }) => userEmail), ["guest@x.example"]);
  assertError(await guest.ask("DELETE", `/v1/role/${roleId}/member/${others.id}`), 403, DENIED);
  assert.equal((await guest.ask("DELETE", `/v1/role/${roleId}/member/${member[0]?.id}`)).status, 200);
  assert.deepEqual(await guest.roleIds(), []);
});

forEachApp("tokens are renewed, sessions are listed and ended, and a logout is final", async (target) => {
  const { userId } = await target.bootstrapRoot(ADMIN, "Root");
  await target.setPassword(userId, ADMIN_PASSWORD);
  const first = await logInFully(target, ADMIN, ADMIN_PASSWORD);
  const phone = await logInFully(target, ADMIN, ADMIN_PASSWORD);
  const renewed = await tokenFrom(target, "/auth/refreshtoken", first.refreshToken);
  assert.equal(await tokenFrom(target, "/auth/refreshtoken", first.refreshToken), renewed);
  const accessToken = await tokenFrom(target, "/accesstoken", renewed);
  const me = new Person(target, accessToken);
  assert.deepEqual(await me.get("/auth/accesstoken/validate"), { userId });
  const { session } = await me.get<{ session: { id: string; current: boolean }[] }>("/user/session");
  assert.deepEqual(session.map(({ current }) => current).toSorted(), [false, true]);
  const other = session.find(({ current }) => !current);
  assert.equal(await me.delete(`/user/session/${other?.id}`), null);
  assertError(await new Person(target, phone.accessToken).ask("GET", "/user/session"), 401, UNVERIFIED);
  assert.equal((await send(target, "POST", "/auth/logout", { token: renewed })).status, 204);
  const check = { checks: [{ roleId: 1, right: "roleManagement" }] };
  assertError(await me.ask("POST", "/v1/rights/check", check), 401, UNVERIFIED);
});

forEachApp("a membership can be ended only through its own role", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [own, other] = [await admin.create(rootId, "Own"), await admin.create(rootId, "Other")];
  const person = await invite(target, admin, own, "person@x.example");
  await invite(target, admin, other, "stranger@x.example");
  const id = await admin.memberIdOf(other, "stranger@x.example");
  for (const roleId of [own, other]) {
    assertError(await person.ask("DELETE", `/v1/role/${roleId}/member/${id}`), 403, DENIED);
  }
  assertError(await admin.ask("DELETE", `/v1/role/${own}/member/${id}`), 403, DENIED);
  await admin.delete(`/v1/role/${other}/member/${id}`);
});
