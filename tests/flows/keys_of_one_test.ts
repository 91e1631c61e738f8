import assert from "node:assert/strict";
import { createChangeWatch } from "../../src/insight/changes/change_watch.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { assertWait, forEachApp, query, queryNumber, testApp } from "../helpers/http.ts";
import { bootstrap, invite, type Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { makeProgram } from "../role/key_scene.ts";

/** A limit for one person covers all keys that they made, together. */

const KEYS = 8;

async function makePrograms(target: TestApp, maker: Person, roleId: number, wishes = {}): Promise<Person[]> {
  const made = await Promise.all(
    Array.from({ length: KEYS }, () => makeProgram(target, maker, roleId, wishes)),
  );
  return made.map(({ program }) => program);
}

function countersOf(target: TestApp, scope: string): Promise<{ key: string; count: number }[]> {
  return query(target, "SELECT key, count FROM throttle WHERE scope = :scope ORDER BY key", { scope });
}

forEachApp(
  "previews and decisions of eight keys are charged to their maker, or to the root once the maker has left",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const maker = await invite(target, admin, rootId, "maker@example.com");
    const makerId = await queryNumber(target, "SELECT id FROM user_account WHERE email LIKE 'maker%'");
    const siteId = await admin.create(rootId, "Site");
    const programs = await makePrograms(target, maker, rootId, { asks: true });
    const question = {
      subject: { type: "user", id: String(makerId) },
      action: { name: "viewManagement" },
      resource: { type: "role", id: String(siteId) },
      evaluations: [{}, {}],
    };
    for (const person of [maker, ...programs]) {
      const answer = await person.ask("POST", "/access/v1/evaluations", question);
      assert.equal(answer.status, 200, answer.text);
      const path = `/v1/role/${siteId}?dryRun=true`;
      const preview = await person.ask("PUT", path, { name: "Site", selfRights: rights("viewManagement") });
      assert.equal(preview.status, 200, preview.text);
    }
    for (const scope of ["evaluations", "preview"]) {
      const counters = await countersOf(target, scope);
      assert.deepEqual(counters.map(({ key }) => key), [String(makerId)], scope);
      assert.ok(Number(counters[0]?.count) >= programs.length + 1);
    }
    // Once the maker has left, all keys of the root count together.
    await admin.delete(`/v1/role/${rootId}/member/${await admin.memberIdOf(rootId, "maker@example.com")}`);
    target.clock.advance(5);
    for (const program of programs) await program.ask("POST", "/access/v1/evaluations", question);
    const counted = (await countersOf(target, "evaluations")).map(({ key }) => key);
    assert.deepEqual(counted, [String(makerId), `root ${rootId}`]);
  },
);

testApp("eight keys and their maker may have four waiting requests together", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const programs = await makePrograms(target, admin, rootId);
  const guest = await invite(target, admin, await admin.create(rootId, "Guests"), "guest@example.com");
  const { nextRevision: after } = await admin.post<{ nextRevision: number }>("/v1/change/query");
  const client = new AbortController();
  const wait = (person: Person) =>
    target.request("/v1/change/query", {
      method: "POST",
      headers: { Authorization: `Bearer ${person.accessToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ after, wait: 25 }),
      signal: client.signal,
    });
  const waiting = programs.slice(0, 4).map(wait);
  // They begin in order of arrival.
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (const person of [...programs.slice(4), admin]) {
    assertWait(await person.ask("POST", "/v1/change/query", { after, wait: 25 }), "TOO_MANY_WAITS", 1);
  }
  waiting.push(wait(guest));
  await new Promise((resolve) => setTimeout(resolve, 200));
  client.abort();
  assert.deepEqual((await Promise.all(waiting)).map(({ status }) => status), [200, 200, 200, 200, 200]);
});

Deno.test("waiting requests are counted per payer", () => {
  const watch = createChangeWatch({ readRevision: () => Promise.resolve(1) });
  const { signal } = new AbortController();
  const begin = (payer: string) => watch.begin(payer, 1, signal);
  for (let i = 0; i < 4; i++) begin("root 5");
  assert.throws(() => begin("root 5"), { code: "TOO_MANY_WAITS" });
  begin("5");
});
