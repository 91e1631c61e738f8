/** The picture as it would be after a change. */
import assert from "node:assert/strict";
import { NEW_ID, type Pictured, type PictureToBe } from "../../src/console/web/picture/to_be.ts";
import { ALL, NONE } from "../../src/console/web/rights.ts";
import {
  type Drawing,
  type Drawn,
  drawToBe,
  type Viewer,
} from "../../src/console/web/views/change/draw_to_be.ts";
import { forEachRight, type RightName } from "../../src/graph/rights.ts";

/** A dealer manages a customer, who manages a site. All have all rights. */
const [DEALER, CUSTOMER, SITE] = [5, 7, 8];
const [TO_CUSTOMER, TO_SITE] = [57, 78];
const VIEWER = "ada@example.com";
const SANNE = "sanne@example.com";
const EVA = "eva@example.com";

type Effect = NonNullable<Drawn["shown"]>["effect"];
type Named = Effect["named"][number];

/** Takes device management from the relation to the customer. */
const NARROWING: Drawing = {
  roleId: CUSTOMER,
  put: { parentRoleId: DEALER, childRoleId: CUSTOMER, rights: { ...ALL, deviceManagement: false } },
};

interface Case {
  readonly effect: Partial<Effect>;
  /** The person of the picture; by default the viewer. */
  readonly email?: string;
  /** The viewer's: roles, each with the only right that the membership carries. */
  readonly memberships?: readonly (readonly [roleId: number, right?: RightName])[];
  readonly standings?: Pictured["standings"];
  /** What the customer's box says: "−device", "unsure", or nothing. */
  readonly expected: string;
}

const HAS_NONE = new Map([[CUSTOMER, "none"]] as const);

const CASES: Readonly<Record<string, Case>> = {
  "the only membership loses it": {
    effect: { changes: [pair(DEALER)] },
    memberships: [[DEALER]],
    expected: "−device",
  },
  "another role loses it": { effect: { changes: [pair(4)] }, memberships: [[DEALER]], expected: "" },
  "one of two memberships loses it": {
    effect: { changes: [pair(DEALER)] },
    memberships: [[DEALER], [6]],
    expected: "unsure",
  },
  "both memberships lose it": {
    effect: { changes: [pair(DEALER), pair(6)] },
    memberships: [[DEALER], [6]],
    expected: "−device",
  },
  "the other membership does not carry it": {
    effect: { changes: [pair(DEALER)] },
    memberships: [[DEALER], [6, "viewManagement"]],
    expected: "−device",
  },
  "the only membership does not carry it": {
    effect: { changes: [pair(DEALER)] },
    memberships: [[DEALER, "viewManagement"]],
    expected: "",
  },
  "the memberships are not loaded": { effect: { changes: [pair(DEALER)] }, expected: "unsure" },
  "the service tells of the viewer": {
    effect: { changes: [pair(DEALER)], named: [told(VIEWER, CUSTOMER)] },
    memberships: [[DEALER], [6]],
    expected: "−device",
  },
  "a list that stopped has the pair": {
    effect: { changes: [pair(DEALER)], truncated: true },
    memberships: [[DEALER]],
    expected: "−device",
  },
  "a list that stopped lacks the pair": {
    effect: { truncated: true },
    memberships: [[DEALER]],
    expected: "unsure",
  },
  "one membership loses what another gains": {
    effect: { changes: [pair(DEALER), { ...pair(6), gained: ["deviceManagement"], lost: [] }] },
    memberships: [[DEALER], [6]],
    expected: "",
  },
  "the person is named": { email: SANNE, effect: { named: [told(SANNE, CUSTOMER)] }, expected: "−device" },
  "the person keeps it": { email: SANNE, effect: { keeps: [told(SANNE, CUSTOMER, [])] }, expected: "" },
  "the person is named on another role alone": {
    email: SANNE,
    effect: { named: [told(SANNE, SITE)] },
    expected: "",
  },
  "the person is named, but not on all roles": {
    email: SANNE,
    effect: { named: [{ ...told(SANNE, SITE), others: 1 }] },
    expected: "unsure",
  },
  "the person is named, and may act through hidden roles": {
    email: SANNE,
    effect: { named: [told(SANNE, SITE)], hidden: 1 },
    expected: "unsure",
  },
  "all who lose are named, and the person is not": {
    email: SANNE,
    effect: { named: [told(EVA, CUSTOMER)], hidden: 3 },
    expected: "",
  },
  "not all who lose are named": {
    email: SANNE,
    effect: { named: [told(EVA, CUSTOMER)], people: { gained: 0, lost: 2 } },
    expected: "unsure",
  },
  "the person has no access above": {
    email: SANNE,
    effect: {},
    standings: new Map([[DEALER, "none"]]),
    expected: "",
  },
  "the person has no access to it": { email: SANNE, effect: {}, standings: HAS_NONE, expected: "" },
  "the viewer may not ask about the person": {
    email: SANNE,
    effect: {},
    standings: new Map([[CUSTOMER, "unknown"]]),
    expected: "",
  },
};

for (const [name, { effect, email, memberships, standings, expected }] of Object.entries(CASES)) {
  Deno.test(`a box says what its person loses, and nothing else, if ${name}`, () => {
    const now = pictured({ email, standings: new Map([...pictured().standings, ...standings ?? []]) });
    const viewer = { email: VIEWER, memberships: memberships?.map(([id, right]) => membership(id, right)) };
    const toBe = drawToBe({ drawing: NARROWING, shown: shownOf(effect) }, now, viewer);
    assert.equal(describeBox(toBe, CUSTOMER), expected);
    assert.equal(describeBox(toBe, DEALER), "");
  });
}

Deno.test("a line shows what it would carry before the effect is known", () => {
  const toBe = drawToBe({ drawing: NARROWING, shown: undefined }, pictured(), viewer());
  assert.deepEqual([...toBe.lines], [[TO_CUSTOMER, { gained: [], lost: ["deviceManagement"] }]]);
  assert.equal(toBe.boxes.size, 0);
  assert.equal(toBe.relation, undefined);
});

Deno.test("deleted roles lose all, with the lines to and from them", () => {
  const drawing = { roleId: CUSTOMER, deletedId: TO_CUSTOMER };
  const shown = { ...shownOf({}), deletedNodeIds: [CUSTOMER, SITE] };
  const { boxes, lines } = drawToBe({ drawing, shown }, pictured(), viewer());
  assert.deepEqual([...boxes.keys()], [CUSTOMER, SITE]);
  assert.equal(boxes.get(SITE)?.fate, "deleted");
  assert.equal(boxes.get(SITE)?.lost.length, 6);
  assert.deepEqual([...lines].map(([id, { fate, lost }]) => [id, fate, lost.length]), [
    [TO_CUSTOMER, "deleted", 6],
    [TO_SITE, "deleted", 0],
  ]);
});

Deno.test("a moved role has its new line, to a role that is drawn in", () => {
  const other = roleOf(6);
  const put = { parentRoleId: other.id, childRoleId: CUSTOMER, rights: ALL, ends: [other, roleOf(CUSTOMER)] };
  const drawing = { roleId: CUSTOMER, put, deletedId: TO_CUSTOMER };
  const { roles, relation, lines } = drawToBe({ drawing, shown: undefined }, pictured(), viewer());
  assert.deepEqual(roles, [{ role: other, standing: ALL }]);
  assert.deepEqual(relation, { id: NEW_ID, parentRoleId: other.id, childRoleId: CUSTOMER, ...ALL });
  assert.equal(lines.get(TO_CUSTOMER)?.fate, "deleted");
  const ofSanne = drawToBe({ drawing, shown: undefined }, pictured({ email: SANNE }), viewer());
  assert.equal(ofSanne.roles[0]?.standing, undefined);
});

Deno.test("a relation between roles that are not drawn is not drawn in", () => {
  const put = { parentRoleId: 1, childRoleId: 2, rights: ALL, ends: [roleOf(1), roleOf(2)] };
  const { roles, relation } = drawToBe(
    { drawing: { roleId: 2, put }, shown: undefined },
    pictured(),
    viewer(),
  );
  assert.deepEqual([roles, relation], [[], undefined]);
});

Deno.test("a change of one person’s membership changes no other person’s boxes", () => {
  const shown = shownOf({ changes: [pair(DEALER)], named: [told(SANNE, CUSTOMER)] });
  const drawn = { drawing: { roleId: DEALER, email: SANNE }, shown };
  assert.equal(drawToBe(drawn, pictured(), viewer()).boxes.size, 0);
  assert.equal(describeBox(drawToBe(drawn, pictured({ email: SANNE }), viewer()), CUSTOMER), "−device");
  // Of one's own, whatever its rights were.
  const own = { drawing: { roleId: DEALER, email: VIEWER }, shown: shownOf({ changes: [pair(DEALER)] }) };
  assert.equal(describeBox(drawToBe(own, pictured(), viewer("viewManagement")), CUSTOMER), "−device");
});

Deno.test("a change of a role’s own rights stays on that role", () => {
  const drawing = { roleId: DEALER, isAlone: true };
  const { boxes } = drawToBe({ drawing, shown: shownOf({ truncated: true }) }, pictured(), viewer());
  assert.deepEqual([...boxes.keys()], [DEALER]);
});

Deno.test("a renamed role has its new name before the effect is known", () => {
  const drawing = { roleId: CUSTOMER, isAlone: true, name: "Client" };
  const { boxes } = drawToBe({ drawing, shown: undefined }, pictured(), viewer());
  assert.deepEqual([...boxes], [[CUSTOMER, { gained: [], lost: [], name: "Client" }]]);
  const { name } = roleOf(CUSTOMER);
  assert.equal(
    drawToBe({ drawing: { ...drawing, name }, shown: undefined }, pictured(), viewer()).boxes.size,
    0,
  );
});

Deno.test("a new role has what the relation and the membership above it carry", () => {
  const made = { ...roleOf(NEW_ID), userRights: NONE };
  const rights = { ...ALL, alarmManagement: false };
  const put = { parentRoleId: CUSTOMER, childRoleId: NEW_ID, rights, ends: [made] };
  const standingIn = (now: Pictured) =>
    drawToBe({ drawing: { roleId: NEW_ID, put }, shown: undefined }, now, {
      email: VIEWER,
      memberships: [membership(CUSTOMER, "deviceManagement")],
    }).roles[0]?.standing;
  const viewOnly = new Map([[CUSTOMER, only("viewManagement")]]);
  assert.deepEqual(standingIn(pictured()), rights);
  assert.deepEqual(standingIn(pictured({ standings: viewOnly })), only("viewManagement"));
  const memberOf = new Set([CUSTOMER]);
  assert.deepEqual(standingIn(pictured({ standings: viewOnly, memberOf })), {
    ...only("viewManagement"),
    deviceManagement: true,
  });
  assert.equal(standingIn(pictured({ email: SANNE, memberOf })), undefined);
  assert.equal(standingIn(pictured({ email: SANNE, standings: HAS_NONE })), "none");
});

function describeBox({ boxes }: PictureToBe, roleId: number): string {
  const { gained = [], lost = [], fate = "" } = boxes.get(roleId) ?? {};
  const short = (name: RightName): string => name.replace("Management", "");
  return [...lost.map((name) => `−${short(name)}`), ...gained.map((name) => `+${short(name)}`), fate]
    .filter((part) => part !== "").join(" ");
}

function only(right: RightName) {
  return { ...NONE, [right]: true };
}

function roleOf(id: number) {
  return { id, name: `Role ${id}`, selfRights: ALL, userRights: ALL };
}

function membership(roleId: number, right?: RightName) {
  return {
    id: roleId,
    roleId,
    userEmail: VIEWER,
    userId: 1,
    ...right !== undefined && { rights: only(right) },
  };
}

/** The viewer, who is a member of the dealer. */
function viewer(right?: RightName): Viewer {
  return { email: VIEWER, memberships: [membership(DEALER, right)] };
}

function pictured(changed: Partial<Pictured> = {}): Pictured {
  const relation = (id: number, parentRoleId: number, childRoleId: number) => ({
    id,
    parentRoleId,
    childRoleId,
    ...ALL,
  });
  return {
    email: undefined,
    roles: [DEALER, CUSTOMER, SITE].map(roleOf),
    relations: [relation(TO_CUSTOMER, DEALER, CUSTOMER), relation(TO_SITE, CUSTOMER, SITE)],
    standings: new Map([DEALER, CUSTOMER, SITE].map((id) => [id, ALL])),
    memberOf: new Set(),
    ...changed,
  };
}

function pair(actingRoleId: number): Effect["changes"][number] {
  return { actingRoleId, roleId: CUSTOMER, gained: [], lost: ["deviceManagement"] };
}

/** What the service tells of a person on a role. */
function told(userEmail: string, roleId: number, lost: RightName[] = ["deviceManagement"]): Named {
  const kept: RightName[] = lost.length === 0 ? ["deviceManagement"] : [];
  return {
    userEmail,
    on: [{ roleIds: [roleId], gained: [], lost, kept, through: [], hidden: false }],
    others: 0,
  };
}

/** An effect by which one person loses device management. */
function shownOf(effect: Partial<Effect>): NonNullable<Drawn["shown"]> {
  return {
    deletedNodeIds: [],
    effect: {
      tag: "",
      revision: 1,
      rights: forEachRight((name) => ({ gained: 0, lost: name === "deviceManagement" ? 1 : 0 })),
      people: { gained: 0, lost: 1 },
      named: [],
      keeps: [],
      unmanaged: [],
      hiddenUnmanaged: 0,
      deletes: { roles: 0, devices: 0 },
      reading: { roles: { gained: 0, lost: 0 }, people: { gained: 0, lost: 0 }, changes: [], hidden: 0 },
      changes: [],
      hidden: 0,
      truncated: false,
      ...effect,
    },
  };
}
