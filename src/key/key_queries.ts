import { HOUR_MS } from "../core/clock.ts";
import { isAhead } from "../db/ahead.ts";
import { REVISION_COLUMN } from "../db/revisions.ts";
import { userAccount } from "../db/schema/identity.ts";
import { changeLog, manages, member, role, roleKey } from "../db/schema/role.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  join,
  nullable,
  placeholdersOf,
  quoted,
  raw,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { ROLE_KEY_PREFIX } from "../identity/token/role_key.ts";
import { ADMINISTRATOR, type Authority } from "../changes/authority_queries.ts";
import { CHAIN_OF_KEY } from "../changes/chain_queries.ts";
import {
  GIVEN,
  nextId,
  type Previewable,
  previewable,
  recordChange,
  TAKE_RELATION_ID,
} from "../changes/change_queries.ts";
import { chargeChange, type ChargedChange, COUNT_TO_ACTED } from "../changes/charge_queries.ts";
import { SEEN_VIA, seenVia, seesWhoActed } from "../graph/rules/giver_queries.ts";
import {
  actorAndMakerMeet,
  firstAuthorizingRole,
  isOneVisible,
  someAuthorizingRole,
  someRoleOfUserAbove,
} from "../graph/rules/guard_queries.ts";
import {
  type Acting,
  byPowerToGive,
  managesMembersOf,
  mayGive,
  mayGiveUntil,
  reaches,
  unionOfMasks,
} from "../graph/rules/rule_queries.ts";
import { mailMaker } from "../role/made_notice_queries.ts";
import { PAGE, whileSessionLives } from "../graph/paging/page_queries.ts";
import { COST_OF_MEMBERSHIP } from "../changes/preview/effect_queries.ts";
import {
  ACTOR_IS_USER,
  LACKS_LASTING_PROOF,
  memberIsAwake,
  memberLives,
  ONE_ROW,
  PRINCIPAL,
  PRINCIPAL_LIVES,
} from "../graph/rules/principal_queries.ts";
import { ALL_RIGHTS } from "../graph/rights.ts";
import { insertMemberships } from "../changes/insertion_queries.ts";
import { type Run, whenStep } from "../graph/step_queries.ts";

/**
 * Keys of roles. A key is a row of `member`, whose user is the key's principal id, so every rule holds for it as for a
 * user; and a row of `role_key` with the same id.
 */

/** At most this many keys of a role are live at a time. */
export const LIVE_KEYS_PER_ROLE = 100;

const CREATE = {
  roleId: int,
  name: text,
  rights: nullable(int),
  asks: int,
  provisions: int,
  expiresAt: nullable(int),
  defaultExpiresAt: int,
};
const DELETE = { roleId: int, keyId: int };
const args = placeholdersOf({ ...CREATE, ...DELETE });
const { opId, actorId, now } = placeholdersOf({ ...PRINCIPAL, opId: text });
/** The maker's proof. A preview needs none. */
const PROOF = { isPreview: int, sudoVersion: nullable(int) };
const { isPreview } = placeholdersOf(PROOF);

function managesMembers(acting: Acting): SQL {
  return managesMembersOf(acting, args.roleId);
}

/**
 * Selects rights and end of the actor's membership within which the key is made: it authorizes making keys, and covers
 * the requested rights and end. No row without one. A key makes no keys.
 */
function withinMembership(): SQL {
  const acting = row(member, "acting");
  const givesRights = mayGive(acting, sql`coalesce(${args.rights}, 0)`);
  const givesUntil = mayGiveUntil(acting, 0, args.expiresAt);
  return sql`SELECT ${acting.rights} AS rights, ${acting.endsAt} AS ends_at,
    min(${acting.roleId}) OVER () AS oldest_role_id FROM ${acting}
  WHERE ${acting.userId} = ${actorId} AND ${memberIsAwake(acting)} AND ${ACTOR_IS_USER}
    AND (${managesMembers(acting)})
    AND ${givesRights} AND (${args.expiresAt} IS NULL OR ${givesUntil})
  ORDER BY ${byPowerToGive(acting)} LIMIT 1`;
}

/** An administrator may give all rights without end, to a role that exists. */
const WITHOUT_BOUND = sql`SELECT ${ALL_RIGHTS} AS rights, NULL AS ends_at, NULL AS oldest_role_id FROM ${role}
  WHERE ${role.id} = ${args.roleId}`;

function countLiveKeys(): SQL {
  const { counted, living } = rowsOf({ counted: roleKey, living: member });
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${counted}
    CROSS JOIN ${living} ON ${living.id} = ${counted.id} AND ${memberLives(living)}
    WHERE ${counted.roleId} = ${args.roleId} LIMIT ${LIVE_KEYS_PER_ROLE}))`;
}

/** Conditions on a key's maker (a live session, missing proof), and the membership that bounds the key. */
interface Maker {
  readonly lives: SQL;
  readonly lacksProof: SQL;
  readonly bound: SQL;
  /** The arguments of these. */
  readonly declared: Declared;
  /** Absent for an administrator's task. */
  readonly charged?: ChargedChange | undefined;
}

function decideCreate({ lives, lacksProof, bound, declared, charged }: Maker, run: Run): Statement {
  const { name, asks, provisions, defaultExpiresAt: until } = args;
  const flag = (value: Value): SQL => sql`json(iif(${value}, 'true', 'false'))`;
  const id = nextId("relation", run);
  return recordChange({ ...CREATE, ...declared }, {
    kind: sql`'key.create'`,
    charged,
    ctes: sql`bound AS MATERIALIZED (${bound})`,
    ruled: sql`SELECT CASE
        WHEN ${lacksProof} THEN 'proof_required'
        WHEN bound.rights IS NULL THEN 'denied'
        WHEN ${countLiveKeys()} >= ${LIVE_KEYS_PER_ROLE} THEN 'too_many_keys'
        ELSE 'ok' END AS ruling, oldest_role_id,
      coalesce(${args.rights}, bound.rights) AS rights,
      coalesce(${args.expiresAt}, min(${until}, coalesce(bound.ends_at, ${until}))) AS ends_at
      FROM ${ONE_ROW} LEFT JOIN bound ON true WHERE ${lives}`,
    via: sql`oldest_role_id`,
    values: {
      roleId: args.roleId,
      relationId: sql`CASE decision WHEN 'ok' THEN ${id} END`,
      subjectId: sql`CASE decision WHEN 'ok' THEN -${id} END`,
      newRights: sql`rights`,
      ...(run === "preview" && { cost: COST_OF_MEMBERSHIP }),
      details: sql`json_object('name', ${name}, 'asks', ${flag(asks)}, 'provisions', ${flag(provisions)},
        'endsAt', ends_at)`,
    },
  }, run);
}

export interface KeyRow {
  readonly id: number;
  readonly roleId: number;
  readonly name: string;
  readonly prefix: string;
  readonly rights: number;
  readonly asks: number;
  readonly provisions: number;
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly createdBy: string | null;
  readonly lastUsedAt: number | null;
  /** A mask; in a list of a role's keys. */
  readonly ineffective?: number;
}

const { owned, given, maker } = rowsOf({ owned: roleKey, given: member, maker: userAccount });
/** The columns of a `KeyRow`. */
const COLUMNS = {
  id: owned.id,
  roleId: owned.roleId,
  name: owned.name,
  prefix: owned.prefix,
  rights: given.rights,
  asks: owned.asks,
  provisions: owned.provisions,
  expiresAt: given.endsAt,
  createdAt: owned.createdAt,
  createdBy: maker.email,
  lastUsedAt: owned.lastUsedAt,
};
// The names are those above.
const VALUES = join(Object.entries(COLUMNS).map(([name, value]) => sql`${value} AS ${raw(name)}`));
const KEY_JOINS = sql`LEFT JOIN ${given} ON ${given.id} = ${owned.id}
    LEFT JOIN ${maker} ON ${maker.id} = ${owned.createdBy}`;

/** Parts of statements that select a `KeyRow`: the key, its membership, the columns of both, and the joins. */
export const KEY = { owned, given, values: VALUES, joins: KEY_JOINS };

const INSERT_MEMBER = define({ opId: text }, () => {
  const { relationId: id, roleId, subjectId: userId, newRights: rights, details } = changeLog;
  const endsAt = sql`${details} ->> 'endsAt'`;
  return insertMemberships(
    { id, roleId, userId, rights, endsAt, ...GIVEN, chain: CHAIN_OF_KEY },
    sql`FROM ${changeLog} WHERE ${whenStep("write")}`,
  );
});

/** Returns the start of a key's secret. */
export function prefixOf(id: Value, shown: Value): SQL {
  return sql`${quoted(ROLE_KEY_PREFIX)} || ${id} || '_' || ${shown}`;
}

const INSERT_KEY = define(
  { opId: text, name: text, shown: text, mac: text, asks: int, provisions: int },
  ({ name, shown, mac, asks, provisions }) => {
    const { relationId: id, roleId, at, actorId: by } = changeLog;
    const { names, values } = inserted(roleKey, {
      id,
      roleId,
      name,
      prefix: prefixOf(id, shown),
      secretMac: mac,
      asks,
      provisions,
      createdAt: at,
      createdBy: sql`CASE WHEN ${by} > 0 THEN ${by} END`,
    });
    return sql`
  INSERT INTO ${roleKey} (${names}) SELECT ${values} FROM ${changeLog} WHERE ${whenStep("write")}`;
  },
);

/** Maximum number of children of a role that are scanned for what their relations carry. */
const SCANNED_CHILDREN = 200;

/**
 * The rights that work on some role for a key of this one: its own role has them on itself, or a relation to a child
 * carries them, which a path to any role below begins with. All if there are more children.
 */
function workingRights(roleId: Value): SQL {
  const { own, child } = rowsOf({ own: role, child: manages });
  const selfRights = sql`coalesce((SELECT ${own.selfRights} FROM ${own} WHERE ${own.id} = ${roleId}), 0)`;
  const carried = sql`SELECT ${child.rights} AS rights FROM ${child} WHERE ${child.parentId} = ${roleId}
        LIMIT ${SCANNED_CHILDREN + 1}`;
  return sql`(SELECT CASE WHEN children > ${SCANNED_CHILDREN} THEN ${ALL_RIGHTS}
      ELSE ${selfRights} | coalesce(carried, 0) END
    FROM (SELECT count(*) AS children, ${unionOfMasks(sql`rights`)} AS carried FROM (${carried})))`;
}

/** The rights of the made or previewed key that work on no role. */
function ineffectiveRights(): SQL {
  return sql`${changeLog.newRights} & ~${workingRights(changeLog.roleId)}`;
}

/** Returns a `CreatedKeyRow`. */
export const READ_MADE: Statement = define({ opId: text }, () =>
  sql`
  SELECT ${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}, ${ineffectiveRights()} AS ineffective, ${VALUES}
  FROM ${changeLog} LEFT JOIN ${owned} ON ${owned.id} = ${changeLog.relationId} AND ${changeLog.decision} = 'ok'
    ${KEY_JOINS}
  WHERE ${changeLog.opId} = ${opId}`);

/** A previewed key has neither an id nor a secret. */
const READ_PREVIEWED = define(
  { opId: text, name: text, asks: int, provisions: int, now: int, actorId: int },
  ({ name, asks, provisions }) => {
    const { decision, cost, roleId, newRights, details } = changeLog;
    const email = sql`(SELECT ${maker.email} FROM ${maker} WHERE ${maker.id} = ${actorId})`;
    return sql`
  SELECT ${decision}, ${cost}, ${REVISION_COLUMN}, NULL AS id, ${roleId} AS roleId, ${name} AS name, NULL AS prefix,
    ${newRights} AS rights, ${asks} AS asks, ${provisions} AS provisions, ${details} ->> 'endsAt' AS expiresAt,
    ${now} AS createdAt, ${email} AS createdBy, NULL AS lastUsedAt, ${ineffectiveRights()} AS ineffective
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`;
  },
);

function createKeyBatches(by: Maker, notice: readonly Statement[] = []): Previewable {
  return previewable({
    make: [
      decideCreate(by, "change"),
      TAKE_RELATION_ID,
      INSERT_MEMBER,
      INSERT_KEY,
      ...(by.charged === undefined ? [] : [chargeChange()]),
      ...notice,
      READ_MADE,
    ],
    preview: [decideCreate({ ...by, charged: undefined }, "preview"), READ_PREVIEWED],
  });
}

/**
 * Makes a key. Null `rights` and `expiresAt` stand for the maker's bound. `isPreview` waives the proof. Returns a
 * `CreatedKeyRow`.
 */
export const CREATE_KEY: Previewable = createKeyBatches({
  lives: PRINCIPAL_LIVES,
  lacksProof: sql`NOT ${isPreview} AND ${LACKS_LASTING_PROOF}`,
  bound: withinMembership(),
  declared: PROOF,
  charged: { by: managesMembers },
}, mailMaker("key_created", { detail: args.name, declared: { name: text } }));

/** The same for an administrator's task, which may make any key. */
export const CREATE_KEY_AS_ADMINISTRATOR: Previewable = createKeyBatches({
  lives: sql`true`,
  lacksProof: sql`false`,
  bound: WITHOUT_BOUND,
  declared: {},
});

/** Decides a deletion. A key that has ended counts as absent. */
function decideDelete({ lives, allows, via }: Authority<typeof roleKey>, run: Run): Statement {
  const { existing, ended } = rowsOf({ existing: roleKey, ended: member });
  return recordChange(DELETE, {
    kind: sql`'key.delete'`,
    ruled: sql`SELECT ${existing.id} AS relation_id, ${ended.rights} AS rights, ${existing.name} AS name,
      CASE WHEN ${ended.id} IS NULL OR NOT ${allows(existing)} THEN 'denied' ELSE 'ok' END AS ruling
      FROM ${ONE_ROW}
        LEFT JOIN ${existing} ON ${existing.id} = ${args.keyId} AND ${existing.roleId} = ${args.roleId}
        LEFT JOIN ${ended} ON ${ended.id} = ${existing.id} AND ${memberLives(ended)}
      WHERE ${lives}`,
    ...(via && { via }),
    values: {
      roleId: args.roleId,
      relationId: sql`relation_id`,
      subjectId: sql`-relation_id`,
      oldRights: sql`rights`,
      ...(run === "preview" && { cost: COST_OF_MEMBERSHIP }),
      details: sql`CASE decision WHEN 'ok' THEN json_object('name', name) END`,
    },
  }, run);
}

const DELETED = sql`(SELECT ${changeLog.relationId} FROM ${changeLog} WHERE ${whenStep("write")})`;
const DELETE_MEMBER = define({ opId: text }, () =>
  sql`
  DELETE FROM ${member} WHERE ${member.id} = ${DELETED}`);
const DELETE_ROW = define({ opId: text }, () =>
  sql`
  DELETE FROM ${roleKey} WHERE ${roleKey.id} = ${DELETED}`);

const READ_DELETED = define({ opId: text }, () =>
  sql`
  SELECT ${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}, ${changeLog.oldRights} AS oldRights
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

function deleteKeyBatches(by: Authority<typeof roleKey>): Previewable {
  return previewable({
    make: [
      decideDelete(by, "change"),
      ...(by.via === undefined ? [] : [COUNT_TO_ACTED, chargeChange()]),
      DELETE_MEMBER,
      DELETE_ROW,
      READ_DELETED,
    ],
    preview: [decideDelete(by, "preview"), READ_DELETED],
  });
}

/**
 * Deletes a key. Returns a `DeletedKeyRow`. Makers may delete their own keys while they are members of the role, since
 * they pay for the keys. A key deletes another key only if its maker could, too.
 */
export const DELETE_KEY: Previewable = deleteKeyBatches({
  lives: PRINCIPAL_LIVES,
  allows: ({ createdBy }) =>
    sql`(${actorAndMakerMeet(managesMembers)} OR (${createdBy} = ${actorId} AND ${
      isOneVisible(args.roleId)
    }))`,
  via: sql`coalesce(${firstAuthorizingRole(managesMembers)}, ${
    firstAuthorizingRole((acting) => reaches(acting, args.roleId))
  })`,
});

export const DELETE_KEY_AS_ADMINISTRATOR: Previewable = deleteKeyBatches(ADMINISTRATOR);

const { afterId, limit } = placeholdersOf(PAGE);

/** Selects the live keys of a role in order of id, with columns of them and of their memberships. */
function pageOfRole(
  isReadable: SQL,
  columns: (candidate: typeof roleKey, living: typeof member) => SQL,
): SQL {
  const { candidate, living } = rowsOf({ candidate: roleKey, living: member });
  return sql`SELECT ${columns(candidate, living)} FROM ${candidate}
      CROSS JOIN ${living} ON ${living.id} = ${candidate.id} AND ${memberLives(living)}
      WHERE ${candidate.roleId} = ${args.roleId} AND ${candidate.id} > ${afterId} AND ${isReadable}
      ORDER BY ${candidate.id} LIMIT +${limit}`;
}

function keysOfRole(isReadable: SQL): SQL {
  return sql`(${pageOfRole(isReadable, ({ id }) => sql`${id}`)}) candidates
    CROSS JOIN ${owned} ON ${owned.id} = candidates.id ${KEY_JOINS}`;
}

const IS_KEY_MANAGER = someAuthorizingRole(managesMembers);
/** CTEs that end with `seen_via`, for the makers of the keys of a page. */
const MAKERS_SEEN = sql`made_via(role_id) AS MATERIALIZED (SELECT DISTINCT role_id FROM (${
  pageOfRole(IS_KEY_MANAGER, (_, { givenVia }) => sql`${givenVia} AS role_id`)
}) WHERE role_id IS NOT NULL),
  ${seenVia(sql`SELECT role_id FROM made_via`)}`;
const SEES_MAKER = seesWhoActed({
  person: owned.createdBy,
  via: given.givenVia,
  seen: SEEN_VIA,
  hasAccess: someRoleOfUserAbove(owned.createdBy, owned.roleId, () => sql`true`),
});

/** A page of the live keys of a role, for an actor who manages its members. Its rows are `KeyRow`s. */
export const KEY_PAGE = whileSessionLives({ roleId: int }, () => ({
  columns: {
    ...COLUMNS,
    createdBy: sql`CASE WHEN ${SEES_MAKER} THEN ${maker.email} END`,
    ineffective: sql`${given.rights} & ~(SELECT rights FROM working)`,
  },
  ctes: [sql`working(rights) AS MATERIALIZED (SELECT ${workingRights(args.roleId)})`, MAKERS_SEEN],
  from: keysOfRole(IS_KEY_MANAGER),
}));

/** The same for an administrator's task. */
export const KEYS_OF_ROLE = rows<KeyRow>()(
  { roleId: int, afterId: int, limit: int, now: int },
  () => sql`SELECT ${VALUES} FROM ${keysOfRole(sql`true`)} ORDER BY ${owned.id}`,
);

/** Notes that keys (a JSON list of ids) were used in the hour that begins at `hour`. */
export const NOTE_KEY_USES = define({ keyIds: text, hour: int }, ({ keyIds, hour }) =>
  sql`
  UPDATE ${roleKey} SET ${assigned(roleKey, { lastUsedAt: hour })}
  WHERE ${roleKey.id} IN (SELECT value FROM json_each(${keyIds}))
    AND (ifnull(${roleKey.lastUsedAt}, 0) < ${hour} OR ${isAhead(roleKey.lastUsedAt, hour, HOUR_MS)})`);
