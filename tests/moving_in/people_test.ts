import assert from "node:assert/strict";
import { HOUR_MS } from "../../src/core/clock.ts";
import { invitePeople } from "../../src/transfer/invite.ts";
import { login, query, send, succeed, testApp } from "../helpers/http.ts";
import { openHashingApp } from "../helpers/test_app.ts";
import { importAll, importFiles, PASSWORD, smallPlatform } from "./platform.ts";

interface ChangePage {
  readonly change: readonly {
    readonly kind: string;
    readonly actor: unknown;
    readonly importRun: string | null;
    readonly memberEmail: string | null;
  }[];
}

Deno.test("imported people sign in with their old password, and read in the log which import brought them", async () => {
  await using target = await openHashingApp("file");
  await importAll(target.database, smallPlatform(), { now: target.clock.now(), runId: "first" });
  const answer = await login(target, "root@moving.example", PASSWORD);
  assert.equal(answer.status, 200);
  const [{ hash } = { hash: "" }] = await query<{ hash: string }>(
    target,
    "SELECT password_hash AS hash FROM user_account WHERE email = 'root@moving.example'",
  );
  assert.match(hash, /^\$argon2id\$/);
  const access = await send(target, "GET", "/auth/accesstoken", { token: answer.text });
  const { change } = await succeed<ChangePage>(target, "POST", "/v1/change/query", {
    token: access.text,
    body: {},
  });
  const added = change.filter(({ kind }) => kind === "member.add");
  assert.equal(added.length, 19);
  for (const { actor, importRun } of added) assert.deepEqual([actor, importRun], [null, "first"]);
  assert.ok(added.some(({ memberEmail }) => memberEmail === "nl1.2@moving.example"));
});

const CASES = (await Deno.readTextFile(new URL("hashes.csv", import.meta.url))).trimEnd().split("\n");

Deno.test("people of Django, passlib, Zitadel, Kratos and better-auth sign in, and others are named by their line", async () => {
  await using target = await openHashingApp("file");
  const { database, clock } = target;
  const people = `${
    CASES.join("\n")
  }\nunusable@people.example,en,django,!iYATiNZLHKieqtfatbQ86dRqP2ZgyUR8v6VcR4Ue\n`;
  const faults = [
    "people 4: passwordHash: argon2d is not supported",
    "people 5: passwordHash: Firebase's scrypt is not supported",
  ];
  assert.deepEqual(await importFiles(database, { people }), faults);
  const { plan } = await importAll(database, { people }, { skipsHashes: true, now: clock.now() });
  assert.equal(plan.counts.people.added, CASES.length);
  const fitting: string[] = [];
  for (const [email = ""] of people.trimEnd().split("\n").slice(1).map((row) => row.split(","))) {
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
  const entries = Object.entries(FORMS);
  await importAll(database, {
    people: [
      ["email", "passwordHash"],
      ...entries.map(([name, { hash }]) => [`${name}@people.example`, hash]),
    ],
  }, { now: clock.now() });
  for (const [name, { typed, hashed, status }] of entries) {
    const email = `${name}@people.example`;
    const [before] = await query<{ n: number }>(
      target,
      "SELECT count(*) AS n FROM security_event WHERE event = 'login'",
    );
    assert.equal((await login(target, email, typed)).status, status, name);
    const [after] = await query<{ n: number }>(
      target,
      "SELECT count(*) AS n FROM security_event WHERE event = 'login'",
    );
    assert.equal((after?.n ?? 0) - (before?.n ?? 0), 1, name);
    if (status === 401) assert.equal((await login(target, email, hashed)).status, 200, name);
  }
});

testApp(
  "invitations of an import are queued at a rate, once, for people with a role and no password",
  async (target) => {
    const { database, deps, clock } = target;
    const people = [
      ["email", "passwordHash"],
      ...["a", "b", "c", "d"].map((name) => [`${name}@moving.example`, ""]),
    ];
    const { people: ids } = await importAll(database, {
      roles: [["key", "name", "parents", "manages", "selfRights"], ["r", "Root", "", "", "all"]],
      people,
      // The last has no role.
      members: [["role", "person"], ...["a", "b", "c"].map((name) => ["r", `${name}@moving.example`])],
    }, { now: clock.now() });
    const options = { runId: "first", mailPerHour: 2 };
    assert.equal(await invitePeople(deps, [...ids.values()], options), 3);
    assert.equal(await invitePeople(deps, [...ids.values()], options), 0);
    const mails = await query<{ recipient: string; dueAt: number }>(
      target,
      "SELECT recipient, next_attempt_at AS dueAt FROM outbox WHERE template = 'invitation' ORDER BY next_attempt_at",
    );
    assert.deepEqual(
      mails.map(({ recipient, dueAt }) => [recipient, (dueAt - clock.now()) / HOUR_MS]),
      [["a@moving.example", 0.5], ["b@moving.example", 1], ["c@moving.example", 1.5]],
    );
  },
);
