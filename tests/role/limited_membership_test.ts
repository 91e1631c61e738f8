import assert from "node:assert/strict";
import type { Role } from "../helpers/person.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { RIGHT_NAMES } from "../model/oracle_rights.ts";
import { limitedMembership, type MembershipScene, type Use, usesOf } from "./membership_scene.ts";

/** Memberships that carry less than the role has. */

const MASKS: readonly (readonly string[])[] = [
  [],
  ["roleManagement"],
  ["userManagement"],
  ["deviceManagement"],
  ["viewManagement", "reportManagement", "alarmManagement"],
  RIGHT_NAMES,
];

limitedMembership(
  "through relations, every rule has the rights of the membership and no others",
  async (scene) => {
    await assertUses(
      scene,
      scene.topId,
      (use, held) => [...use.by, ...use.byRelations].some((name) => held.includes(name)),
    );
  },
);

limitedMembership(
  "of a role on itself, every rule has the rights of the membership and no others",
  async (scene) => {
    await assertUses(scene, scene.siteId, (use, held) => use.by.some((name) => held.includes(name)));
  },
);

async function assertUses(
  scene: MembershipScene,
  roleId: number,
  isAllowed: (use: Use, held: readonly string[]) => boolean,
): Promise<void> {
  const uses = await usesOf(scene);
  for (const held of MASKS) {
    await scene.join(roleId, "limited@example.com", { rights: rights(...held) });
    const person = await scene.person("limited@example.com");
    for (const use of uses) {
      const byMembership = use.by.length + use.byRelations.length === 0;
      const expected = byMembership || isAllowed(use, held);
      assert.equal(await use.attempt(person), expected, `${use.what} with ${held.join(", ") || "no right"}`);
    }
    // What the person learns of their rights says the same.
    const { role: [site] } = await person.post<{ role: Role[] }>("/v1/role/query", {
      filter: { id: [scene.siteId] },
    });
    assert.deepEqual(site?.userRights, rights(...held));
    assert.deepEqual(
      await person.holds(scene.siteId, ...RIGHT_NAMES),
      RIGHT_NAMES.map((name) => held.includes(name)),
    );
    for (const name of RIGHT_NAMES) {
      assert.deepEqual(await person.holds(scene.siteId, name), [held.includes(name)]);
    }
  }
}
