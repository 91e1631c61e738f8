import assert from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { verifyClosure } from "../../src/graph/closure/closure_service.ts";
import { ANY_KIND, forEachDatabase, testOn } from "../helpers/databases.ts";
import { exportFiles, type Files, importAll, importFiles, smallPlatform } from "./platform.ts";

async function read(database: Database, sql: string): Promise<unknown[][]> {
  return (await database.read({ sql, args: {} })).map((row) => Object.values(row));
}

async function assertSound(database: Database): Promise<void> {
  const { differenceCount, unmanagedRoleIds, looseRows, wrongHistory, wrongUsage, cycle } =
    await verifyClosure(
      database,
    );
  assert.deepEqual([differenceCount, unmanagedRoleIds, looseRows, wrongHistory, wrongUsage, cycle], [
    0,
    [],
    [],
    [],
    [],
    undefined,
  ]);
}

const LOG =
  "SELECT kind, session_id, count(*) FROM change_log GROUP BY kind, session_id ORDER BY kind, session_id";

forEachDatabase("a platform is loaded, and loading it again changes nothing", async (database) => {
  const files = smallPlatform();
  const first = await importAll(database, files, { runId: "first" });
  assert.deepEqual(first.plan.counts, {
    roles: { added: 19, changed: 0, unchanged: 0 },
    people: { added: 19, changed: 0, unchanged: 0 },
    members: { added: 19, changed: 0, unchanged: 0 },
    devices: { added: 12, changed: 0, unchanged: 0 },
  });
  await assertSound(database);
  assert.deepEqual(await read(database, LOG), [
    ["device.create", "import:first", 12],
    ["hierarchy.import", "import:first", 1],
    ["member.add", "import:first", 19],
  ]);
  const before = await exportFiles(database);
  const again = await importAll(database, files, { runId: "second" });
  for (const { added, changed } of Object.values(again.plan.counts)) {
    assert.deepEqual([added, changed], [0, 0]);
  }
  assert.equal((await read(database, LOG)).length, 3);
  assert.deepEqual(await exportFiles(database), before);
});

forEachDatabase("rows that differ are changed, and each change is in the log", async (database) => {
  const { roles, people, members, devices } = smallPlatform();
  await importAll(database, { roles, people, members, devices });
  const renamed = roles.map((
    [key = "", name = "", ...rest],
  ) => [key, key === "nl1" ? "Renamed" : name, ...rest]);
  // A further parent for a role that is there, and a new role between two of them.
  const moved = renamed.map(([key = "", name = "", parents = "", ...rest]) => {
    return [key, name, key === "be1.1" ? "be1|new=viewManagement" : parents, ...rest];
  });
  const changed: Files = {
    roles: [...moved, ["new", "New", "nl", "all", "", "crm-new"]],
    people: [["email", "language", "passwordHash"], [
      "root@moving.example",
      "fr",
      "$2b$04$abcdefghijklmnopqrstuuAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaA",
    ]],
    members: [
      ["person", "role", "rights", "until"],
      ["p-nl1", "crm-nl1", "viewManagement", "2030-01-01"],
      ["be@moving.example", "nl", "none", ""],
    ],
    devices: [["nodeid", "ROLE", "externalId", "properties"], [
      "node-nl1.1",
      "be1.1|nl1.1",
      "dev-nl1.1",
      '{"a":1}',
    ]],
  };
  const { plan, idOfRole } = await importAll(database, changed, {
    runId: "second",
    delimiter: ";",
    now: 2_000,
  });
  assert.deepEqual(plan.counts, {
    roles: { added: 1, changed: 2, unchanged: 17 },
    people: { added: 0, changed: 1, unchanged: 0 },
    members: { added: 1, changed: 1, unchanged: 0 },
    devices: { added: 0, changed: 1, unchanged: 0 },
  });
  await assertSound(database);
  const log =
    `SELECT kind, count(*) FROM change_log WHERE session_id = 'import:second' GROUP BY kind ORDER BY kind`;
  assert.deepEqual(await read(database, log), [
    ["device.update", 1],
    ["hierarchy.import", 1],
    ["manages.put", 1],
    ["member.add", 1],
    ["member.update", 1],
    ["monitors.add", 1],
    ["role.update", 1],
  ]);
  const newId = idOfRole({ position: 1 });
  const rights = `SELECT c.rights FROM role_closure c JOIN role r ON r.id = c.descendant_id
    WHERE c.ancestor_id = ${newId} AND r.external_id = 'crm-be1.1'`;
  assert.deepEqual(await read(database, rights), [[4]]);
  const monitored = `SELECT r.external_id, m.valid_from FROM monitors m JOIN role r ON r.id = m.role_id
    JOIN device d ON d.id = m.device_id WHERE d.external_id = 'dev-nl1.1' ORDER BY m.id`;
  // A role that gets a device later sees it from then on.
  assert.deepEqual(await read(database, monitored), [["crm-nl1.1", null], ["crm-be1.1", 2000]]);
  const kept =
    "SELECT language, password_hash LIKE '$2y$04$u3%' FROM user_account WHERE email = 'root@moving.example'";
  assert.deepEqual(await read(database, kept), [["fr", 1]]);
  const noted = "SELECT value LIKE '16 $2b$04$....%' FROM setting WHERE name = 'foreign_hash_cost.bcrypt'";
  assert.deepEqual(await read(database, noted), [[1]]);
});

testOn(
  ANY_KIND,
  "an export, imported into an empty database, is exported to the same bytes",
  async (database) => {
    const { roles, people, members, devices } = smallPlatform();
    const limited = [...members, ["nl", "p-be", "none", "2030-01-01T00:00:00Z"], [
      "be",
      "p-nl",
      "viewManagement|alarmManagement",
      "",
    ]];
    await importAll(database, {
      roles,
      people,
      members: limited,
      devices: [...devices, ["two", "nl|be", "", "", ""]],
    });
    const first = await exportFiles(database);
    assert.match(first.members, /none,2030-01-01T00:00:00\.000Z/);
    for (const table of ["role", "manages", "role_closure", "member", "user_account", "device", "monitors"]) {
      await database.write([{ sql: `DELETE FROM ${table}`, args: {} }]);
    }
    await importAll(database, first);
    assert.deepEqual(await exportFiles(database), first);
    const withoutHashes = await exportFiles(database, { hashes: false });
    assert.doesNotMatch(withoutHashes.people, /\$2b|passwordHash/);
  },
);

testOn(
  ANY_KIND,
  "each fault of the files is told with its line, and nothing is imported",
  async (database) => {
    await importAll(database, smallPlatform());
    const before = await exportFiles(database);
    const problems = await importFiles(database, {
      roles: [
        ["key", "name", "parents", "manages", "selfRights", "externalId"],
        ["new", "New", "root|#999", "all", "", "crm-new"],
        ["root", "Platform", "", "all", "all", "crm-root"],
        ["twice", "Twice", "root", "all", "", "crm-new"],
      ],
      people: [
        ["email", "passwordHash", "externalId", "language"],
        ["no address", "", "", ""],
        ["a@moving.example", "$md5$1", "", ""],
        ["b@moving.example", "$2b$15$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", "", ""],
        ["c@moving.example", "", "p-root", "deutsch!"],
        ["d@moving.example", "", "x".repeat(129), ""],
        ["e@moving.example", "", "e", ""],
        ["E@moving.example", "", "e", ""],
      ],
      members: [
        ["role", "person", "rights", "until"],
        ["nowhere", "root@moving.example", "", ""],
        ["root", "nobody@moving.example", "everything", "tomorrow"],
      ],
      devices: [
        ["nodeId", "role", "properties"],
        ["", "root", "{}"],
        ["n1", "root", "[1]"],
        ["n2", "root", "{"],
        ["n3", "root", '{"nodeId":"other"}'],
        ["n3", "", ""],
        [
          "n4",
          Array.from({ length: 101 }, (_, i) => `role ${i}`).join("|"),
          '{"iccid":[89310410106543789301]}',
        ],
      ],
    });
    assert.ok(Array.isArray(problems));
    const expected = [
      /^roles 2: the parent "#999" is neither in the file nor in the database$/,
      /^roles 4: externalId "crm-new" is already in line 2$/,
      /^people 2: email "no address" is no email address$/,
      /^people 3: passwordHash: the hash is none of bcrypt/,
      /^people 4: passwordHash: bcrypt's cost must be 4 to 14$/,
      /^people 5: language "deutsch!" is no language tag/,
      /^people 6: externalId "x+…" must be at most 128 characters/,
      /^people 8: email "e@moving\.example" is already in line 7$/,
      /^people 8: externalId "e" is already in line 7$/,
      /^members 3: rights contains "everything"/,
      /^members 3: until "tomorrow" is no time in ISO 8601/,
      /^devices 2: nodeId "" is invalid/,
      /^devices 3: properties "\[1\]" is no JSON object$/,
      /^devices 4: properties "\{" is not JSON$/,
      /^devices 5: properties names another nodeId than "n3"$/,
      /^devices 6: role is empty$/,
      /^devices 6: nodeId "n3" is already in line 5$/,
      /^devices 7: role names more than 100 roles$/,
      /^devices 7: properties holds the number "89310410106543789301": write it as a text$/,
    ];
    assert.equal(problems.length, expected.length, problems.join("\n"));
    for (const [i, pattern] of expected.entries()) assert.match(problems[i] ?? "", pattern);
    // What only the database tells is found once the rows can be read.
    const found = await importFiles(database, {
      people: [
        ["email", "externalId"],
        ["other@moving.example", "p-root"],
        ["root@moving.example", "p-other"],
      ],
      members: [["role", "person"], ["nowhere", "p-root"], ["crm-root", "nobody@moving.example"], [
        "crm-nl",
        "#1",
      ], ["#2", "root@moving.example"]],
      devices: [["nodeId", "role", "externalId"], ["node-nl1.1", "crm-be", "other"], [
        "free",
        "crm-be",
        "dev-nl1.1",
      ], ["node-nl1.2", "crm-be", ""]],
    });
    assert.ok(Array.isArray(found));
    const second = [
      /^people 2: the account with externalId "p-root" has the address "root@moving\.example": an import changes no address/,
      /^people 3: the account of "root@moving\.example" has the externalId "p-root"$/,
      /^members 2: the role "nowhere" is neither in the files nor in the database$/,
      /^members 3: the person "nobody@moving\.example" is neither in the files nor in the database$/,
      /^members 5: this person and role are already in line 4$/,
      /^devices 2: nodeId "node-nl1\.1" is that of a device with externalId "dev-nl1\.1"$/,
      /^devices 3: externalId "dev-nl1\.1" is that of the device with nodeId "node-nl1\.1": a nodeId does not change$/,
      /^devices 4: nodeId "node-nl1\.2" is that of a device of role #\d+: without a common externalId/,
    ];
    assert.equal(found.length, second.length, found.join("\n"));
    for (const [i, pattern] of second.entries()) assert.match(found[i] ?? "", pattern);
    assert.deepEqual(await exportFiles(database), before);
  },
);

testOn(ANY_KIND, "a part is loaded below a role, and names parents outside of it", async (database) => {
  await importAll(database, smallPlatform());
  const [[underId] = []] = await read(database, "SELECT id FROM role WHERE external_id = 'crm-be2'");
  const part: Files = {
    roles: [
      ["key", "name", "parents", "manages", "selfRights", "externalId"],
      ["a", "A", "|crm-nl1=viewManagement", "all", "", "part-a"],
      ["b", "B", "a|#1=reportManagement", "all", "", "part-b"],
    ],
  };
  const options = { underId: Number(underId), outside: true };
  const { plan } = await importAll(database, part, options);
  assert.equal(plan.graph.rows.length, 2);
  await assertSound(database);
  const again = await importAll(database, part, options);
  assert.deepEqual(again.plan.counts.roles, { added: 0, changed: 0, unchanged: 2 });
  const problems = await importFiles(database, part);
  assert.deepEqual(problems, [
    'roles 2: "a" has no parent in the file, but is no root role: import with --under',
  ]);
});

testOn(
  ANY_KIND,
  "an external id below another root is that of another role, and ambiguous without --under",
  async (database) => {
    const first = await importAll(database, {
      roles: [
        ["key", "name", "parents", "manages", "selfRights", "externalId"],
        ["a", "a", "", "all", "all", "root-a"],
        ["site", "Site", "a", "all", "", "same"],
      ],
    });
    const roles = [["key", "name", "parents", "manages", "selfRights", "externalId"], [
      "b",
      "b",
      "",
      "all",
      "all",
      "root-b",
    ]];
    const { idOfRole } = await importAll(database, { roles });
    const underId = idOfRole({ position: 1 });
    const site = [["key", "name", "parents", "manages", "selfRights", "externalId"], [
      "site",
      "Site",
      "",
      "all",
      "",
      "same",
    ]];
    const below = await importAll(database, { roles: site }, { underId });
    assert.deepEqual(below.plan.counts.roles, { added: 1, changed: 0, unchanged: 0 });
    assert.notEqual(below.idOfRole({ position: 1 }), first.idOfRole({ position: 2 }));
    const member: Files = {
      members: [["role", "person"], ["same", "x@moving.example"]],
      people: [["email"], ["x@moving.example"]],
    };
    assert.deepEqual(await importFiles(database, member), [
      'members 2: the role "same" may be one of several: write # and its id',
    ]);
    await importAll(database, member, { underId });
    const [[roleId] = []] = await read(database, "SELECT role_id FROM member");
    assert.equal(roleId, below.idOfRole({ position: 1 }));
  },
);

/** A hierarchy in order: each row's parents are earlier rows, with their rights. */
const hierarchy = fc.array(
  fc.array(fc.tuple(fc.nat(), fc.nat({ max: 63 })), { minLength: 1, maxLength: 3 }),
  { minLength: 3, maxLength: 10 },
).map((drafts) =>
  drafts.map((parents, i) => {
    const given = new Map(
      i === 0 ? [] : parents.map(([pick, rights], n) => [pick % i, n === 0 ? rights | 1 : rights]),
    );
    if (i > 0 && ![...given.values()].some((rights) => rights & 1)) given.set(0, 63);
    return given;
  })
);

const NAMES = [
  "roleManagement",
  "userManagement",
  "viewManagement",
  "deviceManagement",
  "reportManagement",
  "alarmManagement",
];

testOn(
  ANY_KIND,
  "random hierarchies that are loaded in parts become the same as loaded at once",
  async (database) => {
    const rowsOf = (
      parents: readonly ReadonlyMap<number, number>[],
      some: (i: number) => boolean,
    ): string[][] => [
      ["key", "name", "parents", "manages", "selfRights", "externalId"],
      ...parents.map((given, i) => {
        const listed = Array.from(given, ([j, rights]) => {
          return `k${j}=${NAMES.filter((_, bit) => rights & 1 << bit).join("+")}`;
        });
        return [`k${i}`, `Role ${i}`, listed.join("|"), "", "", `x${i}`];
      }).filter((_, i) => some(i)),
    ];
    const closure = `SELECT a.external_id, d.external_id, c.rights FROM role_closure c
    JOIN role a ON a.id = c.ancestor_id JOIN role d ON d.id = c.descendant_id ORDER BY 1, 2`;
    await fc.assert(
      fc.asyncProperty(
        hierarchy,
        fc.nat(),
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        async (parents, pick, drop) => {
          const clear = async (): Promise<void> => {
            for (const table of ["role", "manages", "role_closure"]) {
              await database.write([{
                sql: `DELETE FROM ${table}`,
                args: {},
              }]);
            }
          };
          await clear();
          await importAll(database, { roles: rowsOf(parents, () => true) });
          const whole = await read(database, closure);
          await clear();
          const first = 1 + pick % (parents.length - 1);
          // The first part lacks some relations, and its references are external ids of what was loaded before.
          const thinner = parents.map((given, i) =>
            new Map([...given].filter(([, rights], n) => n === 0 || rights & 1 || !drop[i]))
          );
          await importAll(database, { roles: rowsOf(thinner, (i) => i < first) });
          await importAll(database, { roles: rowsOf(parents, () => true) });
          assert.deepEqual(await read(database, closure), whole);
          const { differenceCount } = await verifyClosure(database);
          assert.equal(differenceCount, 0);
        },
      ),
      { numRuns: 30 },
    );
  },
);

const ROLES = ["key", "name", "parents", "manages", "selfRights", "externalId"];

testOn(
  ANY_KIND,
  "an external id of a role below another root does not join two platforms",
  async (database) => {
    const site = ["site", "Site", "root", "all", "", "same"];
    await importAll(database, { roles: [ROLES, ["root", "A", "", "all", "all", "root-a"], site] });
    const before = await exportFiles(database);
    const problems = await importFiles(database, {
      roles: [ROLES, ["root", "B", "", "all", "all", "root-b"], site],
    });
    assert.deepEqual(problems, [
      'roles 3: externalId "same" is that of a role below another root: import the root by itself, then the roles ' +
      "below it with --under",
    ]);
    assert.deepEqual(await exportFiles(database), before);
    // A role may get below a new role of its own root.
    const moved = [ROLES, ["new", "New", "root-a", "all", "", "new"], [
      "site",
      "Site",
      "new",
      "all",
      "",
      "same",
    ]];
    const { plan } = await importAll(database, { roles: moved });
    assert.deepEqual(plan.counts.roles, { added: 1, changed: 1, unchanged: 0 });
  },
);

testOn(
  ANY_KIND,
  "external ids may be numbers, as keys of an export are, and addresses, as logins are",
  async (database) => {
    const files: Files = {
      roles: [
        ROLES,
        ["a", "A", "", "all", "all", "2"],
        ["b", "B", "a", "all", "all", "3"],
        ["c", "C", "b", "all", "", "1"],
      ],
      people: [["email", "externalId"], ["a@moving.example", "a@moving.example"]],
      members: [["role", "person"], ["a", "a@moving.example"]],
      devices: [["nodeId", "role", "email"], ["n", "c", "owner@moving.example"]],
    };
    await importAll(database, files);
    const first = await exportFiles(database);
    assert.match(first.devices, /owner@moving\.example/);
    const again = await importAll(database, files);
    assert.deepEqual(again.plan.counts.members, { added: 0, changed: 0, unchanged: 1 });
    for (const table of ["role", "manages", "role_closure", "member", "user_account", "device", "monitors"]) {
      await database.write([{ sql: `DELETE FROM ${table}`, args: {} }]);
    }
    await importAll(database, first);
    assert.deepEqual(await exportFiles(database), first);
  },
);

testOn(
  ANY_KIND,
  "a role gets a new manager before it loses the old one, and a device its place below a new role",
  async (database) => {
    const above = [ROLES, ["r", "R", "", "all", "all", "r"], ["a", "A", "r", "all", "all", "a"]];
    const header = ["nodeId", "role", "externalId"];
    await importAll(database, {
      roles: [...above, ["k", "K", "a", "all", "", "k"]],
      devices: [header, ["n", "a", "d"]],
    });
    const changed: Files = {
      roles: [...above, ["k", "K", "a=viewManagement|b=all", "", "", "k"], ["b", "B", "r", "all", "", "b"]],
      devices: [header, ["n", "b", "d"]],
    };
    const { plan } = await importAll(database, changed);
    assert.deepEqual([plan.counts.roles.changed, plan.counts.devices.changed], [1, 1]);
    await assertSound(database);
    const problems = await importFiles(database, {
      roles: [...above, ["c", "C", "r", "all", "", "c"]],
      devices: [header, ["other", "c", "d"]],
    });
    assert.deepEqual(problems, [
      'devices 2: externalId "d" is that of the device with nodeId "n": a nodeId does not change',
    ]);
  },
);

testOn(ANY_KIND, "memberships keep what the file has no column for", async (database) => {
  const files: Files = {
    roles: [ROLES, ["a", "A", "", "all", "all", "a"]],
    people: "\n\nemail;language\na@moving.example;de\n",
    members: [["role", "person", "rights", "until"], [
      "a",
      "a@moving.example",
      "viewManagement",
      "2030-01-31",
    ]],
  };
  await importAll(database, files);
  const { plan } = await importAll(database, {
    ...files,
    members: [["role", "person"], ["a", "a@moving.example"]],
  });
  assert.deepEqual(plan.counts.members, { added: 0, changed: 0, unchanged: 1 });
  const problems = await importFiles(database, {
    members: [["role", "person", "until"], ["a", "a@moving.example", "2030-02-30"]],
  });
  assert.deepEqual(problems, [
    'members 2: until "2030-02-30" is no time in ISO 8601, such as 2027-01-31 or 2027-01-31T12:00:00Z',
  ]);
});

forEachDatabase(
  "of two imports at the same time one brings the roles, and the other none",
  async (database) => {
    const files: Files = {
      roles: [ROLES, ["a", "A", "", "all", "all", "a"], ["b", "B", "a", "all", "", "b"]],
    };
    const both = await Promise.allSettled([importAll(database, files), importAll(database, files)]);
    const failed = both.flatMap((each) => each.status === "rejected" ? [(each.reason as Error).name] : []);
    assert.deepEqual(failed, ["ExternalIdTakenError"]);
    assert.deepEqual(await read(database, "SELECT name FROM role ORDER BY id"), [["A"], ["B"]]);
    await importAll(database, files);
  },
);

testOn(
  ANY_KIND,
  "an external id that looks like a role's id does not stand for that role",
  async (database) => {
    await importAll(database, {
      roles: [ROLES, ["a", "A", "", "all", "all", ""], ["b", "B", "a", "all", "", "#1"]],
      people: [["email"], ["x@moving.example"]],
    });
    await importAll(database, { members: [["role", "person"], ["#1", "#1"]] });
    const places = await read(database, "SELECT r.name FROM member m JOIN role r ON r.id = m.role_id");
    assert.deepEqual(places, [["A"]]);
  },
);

testOn(
  ANY_KIND,
  "lines may end with delimiters, as spreadsheets write them, if nothing stands behind the last column",
  async (database) => {
    const people = "email;language;;\na@moving.example;de;;\n";
    await importAll(database, { people });
    assert.deepEqual(await read(database, "SELECT email, language FROM user_account WHERE id > 0"), [
      ["a@moving.example", "de"],
    ]);
    // Nor do rows of delimiters alone count, wherever they stand.
    const sparse =
      ';;;\n"";\nemail;language;;\nb@moving.example;de;;\n;;;\n ;\t;;\n;;\nc@moving.example;de;;\n;;;\n';
    const { plan } = await importAll(database, { people: sparse });
    assert.deepEqual(plan.counts.people, { added: 2, changed: 0, unchanged: 0 });
    assert.deepEqual(await importFiles(database, { people: `${sparse};de;;\n` }), [
      'people 10: email "" is no email address',
    ]);
    assert.deepEqual(await importFiles(database, { people: `${people}b@moving.example;de;;stray\n` }), [
      'people 3: "stray" stands in a column without a name',
    ]);
  },
);

testOn(
  ANY_KIND,
  "texts in any spelling are the same thing, and an export of older spellings is loaded again",
  async (database) => {
    const [nfc, nfd, blanks] = ["Hal é", "Hal e\u0301", "\u00a0\u0085\u3000"];
    const files: Files = {
      roles: [
        ["key", "name", "parents", "manages", "selfRights", "externalId"],
        [`${nfd}${blanks}`, `${blanks}${nfd}`, "", "all", "all", `${nfd}${blanks}`],
        ["below", "Below", `${blanks}${nfc}=all`, "all", "all", "b"],
      ],
      devices: [["nodeId", "role", "properties"], [
        `${nfd}${blanks}`,
        ` ${nfc} | below`,
        JSON.stringify({ nodeId: ` ${nfd}`, a: 1 }),
      ]],
    };
    await importAll(database, files);
    assert.deepEqual(await read(database, "SELECT name, external_id FROM role ORDER BY id"), [[nfc, nfc], [
      "Below",
      "b",
    ]]);
    const stored = "SELECT node_id, properties FROM device";
    assert.deepEqual(await read(database, stored), [[nfc, JSON.stringify({ nodeId: nfc, a: 1 })]]);
    // Rows from before keep their spelling, in the database and in a file.
    await database.write([{
      sql: "UPDATE role SET external_id = :nfd WHERE external_id = :nfc",
      args: { nfd, nfc },
    }]);
    for (const [old, isExported] of [[nfd, false], [` ${nfd}`, true]] as const) {
      await database.write([{
        sql: "UPDATE device SET node_id = :old, properties = json_set(properties, '$.nodeId', :old)",
        args: { old },
      }]);
      const { plan } = await importAll(database, isExported ? await exportFiles(database) : files);
      for (const { added, changed } of Object.values(plan.counts)) assert.deepEqual([added, changed], [0, 0]);
      assert.deepEqual(await read(database, stored), [[old, JSON.stringify({ nodeId: old, a: 1 })]]);
    }
    const twice: Files = {
      people: [["email", "externalId"], ["a@moving.example", nfc], ["b@moving.example", nfd]],
      devices: [["nodeId", "role"], ["w1", "b"], ["w1\u0085", "b"]],
    };
    const problems = await importFiles(database, twice);
    assert.ok(Array.isArray(problems));
    assert.deepEqual(problems.map((problem) => problem.replace(/ ".*" /, " ")), [
      "people 3: externalId is already in line 2",
      "devices 3: nodeId is already in line 2",
    ]);
  },
);

testOn(
  ANY_KIND,
  "an account is found by its address, however the domain is spelled, and two rows of it are a problem",
  async (database) => {
    const [shown, ace] = ["anna@bücher.example", "anna@xn--bcher-kva.example"];
    const roles = [
      ["key", "name", "parents", "manages", "selfRights", "externalId"],
      ["a", "A", "", "all", "all", "a"],
    ];
    for (const email of [ace, shown]) {
      await importAll(database, {
        roles,
        people: [["email"], [email]],
        members: [["role", "person"], ["a", email]],
      });
    }
    assert.deepEqual(await read(database, "SELECT email FROM user_account"), [[shown]]);
    assert.deepEqual(await read(database, "SELECT count(*) FROM member"), [[1]]);
    const twice = await importFiles(database, { people: [["email"], [shown], [ace]] });
    assert.ok(Array.isArray(twice));
    assert.match(twice.join(), /^people 3: email "anna@bücher\.example" is already in line 2$/);
  },
);
