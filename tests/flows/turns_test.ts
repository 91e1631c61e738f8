import assert from "node:assert/strict";
import { forEachApp, send } from "../helpers/http.ts";
import { bootstrap, invite } from "../helpers/person.ts";

/** One user sends a crowd of requests, and another user's request must not wait for all of them. */

const CROWD = 240;

forEachApp("a user's write comes before most writes that another user sent earlier", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Site");
  const guest = await invite(target, admin, roleId, "guest@example.com");
  let created = 0;
  const crowd = Array.from({ length: CROWD }, async (_, i) => {
    await admin.create(rootId, `Role ${i}`);
    created++;
  });
  await guest.put("/user", { language: "nl" });
  const createdBefore = created;
  await Promise.all(crowd);
  assert.ok(createdBefore < CROWD * 0.6, `${createdBefore} of ${CROWD} came first`);
});

forEachApp(
  "a user's listing comes before most listings that another user requested earlier",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const roleId = await admin.create(rootId, "Site");
    const guest = await invite(target, admin, roleId, "guest@example.com");
    let read = 0;
    const crowd = Array.from({ length: CROWD }, async () => {
      await admin.roleIds();
      read++;
    });
    await guest.roleIds();
    const readBefore = read;
    await Promise.all(crowd);
    assert.ok(readBefore < CROWD * 0.6, `${readBefore} of ${CROWD} came first`);
  },
);

forEachApp(
  "a user's write comes before most uses of the tokens of another user's many sessions",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const guest = await invite(target, admin, rootId, "guest@example.com");
    const { userId } = await target.createUser("crowd@example.com");
    // Until a token was used once, its requests have the turns of their network, which all of these share.
    await guest.roleIds();
    const sessions = await Promise.all(Array.from({ length: CROWD }, () => target.openSession(userId)));
    let used = 0;
    const crowd = sessions.map(async ({ refreshToken }) => {
      await send(target, "GET", "/auth/accesstoken", { token: refreshToken });
      used++;
    });
    await guest.put("/user", { language: "nl" });
    const usedBefore = used;
    await Promise.all(crowd);
    assert.ok(usedBefore < CROWD * 0.6, `${usedBefore} of ${CROWD} came first`);
  },
);
