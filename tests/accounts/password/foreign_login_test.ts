/** People sign in with the hash that another system made, which then becomes one of ours. */
import assert from "node:assert/strict";
import { pbkdf2Sync, scryptSync } from "node:crypto";
import { isOwnHash } from "../../../src/accounts/password/argon2.ts";
import { noteForeignHashes } from "../../../src/accounts/password/foreign_cost_queries.ts";
import { createForeignCosts } from "../../../src/accounts/password/foreign_costs.ts";
import {
  assertError,
  assertWait,
  execute,
  forEachApp,
  login,
  query,
  send,
  succeed,
  testApp,
} from "../../helpers/http.ts";
import { openHashingApp, type TestApp } from "../../helpers/test_app.ts";

const EMAIL = "ada@example.com";

/** One of each form, cheap, with its password. */
const FORMS: readonly (readonly [hash: string, password: string])[] = [
  ["$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8", "password"],
  ["$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "password"],
  [`$scrypt$ln=4,r=8,p=1$c2FsdA$${encode(scryptSync("pässwort", "salt", 32, { N: 16 }))}`, "pässwort"],
  ...(["sha1", "sha256", "sha512"] as const).map((digest) =>
    [pbkdf2Of("pässwort", digest), "pässwort"] as const
  ),
];

function encode(bytes: Uint8Array): string {
  return bytes.toBase64({ omitPadding: true });
}

function pbkdf2Of(password: string, digest = "sha256"): string {
  const key = encode(pbkdf2Sync(password, "salt", 1000, 32, digest));
  return `$pbkdf2-${digest}$i=1000$c2FsdA$${key}`;
}

/** Makes an account as an import does. */
async function importPerson(
  target: TestApp,
  email: string,
  hash: string,
): Promise<{ userId: number; accessToken: string }> {
  const person = await target.createUser(email);
  const { userId } = person;
  await execute(target, "UPDATE user_account SET password_hash = :hash WHERE id = :userId", { hash, userId });
  await target.database.write(noteForeignHashes([hash]));
  return person;
}

function importAda(target: TestApp, hash: string): ReturnType<typeof importPerson> {
  return importPerson(target, EMAIL, hash);
}

async function hashOf(target: TestApp, email = EMAIL): Promise<string> {
  const sql = "SELECT password_hash AS hash FROM user_account WHERE email = :email";
  const [row] = await query<{ hash: string }>(target, sql, { email });
  return row?.hash ?? "";
}

async function results(target: TestApp): Promise<string[]> {
  const rows = await query<{ result: string }>(target, "SELECT result FROM security_event ORDER BY id");
  return rows.map(({ result }) => result);
}

testApp("a hash of each form signs its person in once, and is then one of ours", async (target) => {
  await Promise.all(FORMS.map(async ([hash, password], i) => {
    const email = `person${i}@example.com`;
    await importPerson(target, email, hash);
    assertError(await login(target, email, `${password}x`), 401, "PASSWORD_INCORRECT", hash);
    assertError(await login(target, email, `${password}\0`), 401, "PASSWORD_INCORRECT", hash);
    assert.equal(await hashOf(target, email), hash);
    assert.equal((await login(target, email, password)).status, 200, hash);
    const own = await hashOf(target, email);
    assert.ok(isOwnHash(own), own);
    assertError(await login(target, email, `${password}x`), 401, "PASSWORD_INCORRECT", hash);
    assert.equal((await login(target, email, password)).status, 200, hash);
    assert.equal(await hashOf(target, email), own);
  }));
}, openHashingApp);

testApp("another system's password is compared as typed, and later in any composition", async (target) => {
  await importAda(target, pbkdf2Of("cafe\u0301 au lait"));
  assertError(await login(target, EMAIL, "caf\u00e9 au lait"), 401, "PASSWORD_INCORRECT");
  assert.equal((await login(target, EMAIL, "cafe\u0301 au lait")).status, 200);
  assert.equal((await login(target, EMAIL, "caf\u00e9 au lait")).status, 200);
}, openHashingApp);

forEachApp("of simultaneous sign-ins with one hash each succeeds, and one replaces it", async (target) => {
  await importAda(target, pbkdf2Of("a heron"));
  const answers = await Promise.all(Array.from({ length: 3 }, () => login(target, EMAIL, "a heron")));
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200]);
  assert.ok(isOwnHash(await hashOf(target)));
  assert.equal((await results(target)).filter((result) => result === "ok").length, 3);
}, openHashingApp);

const UNREADABLE = [
  "5f4dcc3b5aa765d61d8327deb882cf99",
  "",
  "$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
  `$pbkdf2-sha256$i=999999999$c2FsdA$${"A".repeat(43)}`,
  `$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$${"A".repeat(43)}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"z".repeat(43)}`,
];

testApp("an unknown or absurdly costly hash is a wrong password, and an event of its own", async (target) => {
  for (const hash of UNREADABLE) {
    await target.reset();
    const { accessToken } = await importAda(target, hash);
    for (const password of ["password", hash, "\0"]) {
      assertError(await login(target, EMAIL, password), 401, "PASSWORD_INCORRECT", hash);
    }
    assertError(await login(target, EMAIL, ""), 401, "PASSWORD_INCORRECT", hash);
    assertWait(await login(target, EMAIL, "password"), "TOO_MANY_FAILED_PASSWORD_CHECKS", 30);
    const body = { password: "password" };
    const answer = await send(target, "POST", "/user/password/authenticate", { token: accessToken, body });
    assertError(answer, 401, "PASSWORD_INCORRECT", hash);
    assert.deepEqual(await results(target), Array(5).fill("unreadable"));
    assert.equal(await hashOf(target), hash);
  }
}, openHashingApp);

testApp("a person with a hash of another system proves and changes their password", async (target) => {
  const { accessToken: token } = await importAda(target, pbkdf2Of("a heron"));
  const prove = (password: string): ReturnType<typeof send> =>
    send(target, "POST", "/user/password/authenticate", { token, body: { password } });
  assertError(await prove("a hero"), 401, "PASSWORD_INCORRECT");
  assert.equal((await prove("a heron")).status, 200);
  const body = { oldPassword: "a heron", newPassword: "a heron at dusk" };
  await succeed(target, "PUT", "/user/password/old-password", { token, body });
  assert.ok(isOwnHash(await hashOf(target)));
  assert.equal((await login(target, EMAIL, "a heron at dusk")).status, 200);
}, openHashingApp);

forEachApp("the costliest hash of each kind is noted, by imports and by comparing", async (target) => {
  const costs = createForeignCosts(target.database, target.clock.now);
  const bcrypt = (cost: string): string =>
    `$2b$${cost}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`;
  const noted = async (hash = ""): Promise<string[]> =>
    (await costs.covering(hash)).map((dummy) => dummy.slice(0, 20));
  assert.deepEqual(await noted(), []);
  await target.database.write(
    noteForeignHashes([bcrypt("09"), bcrypt("10"), bcrypt("05"), pbkdf2Of("a heron"), ""]),
  );
  assert.deepEqual(await noted(), []);
  target.clock.advance(10);
  assert.deepEqual(await noted(), ["$2b$10$.............", "$pbkdf2-sha256$i=100"]);
  await target.database.write(noteForeignHashes([bcrypt("08"), UNREADABLE[2] ?? ""]));
  assert.deepEqual(await noted(bcrypt("07")), ["$2b$10$.............", "$pbkdf2-sha256$i=100"]);
  assert.deepEqual(await noted(bcrypt("12")), ["$2b$12$.............", "$pbkdf2-sha256$i=100"]);
  const another = createForeignCosts(target.database, target.clock.now);
  assert.equal((await another.covering("")).length, 2);
});
