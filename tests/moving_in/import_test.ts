/** Files of a platform are loaded, loaded again, and refused with the line of each fault. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { RIGHT_NAMES } from "../../src/graph/rights.ts";
import { ANY_KIND, forEachDatabase, testOn } from "../helpers/databases.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import {
  assertRefused,
  assertSound,
  clear,
  countsOf,
  exportFiles,
  file,
  type Files,
  importAll,
  type Imported,
  read,
  ROLE_HEADER,
  roleFile,
  smallPlatform,
} from "./platform.ts";

function assertNothingChanges({ plan }: Imported): void {
  for (const { added, changed } of Object.values(plan.counts)) assert.deepEqual([added, changed], [0, 0]);
}

forEachDatabase("a platform is loaded, and loading it again changes nothing", async (database) => {
  const files = smallPlatform();
  const first = await importAll(database, files, { runId: "first" });
  const counts = { roles: [19, 0, 0], people: [19, 0, 0], members: [19, 0, 0], devices: [12, 0, 0] };
  assert.deepEqual(countsOf(first), counts);
  await assertSound(database);
  const log =
    "SELECT kind, session_id, count(*) FROM change_log GROUP BY kind, session_id ORDER BY kind, session_id";
  assert.deepEqual(await read(database, log), [
    ["device.create", "import:first", 12],
    ["hierarchy.import", "import:first", 1],
    ["member.add", "import:first", 19],
  ]);
  const before = await exportFiles(database);
  assertNothingChanges(await importAll(database, files, { runId: "second" }));
  assert.equal((await read(database, log)).length, 3);
  assert.deepEqual(await exportFiles(database), before);
});

forEachDatabase("rows that differ are changed, and each change is in the log", async (database) => {
  const { roles, ...others } = smallPlatform();
  await importAll(database, { roles, ...others });
  // A further parent for a role that is there, and a new role between two of them.
  const changed = roles.map(([key = "", name = "", parents = "", ...rest]) => [
    key,
    key === "nl1" ? "Renamed" : name,
    key === "be1.1" ? "be1|new=viewManagement" : parents,
    ...rest,
  ]);
  const imported = await importAll(database, {
    roles: [...changed, ["new", "New", "nl", "all", "", "crm-new"]],
    people: file(
      "email;language;passwordHash",
      "root@moving.example;fr;$2b$04$abcdefghijklmnopqrstuuAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaA",
    ),
    members: file(
      "person;role;rights;until",
      "p-nl1;crm-nl1;viewManagement;2030-01-01",
      "be@moving.example;nl;none;",
    ),
    devices: file("nodeid;ROLE;externalId;properties", 'node-nl1.1;be1.1|nl1.1;dev-nl1.1;"{""a"":1}"'),
  }, { runId: "second", delimiter: ";", now: 2_000 });
  const counts = { roles: [1, 2, 17], people: [0, 1, 0], members: [1, 1, 0], devices: [0, 1, 0] };
  assert.deepEqual(countsOf(imported), counts);
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
  const rights = `SELECT c.rights FROM role_closure c JOIN role r ON r.id = c.descendant_id
    WHERE c.ancestor_id = ${imported.idOfRole({ position: 1 })} AND r.external_id = 'crm-be1.1'`;
  assert.deepEqual(await read(database, rights), [[4]]);
  const monitored = `SELECT r.external_id, m.valid_from FROM monitors m JOIN role r ON r.id = m.role_id
    JOIN device d ON d.id = m.device_id WHERE d.external_id = 'dev-nl1.1' ORDER BY m.id`;
  // A role that gets a device later sees it from then on.
  assert.deepEqual(await read(database, monitored), [["crm-nl1.1", null], ["crm-be1.1", 2000]]);
  const kept =
    "SELECT name, language, password_hash LIKE '$2y$04$u3%' FROM user_account WHERE email = 'root@moving.example'";
  assert.deepEqual(await read(database, kept), [["Person, root", "fr", 1]]);
  const noted = "SELECT value LIKE '16 $2b$04$....%' FROM setting WHERE name = 'foreign_hash_cost.bcrypt'";
  assert.deepEqual(await read(database, noted), [[1]]);
});

testOn(ANY_KIND, "an export, imported into an empty database, is exported alike", async (database) => {
  const { members, devices, ...others } = smallPlatform();
  await importAll(database, {
    ...others,
    members: [
      ...members,
      ["nl", "p-be", "none", "2030-01-01T00:00:00Z"],
      ["be", "p-nl", "viewManagement|alarmManagement", ""],
    ],
    devices: [...devices, ["two", "nl|be", "", "", ""]],
  });
  const first = await exportFiles(database);
  assert.match(first.members, /none,2030-01-01T00:00:00\.000Z/);
  await clear(database);
  await importAll(database, first);
  assert.deepEqual(await exportFiles(database), first);
  const withoutHashes = await exportFiles(database, { hashes: false });
  assert.doesNotMatch(withoutHashes.people, /\$2b|passwordHash/);
});

testOn(ANY_KIND, "each fault is told with its line, and nothing is imported", async (database) => {
  await importAll(database, smallPlatform());
  const before = await exportFiles(database);
  await assertRefused(
    [
      /^roles 2: the parent "#999" is neither in the file nor in the database$/,
      /^roles 4: externalId "crm-new" is already in line 2$/,
      /^people 2: email "no address" is no email address$/,
      /^people 3: passwordHash: the hash is none of bcrypt/,
      /^people 4: passwordHash: bcrypt's cost must be 4 to 14$/,
      /^people 5: language "deutsch!" is no language tag/,
      /^people 6: externalId "x+…" must be at most 128 characters/,
      /^people 6: name "y+…" has more than 100 characters, control characters, an @, or no letter$/,
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
    ],
    database,
    {
      roles: roleFile(
        "new,New,root|#999,all,,crm-new",
        "root,Platform,,all,all,crm-root",
        "twice,Twice,root,all,,crm-new",
      ),
      people: file(
        "email,passwordHash,externalId,language,name",
        "no address,,,,",
        "a@moving.example,$md5$1,,,",
        "b@moving.example,$2b$15$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy,,,",
        "c@moving.example,,p-root,deutsch!,",
        `d@moving.example,,${"x".repeat(129)},,${"y".repeat(101)}`,
        "e@moving.example,,e,,",
        "E@moving.example,,e,,",
      ),
      members: file(
        "role,person,rights,until",
        "nowhere,root@moving.example,,",
        "root,nobody@moving.example,everything,tomorrow",
      ),
      devices: file(
        "nodeId,role,properties",
        ",root,{}",
        "n1,root,[1]",
        "n2,root,{",
        'n3,root,"{""nodeId"":""other""}"',
        "n3,,",
        `n4,${
          Array.from({ length: 101 }, (_, i) => `role ${i}`).join("|")
        },"{""iccid"":[89310410106543789301]}"`,
      ),
    },
  );
  // What only the database tells is found once the rows can be read.
  await assertRefused(
    [
      /^people 2: the account with externalId "p-root" has the address "root@moving\.example": an import changes no address/,
      /^people 3: the account of "root@moving\.example" has the externalId "p-root"$/,
      /^members 2: the role "nowhere" is neither in the files nor in the database$/,
      /^members 3: the person "nobody@moving\.example" is neither in the files nor in the database$/,
      /^members 5: this person and role are already in line 4$/,
      /^devices 2: nodeId "node-nl1\.1" is that of a device with externalId "dev-nl1\.1"$/,
      /^devices 3: externalId "dev-nl1\.1" is that of the device with nodeId "node-nl1\.1": a nodeId does not change$/,
      /^devices 4: nodeId "node-nl1\.2" is that of a device of role #\d+: without a common externalId/,
    ],
    database,
    {
      people: file("email,externalId", "other@moving.example,p-root", "root@moving.example,p-other"),
      members: file(
        "role,person",
        "nowhere,p-root",
        "crm-root,nobody@moving.example",
        "crm-nl,#1",
        "#2,root@moving.example",
      ),
      devices: file(
        "nodeId,role,externalId",
        "node-nl1.1,crm-be,other",
        "free,crm-be,dev-nl1.1",
        "node-nl1.2,crm-be,",
      ),
    },
  );
  assert.deepEqual(await exportFiles(database), before);
});

/** The problem that tells a header, beside the columns that it must have. */
function told(header: string): RegExp {
  return new RegExp(`^\\? 1: the header must name .*key,name,parents,manages,selfRights.*, not "${header}"`);
}

const UNREADABLE: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  [
    "an empty file",
    "",
    /^\? 1: the header must name the columns of roles \(key,name,parents,manages,selfRights/,
  ],
  [
    "an unknown column, and many rows",
    `key,name,parents,manages,colour\n${"a,A,,,\n".repeat(40_000)}`,
    told("key,name,parents,manages,colour"),
  ],
  ["a column twice", "key,name,parents,manages,name\n", told("key,name,parents,manages,name")],
  ["a missing column", "key,name,parents,manages\n", told("key,name,parents,manages")],
  ["an open quote", roleFile('a,"A,,,,'), /^(roles|\?) \d: Quote Not Closed/],
  ["text behind a quote", roleFile("a,A,,,,", 'b,"B"b,,,,'), /^(roles|\?) 3: Invalid Closing Quote/],
  ["a cell too few", roleFile("o,O,,all,all"), /^roles 2: the line has 5 columns, the header 6$/],
  ["a cell too many", roleFile("p,P,,all,all,,x"), /^roles 2: the line has 7 columns, the header 6$/],
  [
    "control characters, which are shown as escapes",
    roleFile("a,A,\u009b2J\u007f\u001b,all,,"),
    /^roles 2: the parent "\\u009b2J\\u007f\\u001b" is neither in the file nor in the database$/,
  ],
];

testOn(ANY_KIND, "a file that cannot be read is refused with one problem", async (database) => {
  for (const [what, roles, message] of UNREADABLE) {
    await assertRefused([message], database, { roles });
    assert.deepEqual(await read(database, "SELECT * FROM role"), [], what);
  }
});

testOn(
  ANY_KIND,
  "a file may have a byte order mark, CRLF, quotes, empty lines and columns in any order",
  async (database) => {
    const roles = '\ufeffname,key,selfRights,parents,manages\r\n"Ö, ""x""",a,all,,\r\n\r\nB,b,,a,all\r\n';
    await importAll(database, { roles });
    const names = await read(database, "SELECT name, self_rights FROM role ORDER BY id");
    assert.deepEqual(names, [['Ö, "x"', 63], ["B", 0]]);
    assert.deepEqual(await read(database, "SELECT parent_id, child_id, rights FROM manages"), [[1, 2, 63]]);
  },
);

testOn(ANY_KIND, "a part is loaded below a role, and names parents outside of it", async (database) => {
  await importAll(database, smallPlatform());
  const [[underId] = []] = await read(database, "SELECT id FROM role WHERE external_id = 'crm-be2'");
  const part: Files = {
    roles: roleFile("a,A,|crm-nl1=viewManagement,all,,part-a", "b,B,a|#1=reportManagement,all,,part-b"),
  };
  const options = { underId: Number(underId), outside: true };
  const { plan } = await importAll(database, part, options);
  assert.equal(plan.graph.rows.length, 2);
  await assertSound(database);
  assert.deepEqual(countsOf(await importAll(database, part, options))["roles"], [0, 0, 2]);
  const alone = 'roles 2: "a" has no parent in the file, but is no root role: import with --under';
  await assertRefused([alone], database, part);
});

testOn(
  ANY_KIND,
  "an external id below another root is that of another role, and ambiguous without --under",
  async (database) => {
    const first = await importAll(database, {
      roles: roleFile("a,a,,all,all,root-a", "site,Site,a,all,,same"),
    });
    const { idOfRole } = await importAll(database, { roles: roleFile("b,b,,all,all,root-b") });
    const underId = idOfRole({ position: 1 });
    const below = await importAll(database, { roles: roleFile("site,Site,,all,,same") }, { underId });
    assert.deepEqual(countsOf(below)["roles"], [1, 0, 0]);
    assert.notEqual(below.idOfRole({ position: 1 }), first.idOfRole({ position: 2 }));
    const member: Files = {
      members: file("role,person", "same,x@moving.example"),
      people: file("email", "x@moving.example"),
    };
    const ambiguous = 'members 2: the role "same" may be one of several: write # and its id';
    await assertRefused([ambiguous], database, member);
    await importAll(database, member, { underId });
    const members = await read(database, "SELECT role_id FROM member");
    assert.deepEqual(members, [[below.idOfRole({ position: 1 })]]);
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

testOn(ANY_KIND, "random hierarchies loaded in parts become the same as at once", async (database) => {
  function fileOf(parents: readonly ReadonlyMap<number, number>[], count = parents.length): string {
    const rows = parents.slice(0, count).map((given, i) => {
      const listed = Array.from(given, ([j, rights]) => {
        return `k${j}=${RIGHT_NAMES.filter((_, bit) => rights & 1 << bit).join("+")}`;
      });
      return `k${i},Role ${i},${listed.join("|")},,,x${i}`;
    });
    return roleFile(...rows);
  }
  const closure = `SELECT a.external_id, d.external_id, c.rights FROM role_closure c
    JOIN role a ON a.id = c.ancestor_id JOIN role d ON d.id = c.descendant_id ORDER BY 1, 2`;
  const drops = fc.array(fc.boolean(), { minLength: 10, maxLength: 10 });
  const partly = fc.asyncProperty(hierarchy, fc.nat(), drops, async (parents, pick, drop) => {
    await clear(database);
    await importAll(database, { roles: fileOf(parents) });
    const whole = await read(database, closure);
    await clear(database);
    // The first part lacks some relations, and its references are external ids of what was loaded before.
    const thinner = parents.map((given, i) =>
      new Map([...given].filter(([, rights], n) => n === 0 || rights & 1 || !drop[i]))
    );
    await importAll(database, { roles: fileOf(thinner, 1 + pick % (parents.length - 1)) });
    await importAll(database, { roles: fileOf(parents) });
    assert.deepEqual(await read(database, closure), whole);
    await assertSoundGraph({ database });
  });
  await fc.assert(partly, { numRuns: 30 });
});

testOn(ANY_KIND, "an external id below another root does not join two platforms", async (database) => {
  const site = "site,Site,root,all,,same";
  await importAll(database, { roles: roleFile("root,A,,all,all,root-a", site) });
  const before = await exportFiles(database);
  const refusal = 'roles 3: externalId "same" is that of a role below another root: import the root by ' +
    "itself, then the roles below it with --under";
  await assertRefused([refusal], database, { roles: roleFile("root,B,,all,all,root-b", site) });
  assert.deepEqual(await exportFiles(database), before);
  // A role may get below a new role of its own root.
  const moved = roleFile("new,New,root-a,all,,new", "site,Site,new,all,,same");
  assert.deepEqual(countsOf(await importAll(database, { roles: moved }))["roles"], [1, 1, 0]);
});

testOn(
  ANY_KIND,
  "external ids may be numbers, as keys of an export are, and addresses, as logins are",
  async (database) => {
    const files: Files = {
      roles: roleFile("a,A,,all,all,2", "b,B,a,all,all,3", "c,C,b,all,,1"),
      people: file("email,externalId", "a@moving.example,a@moving.example"),
      members: file("role,person", "a,a@moving.example"),
      devices: file("nodeId,role,email", "n,c,owner@moving.example"),
    };
    await importAll(database, files);
    const first = await exportFiles(database);
    assert.match(first.devices, /owner@moving\.example/);
    assert.deepEqual(countsOf(await importAll(database, files))["members"], [0, 0, 1]);
    await clear(database);
    await importAll(database, first);
    assert.deepEqual(await exportFiles(database), first);
  },
);

testOn(
  ANY_KIND,
  "a role gets a new manager before it loses the old one, and a device its place below a new role",
  async (database) => {
    const above = ["r,R,,all,all,r", "a,A,r,all,all,a"];
    const devices = file("nodeId,role,externalId", "n,a,d");
    await importAll(database, { roles: roleFile(...above, "k,K,a,all,,k"), devices });
    const changed = await importAll(database, {
      roles: roleFile(...above, "k,K,a=viewManagement|b=all,,,k", "b,B,r,all,,b"),
      devices: devices.replace("n,a", "n,b"),
    });
    assert.deepEqual([changed.plan.counts.roles.changed, changed.plan.counts.devices.changed], [1, 1]);
    await assertSound(database);
    const other = { roles: roleFile(...above, "c,C,r,all,,c"), devices: devices.replace("n,a", "other,c") };
    const refusal =
      'devices 2: externalId "d" is that of the device with nodeId "n": a nodeId does not change';
    await assertRefused([refusal], database, other);
  },
);

const ONE_MEMBER: Files = {
  roles: roleFile("a,A,,all,all,a"),
  people: file("email", "a@moving.example"),
  members: file("role,person", "a,a@moving.example"),
};

testOn(ANY_KIND, "memberships keep what the file has no column for", async (database) => {
  await importAll(database, {
    ...ONE_MEMBER,
    people: "\n\nemail;language\na@moving.example;de\n",
    members: file("role,person,rights,until", "a,a@moving.example,viewManagement,2030-01-31"),
  });
  assert.deepEqual(countsOf(await importAll(database, ONE_MEMBER))["members"], [0, 0, 1]);
  const refusal =
    'members 2: until "2030-02-30" is no time in ISO 8601, such as 2027-01-31 or 2027-01-31T12:00:00Z';
  const members = file("role,person,until", "a,a@moving.example,2030-02-30");
  await assertRefused([refusal], database, { members });
});

forEachDatabase("of two imports at once, one brings the roles, and the other none", async (database) => {
  const files: Files = { roles: roleFile("a,A,,all,all,a", "b,B,a,all,,b") };
  const both = await Promise.allSettled([importAll(database, files), importAll(database, files)]);
  const failed = both.flatMap((each) => each.status === "rejected" ? [(each.reason as Error).name] : []);
  assert.deepEqual(failed, ["ExternalIdTakenError"]);
  assert.deepEqual(await read(database, "SELECT name FROM role ORDER BY id"), [["A"], ["B"]]);
  await importAll(database, files);
});

testOn(ANY_KIND, "an external id like a role's id does not stand for that role", async (database) => {
  const people = file("email", "x@moving.example");
  await importAll(database, { roles: roleFile("a,A,,all,all,", "b,B,a,all,,#1"), people });
  await importAll(database, { members: file("role,person", "#1,#1") });
  const places = await read(database, "SELECT r.name FROM member m JOIN role r ON r.id = m.role_id");
  assert.deepEqual(places, [["A"]]);
});

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
    assert.deepEqual(countsOf(await importAll(database, { people: sparse }))["people"], [2, 0, 0]);
    for (
      const [text, refusal] of [
        [`${sparse};de;;\n`, 'people 10: email "" is no email address'],
        [`${people}b@moving.example;de;;stray\n`, 'people 3: "stray" stands in a column without a name'],
      ] as const
    ) await assertRefused([refusal], database, { people: text });
  },
);

testOn(
  ANY_KIND,
  "texts in any spelling are the same thing, and an export of older spellings is loaded again",
  async (database) => {
    const [nfc, nfd, blanks] = ["Hal é", "Hal e\u0301", "\u00a0\u0085\u3000"];
    const files: Files = {
      roles: [
        ROLE_HEADER.split(","),
        [`${nfd}${blanks}`, `${blanks}${nfd}`, "", "all", "all", `${nfd}${blanks}`],
        ["below", "Below", `${blanks}${nfc}=all`, "all", "all", "b"],
      ],
      devices: [
        ["nodeId", "role", "properties"],
        [`${nfd}${blanks}`, ` ${nfc} | below`, JSON.stringify({ nodeId: ` ${nfd}`, a: 1 })],
      ],
    };
    await importAll(database, files);
    const roles = await read(database, "SELECT name, external_id FROM role ORDER BY id");
    assert.deepEqual(roles, [[nfc, nfc], ["Below", "b"]]);
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
      assertNothingChanges(await importAll(database, isExported ? await exportFiles(database) : files));
      assert.deepEqual(await read(database, stored), [[old, JSON.stringify({ nodeId: old, a: 1 })]]);
    }
    await assertRefused(
      [
        /^people 3: externalId ".*" is already in line 2$/,
        /^devices 3: nodeId ".*" is already in line 2$/,
      ],
      database,
      {
        people: file("email,externalId", `a@moving.example,${nfc}`, `b@moving.example,${nfd}`),
        devices: file("nodeId,role", "w1,b", "w1\u0085,b"),
      },
    );
  },
);

testOn(
  ANY_KIND,
  "an account is found by its address, however the domain is spelled, and two rows of it are a problem",
  async (database) => {
    const [shown, ace] = ["anna@bücher.example", "anna@xn--bcher-kva.example"];
    for (const email of [ace, shown]) {
      const members = file("role,person", `a,${email}`);
      await importAll(database, { ...ONE_MEMBER, people: file("email", email), members });
    }
    assert.deepEqual(await read(database, "SELECT email FROM user_account"), [[shown]]);
    assert.deepEqual(await read(database, "SELECT count(*) FROM member"), [[1]]);
    const twice = 'people 3: email "anna@bücher.example" is already in line 2';
    await assertRefused([twice], database, { people: file("email", shown, ace) });
  },
);
