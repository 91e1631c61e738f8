import fc from "fast-check";
import { actor, commands, pick, pickPrincipal, rarely, type Ref, ref } from "./graph_refs.ts";
import type { MemberOperation } from "./oracle_members.ts";
import type { World } from "./oracle_rights.ts";

/** Random operations on members and keys over symbolic references, as `graph_operations.ts` has them for roles. */
export type MemberCommand =
  | {
    kind: "addMember";
    actor: Ref;
    role: Ref;
    subject: Ref;
    /** Only among those who have a membership, which may have ended. */
    known: boolean;
    /** Seconds from then. */
    until: number | null | undefined;
    rights: number | null | undefined;
  }
  | {
    kind: "removeMember";
    actor: Ref;
    member: Ref;
    misplaced: boolean;
    own: boolean;
    /** Only among the memberships of users who have set a password. */
    ofSetter: boolean;
  }
  | { kind: "deleteAccount"; actor: Ref }
  | {
    kind: "createKey";
    actor: Ref;
    role: Ref;
    rights: number | undefined;
    /** Seconds from then. */
    expires: number | undefined;
    asks: boolean;
    provisions: boolean;
  }
  | { kind: "adoptKey"; actor: Ref; key: Ref }
  | { kind: "deleteKey"; actor: Ref; key: Ref; misplaced: boolean };

const MAX_KEYS = 6;

/** Longer than the steps in which time passes, so that an end lies some commands ahead. */
const seconds = fc.integer({ min: 1, max: 30 });

function optional<T>(weight: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight, arbitrary: value });
}

/** Adds members, or changes what their memberships carry, and makes keys. */
export const growingMemberCommands = (
  actor: fc.Arbitrary<Ref>,
  rights: fc.Arbitrary<number>,
): fc.WeightedArbitrary<MemberCommand>[] => [
  commands(5, "addMember", {
    actor,
    role: ref,
    subject: ref,
    known: fc.constant(false),
    until: optional(1, seconds),
    rights: optional(2, rights),
  }),
  commands(2, "createKey", {
    actor,
    role: ref,
    rights: optional(2, rights),
    expires: optional(2, seconds),
    asks: fc.boolean(),
    provisions: fc.boolean(),
  }),
];

/** Changes memberships, or takes them and keys away. */
export const changingMemberCommands = (
  rights: fc.Arbitrary<number>,
): fc.WeightedArbitrary<MemberCommand>[] => [
  commands(4, "addMember", {
    actor,
    role: ref,
    subject: ref,
    known: fc.constant(true),
    until: optional<number | null>(3, fc.option(seconds)),
    rights: optional<number | null>(3, fc.option(rights)),
  }),
  commands(5, "removeMember", {
    actor,
    member: ref,
    misplaced: rarely,
    own: fc.boolean(),
    ofSetter: fc.boolean(),
  }),
  commands(2, "adoptKey", { actor, key: ref }),
  commands(1, "deleteKey", { actor, key: ref, misplaced: rarely }),
];

/** Resolves a command to a request in this world; undefined if there are enough keys. */
export function resolveMember(world: World, command: MemberCommand): MemberOperation | undefined {
  const userId = pickPrincipal(world, command.actor);
  const { now } = world;
  switch (command.kind) {
    case "addMember": {
      const { kind, role, subject, known, until, rights } = command;
      const people = [...world.members].filter(([, member]) => member.userId > 0);
      const member = known ? world.members.get(pick(new Map(people), subject)) : undefined;
      return {
        kind,
        userId,
        roleId: member?.roleId ?? pick(world.roles, role),
        subjectId: member?.userId ?? pick(world.users, Math.max(0, subject)),
        ...(until === undefined ? {} : { until: timeAfter(now, until) }),
        ...(rights === undefined ? {} : { rights }),
      };
    }
    case "removeMember": {
      const memberId = pick(command.ofSetter ? membersWhoSet(world) : world.members, command.member);
      const member = world.members.get(memberId);
      const roleId = command.misplaced || member === undefined ? pick(world.roles, memberId) : member.roleId;
      const actorId = command.own && member !== undefined ? member.userId : userId;
      return { kind: command.kind, userId: actorId, roleId, memberId };
    }
    case "deleteAccount":
      return { kind: command.kind, userId: pick(world.users, command.actor) };
    case "createKey": {
      if (world.keys.size >= MAX_KEYS) return undefined;
      const { kind, role, rights, expires, asks, provisions } = command;
      return {
        kind,
        userId,
        roleId: pick(world.roles, role),
        name: `key ${world.keys.size}`,
        asks,
        provisions,
        ...(rights === undefined ? {} : { rights }),
        ...(expires === undefined ? {} : { expiresAt: now + expires * 1000 }),
      };
    }
    case "adoptKey": {
      const keyId = pick(world.keys, command.key);
      return { kind: command.kind, userId, roleId: world.keys.get(keyId)?.roleId ?? 0, keyId };
    }
    case "deleteKey": {
      const keyId = pick(world.keys, command.key);
      const place = command.misplaced ? undefined : world.keys.get(keyId);
      return { kind: command.kind, userId, roleId: place?.roleId ?? pick(world.roles, keyId), keyId };
    }
  }
}

/** Unix time in milliseconds this many seconds after `now`; null stays null. */
function timeAfter(now: number, seconds: number | null): number | null {
  return seconds === null ? null : now + seconds * 1000;
}

/** The memberships that the rules never keep. */
export function membersBelowRoots({ roles, members }: World): World["members"] {
  return new Map([...members].filter(([, { roleId }]) => !roles.get(roleId)?.isRoot));
}

/** Those of them whose users have set the password of a role. */
function membersWhoSet(world: World): World["members"] {
  const setters = new Set([...world.roles.values()].map(({ password }) => password?.setBy));
  return new Map([...membersBelowRoots(world)].filter(([, { userId }]) => setters.has(userId)));
}
