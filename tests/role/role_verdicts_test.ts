/** What is decided about roles, one row for each rule and refusal, without a database. */
import assert from "node:assert/strict";
import type { Ruled } from "../../src/changes/ruled.ts";
import { type CreateRoleFacts, decideCreateRole } from "../../src/role/create_role.ts";
import type { Membership } from "../../src/graph/rules/rules.ts";
import { ALL_RIGHTS, maskOf } from "../../src/graph/rights.ts";
import { decideUndoOfUpdate } from "../../src/role/role_deciders.ts";
import { decideUpdateRole, type UpdateRoleFacts, type UpdateRoleInput } from "../../src/role/update_role.ts";

const ROLE = maskOf("roleManagement");
const VIEW = maskOf("viewManagement");
const ABOVE = { self: null, path: ALL_RIGHTS };
const INSIDE = { self: ALL_RIGHTS, path: null };

function membership<N extends string>(
  to: Membership<N>["to"],
  change: Partial<Membership<N>> = {},
): Membership<N> {
  return {
    roleId: 1,
    isMaker: 0,
    rights: ALL_RIGHTS,
    needs: 0,
    isRoot: 1,
    branch: "1:7",
    to,
    ...change,
  };
}

const CREATE: CreateRoleFacts = {
  caller: { meets: 0 },
  memberships: [membership({ parent: ABOVE })],
  hasMaker: false,
  demand: [0, 0, null],
  isTaken: false,
};
const FIRST = { isSame: true, roleId: 8, relationId: 9, demand: [1, 0, null] };

const CREATIONS: readonly (readonly [sentence: string, Partial<CreateRoleFacts>, number, Ruled["ruling"]])[] =
  [
    ["a member above creates below", {}, ALL_RIGHTS, "ok"],
    ["a member of the parent does", { memberships: [membership({ parent: INSIDE })] }, ALL_RIGHTS, "ok"],
    ["a stranger does not", { memberships: [] }, ALL_RIGHTS, "denied"],
    [
      "a dormant membership does not count",
      { memberships: [membership({ parent: ABOVE }, { needs: 2 })] },
      ALL_RIGHTS,
      "denied",
    ],
    [
      "a narrow membership gives no more than it has",
      { memberships: [membership({ parent: ABOVE }, { rights: ROLE })] },
      ROLE | VIEW,
      "denied",
    ],
    ["a new role needs a manager", {}, VIEW, "unmanaged"],
    ["another role has the external id", { isTaken: true }, ALL_RIGHTS, "external_id_taken"],
    ["a retry gets what the first request created", { first: FIRST }, ALL_RIGHTS, "noop"],
    ["also after the caller has lost the right", { first: FIRST, memberships: [] }, ALL_RIGHTS, "noop"],
    [
      "another request with its key is refused",
      { first: { ...FIRST, isSame: false } },
      ALL_RIGHTS,
      "key_reused",
    ],
    ["a key was not used before", { first: null }, ALL_RIGHTS, "ok"],
  ];

const UPDATE: UpdateRoleFacts = {
  caller: { meets: 0 },
  memberships: [membership({ role: ABOVE })],
  hasMaker: false,
  current: { name: "Old", selfRights: VIEW, externalId: null },
  changesExternalId: false,
  isTaken: null,
};
const SAME: UpdateRoleInput = { name: "Old", selfRights: VIEW, externalId: null };

const UPDATES: readonly (readonly [
  sentence: string,
  Partial<UpdateRoleFacts>,
  Partial<UpdateRoleInput>,
  Ruled["ruling"],
])[] = [
  ["a member above renames", {}, { name: "New" }, "ok"],
  ["there is no such role", { current: null }, { name: "New" }, "denied"],
  ["a stranger does not rename", { memberships: [] }, { name: "New" }, "denied"],
  [
    "a member of the role itself does not: no role raises its own rights",
    { memberships: [membership({ role: INSIDE })] },
    { name: "New" },
    "denied",
  ],
  [
    "a narrow membership adds no right that it lacks",
    { memberships: [membership({ role: ABOVE }, { rights: ROLE })] },
    { selfRights: ALL_RIGHTS },
    "denied",
  ],
  [
    "a narrow membership takes rights that it lacks",
    { memberships: [membership({ role: ABOVE }, { rights: ROLE })] },
    { selfRights: 0 },
    "ok",
  ],
  ["a key whose maker left renames", { hasMaker: true }, { name: "New" }, "ok"],
  ["a key whose maker left takes no self rights", { hasMaker: true }, { selfRights: 0 }, "denied"],
  ["nothing changes", {}, {}, "noop"],
  ["the external id changes", { changesExternalId: true }, { externalId: "x" }, "ok"],
  [
    "another role has it",
    { changesExternalId: true, isTaken: true },
    { externalId: "x" },
    "external_id_taken",
  ],
];

const UNDONE = { isRead: true, hasChanged: false };

Deno.test("roles are created and updated by the rules of the table", () => {
  const found = [
    ...CREATIONS.map(([sentence, facts, rights, ruling]) =>
      [sentence, decideCreateRole({ ...CREATE, ...facts }, { rights }).ruling, ruling] as const
    ),
    ...UPDATES.map(([sentence, facts, input, ruling]) =>
      [sentence, decideUpdateRole({ ...UPDATE, ...facts }, { ...SAME, ...input }).ruling, ruling] as const
    ),
  ];
  assert.deepEqual(found.filter(([, ruling, expected]) => ruling !== expected), []);
});

Deno.test("who reads the update of a role reads that the role is gone", () => {
  const gone = { ...UPDATE, ...UNDONE, current: null, memberships: [] };
  assert.equal(decideUndoOfUpdate(gone, { ...SAME, actorId: 7 }).ruling, "changed_since");
  const there = { ...UPDATE, ...UNDONE, hasChanged: true, memberships: [] };
  assert.equal(decideUndoOfUpdate(there, { ...SAME, actorId: 7 }).ruling, "denied");
});

Deno.test("taking self rights or the external id away is free, other updates are not", () => {
  const takesAway = (facts: Partial<UpdateRoleFacts>, input: Partial<UpdateRoleInput>): unknown =>
    decideUpdateRole({ ...UPDATE, ...facts }, { ...SAME, ...input }).takesAway;
  assert.equal(takesAway({}, { selfRights: 0 }), true);
  assert.equal(takesAway({ changesExternalId: true }, {}), true);
  assert.equal(takesAway({ changesExternalId: true }, { externalId: "x" }), false);
  assert.equal(takesAway({}, { name: "New", selfRights: 0 }), false);
  assert.equal(takesAway({}, { selfRights: ALL_RIGHTS }), false);
});
