import fc from "fast-check";
import {
  changingDeviceCommands,
  type DeviceCommand,
  growingDeviceCommands,
  resolveDevice,
} from "./device_operations.ts";
import { actor, often, pick, rarely, type Ref, ref } from "./graph_refs.ts";
import { type Operation, passwordRights } from "./oracle.ts";
import { UNKNOWN_ID } from "./oracle_answers.ts";
import { ALL_RIGHTS, ROLE_MANAGEMENT, type World } from "./oracle_rights.ts";

/**
 * Random operations over symbolic references, such as "the k-th existing role", which are resolved only when the
 * operation's turn comes. So a shorter sequence still means something, and a counterexample can shrink.
 */

export type SimpleCommand = GraphCommand | DeviceCommand;

type GraphCommand =
  | { kind: "createRole"; actor: Ref; parent: Ref; rights: number; selfRights: number }
  | {
    kind: "putRelation";
    actor: Ref;
    parent: Ref;
    child: Ref;
    downward: boolean;
    rights: number;
    /** Whether the child's password is sent. `right within`: only with rights that the password gives. */
    password: "none" | "right" | "right within" | "wrong";
  }
  | { kind: "setPassword"; actor: Ref; role: Ref; own: boolean; remove: boolean; rights: number | null }
  | {
    kind: "putRelationById";
    actor: Ref;
    relation: Ref;
    misplaced: boolean;
    narrow: boolean;
    rights: number;
  }
  | { kind: "deleteRelation"; actor: Ref; relation: Ref; misplaced: boolean; dryRun: boolean }
  | { kind: "updateRole"; actor: Ref; role: Ref; selfRights: number }
  | { kind: "addMember"; actor: Ref; role: Ref; subject: Ref }
  | {
    kind: "removeMember";
    actor: Ref;
    member: Ref;
    misplaced: boolean;
    own: boolean;
    /** Only among the memberships of users who have set a password. */
    ofSetter: boolean;
  }
  | { kind: "deleteAccount"; actor: Ref };

/** `twice` sends the resolved request again; `together` sends two requests at once. */
export type Command =
  | { kind: "once" | "twice"; command: SimpleCommand }
  | { kind: "together"; commands: [SimpleCommand, SimpleCommand] };

/** The world before the first command. The second root may be below the first one. */
export interface Setup {
  readonly roots: number;
  readonly otherUsers: number;
  readonly secondRootBelowFirst: number | null;
}

export interface Scenario {
  readonly setup: Setup;
  readonly commands: readonly Command[];
}

const MAX_ROLES = 14;
const MAX_GROWTH = 28;
const MAX_MIXTURE = 44;

/** Rights of a relation or role: mostly with roleManagement, since nothing grows without it. */
const rights: fc.Arbitrary<number> = fc.oneof(
  { weight: 5, arbitrary: fc.nat({ max: 31 }).map((others) => others << 1 | ROLE_MANAGEMENT) },
  { weight: 3, arbitrary: fc.constant(ALL_RIGHTS) },
  { weight: 2, arbitrary: fc.nat({ max: ALL_RIGHTS }) },
);

/**
 * Rights of a further relation into a role: half of them without roleManagement, so that some roles depend on one
 * manager.
 */
const furtherRights: fc.Arbitrary<number> = fc.oneof(
  rights,
  fc.nat({ max: ALL_RIGHTS >> 1 }).map((n) => n << 1),
);

const password = fc.oneof(
  { weight: 5, arbitrary: fc.constant("none" as const) },
  { weight: 4, arbitrary: fc.constant("right within" as const) },
  { weight: 1, arbitrary: fc.constant("right" as const) },
  { weight: 1, arbitrary: fc.constant("wrong" as const) },
);

/** Commands that enlarge the graph. */
const growingCommands = (
  actor: fc.Arbitrary<Ref>,
  downward: fc.Arbitrary<boolean>,
  password: fc.Arbitrary<"none" | "right" | "right within" | "wrong">,
): fc.WeightedArbitrary<SimpleCommand>[] => [
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("createRole" as const),
      actor,
      parent: ref,
      rights,
      selfRights: rights,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("putRelation" as const),
      actor,
      parent: ref,
      child: ref,
      downward,
      rights: furtherRights,
      password,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("addMember" as const), actor, role: ref, subject: ref }),
  },
  ...growingDeviceCommands(actor),
];

/** Commands that change or shrink the graph. */
const changingCommands: fc.WeightedArbitrary<SimpleCommand>[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("putRelationById" as const),
      actor,
      relation: ref,
      misplaced: rarely,
      narrow: fc.boolean(),
      rights,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("deleteRelation" as const),
      actor,
      relation: ref,
      misplaced: rarely,
      dryRun: often,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("updateRole" as const), actor, role: ref, selfRights: rights }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("setPassword" as const),
      actor,
      role: ref,
      own: fc.boolean(),
      remove: rarely,
      rights: fc.option(rights, { nil: null }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("removeMember" as const),
      actor,
      member: ref,
      misplaced: rarely,
      own: fc.boolean(),
      ofSetter: fc.boolean(),
    }),
  },
  ...changingDeviceCommands,
];

const simpleCommand = fc.oneof(...growingCommands(actor, often, password), ...changingCommands);

/** Commands before the mixture, from the first root's member: mostly successful, so that there is a graph to act on. */
const growth: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant("once" as const),
  command: fc.oneof(...growingCommands(fc.constant(0), fc.constant(true), fc.constant("none" as const))),
});

/** Never beside another request: adding somebody who has just left would create an account. */
const deleteAccount = fc.record({ kind: fc.constant("deleteAccount" as const), actor: fc.nat({ max: 83 }) });

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("once" as const), command: deleteAccount }) },
  { weight: 24, arbitrary: fc.record({ kind: fc.constant("once" as const), command: simpleCommand }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("twice" as const), command: simpleCommand }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("together" as const),
      commands: fc.tuple(simpleCommand, simpleCommand),
    }),
  },
);

/** A small world and the commands in it. */
export const scenario: fc.Arbitrary<Scenario> = fc.record({
  setup: fc.record({
    roots: fc.integer({ min: 1, max: 2 }),
    otherUsers: fc.integer({ min: 2, max: 3 }),
    secondRootBelowFirst: fc.option(rights),
  }),
  growth: fc.array(growth, { maxLength: MAX_GROWTH, size: "max" }),
  mixture: fc.array(command, { maxLength: MAX_MIXTURE, size: "max" }),
}).map(({ setup, growth, mixture }) => ({ setup, commands: [...growth, ...mixture] }));

/** Resolves a command to a request in this world; undefined if nothing of its kind exists, or enough does. */
export function resolve(world: World, command: SimpleCommand): Operation | undefined {
  const userId = pick(world.users, command.actor);
  switch (command.kind) {
    case "createRole": {
      if (world.roles.size >= MAX_ROLES) return undefined;
      const { kind, rights, selfRights } = command;
      const name = `role ${world.roles.size}`;
      return { kind, userId, parentId: pick(world.roles, command.parent), rights, name, selfRights };
    }
    case "putRelation": {
      const children = command.password === "none" ? world.roles : rolesToOpen(world, command.child);
      const [first, second] = [pick(world.roles, command.parent), pick(children, command.child)];
      // Older roles tend to be above newer ones: in this order, fewer relations close a cycle.
      const [parentId, childId] = command.downward && first > second ? [second, first] : [first, second];
      const { kind } = command;
      if (command.password === "none") return { kind, userId, parentId, childId, rights: command.rights };
      const expected = world.roles.get(childId)?.password;
      const password = command.password === "wrong"
        ? "a wrong password"
        : expected?.text ?? "no password at all";
      const rights = command.password === "right within"
        ? command.rights & (passwordRights(world, childId) ?? ALL_RIGHTS)
        : command.rights;
      return { kind, userId, parentId, childId, rights, password };
    }
    case "setPassword": {
      const { kind, role, own, remove } = command;
      const ownIds = [...world.members.values()].filter((member) => member.userId === userId);
      const roleId = own && role >= 0 && ownIds.length > 0
        ? ownIds[role % ownIds.length]?.roleId ?? UNKNOWN_ID
        : pick(world.roles, role);
      const password = remove ? null : `the password of ${roleId} ${role}`;
      return {
        kind,
        userId,
        roleId,
        password,
        ...(command.rights === null ? {} : { rights: command.rights }),
      };
    }
    case "putRelationById": {
      const place = placeOf(world, command.relation, command.misplaced);
      const old = world.relations.get(place.relationId)?.rights ?? 0;
      const rights = command.narrow ? old & command.rights : command.rights;
      return { kind: command.kind, userId, ...place, rights };
    }
    case "deleteRelation": {
      const place = placeOf(world, command.relation, command.misplaced);
      return { kind: command.kind, userId, ...place, dryRun: command.dryRun };
    }
    case "updateRole": {
      const { kind, role, selfRights } = command;
      return { kind, userId, roleId: pick(world.roles, role), name: `self ${selfRights}`, selfRights };
    }
    case "addMember": {
      const subjectId = pick(world.users, Math.max(0, command.subject));
      return { kind: command.kind, userId, roleId: pick(world.roles, command.role), subjectId };
    }
    case "removeMember": {
      const memberId = pick(command.ofSetter ? membersWhoSet(world) : world.members, command.member);
      const member = world.members.get(memberId);
      const roleId = command.misplaced || member === undefined ? pick(world.roles, memberId) : member.roleId;
      const actorId = command.own && member !== undefined ? member.userId : userId;
      return { kind: command.kind, userId: actorId, roleId, memberId };
    }
    case "deleteAccount":
      return { kind: command.kind, userId };
    default:
      return resolveDevice(world, command);
  }
}

/** Half of the passwords are tried on roles that have one, void ones before others. */
function rolesToOpen(world: World, child: Ref): World["roles"] {
  const opened = [...world.roles].filter(([, { password }]) => password !== null);
  const isVoid = opened.filter(([id]) => passwordRights(world, id) === undefined);
  const roles = isVoid.length > 0 ? isVoid : opened;
  return child % 2 === 0 && roles.length > 0 ? new Map(roles) : world.roles;
}

/** The memberships of users who have set the password of a role. */
function membersWhoSet({ roles, members }: World): World["members"] {
  const setters = new Set([...roles.values()].map(({ password }) => password?.setBy));
  return new Map([...members].filter(([, { userId }]) => setters.has(userId)));
}

/** A relation's id and its parent's; if `misplaced`, the id of some role in place of the parent's. */
function placeOf(
  world: World,
  relation: Ref,
  misplaced: boolean,
): { parentId: number; relationId: number } {
  const relationId = pick(world.relations, relation);
  const parentId = world.relations.get(relationId)?.parentId;
  if (misplaced || parentId === undefined) return { parentId: pick(world.roles, relationId), relationId };
  return { parentId, relationId };
}
