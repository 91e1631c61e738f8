import assert from "node:assert/strict";
import {
  type Answer,
  assertError,
  assertWait,
  forEachApp,
  login,
  queryNumber,
  send,
  testApp,
} from "../helpers/http.ts";
import { lastCode } from "../helpers/mails.ts";
import { bootstrap, invite, type Member, type Person } from "../helpers/person.ts";

/** A domain with letters beyond ASCII has two forms, and is one domain. */

const SHOWN = "anna@bücher.example";
const ACE = "anna@xn--bcher-kva.example";
/** Each is another way to write the same. */
const SPELLINGS = [
  SHOWN,
  ACE,
  "Anna@BÜCHER.example",
  "anna@bu\u0308cher.example",
  "ANNA@XN--BCHER-KVA.EXAMPLE\u0085",
];
const PASSWORD = "een reiger bij schemer 7";
const ACCOUNTS = "SELECT count(*) FROM user_account";

async function add(by: Person, roleId: number, email: string): Promise<Member> {
  return (await by.put<{ member: Member }>(
    `/v1/role/${roleId}/member?userEmail=${encodeURIComponent(email)}`,
  )).member;
}

/** The ids of the accounts that each question about an address finds. */
async function found(by: Person, roleId: number, email: string): Promise<unknown[]> {
  const filter = { userEmail: [email] };
  const { member } = await by.post<{ member: { userId: number }[] }>(`/v1/role/${roleId}/member/query`, {
    filter,
  });
  const { access } = await by.post<{ access: { userId: number }[] }>(`/v1/role/${roleId}/access/query`, {
    filter,
  });
  const { person } = await by.post<{ person?: { userId: number } }>("/v1/access/query", { userEmail: email });
  const { decision } = await by.post<{ decision: boolean }>("/access/v1/evaluation", {
    subject: { type: "user", id: email },
    action: { name: "member" },
    resource: { type: "role", id: String(roleId) },
  });
  const { allowed } = await by.post<{ allowed: boolean }>("/v1/rights/explain", {
    roleId,
    right: "member",
    userEmail: email,
  });
  return [
    member.map(({ userId }) => userId),
    access.map(({ userId }) => userId),
    person?.userId,
    decision,
    allowed,
  ];
}

forEachApp("all spellings of a domain are one account", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const before = await queryNumber(target, ACCOUNTS);
  for (const email of SPELLINGS) assert.equal((await add(admin, rootId, email)).userEmail, SHOWN, email);
  assert.equal(await queryNumber(target, ACCOUNTS), before + 1);
  const userId = await queryNumber(target, "SELECT max(id) FROM user_account");
  await target.setPassword(userId, PASSWORD);
  for (const email of SPELLINGS) {
    assert.deepEqual(await found(admin, rootId, email), [[userId], [userId], userId, true, true], email);
    assert.equal((await login(target, email, PASSWORD)).status, 200, email);
  }
  // Not the transitional form, in which "ß" would be "ss".
  for (const email of ["o@faß.example", "o@fass.example", "o@xn--fa-hia.example"]) {
    await add(admin, rootId, email);
  }
  assert.equal(await queryNumber(target, ACCOUNTS), before + 3);

  assert.equal(
    (await send(target, "POST", "/user/password/reset/send", { body: { email: ACE } })).status,
    200,
  );
  const otp = await lastCode(target, "password_reset_otp");
  const body = { email: SHOWN, otp };
  assert.equal((await send(target, "POST", "/user/password/reset/validate", { body })).status, 200);
});

testApp("guesses count for an address, however its domain is spelled", async (target) => {
  const guess = async (email: string): Promise<Answer> => await login(target, email, "wrong");
  const { userId } = await target.createUser(SHOWN);
  await target.setPassword(userId, PASSWORD);
  for (const [known, ace] of [[SHOWN, ACE], ["a@zürich.example", "a@xn--zrich-kva.example"]] as const) {
    for (const email of [known, ace, known]) assert.equal((await guess(email)).status, 401);
    assert.equal((await guess(ace)).status, 401);
    for (const email of [known, ace]) {
      assertWait(await guess(email), "TOO_MANY_FAILED_PASSWORD_CHECKS", 30, email);
    }
  }
});

forEachApp("an account from before keeps its spelling, and is found by each", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { userId, accessToken } = await target.createUser(ACE);
  await target.setPassword(userId, PASSWORD);
  for (const email of SPELLINGS) {
    await add(admin, rootId, email);
    assert.deepEqual(await found(admin, rootId, email), [[userId], [userId], userId, true, true], email);
    assert.equal((await login(target, email, PASSWORD)).status, 200, email);
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM user_account WHERE email LIKE 'anna@%'"), 1);
  assert.equal((await send(target, "GET", "/user", { token: accessToken })).status, 200);
  // No other account can get the address, in whichever spelling.
  const { userId: otherId, accessToken: token } = await target.createUser("bea@example.com");
  assert.notEqual(otherId, userId);
  const sent = await send(target, "POST", "/user/email/initiate", { token, body: { email: SHOWN } });
  assert.equal(sent.status, 200, sent.text);
  const otp = await lastCode(target, "email_transfer_otp");
  const taken = await send(target, "PUT", "/user/email", { token, body: { otp } });
  assertError(taken, 409, "NEW_EMAIL_ALREADY_IN_USE");
});

testApp(
  "adding a member answers the same whether or not an account from before has the address",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const roleId = await admin.create(rootId, "Unrelated");
    const manager = await invite(target, admin, roleId, "mallory@example.com");
    await target.createUser(ACE);
    const ask = async (name: string, domain: string, query: string): Promise<string> => {
      const email = encodeURIComponent(`${name}@${domain}`);
      const { status, text } = await manager.ask(
        "PUT",
        `/v1/role/${roleId}/member?${query}userEmail=${email}`,
      );
      assert.equal(status, 200, text);
      return text.replaceAll(name, "name").replace(/"id":\d+/, '"id":0').replace(
        /"tag":"[^"]*","revision":\d+/,
        "",
      );
    };
    // A preview, the change, and then what changes nothing.
    for (const query of ["dryRun=true&", "", "dryRun=true&", ""]) {
      for (const domain of ["xn--bcher-kva.example", "bücher.example"]) {
        const known = await ask("anna", domain, query);
        assert.match(known, /"userEmail":"name@bücher.example"/);
        assert.doesNotMatch(known, /xn--/);
        assert.equal(known, await ask("bert", domain, query));
      }
    }
  },
);

testApp("of two accounts from before that fall together, each is found as it is spelled", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ids = new Map<string, number>();
  for (const [i, email] of [SHOWN, ACE].entries()) {
    const { userId } = await target.createUser(email);
    await target.setPassword(userId, `${PASSWORD}${i}`);
    ids.set(email, userId);
  }
  for (const [i, email] of [SHOWN, ACE].entries()) {
    await add(admin, rootId, email);
    const userId = ids.get(email);
    assert.deepEqual(await found(admin, rootId, email), [[userId], [userId], userId, true, true], email);
    assert.equal((await login(target, email, `${PASSWORD}${i}`)).status, 200, email);
    assert.equal((await login(target, email, `${PASSWORD}${1 - i}`)).status, 401, email);
  }
});
