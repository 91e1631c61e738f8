import assert from "node:assert/strict";
import { HOUR_MS } from "../../src/core/clock.ts";
import { invitePeople } from "../../src/transfer/invite.ts";
import { login, query, send, succeed, testApp } from "../helpers/http.ts";
import { openHashingApp } from "../helpers/test_app.ts";
import { importAll, PASSWORD, smallPlatform } from "./platform.ts";

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
