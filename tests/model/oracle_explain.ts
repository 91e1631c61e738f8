import { isLive, membershipsOf, type ModelMember, type ModelRelation, type World } from "./oracle_rights.ts";

/** Why a user has a right on a role, or lacks it. */

/** A membership and the relations from its role down to another one. */
export interface Way {
  readonly member: ModelMember;
  readonly relations: readonly ModelRelation[];
}

/** All ways from a principal to a role, by walking every path. Exponential, so for small worlds. */
export function waysTo(world: World, userId: number, roleId: number): Way[] {
  const pathsFrom = (fromId: number): ModelRelation[][] => {
    const found: ModelRelation[][] = fromId === roleId ? [[]] : [];
    for (const relation of world.relations.values()) {
      if (relation.parentId !== fromId) continue;
      for (const rest of pathsFrom(relation.childId)) found.push([relation, ...rest]);
    }
    return found;
  };
  if (!world.roles.has(roleId)) return [];
  return membershipsOf(world, userId).flatMap((member) =>
    pathsFrom(member.roleId).map((relations) => ({ member, relations }))
  );
}

/** Something that may be widened by a right: a relation, the role's own rights, or a membership. */
export type Widening = `managesId ${number}` | `roleId ${number}` | `memberId ${number}`;

/** What of a way does not carry the right. */
export function lossesOf(world: World, { member, relations }: Way, right: number): Widening[] {
  const losses: Widening[] = relations.filter(({ rights }) => (rights & right) === 0)
    .map(({ id }) => `managesId ${id}` as const);
  const selfRights = world.roles.get(member.roleId)?.selfRights ?? 0;
  if (relations.length === 0 && (selfRights & right) === 0) losses.push(`roleId ${member.roleId}`);
  if ((member.rights & right) === 0) losses.push(`memberId ${member.id}`);
  return losses;
}

/** The same world with these things widened by a right. */
export function widened(world: World, widenings: readonly Widening[], right: number): World {
  const relations = new Map(world.relations);
  const roles = new Map(world.roles);
  const members = new Map(world.members);
  for (const widening of widenings) {
    const [kind, text] = widening.split(" ");
    const id = Number(text);
    const [relation, role, member] = [relations.get(id), roles.get(id), members.get(id)];
    if (kind === "managesId" && relation) relations.set(id, { ...relation, rights: relation.rights | right });
    if (kind === "roleId" && role) roles.set(id, { ...role, selfRights: role.selfRights | right });
    if (kind === "memberId" && member) members.set(id, { ...member, rights: member.rights | right });
  }
  return { ...world, relations, roles, members };
}

/** Everything that lacks the right and could matter to a principal. */
export function allWidenings(world: World, userId: number, right: number): Widening[] {
  return [
    ...[...world.relations.values()].filter(({ rights }) => (rights & right) === 0)
      .map(({ id }) => `managesId ${id}` as const),
    ...[...world.roles.values()].filter(({ selfRights }) => (selfRights & right) === 0)
      .map(({ id }) => `roleId ${id}` as const),
    ...[...world.members.values()]
      .filter((member) => member.userId === userId && isLive(world, member) && (member.rights & right) === 0)
      .map(({ id }) => `memberId ${id}` as const),
  ];
}

/** All choices of `size` of these. */
export function* choicesOf<T>(items: readonly T[], size: number, from = 0): Generator<T[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let i = from; i <= items.length - size; i++) {
    for (const rest of choicesOf(items, size - 1, i + 1)) yield [items[i] as T, ...rest];
  }
}
