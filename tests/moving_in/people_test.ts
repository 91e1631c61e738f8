/** Imported people sign in with hashes of other systems, and are invited at a rate. */
import assert from "node:assert/strict";
import { HOUR_MS } from "../../src/core/clock.ts";
import { invitePeople } from "../../src/transfer/invite.ts";
import { login, logInFully, query, queryNumber, succeed, testApp } from "../helpers/http.ts";
import { openHashingApp } from "../helpers/test_app.ts";
import { assertRefused, file, importAll, PASSWORD, roleFile, smallPlatform } from "./platform.ts";

Deno.test("imported people sign in with their old password, and read in the log which import brought them", async () => {
  await using target = await openHashingApp("file");
  await importAll(target.database, smallPlatform(), { now: target.clock.now(), runId: "first" });
  const { accessToken: token } = await logInFully(target, "root@moving.example", PASSWORD);
  const hash =
    "SELECT password_hash LIKE '$argon2id$%' FROM user_account WHERE email = 'root@moving.example'";
  assert.equal(await queryNumber(target, hash), 1);
  const { change } = await succeed<{ change: Record<string, unknown>[] }>(
    target,
    "POST",
    "/v1/change/query",
    {
      token,
      body: {},
    },
  );
  const added = change.filter(({ kind }) => kind === "member.add");
  assert.equal(added.length, 19);
  for (const { actor, importRun } of added) assert.deepEqual([actor, importRun], [null, "first"]);
  assert.ok(added.some(({ memberEmail }) => memberEmail === "nl1.2@moving.example"));
});

const HASHES = await Deno.readTextFile(new URL("hashes.csv", import.meta.url));

Deno.test("people of Django, passlib, Zitadel, Kratos and better-auth sign in, and others are named by their line", async () => {
  await using target = await openHashingApp("file");
  const { database, clock } = target;
  const people = `${HASHES}unusable@people.example,en,django,!iYATiNZLHKieqtfatbQ86dRqP2ZgyUR8v6VcR4Ue`;
  await assertRefused(
    [
      "people 4: passwordHash: argon2d is not supported",
      "people 5: passwordHash: Firebase's scrypt is not supported",
    ],
    database,
    { people },
  );
  const { plan } = await importAll(database, { people }, { skipsHashes: true, now: clock.now() });
  const [, ...rows] = people.split("\n");
  assert.equal(plan.counts.people.added, rows.length);
  const fitting: string[] = [];
  for (const [email = ""] of rows.map((row) => row.split(","))) {
    const { status } = await login(target, email, "een reiger bij schemer 7");
    if (status === 200) fitting.push(email.split("@")[0] ?? "");
    else assert.equal(status, 401);
  }
  assert.deepEqual(fitting, ["passlib-pbkdf2", "kratos-pbkdf2", "better-auth", "zitadel-pbkdf2"]);
});

const FORMS = JSON.parse(
  await Deno.readTextFile(new URL("hash_spellings.json", import.meta.url)),
) as Record<
  string,
  { readonly hash: string; readonly hashed: string; readonly typed: string; readonly status: number }
>;

Deno.test("one guess tries the spellings that another system may have hashed, and counts once", async () => {
  await using target = await openHashingApp("file");
  const { database, clock } = target;
  const entries = Object.entries(FORMS).map(([name, form]) => ({ ...form, email: `${name}@people.example` }));
  const people = [["email", "passwordHash"], ...entries.map(({ email, hash }) => [email, hash])];
  await importAll(database, { people }, { now: clock.now() });
  const countLogins = () => queryNumber(target, "SELECT count(*) FROM security_event WHERE event = 'login'");
  for (const { email, typed, hashed, status } of entries) {
    const before = await countLogins();
    assert.equal((await login(target, email, typed)).status, status, email);
    assert.equal(await countLogins() - before, 1, email);
    if (status === 401) assert.equal((await login(target, email, hashed)).status, 200, email);
  }
});

testApp(
  "invitations of an import are queued at a rate, once, for people with a role and no password",
  async (target) => {
    const { database, deps, clock } = target;
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => `${name}@moving.example`);
    const { people: ids } = await importAll(database, {
      roles: roleFile("r,Root,,,all,"),
      people: file("email,passwordHash", `${a},`, `${b},`, `${c},`, `${d},`),
      // The last has no role.
      members: file("role,person", `r,${a}`, `r,${b}`, `r,${c}`),
    }, { now: clock.now() });
    const options = { runId: "first", mailPerHour: 2 };
    assert.equal(await invitePeople(deps, [...ids.values()], options), 3);
    assert.equal(await invitePeople(deps, [...ids.values()], options), 0);
    const mails = await query<{ recipient: string; dueAt: number }>(
      target,
      "SELECT recipient, next_attempt_at AS dueAt FROM outbox WHERE template = 'invitation' ORDER BY next_attempt_at",
    );
    const hours = mails.map(({ recipient, dueAt }) => [recipient, (dueAt - clock.now()) / HOUR_MS]);
    assert.deepEqual(hours, [[a, 0.5], [b, 1], [c, 1.5]]);
  },
);
