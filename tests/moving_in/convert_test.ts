/** Keycloak realms and OpenFGA tuples become files for an import, and what has no counterpart is listed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { convertTuples, readMapping } from "../../scripts/convert/openfga_roles.ts";
import { readTuples } from "../../scripts/convert/openfga_tuples.ts";
import { convertRealm, type RealmFile } from "../../scripts/convert/keycloak_realm.ts";
import { LeftOut } from "../../scripts/convert/left_out.ts";
import { parseJson } from "../../scripts/convert/input.ts";
import { type Converted, writeConverted } from "../../scripts/convert/output.ts";
import { TaskError } from "../../scripts/lib/run_task.ts";
import { ALL_RIGHTS, maskOf } from "../../src/graph/rights.ts";
import { TABLE_KINDS } from "../../src/transfer/table_header.ts";
import { ANY_KIND, testOn } from "../helpers/databases.ts";
import { login, testApp } from "../helpers/http.ts";
import { openHashingApp } from "../helpers/test_app.ts";
import { file, type Files, importAll, read } from "./platform.ts";

/** Hashes of "correct horse" with the salt "somesalt", in the forms of Keycloak 8, 20 and 26. */
const SALT = "c29tZXNhbHQ=";
const OLD = {
  type: "password",
  algorithm: "pbkdf2-sha256",
  hashIterations: 1000,
  salt: SALT,
  hashedSaltedValue:
    "3UXLHR2dsBArfqHwukhrdUO9gJfc1BvmMq0GPd9sP6EJRUd8kMgHTEKO2UThRaG9YwhCFewgLgJb4NSFtAL6gQ==",
};
const PBKDF2 = {
  type: "password",
  credentialData: '{"hashIterations":1000,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
  secretData: `{"value":"${OLD.hashedSaltedValue}","salt":"${SALT}","additionalParameters":{}}`,
};
const ARGON2 = {
  type: "password",
  credentialData: '{"hashIterations":2,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],' +
    '"memory":["256"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
  secretData:
    `{"value":"REiRt35dHGtMWJ/p+5b5FBn+NMuLR8SFnoCU9BlDUHE=","salt":"${SALT}","additionalParameters":{}}`,
};
const OTP = { type: "otp", credentialData: '{"subType":"totp"}', secretData: '{"value":"SECRET"}' };

/** A user of an export, who is enabled and has an address that was verified. */
function user(username: string, rest: Readonly<Record<string, unknown>>): unknown {
  return {
    id: `u-${username}`,
    username,
    email: `${username}@realm.example`,
    enabled: true,
    emailVerified: true,
    ...rest,
  };
}

const REALM = {
  realm: "acme",
  enabled: true,
  sslRequired: "external",
  privateKey: "SECRET",
  roles: { realm: [{ name: "admin" }], client: { app: [{ name: "viewer" }] } },
  clients: [{ clientId: "app", secret: "SECRET" }],
  groups: [
    {
      id: "g-north",
      name: "North",
      path: "/North",
      subGroups: [{ id: "g-site", name: "Site 1/2", realmRoles: ["admin"] }],
    },
    { id: "g-odd", name: "a|b=c", path: "/a|b=c", subGroups: [] },
  ],
};

const USERS = {
  realm: "acme",
  users: [
    user("anne", {
      ...{ firstName: "Anne", lastName: " de Vries" },
      groups: ["/North", "/North/Site 1~/2"],
      credentials: [PBKDF2, OTP],
      attributes: { locale: ["nl"] },
    }),
    user("bob", {
      groups: ["/a|b=c", "/gone"],
      credentials: [ARGON2],
      attributes: { department: ["x"] },
      firstName: "b".repeat(101),
    }),
    user("carol", { credentials: [OLD], emailVerified: false }),
    user("dave", {
      credentials: [{ type: "password", value: "SECRET" }],
      requiredActions: ["UPDATE_PASSWORD"],
    }),
    user("eve", { enabled: false, credentials: [PBKDF2] }),
    user("frank", { email: undefined, groups: ["/North"] }),
    user("grace", { email: "ANNE@realm.example" }),
    user("service-account-app", { email: undefined, serviceAccountClientId: "app" }),
  ],
};

const RIGHTS = { manages: ALL_RIGHTS, selfRights: ALL_RIGHTS, memberRights: maskOf("viewManagement") };

function convert(...contents: readonly unknown[]): Converted {
  const files = contents.map((content, i): RealmFile => ({ path: `file${i}.json`, content }));
  return convertRealm(files, RIGHTS);
}

/** Writes what was converted, and returns the files as an import takes them, with the list of what was left out. */
async function written(converted: Converted): Promise<{ files: Files; list: string[]; mode: number | null }> {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_convert_" });
  await writeConverted(folder, converted);
  const texts = TABLE_KINDS.map((kind) => [kind, Deno.readTextFileSync(join(folder, `${kind}.csv`))]);
  const list = await Deno.readTextFile(join(folder, "left_out.txt"));
  const { mode } = await Deno.stat(join(folder, "people.csv"));
  await Deno.remove(folder, { recursive: true });
  return { files: Object.fromEntries(texts), list: list.trim().split("\n").toSorted(), mode };
}

testApp("a realm of Keycloak moves in, and its people sign in with their passwords", async (target) => {
  const { database } = target;
  const { files, list, mode } = await written(convert(REALM, USERS));
  assert.equal((mode ?? 0) & 0o077, 0);
  await importAll(database, files);
  const roles = `SELECT r.external_id, r.name, p.external_id AS parent, m.rights FROM role r
    LEFT JOIN manages m ON m.child_id = r.id LEFT JOIN role p ON p.id = m.parent_id ORDER BY r.id`;
  assert.deepEqual(await read(database, roles), [
    ["g-north", "North", null, null],
    ["g-site", "Site 1/2", "g-north", 63],
    ["g-odd", "a|b=c", null, null],
  ]);
  const members = `SELECT r.external_id, u.external_id AS person, m.rights FROM member m
    JOIN role r ON r.id = m.role_id JOIN user_account u ON u.id = m.user_id ORDER BY r.id, u.id`;
  const placed = [["g-north", "u-anne", 4], ["g-site", "u-anne", 4], ["g-odd", "u-bob", 4]];
  assert.deepEqual(await read(database, members), placed);
  const accounts = "SELECT email, name, language, password_hash FROM user_account ORDER BY email";
  const people = await read(database, accounts);
  assert.deepEqual(people.map(([email, name, language]) => [email, name, language]), [
    ["anne@realm.example", "Anne de Vries", "nl"],
    ["bob@realm.example", null, "en"],
    ["carol@realm.example", null, "en"],
    ["dave@realm.example", null, "en"],
  ]);
  for (const [email = "", , , hash] of people) {
    const { status } = await login(target, String(email), "correct horse");
    assert.equal(status, hash === null ? 401 : 200, String(email));
  }
  assert.equal(people.at(-1)?.[3], null);
  assert.deepEqual(list, [
    'attribute "department" of users: bob',
    "client roles: app: viewer",
    "clients of the realm: app",
    "converted, but Keycloak has not verified the address: carol@realm.example",
    "credentials of type otp: anne",
    "disabled users: eve",
    "memberships in groups that no file has: bob in /gone",
    "names that are too long, or have control characters, an @, or no letter: bob",
    "passwords: those in clear text, which only a reset replaces: dave",
    "realm roles: admin",
    "realmRoles of groups: /North/Site 1~/2: admin",
    "requiredActions of users: dave: UPDATE_PASSWORD",
    "service accounts (make keys of roles instead): service-account-app",
    "settings of the realm: privateKey",
    "settings of the realm: sslRequired",
    ...["anne", "bob", "carol", "dave"].map((name) => `username of users: ${name}`),
    "users with the address of another: grace",
    "users without an address: frank",
  ]);
}, openHashingApp);

const MAPPING = JSON.stringify({
  people: ["user"],
  roles: { org: {}, team: { members: ["member"] }, site: { selfRights: "viewManagement" } },
  relations: {
    "site#org": { parent: "all" },
    "org#team": { child: "roleManagement|viewManagement" },
    "org#admin": { member: "all" },
    "team#member": { member: "viewManagement" },
    "site#viewer": { member: "viewManagement" },
    "site#operator": { member: "deviceManagement" },
    "org#unused": { member: "none" },
  },
});

const TUPLES: readonly (readonly [user: string, relation: string, object: string, condition?: string])[] = [
  ["org:acme", "org", "site:1"],
  ["team:core", "team", "org:acme"],
  ["user:Anne@fga.example", "admin", "org:acme"],
  ["user:bob", "member", "team:core"],
  ["user:bob", "viewer", "site:1"],
  ["user:bob", "operator", "site:1"],
  ["team:core#member", "viewer", "site:2"],
  ["team:core#member", "operator", "site:2"],
  // What has no counterpart.
  ["team:core#owner", "viewer", "site:1"],
  ["team:core", "viewer", "site:1"],
  ["user:*", "viewer", "site:1"],
  ["user:eve", "admin", "org:acme", "office_hours"],
  ["user:eve", "owner", "team:core"],
  ["robot:r2", "admin", "org:acme"],
  ["user:eve", "org", "site:1"],
  ["team:core#member", "member", "team:core"],
];

const objects = TUPLES.map(([user, relation, object, condition]) => ({
  user,
  relation,
  object,
  ...(condition !== undefined && { condition: { name: condition, context: {} } }),
}));
const csv = [
  "user_type,user_id,user_relation,relation,object_type,object_id,condition_name,condition_context",
  ...TUPLES.map(([user, relation, object, condition = ""]) => {
    const [type, id, userset = ""] = user.split(/[:#]/);
    return [type, id, userset, relation, ...object.split(":"), condition, ""].join();
  }),
].join("\n");

/** The forms in which the `fga` program writes and reads tuples. */
const FORMS: readonly (readonly [file: string, text: string])[] = [
  ["a.json", JSON.stringify(objects)],
  ["b.json", JSON.stringify({ tuples: objects.map((key) => ({ key, timestamp: "2026-01-01T00:00:00Z" })) })],
  ["c.jsonl", objects.map((tuple) => `${JSON.stringify(tuple)}\n`).join("\n")],
  ["d.csv", csv],
  [
    "e.fga.yaml",
    `name: Store\nmodel: |\n  model\ntuples:\n${objects.map((t) => `- ${JSON.stringify(t)}\n`).join("")}`,
  ],
];

/** Reads the tuples of a file with this name. */
async function readText(name: string, text: string) {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_convert_" });
  const leftOut = new LeftOut();
  try {
    await Deno.writeTextFile(join(folder, name), text);
    return { tuples: await readTuples(join(folder, name), leftOut), leftOut };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

testOn(
  ANY_KIND,
  "tuples of OpenFGA move in from each form of file, as the mapping says",
  async (database) => {
    const converted: Converted[] = [];
    for (const [name, text] of FORMS) {
      const { tuples, leftOut } = await readText(name, text);
      converted.push(convertTuples(tuples, readMapping("mapping.json", MAPPING), leftOut));
    }
    const [first] = converted;
    assert.ok(first !== undefined);
    for (const other of converted) assert.deepEqual(other, first);
    const { files, list } = await written(first);
    // The account of an id that is no address comes from elsewhere.
    await importAll(database, { people: file("email,externalId", "bob@fga.example,bob") });
    await importAll(database, files);
    const rights = `SELECT p.external_id AS a, d.external_id AS b, c.rights FROM role_closure c
      JOIN role p ON p.id = c.ancestor_id JOIN role d ON d.id = c.descendant_id ORDER BY 1, 2`;
    assert.deepEqual(await read(database, rights), [
      ["org:acme", "site:1", 63],
      ["org:acme", "site:2", 4],
      ["org:acme", "team:core", 5],
      ["team:core", "site:2", 12],
    ]);
    const members = `SELECT r.external_id, u.email, m.rights, r.is_root FROM member m
      JOIN role r ON r.id = m.role_id JOIN user_account u ON u.id = m.user_id ORDER BY 1, 2`;
    assert.deepEqual(await read(database, members), [
      ["org:acme", "anne@fga.example", 63, 1],
      ["site:1", "bob@fga.example", 12, 0],
      ["team:core", "bob@fga.example", 4, 0],
    ]);
    assert.deepEqual(list, [
      "converted, but placed at the top, since no parent has roleManagement over them: site:2",
      "people whose id is no address: people.csv or the database must have it as externalId: bob",
      "rules of the mapping for which there is no tuple: org#unused",
      "tuples of everyone of a type: user:* viewer site:1",
      'tuples of team#owner, which is not in "members" of team: team:core#owner viewer site:1',
      "tuples of team#owner, which the mapping does not name: user:eve owner team:core",
      "tuples that give the members of a role rights on itself: team:core#member member team:core",
      "tuples with a role, where the mapping has another: team:core viewer site:1",
      "tuples with a user of type robot, where the mapping has another: robot:r2 admin org:acme",
      "tuples with a user of type user, where the mapping has another: user:eve org site:1",
      "tuples with the condition office_hours: user:eve admin org:acme",
    ]);
  },
);

const TUPLE = { user: "user:anna@z.example", relation: "admin", object: "org:o1" };
const CHANGE = { tuple_key: TUPLE, operation: "TUPLE_OPERATION_WRITE" };

const INCOMPLETE: Readonly<Record<string, readonly [content: unknown, message: RegExp]>> = {
  "page.json": [{ tuples: [{ key: TUPLE }], continuation_token: "eyJwayI6" }, /one page of the tuples/],
  "page.yaml": [{ tuples: [TUPLE], continuation_token: "eyJwayI6" }, /one page of the tuples/],
  "changes.json": [{ changes: [CHANGE], continuation_token: "" }, /has changes of tuples/],
  "list.json": [[CHANGE], /\[0\]: it is a change of a tuple/],
  "list.jsonl": [CHANGE, /line 1: it is a change of a tuple/],
  "objects.json": [{ objects: ["org:o1"] }, /has no tuples/],
};

Deno.test("a part of the tuples is not taken for all of them, and neither are their changes", async () => {
  for (const [name, [content, message]] of Object.entries(INCOMPLETE)) {
    await assert.rejects(readText(name, JSON.stringify(content)), (error) => {
      assert.ok(error instanceof TaskError, name);
      assert.match(error.message, message);
      assert.match(error.message, /: "fga tuple read --max-pages 0" writes all tuples\.$/);
      return true;
    });
  }
  const page = JSON.stringify({ tuples: [{ key: TUPLE }], continuation_token: "" });
  const whole = await readText("whole.json", page);
  assert.deepEqual([whole.tuples.length, whole.leftOut.full()], [1, []]);
  const thousand = JSON.stringify({ tuples: Array(1000).fill({ key: TUPLE }) });
  const perhaps = (await readText("perhaps.json", thousand)).leftOut.full();
  assert.match(perhaps.join(), /^converted, but perhaps not all tuples: .*--max-pages 0/);
  const csv = "user_type,user_id,relation,object_type,object_id\n,,,,\nuser,anna,admin,org,o1\n,,,,\n";
  assert.equal((await readText("empty_rows.csv", csv)).tuples.length, 1);
});

const SECRET = "t0p-secret";
const FAULTS: readonly (readonly [what: string, run: () => unknown, message: RegExp])[] = [
  [
    "a missing value",
    () => parseJson("f", `{\n "value": "${SECRET}",\n "x": ?}`),
    /^f is no JSON. Line 3, column 7: /,
  ],
  ["a missing comma", () => parseJson("f", `{"value": "${SECRET}" "x"}`), /Line 1, column 24: Expected ','/],
  ["a text that ends too early", () => parseJson("f", `[\n"${SECRET}`), /Line 2, column 12: /],
  ["an empty file", () => parseJson("f", ""), /Line 1, column 1: the text ends too early\.$/],
  ["JSON of another kind", () => convert({ value: SECRET }), /^file0\.json is no realm export/],
  ["no object", () => convert(SECRET), /^file0\.json: the file: expected Object\.$/],
  [
    "a user with a number for an address",
    () => convert({ realm: "a", users: [{}, { email: 1 }] }),
    /^file0\.json: users\[1\]\.email: expected /,
  ],
  [
    "a group without a name",
    () => convert({ realm: "a", groups: [{ name: "a", subGroups: [{}] }] }),
    /: groups\[0\]\.subGroups\[0\]\.name: it is missing\.$/,
  ],
  [
    "a group that is there twice",
    () => convert(REALM, REALM),
    /^file1\.json: groups\[0\]: the group \/North is there twice/,
  ],
  ["files of two realms", () => convert(REALM, { realm: "b" }), /several realms \(acme, b\)/],
  [
    "groups that a page of the Admin API leaves out",
    () =>
      convert({
        realm: "a",
        groups: [{ name: "a", subGroups: [{ name: "b", subGroupCount: 2, subGroups: [{ name: "c" }] }] }],
      }),
    /^file0\.json: groups\[0\]\.subGroups\[0\]: the group \/a\/b has 2 groups below it, and the file 1 of them, .*"kc\.sh export /,
  ],
  [
    "a rule of an unknown type",
    () => readMapping("m", MAPPING.replace('"site#org"', '"house#org"')),
    /^m: relations\["house#org"\]: must begin with a type of "roles" \(org, team, site\)/,
  ],
  [
    "a rule of unknown rights",
    () => readMapping("m", MAPPING.replace('"all"', '"everything"')),
    /^m: relations\.site#org: expected one of "parent"/,
  ],
];

Deno.test("faults are told with their place, and without what the file holds", () => {
  for (const [what, run, message] of FAULTS) {
    assert.throws(run, (error) => {
      assert.ok(error instanceof TaskError, what);
      assert.match(error.message, message, what);
      assert.doesNotMatch(error.message, new RegExp(SECRET), what);
      return true;
    });
  }
});
