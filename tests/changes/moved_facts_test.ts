/** A change whose facts move between its read and its write is decided anew, on what is true now. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import type { Database } from "../../src/db/database.ts";
import { toRights } from "../../src/graph/rights.ts";
import { type Sent, testApp } from "../helpers/http.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";

/** Roles below a root: `left` and `right` below it, `child` below `left`, by relations with all rights. */
interface Scene {
  readonly rootId: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  /** The relation of `left` and `child`. */
  readonly relationId: number;
  /** The membership of ada@example.com, whose account has the id 2, in `child`. */
  readonly memberId: number;
}

interface Change {
  readonly method: string;
  readonly path: (scene: Scene) => string;
  readonly body: unknown;
  readonly sent: Sent;
}

function change(method: string, path: Change["path"], body?: unknown, sent: Sent = {}): Change {
  return { method, path, body, sent };
}

const RELATION: Change["path"] = ({ left, relationId }) => `/v1/role/${left}/manages/${relationId}`;
const NEW_ROLE = { manages: toRights(63), role: { name: "New", selfRights: toRights(63), externalId: "x" } };
const RENAMED = { name: "Renamed", selfRights: toRights(63), externalId: "x" };
const BELOW_LEFT: Change["path"] = ({ left }) => `/v1/role?parentRoleId=${left}`;

const PUT = change(
  "PUT",
  ({ right, child }) => `/v1/role/${right}/manages?childRoleId=${child}`,
  toRights(63),
);
const NARROW = change(
  "PUT",
  ({ left, child }) => `/v1/role/${left}/manages?childRoleId=${child}`,
  toRights(62),
);
const UPDATE = change("PUT", RELATION, toRights(62));
const MOVE = change("PUT", (scene) => `${PUT.path(scene)}&replaces=${scene.relationId}`, toRights(63));
const DELETE = change("DELETE", RELATION);
const ADD = change("PUT", ({ right }) => `/v1/role/${right}/member?userEmail=bob@example.com`, {
  rights: toRights(63),
});
const CHANGE_MEMBER = change("PUT", ({ child }) => `/v1/role/${child}/member?userEmail=ada@example.com`, {
  rights: toRights(4),
});
const LEAVE_ROOT = change("PUT", ({ rootId }) => `/v1/role/${rootId}/member?userEmail=admin@example.com`, {
  rights: toRights(2),
});
const REMOVE = change("DELETE", ({ child, memberId }) => `/v1/role/${child}/member/${memberId}`);
const CREATE = change("POST", BELOW_LEFT, NEW_ROLE);
const CREATE_ONCE = change("POST", BELOW_LEFT, NEW_ROLE, { headers: { "Idempotency-Key": "k" } });
const RENAME = change("PUT", ({ child }) => `/v1/role/${child}`, RENAMED);

const RELATION_GOES = ({ relationId }: Scene): string => `DELETE FROM manages WHERE id = ${relationId}`;
const ANOTHER_MANAGER = ({ rootId, child }: Scene): string =>
  `INSERT INTO manages (id, parent_id, child_id, rights) VALUES (999, ${rootId}, ${child}, 63)`;
const MEMBERSHIP_GOES = "DELETE FROM member WHERE user_id = 1";
const WITH_EXTERNAL_ID = ({ rootId, right }: Scene): string =>
  `UPDATE role SET external_id = 'x', external_root = ${rootId} WHERE id = ${right}`;
const MOVED: readonly (readonly [fact: string, Change, sql: (scene: Scene) => string, status: number])[] = [
  ["the session ends", PUT, () => "UPDATE session SET ended_at = 1", 401],
  ["the membership goes", PUT, () => MEMBERSHIP_GOES, 403],
  ["the membership is narrowed", PUT, () => "UPDATE member SET rights = 1 WHERE user_id = 1", 403],
  ["the membership ends", PUT, () => "UPDATE member SET ends_at = 5 WHERE user_id = 1", 403],
  ["the role demands a factor", PUT, () => "UPDATE member SET needs = 2 WHERE user_id = 1", 401],
  [
    "the path to the child is narrowed",
    PUT,
    ({ rootId, child }) =>
      `UPDATE role_closure SET rights = 62 WHERE ancestor_id = ${rootId} AND descendant_id = ${child}`,
    403,
  ],
  [
    "the relation is made by another",
    PUT,
    ({ right, child }) =>
      `INSERT INTO manages (id, parent_id, child_id, rights) VALUES (999, ${right}, ${child}, 63)`,
    200,
  ],
  [
    "a cycle appears",
    PUT,
    ({ right, child }) =>
      `INSERT INTO role_closure (ancestor_id, descendant_id, rights) VALUES (${child}, ${right}, 63)`,
    409,
  ],
  [
    "the child gets another manager",
    NARROW,
    ANOTHER_MANAGER,
    200,
  ],
  [
    "the named relation goes",
    UPDATE,
    RELATION_GOES,
    403,
  ],
  ["the caller of an update goes", UPDATE, () => MEMBERSHIP_GOES, 403],
  [
    "the child of an update gets another manager",
    UPDATE,
    ANOTHER_MANAGER,
    200,
  ],
  [
    "the replaced relation goes",
    MOVE,
    RELATION_GOES,
    403,
  ],
  ["the mover goes", MOVE, () => MEMBERSHIP_GOES, 403],
  [
    "the deleted relation goes",
    DELETE,
    RELATION_GOES,
    403,
  ],
  ["who deletes goes", DELETE, () => MEMBERSHIP_GOES, 403],
  ["who adds a member goes", ADD, () => MEMBERSHIP_GOES, 403],
  ["who adds a member may give less", ADD, () => "UPDATE member SET rights = 3 WHERE user_id = 1", 403],
  ["who adds a member ends", ADD, () => "UPDATE member SET ends_at = 99999999999999 WHERE user_id = 1", 200],
  [
    "the address is reserved",
    ADD,
    () =>
      "INSERT INTO reserved_email (email, user_id, reserved_until) VALUES ('bob@example.com', 9, 99999999999999)",
    403,
  ],
  [
    "the person gets an account",
    ADD,
    () => "UPDATE user_account SET email = 'bob@example.com' WHERE id = 2",
    200,
  ],
  ["the member goes", CHANGE_MEMBER, ({ memberId }) => `DELETE FROM member WHERE id = ${memberId}`, 200],
  [
    "the member gets these rights",
    CHANGE_MEMBER,
    ({ memberId }) => `UPDATE member SET rights = 4 WHERE id = ${memberId}`,
    200,
  ],
  [
    "the other keeper of the root goes",
    LEAVE_ROOT,
    ({ rootId }) => `DELETE FROM member WHERE role_id = ${rootId} AND user_id = 2`,
    409,
  ],
  ["the removed member is gone", REMOVE, ({ memberId }) => `DELETE FROM member WHERE id = ${memberId}`, 403],
  ["who removes goes", REMOVE, () => MEMBERSHIP_GOES, 403],
  ["who creates goes", CREATE, () => MEMBERSHIP_GOES, 403],
  ["the parent gets a demand", CREATE, ({ left }) => `UPDATE role SET needs = 1 WHERE id = ${left}`, 200],
  ["the external id of a new role is taken", CREATE, WITH_EXTERNAL_ID, 409],
  [
    "its key is used for another request",
    CREATE_ONCE,
    () =>
      `INSERT INTO idempotency_key (user_id, key, op_id, fingerprint, expires_at) VALUES (1, 'k', 'o', 'f', 99999999999999)`,
    422,
  ],
  ["who renames goes", RENAME, () => MEMBERSHIP_GOES, 403],
  [
    "the role gets another name",
    RENAME,
    ({ child }) => `UPDATE role SET name = 'Other' WHERE id = ${child}`,
    200,
  ],
  ["the external id is taken", RENAME, WITH_EXTERNAL_ID, 409],
];

/** The database, where the first write comes just after this change; decisions are made outside of its thread. */
function movedOnce(database: Database, sql: string): { database: Database; writes: () => number } {
  let writes = 0;
  return {
    database: {
      ...database,
      decides: false,
      async write(statements) {
        if (++writes === 1) await database.write([{ sql, args: {} }]);
        return await database.write(statements);
      },
    },
    writes: () => writes,
  };
}

async function makeScene(target: TestApp): Promise<{ scene: Scene; admin: Person }> {
  const { admin, rootId } = await bootstrap(target);
  const [left, right] = [await admin.create(rootId, "Left"), await admin.create(rootId, "Right")];
  const child = await admin.create(left, "Child");
  await target.createUser("ada@example.com");
  await admin.addMember(rootId, "ada@example.com");
  const { id: memberId } = await admin.addMember(child, "ada@example.com");
  const relationId = await admin.relationIdOf(left, child);
  return { scene: { rootId, left, right, child, relationId, memberId }, admin };
}

testApp("a change is decided anew if a fact moves between its read and its write", async (target) => {
  for (const [fact, { method, path, body, sent }, sql, status] of MOVED) {
    await target.reset();
    const { scene, admin } = await makeScene(target);
    const { database, writes } = movedOnce(target.database, sql(scene));
    const app = createApp({ ...target.deps, database });
    const person = new Person({ request: requestsTo(app) }, admin.accessToken);
    const answer = await person.ask(method, path(scene), body, sent);
    assert.equal(answer.status, status, `${fact}: ${answer.text}`);
    // Nothing is written for a session that has ended.
    assert.equal(writes(), fact === "the session ends" ? 1 : 2, `${fact}: rounds`);
  }
});

testApp("a change whose facts move all the time is a 503, and is not made", async (target) => {
  const { scene, admin } = await makeScene(target);
  const { database } = target;
  let moves = 0;
  const moving: Database = {
    ...database,
    decides: false,
    async write(statements) {
      const sql = `UPDATE member SET rights = 63 - ${++moves % 2} * 32 WHERE user_id = 1`;
      await database.write([{ sql, args: {} }]);
      return await database.write(statements);
    },
  };
  const app = createApp({ ...target.deps, database: moving });
  const person = new Person({ request: requestsTo(app) }, admin.accessToken);
  assert.equal((await person.ask("PUT", PUT.path(scene), toRights(1))).status, 503);
  assert.equal(moves, 21);
  assert.equal(await admin.relationIdOf(scene.right, scene.child), 0);
});
