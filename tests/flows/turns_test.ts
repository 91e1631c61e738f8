/** One user sends a crowd of requests, and another user's request does not wait for all of them. */
import assert from "node:assert/strict";
import { forEachApp, send } from "../helpers/http.ts";
import { bootstrap, invite } from "../helpers/person.ts";

const CROWD = 240;

/** Asserts that a request sent after a crowd of others ends before most of these. */
async function assertEarly(
  crowd: (i: number) => Promise<unknown>,
  request: () => Promise<unknown>,
): Promise<void> {
  let ended = 0;
  const others = Array.from({ length: CROWD }, async (_, i) => {
    await crowd(i);
    ended++;
  });
  await request();
  const endedBefore = ended;
  await Promise.all(others);
  assert.ok(endedBefore < CROWD * 0.6, `${endedBefore} of ${CROWD} came first`);
}

forEachApp("a user's write comes before most writes that another user sent earlier", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const guest = await invite(target, admin, await admin.create(rootId, "Site"), "guest@example.com");
  await assertEarly((i) => admin.create(rootId, `Role ${i}`), () => guest.put("/user", { language: "nl" }));
});

forEachApp("a user's listing comes before most that another user requested earlier", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const guest = await invite(target, admin, await admin.create(rootId, "Site"), "guest@example.com");
  await assertEarly(() => admin.roleIds(), () => guest.roleIds());
});

forEachApp("a user's write comes before most uses of another user's many tokens", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const guest = await invite(target, admin, rootId, "guest@example.com");
  const { userId } = await target.createUser("crowd@example.com");
  // Until a token was used once, its requests have the turns of their network, which all of these share.
  await guest.roleIds();
  const sessions = await Promise.all(Array.from({ length: CROWD }, () => target.openSession(userId)));
  await assertEarly(
    (i) => send(target, "GET", "/auth/accesstoken", { token: sessions[i]?.refreshToken }),
    () => guest.put("/user", { language: "nl" }),
  );
});
