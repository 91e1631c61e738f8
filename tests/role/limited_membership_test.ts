/** A membership that carries fewer rights than its role gives no more than these, by every rule. */
import assert from "node:assert/strict";
import type { Role } from "../helpers/person.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { RIGHT_NAMES } from "../model/oracle_rights.ts";
import { limitedMembership, type MembershipScene, type Use, usesOf } from "./membership_scene.ts";

const LIMITED = "limited@example.com";

const MASKS: readonly (readonly string[])[] = [
  [],
  ["roleManagement"],
  ["userManagement"],
  ["deviceManagement"],
  ["viewManagement", "reportManagement", "alarmManagement"],
  RIGHT_NAMES,
];

const byRelations = (use: Use): readonly string[] => [...use.by, ...use.byRelations];

limitedMembership("through relations, all rules use exactly the rights of the membership", async (scene) => {
  await assertUses(scene, scene.topId, byRelations);
});

limitedMembership("on the role itself, all rules use exactly the membership's rights", async (scene) => {
  await assertUses(scene, scene.siteId, ({ by }) => by);
});

limitedMembership("of many memberships, all rules use the one that leads to the role", async (scene) => {
  const { topId, siteId, admin, join, plantMemberships } = scene;
  const { id } = await join(topId, LIMITED);
  await plantMemberships(LIMITED, null);
  await assertUses(scene, topId, byRelations);
  await admin.delete(`/v1/role/${topId}/member/${id}`);
  await assertUses(scene, siteId, ({ by }) => by);
});

async function assertUses(
  scene: MembershipScene,
  roleId: number,
  sufficient: (use: Use) => readonly string[],
): Promise<void> {
  const uses = await usesOf(scene);
  for (const held of MASKS) {
    await scene.join(roleId, LIMITED, { rights: rights(...held) });
    const person = await scene.person(LIMITED);
    for (const use of uses) {
      const byMembership = use.by.length + use.byRelations.length === 0;
      const expected = byMembership || sufficient(use).some((name) => held.includes(name));
      assert.equal(await use.attempt(person), expected, `${use.what} with ${held.join(", ") || "no right"}`);
    }
    // What the person learns of their rights says the same.
    const { role: [site] } = await person.post<{ role: Role[] }>("/v1/role/query", {
      filter: { id: [scene.siteId] },
    });
    assert.deepEqual(site?.userRights, rights(...held));
    const { role } = await person.post<{ role: Role[] }>("/v1/role/query");
    assert.deepEqual(role.find(({ id }) => id === scene.siteId)?.userRights, rights(...held));
    assert.deepEqual(
      await person.holds(scene.siteId, ...RIGHT_NAMES),
      RIGHT_NAMES.map((name) => held.includes(name)),
    );
    for (const name of RIGHT_NAMES) {
      assert.deepEqual(await person.holds(scene.siteId, name), [held.includes(name)]);
    }
  }
}
