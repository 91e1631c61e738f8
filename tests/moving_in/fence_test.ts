import assert from "node:assert/strict";
import { forEachDatabase } from "../helpers/databases.ts";
import { exportFiles, type Files, importAll, importFiles, type Rows, smallPlatform } from "./platform.ts";

/** Files that are loaded under a role touch nothing outside of what is below it. */

const ROLES = ["key", "name", "parents", "manages", "selfRights", "externalId"];
const NOT_BELOW = "that is not below the role of --under: name it with --outside, or not at all";

/**
 * The platform with its two countries, of which "be" has a site that "nl" manages, too, a device that was sold from there
 * to "nl", and an invited person in each.
 */
async function openScene(
  database: Parameters<typeof importAll>[0],
): Promise<{ id: (key: string) => number; files: Record<"roles" | "people" | "members" | "devices", Rows> }> {
  const { roles, people, members, devices } = smallPlatform();
  const files = {
    roles: [
      ...roles,
      ["shared", "Shared", "be1|nl=viewManagement+roleManagement", "all", "all", "crm-shared"],
      ["cellar", "Cellar", "shared", "all", "all", "crm-cellar"],
    ],
    people: [...people, ["boss@moving.example", "en", "p-boss", ""], [
      "hand@moving.example",
      "en",
      "p-hand",
      "",
    ]],
    members: [...members, ["nl", "p-boss", "", ""], ["be1", "p-hand", "", ""]],
    devices: [...devices, ["node-shared", "cellar", "dev-shared", "", ""]],
  };
  const { idOfRole, plan } = await importAll(database, files);
  const id = (key: string): number => {
    const place = plan.graph.places.get(key);
    assert.ok(place);
    return idOfRole(place);
  };
  await database.write([
    {
      sql: `INSERT INTO monitors (id, role_id, device_id, valid_from)
        SELECT 9000, ${id("nl1")}, id, 900 FROM device WHERE node_id = 'node-be1.1'`,
      args: {},
    },
    {
      sql: `UPDATE monitors SET valid_until = 900 WHERE role_id = ${id("be1.1")}`,
      args: {},
    },
  ]);
  return { id, files };
}

forEachDatabase(
  "rows that name something outside of the role of --under are faults with their lines, and change nothing",
  async (database) => {
    const { id } = await openScene(database);
    const [underId, nl] = [id("be"), id("nl1")];
    const before = await exportFiles(database);
    const outside: Files = {
      roles: [
        ROLES,
        ["r1", "Renamed", `#${nl}`, "all", "", "crm-nl1.1"],
        ["r2", "Itself", "crm-root", "all", "", "crm-be"],
        ["r3", "New below nl", "crm-nl2", "all", "", "new-1"],
        ["r4", "New below both", `|#${nl}=viewManagement`, "all", "", "new-2"],
        ["r5", "Moved in", `crm-be1|crm-nl1=viewManagement`, "all", "all", "crm-be1.2"],
        ["r6", "Ours", "", "all", "", "new-3"],
      ],
      people: [
        ["email", "language", "externalId", "passwordHash"],
        ["boss@moving.example", "", "", "$2b$04$abcdefghijklmnopqrstuuAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaA"],
        ["nl@moving.example", "fr", "", ""],
        // Not changed, and so no fault; and those of ours may be changed.
        ["nl1@moving.example", "", "p-nl1", ""],
        ["hand@moving.example", "fr", "", "$2b$04$abcdefghijklmnopqrstuuAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaA"],
      ],
      members: [
        ["role", "person"],
        ["crm-nl", "hand@moving.example"],
        [`#${id("root")}`, "#2"],
        // Accounts are those of the whole platform: ours may have members from elsewhere.
        ["crm-be", "boss@moving.example"],
      ],
      devices: [
        ["nodeId", "role", "externalId"],
        ["node-nl1.2", "crm-nl1.2", "dev-nl1.2"],
        ["new-1", `crm-be1|#${nl}`, ""],
        ["node-nl1.1", "crm-be1", "dev-nl1.1"],
        // It was ours, and was sold.
        ["node-be1.1", "crm-be1.1", "dev-be1.1"],
      ],
    };
    assert.deepEqual(await importFiles(database, outside, { underId }), [
      `roles 2: externalId "crm-nl1.1" is that of role #${id("nl1.1")}, ${NOT_BELOW}`,
      `roles 2: the parent "#${nl}" is a role ${NOT_BELOW}`,
      `roles 3: externalId "crm-be" is that of role #${underId}, ${NOT_BELOW}`,
      `roles 3: the parent "crm-root" is a role ${NOT_BELOW}`,
      `roles 4: the parent "crm-nl2" is a role ${NOT_BELOW}`,
      `roles 5: the parent "#${nl}" is a role ${NOT_BELOW}`,
      `roles 6: the parent "crm-nl1" is a role ${NOT_BELOW}`,
    ]);
    const { roles: _, ...others } = outside;
    assert.deepEqual(await importFiles(database, others, { underId }), [
      'people 2: the account of "boss@moving.example" is also a member outside of --under: it is only changed with --outside',
      'people 3: the account of "nl@moving.example" is also a member outside of --under: it is only changed with --outside',
      `members 2: the role "crm-nl" is one ${NOT_BELOW}`,
      `members 3: the role "#${id("root")}" is one ${NOT_BELOW}`,
      `devices 2: the role "crm-nl1.2" is one ${NOT_BELOW}`,
      `devices 3: the role "#${nl}" is one ${NOT_BELOW}`,
      `devices 4: nodeId "node-nl1.1" is that of a device ${NOT_BELOW}`,
      `devices 5: nodeId "node-be1.1" is that of a device ${NOT_BELOW}`,
    ]);
    assert.deepEqual(await exportFiles(database), before);
    const { plan } = await importAll(database, others, { underId, outside: true });
    assert.deepEqual(Object.values(plan.counts).map(({ added, changed }) => [added, changed]), [
      [0, 0],
      [0, 3],
      [3, 0],
      [1, 2],
    ]);
  },
);

forEachDatabase(
  "what is below the role of --under is loaded with its own name, and keeps what others share with it",
  async (database) => {
    const { id, files } = await openScene(database);
    const underId = id("be");
    const ours = files.roles.filter(([key = ""]) => /^(key|be.+|shared|cellar)$/.test(key)).map((
      [key = "", name = "", parents = "", ...rest],
    ) => [
      key,
      key === "shared" ? "Renamed" : name,
      parents.replace(/\|nl=.*$/, "").replace(/^be$/, "crm-be"),
      ...rest,
    ]);
    // The role itself gets a member and a device, and is named as a parent.
    const part: Files = {
      roles: ours,
      members: [["role", "person"], ["crm-be", "p-boss"], ["shared", "p-hand"]],
      devices: [["nodeId", "role"], ["new-1", `#${underId}|shared`]],
    };
    const { plan } = await importAll(database, part, { underId });
    assert.deepEqual(plan.counts.roles, { added: 0, changed: 1, unchanged: ours.length - 2 });
    assert.deepEqual([plan.counts.members.added, plan.counts.devices.added], [2, 1]);

    // What is shared leaves our part, and stays where it is for the others.
    const without: Files = {
      roles: ours.filter(([key = ""]) => !["shared", "cellar", "be2.1"].includes(key)),
      devices: [["nodeId", "role"], ["new-1", `#${underId}`]],
    };
    const { removals, left } = await importAll(database, without, {
      underId,
      deletesMissing: true,
      now: 2_000,
    });
    assert.deepEqual(left, []);
    const texts = removals.map(({ kind, text }) => `${kind}: ${text}`);
    assert.deepEqual(texts.filter((text) => /^(relation|role)|shared|new-1/.test(text)), [
      `relation: role #${id("be1")} manages role #${id("shared")} "Renamed"`,
      `role: role #${id("be2.1")} "Site 1", externalId "crm-be2.1"`,
    ]);
    const read = (sql: string): Promise<unknown[]> => database.read({ sql, args: {} });
    assert.deepEqual(
      await read(`SELECT parent_id AS parentId FROM manages WHERE child_id = ${id("shared")}`),
      [{ parentId: id("nl") }],
    );
    assert.deepEqual(
      await read(`SELECT d.node_id AS nodeId, m.role_id AS roleId FROM monitors m
        JOIN device d ON d.id = m.device_id WHERE m.role_id IN (${id("cellar")}, ${
        id("shared")
      }) ORDER BY m.id`),
      [{ nodeId: "node-shared", roleId: id("cellar") }, { nodeId: "new-1", roleId: id("shared") }],
    );
  },
);
