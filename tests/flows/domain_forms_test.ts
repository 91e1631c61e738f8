/** A domain with letters beyond ASCII has two forms, and is one domain. */
import assert from "node:assert/strict";
import { type Answer, assertWait, forEachApp, login, queryNumber, send, testApp } from "../helpers/http.ts";
import { lastCode } from "../helpers/mails.ts";
import { bootstrap, type Member, type Person } from "../helpers/person.ts";

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
