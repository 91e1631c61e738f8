import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type Answer, assertError } from "../helpers/http.ts";
import type { Person, Role } from "../helpers/person.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import { openReplicatedApps, type ReplicatedApps } from "./replicated_apps.ts";

const NOT_REACHED =
  "The data has not reached the revision of X-Rolegrid-At-Least: try again, or leave the header out";

/** What a listing of all roles has seen. */
interface Seen {
  readonly roles: number;
  readonly revision: number;
  /** In seconds; undefined: fresh. */
  readonly age: number | undefined;
}

function list(person: Person, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return person.ask("POST", "/v1/role/query", {}, { headers });
}

async function read(person: Person, maxAge?: number, atLeast?: number): Promise<Seen> {
  const { status, text, body, headers } = await list(person, {
    ...(maxAge === undefined ? {} : { "Cache-Control": `max-age=${maxAge}` }),
    ...(atLeast === undefined ? {} : { "X-Rolegrid-At-Least": String(atLeast) }),
  });
  assert.equal(status, 200, text);
  const age = headers.get("Age");
  if (age !== null) assert.match(age, /^[0-9]+$/);
  const { role } = body as { role: Role[] };
  return {
    roles: role.length,
    revision: Number(headers.get("X-Rolegrid-Revision")),
    age: age === null ? undefined : Number(age),
  };
}

/** Asserts that a read saw this state: on the copy as it was (`aged`), or `fresh`. */
function assertSeen(seen: Seen, { roles, revision }: Omit<Seen, "age">, how: "aged" | "fresh"): void {
  assert.deepEqual([seen.roles, seen.revision], [roles, revision]);
  assert.equal(seen.age === undefined ? "fresh" : "aged", how);
}

/** The state after one more role has been created. */
function oneMore({ roles, revision }: Seen): Omit<Seen, "age"> {
  return { roles: roles + 1, revision: revision + 1 };
}

function testApps(
  name: string,
  body: (apps: ReplicatedApps) => Promise<void>,
  maxAgeSeconds?: number,
): void {
  Deno.test({
    name,
    // The native driver closes its handles late.
    sanitizeResources: false,
    sanitizeOps: false,
    async fn(): Promise<void> {
      await using apps = await openReplicatedApps(maxAgeSeconds);
      await body(apps);
    },
  });
}

testApps("a read that allows some age needs no primary, and says how old its data is", async (apps) => {
  const { first } = await apps.logIn();
  const state = await read(first);
  assert.equal(state.age, undefined);
  apps.server.pause();
  try {
    assertSeen(await read(first, 10), state, "aged");
    await delay(1100);
    const later = await read(first, 10);
    assertSeen(later, state, "aged");
    assert.ok(later.age !== undefined && later.age >= 2 && later.age <= 10, `${later.age}`);
    // Older than this one allows, so it has to wait for the primary.
    assert.equal((await list(first, { "Cache-Control": "max-age=1" })).status, 503);
  } finally {
    apps.server.resume();
  }
});

testApps("an instance shows the revision that another one made, if it is demanded", async (apps) => {
  const [writer, reader] = [await apps.logIn(), await apps.logIn()];
  const before = await read(reader.second);
  await writer.first.create(apps.rootId, "New");
  const after = oneMore(before);
  assertSeen(await read(reader.second, 10), before, "aged");
  assertSeen(await read(reader.second, 10, before.revision), before, "aged");
  assertSeen(await read(reader.second, 10, after.revision), after, "fresh");
  // That has brought the copy up to date.
  assertSeen(await read(reader.second, 10, after.revision), after, "aged");
  const headers = { "Cache-Control": "max-age=10", "X-Rolegrid-At-Least": String(after.revision + 1) };
  assertError(await list(reader.second, headers), 503, NOT_REACHED);
});

testApps("a session sees its own changes at once, and those of others later", async (apps) => {
  const [writer, reader] = [await apps.logIn(), await apps.logIn()];
  const before = await read(writer.first);
  await writer.first.create(apps.rootId, "New");
  assertSeen(await read(reader.first, 10), before, "aged");
  assertSeen(await read(writer.first, 10), oneMore(before), "fresh");
  assertSeen(await read(reader.first, 10), oneMore(before), "aged");
});

testApps("a session that began a moment ago is not taken for one that has ended", async (apps) => {
  const { second: early } = await apps.logIn();
  const state = await read(early);
  const { second: late } = await apps.logIn();
  assertSeen(await read(late, 10), state, "fresh");
  assertSeen(await read(late, 10), state, "aged");
});

testApps("data is never older than the service allows, whatever is asked for", async (apps) => {
  const [writer, reader] = [await apps.logIn(), await apps.logIn()];
  const before = await read(reader.second);
  await writer.first.create(apps.rootId, "New");
  await delay(1000);
  assertSeen(await read(reader.second, 3600), oneMore(before), "fresh");
}, 1);

testApps("while changes are made, no response is older than it says, nor than it may be", async (apps) => {
  const [writer, reader] = [await apps.logIn(), await apps.logIn()];
  /** When each revision was acknowledged. */
  const acknowledged: { readonly revision: number; readonly at: number }[] = [];
  let isOver = false;

  async function write(): Promise<void> {
    const roleId = await writer.first.create(apps.rootId, "New");
    while (!isOver) {
      const body = { name: "New", selfRights: ALL };
      const { status, text, headers } = await writer.first.ask("PUT", `/v1/role/${roleId}`, body);
      assert.equal(status, 200, text);
      acknowledged.push({ revision: Number(headers.get("X-Rolegrid-Revision")), at: performance.now() });
    }
  }

  /** Returns how many of the reads were of some age. */
  async function readRepeatedly(maxAge: number): Promise<number> {
    let aged = 0;
    for (const endsAt = performance.now() + 3000; performance.now() < endsAt;) {
      const from = performance.now();
      const { revision, age } = await read(reader.second, maxAge);
      const due = acknowledged.findLast(({ at }) => at < from - (age ?? 0) * 1000)?.revision ?? 0;
      assert.ok(revision >= due, `revision ${revision} of age ${age} instead of ${due}`);
      assert.ok((age ?? 0) <= maxAge, `age ${age} instead of ${maxAge}`);
      if (age !== undefined) aged++;
      // Nothing that such a read awaits lets the others have their turn.
      await delay(1);
    }
    return aged;
  }

  async function readAll(): Promise<number[]> {
    try {
      return await Promise.all([2, 1].map(readRepeatedly));
    } finally {
      isOver = true;
    }
  }

  const [[long = 0, short = 0]] = await Promise.all([readAll(), write()]);
  assert.ok(long > 0 && short > 0, `${long} and ${short} reads of some age`);
  assert.ok(acknowledged.length > 10, `${acknowledged.length} changes`);
});
