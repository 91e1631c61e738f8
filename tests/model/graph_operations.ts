import fc from "fast-check";
import {
  changingDeviceCommands,
  type DeviceCommand,
  growingDeviceCommands,
  resolveDevice,
} from "./device_operations.ts";
import { actor, chosen, commands, often, pick, pickPrincipal, rarely, type Ref, ref } from "./graph_refs.ts";
import {
  changingMemberCommands,
  growingMemberCommands,
  type MemberCommand,
  membersBelowRoots,
  resolveMember,
} from "./member_operations.ts";
import { type Operation, passwordRights } from "./oracle.ts";
import { ALL_RIGHTS, ROLE_MANAGEMENT, type World } from "./oracle_rights.ts";

/**
 * Random operations over symbolic references, such as "the k-th existing role", which are resolved only when the
 * operation's turn comes. So a shorter sequence still means something, and a counterexample can shrink.
 */

export type SimpleCommand = GraphCommand | MemberCommand | DeviceCommand;

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
    /** Whether it replaces another relation into the child, or any one. Not with a password. */
    replaces: "none" | "of the child" | "any";
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
  | { kind: "deleteRelation"; actor: Ref; relation: Ref; misplaced: boolean; dryRun: boolean; keeps: boolean }
  | { kind: "updateRole"; actor: Ref; role: Ref; selfRights: number };

/** `twice` sends the resolved request again; `together` sends two requests at once; `wait` lets time pass. */
export type Command =
  | { kind: "wait"; seconds: number }
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
const MAX_PAIRS = 20;
const DEVICE_KINDS = ["createDevice", "updateDevice", "attachDevice", "detachDevice", "transferDevice"];

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

const replaces = chosen([8, "none"], [3, "of the child"], [1, "any"]);
const password = chosen([5, "none"], [4, "right within"], [1, "right"], [1, "wrong"]);

/** Commands that enlarge the graph. */
const growingCommands = (
  actor: fc.Arbitrary<Ref>,
  downward: fc.Arbitrary<boolean>,
  password: fc.Arbitrary<"none" | "right" | "right within" | "wrong">,
): fc.WeightedArbitrary<SimpleCommand>[] => [
  commands(8, "createRole", { actor, parent: ref, rights, selfRights: rights }),
  commands(8, "putRelation", {
    actor,
    parent: ref,
    child: ref,
    downward,
    rights: furtherRights,
    password,
    replaces,
  }),
  ...growingMemberCommands(actor, rights),
  ...growingDeviceCommands(actor),
];

/** Commands that change or shrink the graph. */
const changingCommands: fc.WeightedArbitrary<SimpleCommand>[] = [
  commands(6, "putRelationById", { actor, relation: ref, misplaced: rarely, narrow: fc.boolean(), rights }),
  commands(5, "deleteRelation", { actor, relation: ref, misplaced: rarely, dryRun: often, keeps: rarely }),
  commands(3, "updateRole", { actor, role: ref, selfRights: rights }),
  commands(8, "setPassword", {
    actor,
    role: ref,
    own: fc.boolean(),
    remove: rarely,
    rights: fc.option(rights, { nil: null }),
  }),
  ...changingMemberCommands(rights),
  ...changingDeviceCommands,
];

const simpleCommand = fc.oneof(...growingCommands(actor, often, password), ...changingCommands);

/** Commands before the mixture, from the first root's member: mostly successful, so that there is a graph to act on. */
const growth: fc.Arbitrary<Command> = commands(1, "once", {
  command: fc.oneof(...growingCommands(fc.constant(0), fc.constant(true), fc.constant("none"))),
}).arbitrary;

/** Never beside another request: adding a user who has just been deleted would create an account. */
const deleteAccount = commands(1, "deleteAccount", { actor: fc.nat({ max: 83 }) }).arbitrary;

const command: fc.Arbitrary<Command> = fc.oneof(
  commands(3, "wait", { seconds: fc.integer({ min: 1, max: 9 }) }),
  commands(1, "once", { command: deleteAccount }),
  commands(24, "once", { command: simpleCommand }),
  commands(6, "twice", { command: simpleCommand }),
  commands(4, "together", { commands: fc.tuple(simpleCommand, simpleCommand) }),
);

/** A small world, and commands in it after those that make it grow. */
function scenarioOf(mixture: fc.Arbitrary<Command[]>): fc.Arbitrary<Scenario> {
  return fc.record({
    setup: fc.record({
      roots: fc.integer({ min: 1, max: 2 }),
      otherUsers: fc.integer({ min: 2, max: 3 }),
      secondRootBelowFirst: fc.option(rights),
    }),
    growth: fc.array(growth, { maxLength: MAX_GROWTH, size: "max" }),
    mixture,
  }).map(({ setup, growth, mixture }) => ({ setup, commands: [...growth, ...mixture] }));
}

/** A small world and the commands in it. */
export const scenario: fc.Arbitrary<Scenario> = scenarioOf(
  fc.array(command, { maxLength: MAX_MIXTURE, size: "max" }),
);

/** Mostly successful changes of who has what rights. */
const effectiveCommand = fc.tuple(simpleCommand, often)
  .filter(([{ kind }]) => !["createRole", "setPassword", "adoptKey", ...DEVICE_KINDS].includes(kind))
  .map(([command, isByFirst]): SimpleCommand => isByFirst ? { ...command, actor: 0 } : command);

/** A small world, and pairs of changes that may concern each other. */
export const pairScenario: fc.Arbitrary<Scenario> = scenarioOf(
  fc.array(
    commands(1, "together", { commands: fc.tuple(effectiveCommand, effectiveCommand) }).arbitrary,
    { maxLength: MAX_PAIRS, size: "max" },
  ),
);

/** Resolves a command to a request in this world; undefined if nothing of its kind exists, or enough does. */
export function resolve(world: World, command: SimpleCommand): Operation | undefined {
  const userId = pickPrincipal(world, command.actor);
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
      const move = command.replaces === "none" ? {} : {
        replaces: pick(
          new Map(
            [...world.relations].filter(([, other]) =>
              command.replaces === "any" || other.childId === childId
            ),
          ),
          command.child + 1,
        ),
      };
      if (command.password === "none") {
        return { kind, userId, parentId, childId, rights: command.rights, ...move };
      }
      const expected = world.roles.get(childId)?.password;
      const password = command.password === "wrong"
        ? "a wrong password"
        : expected?.text ?? "no password at all";
      const rights = command.password === "right within"
        ? command.rights & (passwordRights(world, childId)[0] ?? ALL_RIGHTS)
        : command.rights;
      return { kind, userId, parentId, childId, rights, password };
    }
    case "setPassword": {
      const { kind, role, own, remove } = command;
      const member = own ? world.members.get(pick(membersBelowRoots(world), role)) : undefined;
      const roleId = member?.roleId ?? pick(world.roles, role);
      const password = remove ? null : `the password of ${roleId} ${role}`;
      return {
        kind,
        userId: member?.userId ?? userId,
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
      return { kind: command.kind, userId, ...place, dryRun: command.dryRun, keeps: command.keeps };
    }
    case "updateRole": {
      const { kind, role, selfRights } = command;
      return { kind, userId, roleId: pick(world.roles, role), name: `self ${selfRights}`, selfRights };
    }
    case "addMember":
    case "removeMember":
    case "deleteAccount":
    case "createKey":
    case "adoptKey":
    case "deleteKey":
      return resolveMember(world, command);
    default:
      return resolveDevice(world, command);
  }
}

/** Two of three passwords are tried on roles that have one, void ones before others. */
function rolesToOpen(world: World, child: Ref): World["roles"] {
  const opened = [...world.roles].filter(([, { password }]) => password !== null);
  const isVoid = opened.filter(([id]) => passwordRights(world, id).length === 0);
  const roles = isVoid.length > 0 ? isVoid : opened;
  return child % 3 !== 0 && roles.length > 0 ? new Map(roles) : world.roles;
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
