import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { spellingsElement, spellingsOf } from "../core/text.ts";
import { bind } from "../db/statement.ts";
import type { DeviceDeps } from "./deps.ts";
import { asIfMeeting, type StepUpLevel } from "../graph/rules/step_up_queries.ts";
import { FIND_GRANTS, type GrantKind } from "./grant_queries.ts";
import { FIND_NODE_IDS } from "./period_queries.ts";

/** Dependencies of finding grants. */
export type GrantDeps = Pick<DeviceDeps, "database" | "clock">;

/** Times in milliseconds, from the first up to, but not including, the second. Null: no bound. */
export interface Period {
  readonly from: number | null;
  readonly until: number | null;
}

/** The roles by which the actor may use a device in a period. They may have changed by the time of use. */
export interface Grant extends Period {
  readonly nodeId: string;
  readonly deviceId: number;
  /** A role that monitors the device in that period. */
  readonly roleId: number;
  /** Its relation, which has this period within its own. */
  readonly monitorsId: number;
  /** The role of which the actor is a direct member, and which has the rights on `roleId`. */
  readonly actingId: number;
  /** A role that monitors the device, at or below the requested role. Null if the call names none. */
  readonly meantId: number | null;
  /** Whether the relation need not be open, because a grant by the same role of the actor shows that they write the device now. */
  readonly isPast?: true;
}

export interface GrantQuery {
  readonly kind: GrantKind;
  readonly nodeIds: ReadonlySet<string>;
  /** The requested role. */
  readonly belowId?: number | undefined;
  /** As if the actor's session met this level; by default, as it does. */
  readonly level?: StepUpLevel;
}

/** An entry of `GrantsRow.held`. */
type HeldEntry = readonly [
  key: number,
  deviceId: number,
  roleId: number,
  acting: number | string,
  from: number | null,
  until: number | null,
  monitorsId: number,
];

export interface FoundGrants {
  /** By nodeId: one for each period of a device; for the past, one for each relation and role of the actor. */
  readonly grants: Map<string, Grant[]>;
  /** The revision of rights since which they have held. */
  readonly revision: number;
}

/**
 * Finds grants for the devices that the actor may use. Takes one round trip, and more if one statement cannot judge all
 * roles. Throws `TOKEN_INVALID`.
 */
export async function findGrants(
  { database, clock }: GrantDeps,
  { userId: actorId, sessionId }: Actor,
  { kind, nodeIds: named, belowId, level }: GrantQuery,
): Promise<FoundGrants> {
  const nodeIds = [...named];
  const args = {
    actorId,
    sessionId,
    nodeIds: JSON.stringify(nodeIds.map((nodeId) => spellingsElement(spellingsOf(nodeId)))),
    belowId: belowId ?? null,
  };
  const grants = new Map<string, Grant[]>();
  const find = level === undefined ? FIND_GRANTS[kind] : asIfMeeting(FIND_GRANTS[kind], level);
  let first: number | undefined;
  for (let afterKey = -1;;) {
    const statement = bind(find, { ...args, now: clock(), afterKey });
    const [row] = await database.read(statement);
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    first ??= row.revision;
    const meant = new Map(JSON.parse(row.meant) as [number, number][]);
    for (
      const [key, deviceId, roleId, acting, from, until, monitorsId] of JSON.parse(row.held) as HeldEntry[]
    ) {
      const meantId = belowId === undefined ? null : meant.get(key);
      const nodeId = nodeIds[key];
      if (nodeId === undefined || meantId === undefined) continue;
      const others = grants.get(nodeId);
      const found = actingIdsOf(acting).map((actingId) => (
        { nodeId, deviceId, roleId, monitorsId, actingId, meantId, from, until }
      ));
      if (others === undefined) grants.set(nodeId, found);
      else others.push(...found);
    }
    if (row.lastKey === null) return { grants, revision: first };
    afterKey = row.lastKey;
  }
}

/**
 * Returns the nodeIds that devices have: of each as it was sent, or else in its canonical form. Those of no device stay as
 * they are. Most have one spelling, and are not looked up.
 */
export async function storedNodeIds(
  { database }: Pick<GrantDeps, "database">,
  nodeIds: readonly string[],
): Promise<string[]> {
  const several = [...new Set(nodeIds)].map(spellingsOf).filter(({ length }) => length > 1);
  if (several.length === 0) return [...nodeIds];
  const found = await database.read(bind(FIND_NODE_IDS, { requested: JSON.stringify(several) }));
  const stored = new Map(found.map(({ place, nodeId }) => [several[place]?.[0], nodeId]));
  return nodeIds.map((nodeId) => stored.get(nodeId) ?? nodeId);
}

function actingIdsOf(acting: HeldEntry[3]): number[] {
  return typeof acting === "number" ? [acting] : JSON.parse(acting) as number[];
}

/** Returns the grants as the parameter `:grants`. */
export function toGrantsJson(grants: readonly Grant[]): string {
  return JSON.stringify(
    grants.map(({ roleId, actingId, meantId, deviceId, from, until, monitorsId, isPast }) => {
      const entry = [roleId, actingId, meantId, deviceId, from, until, monitorsId];
      return isPast === true ? [...entry, 1] : entry;
    }),
  );
}
