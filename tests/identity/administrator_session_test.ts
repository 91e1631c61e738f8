/** A session of the administrator acts as a user for a quarter of an hour. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import type { Actor } from "../../src/core/actor.ts";
import { openAdministratorSession } from "../../src/identity/administrator_session.ts";
import { listRoles } from "../../src/lists/role_listing_service.ts";
import { forEachApp, queryNumber, testApp } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";

async function mayAct({ deps }: TestApp, actor: Actor): Promise<boolean> {
  try {
    await listRoles(deps, actor, {}, { afterId: 0, limit: 10 });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "TOKEN_INVALID") return false;
    throw error;
  }
}

forEachApp("an operator's session acts as the user until its disposal", async (target) => {
  const { userId } = await target.bootstrapRoot("a@b.example", "Top");
  const other = await target.createUser("c@d.example");
  await using otherSession = await openAdministratorSession(target.deps, other.userId);
  const session = await openAdministratorSession(target.deps, userId);
  assert.equal(session.actor.userId, userId);
  assert.equal(await mayAct(target, session.actor), true);
  await session[Symbol.asyncDispose]();
  const ends = "SELECT sum(ended_at) FROM session";
  const end = await queryNumber(target, ends);
  assert.ok(end > 0);
  target.clock.advance(1);
  await session[Symbol.asyncDispose]();
  assert.equal(await queryNumber(target, ends), end, "it keeps its first end");
  assert.equal(await mayAct(target, session.actor), false);
  assert.equal(await mayAct(target, otherSession.actor), true, "others go on");
});

testApp("an operator's session expires after a quarter of an hour", async (target) => {
  const { userId } = await target.bootstrapRoot("a@b.example", "Top");
  const { actor } = await openAdministratorSession(target.deps, userId);
  target.clock.advance(899);
  assert.equal(await mayAct(target, actor), true);
  target.clock.advance(1);
  assert.equal(await mayAct(target, actor), false);
});

testApp("an operator's session for an unknown user is refused", async (target) => {
  await assert.rejects(openAdministratorSession(target.deps, 99), RangeError);
});
