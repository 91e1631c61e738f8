import assert from "node:assert/strict";
import { forEachApp } from "../helpers/http.ts";
import { bootstrap, invite } from "../helpers/person.ts";

/** One user's crowd of requests, and what somebody else's request then waits for. */

const CROWD = 120;

forEachApp("a user's write comes before most of those that another user sent earlier", async (target) => {
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
  "a user's listing comes before most of those that another user asked for earlier",
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
