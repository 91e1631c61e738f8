/** Files that are loaded under a role touch nothing outside of what is below it. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { forEachDatabase } from "../helpers/databases.ts";
import {
  assertRefused,
  countsOf,
  exportFiles,
  file,
  type Files,
  importAll,
  read,
  roleFile,
  roleIdsOf,
  type Rows,
  smallPlatform,
} from "./platform.ts";

const NOT_BELOW = "that is not below the role of --under: name it with --outside, or not at all";

/**
 * The platform with its two countries, of which "be" has a site that "nl" manages, too, a device that was sold from there
 * to "nl", and an invited person in each.
 */
async function openScene(database: Database): Promise<{ id: (key: string) => number; roles: Rows }> {
  const platform = smallPlatform();
  const roles = [
    ...platform.roles,
    ["shared", "Shared", "be1|nl=viewManagement+roleManagement", "all", "all", "crm-shared"],
    ["cellar", "Cellar", "shared", "all", "all", "crm-cellar"],
  ];
  const person = (name: string): string[] => [`${name}@moving.example`, "", "en", `p-${name}`, ""];
  const imported = await importAll(database, {
    roles,
    people: [...platform.people, person("boss"), person("hand")],
    members: [...platform.members, ["nl", "p-boss", "", ""], ["be1", "p-hand", "", ""]],
    devices: [...platform.devices, ["node-shared", "cellar", "dev-shared", "", ""]],
  });
  const id = roleIdsOf(imported);
  const sale = [
    `INSERT INTO monitors (id, role_id, device_id, valid_from)
     SELECT 9000, ${id("nl1")}, id, 900 FROM device WHERE node_id = 'node-be1.1'`,
    `UPDATE monitors SET valid_until = 900 WHERE role_id = ${id("be1.1")}`,
  ];
  await database.write(sale.map((sql) => ({ sql, args: {} })));
  return { id, roles };
}

forEachDatabase(
  "rows that name something outside of the role of --under are faults with their lines, and change nothing",
  async (database) => {
    const { id } = await openScene(database);
    const [underId, nl] = [id("be"), id("nl1")];
    const before = await exportFiles(database);
    const roles = roleFile(
      `r1,Renamed,#${nl},all,,crm-nl1.1`,
      "r2,Itself,crm-root,all,,crm-be",
      "r3,New below nl,crm-nl2,all,,new-1",
      `r4,New below both,|#${nl}=viewManagement,all,,new-2`,
      "r5,Moved in,crm-be1|crm-nl1=viewManagement,all,all,crm-be1.2",
      "r6,Ours,,all,,new-3",
    );
    const others: Files = {
      people: file(
        "email,language,externalId,passwordHash",
        "boss@moving.example,,,$2b$04$abcdefghijklmnopqrstuuAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaA",
        "nl@moving.example,fr,,",
        // Not changed, and so no fault; and those of ours may be changed.
        "nl1@moving.example,,p-nl1,",
        "hand@moving.example,fr,,$2b$04$abcdefghijklmnopqrstuuAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaA",
      ),
      members: file(
        "role,person",
        "crm-nl,hand@moving.example",
        `#${id("root")},#2`,
        // Accounts are those of the whole platform: ours may have members from elsewhere.
        "crm-be,boss@moving.example",
      ),
      devices: file(
        "nodeId,role,externalId",
        "node-nl1.2,crm-nl1.2,dev-nl1.2",
        `new-1,crm-be1|#${nl},`,
        "node-nl1.1,crm-be1,dev-nl1.1",
        // It was ours, and was sold.
        "node-be1.1,crm-be1.1,dev-be1.1",
      ),
    };
    await assertRefused(
      [
        `roles 2: externalId "crm-nl1.1" is that of role #${id("nl1.1")}, ${NOT_BELOW}`,
        `roles 2: the parent "#${nl}" is a role ${NOT_BELOW}`,
        `roles 3: externalId "crm-be" is that of role #${underId}, ${NOT_BELOW}`,
        `roles 3: the parent "crm-root" is a role ${NOT_BELOW}`,
        `roles 4: the parent "crm-nl2" is a role ${NOT_BELOW}`,
        `roles 5: the parent "#${nl}" is a role ${NOT_BELOW}`,
        `roles 6: the parent "crm-nl1" is a role ${NOT_BELOW}`,
      ],
      database,
      { roles, ...others },
      { underId },
    );
    await assertRefused(
      [
        'people 2: the account of "boss@moving.example" is also a member outside of --under: it is only changed with --outside',
        'people 3: the account of "nl@moving.example" is also a member outside of --under: it is only changed with --outside',
        `members 2: the role "crm-nl" is one ${NOT_BELOW}`,
        `members 3: the role "#${id("root")}" is one ${NOT_BELOW}`,
        `devices 2: the role "crm-nl1.2" is one ${NOT_BELOW}`,
        `devices 3: the role "#${nl}" is one ${NOT_BELOW}`,
        `devices 4: nodeId "node-nl1.1" is that of a device ${NOT_BELOW}`,
        `devices 5: nodeId "node-be1.1" is that of a device ${NOT_BELOW}`,
      ],
      database,
      others,
      { underId },
    );
    assert.deepEqual(await exportFiles(database), before);
    const counts = countsOf(await importAll(database, others, { underId, outside: true }));
    assert.deepEqual(counts, { roles: [0, 0, 0], people: [0, 3, 1], members: [3, 0, 0], devices: [1, 2, 1] });
  },
);

forEachDatabase(
  "what is below the role of --under is loaded with its own name, and keeps what others share with it",
  async (database) => {
    const { id, roles } = await openScene(database);
    const underId = id("be");
    const ours = roles.filter(([key = ""]) => /^(key|be.+|shared|cellar)$/.test(key))
      .map(([key = "", name = "", parents = "", ...rest]) => [
        key,
        key === "shared" ? "Renamed" : name,
        parents.replace(/\|nl=.*$/, "").replace(/^be$/, "crm-be"),
        ...rest,
      ]);
    // The role itself gets a member and a device, and is named as a parent.
    const part: Files = {
      roles: ours,
      members: file("role,person", "crm-be,p-boss", "shared,p-hand"),
      devices: file("nodeId,role", `new-1,#${underId}|shared`),
    };
    const counts = countsOf(await importAll(database, part, { underId }));
    const expected = { roles: [0, 1, ours.length - 2], people: [0, 0, 0], members: [2, 0, 0] };
    assert.deepEqual(counts, { ...expected, devices: [1, 0, 0] });

    // What is shared leaves our part, and stays where it is for the others.
    const without: Files = {
      roles: ours.filter(([key = ""]) => !["shared", "cellar", "be2.1"].includes(key)),
      devices: file("nodeId,role", `new-1,#${underId}`),
    };
    const options = { underId, deletesMissing: true, now: 2_000 };
    const { removals, left } = await importAll(database, without, options);
    assert.deepEqual(left, []);
    const texts = removals.map(({ kind, text }) => `${kind}: ${text}`);
    assert.deepEqual(texts.filter((text) => /^(relation|role)|shared|new-1/.test(text)), [
      `relation: role #${id("be1")} manages role #${id("shared")} "Renamed"`,
      `role: role #${id("be2.1")} "Site 1", externalId "crm-be2.1"`,
    ]);
    const parents = `SELECT parent_id FROM manages WHERE child_id = ${id("shared")}`;
    assert.deepEqual(await read(database, parents), [[id("nl")]]);
    const places = `SELECT d.node_id, m.role_id FROM monitors m JOIN device d ON d.id = m.device_id
      WHERE m.role_id IN (${id("cellar")}, ${id("shared")}) ORDER BY m.id`;
    assert.deepEqual(await read(database, places), [["node-shared", id("cellar")], ["new-1", id("shared")]]);
  },
);
