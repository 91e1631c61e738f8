import { REVISION } from "../../db/revisions.ts";
import { render } from "../../db/sql.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import { ROLE_KEY_PREFIX } from "../../identity/token/role_key.ts";
import {
  CHARGE_PREVIEW,
  type Previewable,
  previewable,
  type Run,
  TAKE_RELATION_ID,
} from "../change/change_queries.ts";
import { type ChargedChange, nextId, recordChange, whenEffect } from "../change/change_text.ts";
import { chargeChange } from "../change/charge_queries.ts";
import {
  ACTOR_IS_USER,
  byReach,
  isOneVisible,
  LACKS_LASTING_PROOF,
  managesMembersOf,
  mayGive,
  mayGiveUntil,
  memberLives,
  ONE_ROW,
  PRINCIPAL_LIVES,
  someAuthorizingRole,
  someGivingRole,
} from "../guard_text.ts";
import { whileSessionLives } from "../paging/page_text.ts";
import { mailMaker } from "../made_notice_queries.ts";
import { COST_OF_MEMBERSHIP } from "../preview/effect_queries.ts";
import { ALL_RIGHTS } from "../rights.ts";

/**
 * Keys of roles. A key is a row of `member`, whose user is the principal id of the key, so every rule holds for it as
 * for anybody else; and a row of `role_key` with the same id.
 */

/** At most this many keys of a role are live at a time. */
export const LIVE_KEYS_PER_ROLE = 100;

const MANAGES_MEMBERS = managesMembersOf(":roleId");

/**
 * SQL: rights and end of the membership of the actor within which the key is made: it authorizes that, and what the
 * request names lies within it. No row means that there is none. A key makes no keys.
 */
const WITHIN_MEMBERSHIP = `SELECT acting.rights AS rights, acting.ends_at AS ends_at FROM member acting
  WHERE acting.user_id = :actorId AND ${memberLives("acting")} AND ${ACTOR_IS_USER} AND (${MANAGES_MEMBERS})
    AND ${mayGive("coalesce(:rights, 0)")} AND (:expiresAt IS NULL OR ${mayGiveUntil("0", ":expiresAt")})
  ORDER BY ${byReach("acting")} LIMIT 1`;

/** SQL: an administrator gives as they like to a role that exists. */
const WITHOUT_BOUND = `SELECT ${ALL_RIGHTS} AS rights, NULL AS ends_at FROM role WHERE id = :roleId`;

const LIVE_KEYS = `(SELECT count(*) FROM (SELECT 1 FROM role_key counted
    CROSS JOIN member living ON living.id = counted.id AND ${memberLives("living")}
    WHERE counted.role_id = :roleId LIMIT ${LIVE_KEYS_PER_ROLE}))`;

/**
 * The maker of a key, as SQL: that their session lives, that they lack proof, and the membership that bounds the key.
 */
interface Maker {
  readonly lives: string;
  readonly lacksProof: string;
  readonly bound: string;
  /** Absent for an administrator's task. */
  readonly charged?: ChargedChange | undefined;
}

function decideCreate({ lives, lacksProof, bound, charged }: Maker, run: Run): Statement {
  return recordChange({
    kind: "'key.create'",
    charged,
    ctes: `bound AS MATERIALIZED (${bound})`,
    decided: `SELECT CASE
        WHEN ${lacksProof} THEN 'proof_required'
        WHEN bound.rights IS NULL THEN 'denied'
        WHEN ${LIVE_KEYS} >= ${LIVE_KEYS_PER_ROLE} THEN 'too_many_keys'
        ELSE 'ok' END AS ruling,
      coalesce(:rights, bound.rights) AS rights,
      coalesce(:expiresAt, min(:defaultExpiresAt, coalesce(bound.ends_at, :defaultExpiresAt))) AS ends_at
      FROM ${ONE_ROW} LEFT JOIN bound ON true WHERE ${lives}`,
    values: {
      role_id: ":roleId",
      relation_id: `CASE decision WHEN 'ok' THEN ${nextId("relation", run)} END`,
      subject_id: `CASE decision WHEN 'ok' THEN -${nextId("relation", run)} END`,
      new_rights: "rights",
      ...(run === "dry" ? { cost: render(COST_OF_MEMBERSHIP) } : {}),
      details: "json_object('name', :name, 'asks', json(iif(:asks, 'true', 'false')), 'endsAt', ends_at)",
    },
  }, run);
}

/** The columns of a `KeyRow`, from `owned` and `KEY_JOINS`. */
const COLUMNS = {
  id: "owned.id",
  roleId: "owned.role_id",
  name: "owned.name",
  prefix: "owned.prefix",
  rights: "given.rights",
  asks: "owned.asks",
  expiresAt: "given.ends_at",
  createdAt: "owned.created_at",
  createdBy: "maker.email",
  lastUsedAt: "owned.last_used_at",
};

const VALUES = Object.entries(COLUMNS).map(([name, value]) => `${value} AS ${name}`).join(", ");

const KEY_JOINS = `LEFT JOIN member given ON given.id = owned.id
    LEFT JOIN user_account maker ON maker.id = owned.created_by`;

const INSERT_MEMBER: Statement = defineStatement(`
  INSERT INTO member (id, role_id, user_id, rights, ends_at)
  SELECT relation_id, role_id, subject_id, new_rights, details ->> 'endsAt' FROM change_log
  WHERE ${whenEffect("write")}`);

const INSERT_KEY: Statement = defineStatement(`
  INSERT INTO role_key (id, role_id, name, prefix, secret_mac, asks, created_at, created_by)
  SELECT relation_id, role_id, :name, '${ROLE_KEY_PREFIX}' || relation_id || '_' || :shown, :mac, :asks, at,
    CASE WHEN actor_id > 0 THEN actor_id END
  FROM change_log WHERE ${whenEffect("write")}`);

const READ_CREATED: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, ${VALUES}
  FROM change_log LEFT JOIN role_key owned ON owned.id = change_log.relation_id AND decision = 'ok' ${KEY_JOINS}
  WHERE op_id = :opId`);

/** A key that is not made has neither an id nor a secret. */
const READ_REHEARSED: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, NULL AS id, role_id AS roleId, :name AS name, NULL AS prefix, new_rights AS rights,
    :asks AS asks, details ->> 'endsAt' AS expiresAt, :now AS createdAt,
    (SELECT maker.email FROM user_account maker WHERE maker.id = :actorId) AS createdBy, NULL AS lastUsedAt
  FROM change_log WHERE op_id = :opId`);

function createKeyBatches(maker: Maker, notice: readonly Statement[] = []): Previewable {
  return previewable({
    make: [
      decideCreate(maker, "real"),
      TAKE_RELATION_ID,
      INSERT_MEMBER,
      INSERT_KEY,
      ...(maker.charged === undefined ? [] : [chargeChange()]),
      ...notice,
      READ_CREATED,
    ],
    rehearse: [decideCreate({ ...maker, charged: undefined }, "dry"), CHARGE_PREVIEW, READ_REHEARSED],
  });
}

/**
 * Makes a key. `:rights` and `:expiresAt` are null for the maker's bound. `:isPreview` waives the proof. Returns a
 * `CreatedKeyRow`.
 */
export const CREATE_KEY: Previewable = createKeyBatches({
  lives: PRINCIPAL_LIVES,
  lacksProof: `NOT :isPreview AND ${LACKS_LASTING_PROOF}`,
  bound: WITHIN_MEMBERSHIP,
  charged: { by: MANAGES_MEMBERS },
}, mailMaker("key_created", { detail: ":name" }));

/** The same for an administrator's task, which may make any key. */
export const CREATE_KEY_AS_ADMINISTRATOR: Previewable = createKeyBatches({
  lives: "true",
  lacksProof: "false",
  bound: WITHOUT_BOUND,
});

/** A key that has ended is as absent. */
function decideDelete(principal: string, isAllowed: string, run: Run): Statement {
  return recordChange({
    kind: "'key.delete'",
    decided: `SELECT existing.id AS relation_id, ended.rights AS rights, existing.name AS name,
      CASE WHEN ended.id IS NULL OR NOT ${isAllowed} THEN 'denied' ELSE 'ok' END AS ruling
      FROM ${ONE_ROW}
        LEFT JOIN role_key existing ON existing.id = :keyId AND existing.role_id = :roleId
        LEFT JOIN member ended ON ended.id = existing.id AND ${memberLives("ended")}
      WHERE ${principal}`,
    values: {
      role_id: ":roleId",
      relation_id: "relation_id",
      subject_id: "-relation_id",
      old_rights: "rights",
      ...(run === "dry" ? { cost: render(COST_OF_MEMBERSHIP) } : {}),
      details: "CASE decision WHEN 'ok' THEN json_object('name', name) END",
    },
  }, run);
}

const DELETE_MEMBER: Statement = defineStatement(`
  DELETE FROM member WHERE id = (SELECT relation_id FROM change_log WHERE ${whenEffect("write")})`);

const DELETE_ROW: Statement = defineStatement(`
  DELETE FROM role_key WHERE id = (SELECT relation_id FROM change_log WHERE ${whenEffect("write")})`);

const READ_DELETED: Statement = defineStatement(
  `SELECT decision, cost, ${REVISION}, old_rights AS oldRights FROM change_log WHERE op_id = :opId`,
);

function deleteKeyBatches(principal: string, isAllowed: string): Previewable {
  return previewable({
    make: [decideDelete(principal, isAllowed, "real"), DELETE_MEMBER, DELETE_ROW, READ_DELETED],
    rehearse: [decideDelete(principal, isAllowed, "dry"), CHARGE_PREVIEW, READ_DELETED],
  });
}

/**
 * Deletes a key. Returns a `DeletedKeyRow`. Makers may delete their own keys as long as they are members of the role, and
 * so pay for the keys. With a key, its maker must be able to delete the other one, too.
 */
export const DELETE_KEY: Previewable = deleteKeyBatches(
  PRINCIPAL_LIVES,
  `(${someGivingRole(MANAGES_MEMBERS)} OR (existing.created_by = :actorId AND ${isOneVisible(":roleId")}))`,
);

export const DELETE_KEY_AS_ADMINISTRATOR: Previewable = deleteKeyBatches("true", "true");

/** The live keys of a role in order of id. */
function keysOfRole(isReadable: string): string {
  return `(SELECT candidate.id FROM role_key candidate
      CROSS JOIN member living ON living.id = candidate.id AND ${memberLives("living")}
      WHERE candidate.role_id = :roleId AND candidate.id > :afterId AND ${isReadable}
      ORDER BY candidate.id LIMIT +:limit) candidates
    CROSS JOIN role_key owned ON owned.id = candidates.id ${KEY_JOINS}`;
}

/** A page of the live keys of a role, for those who manage its members. Its rows are `KeyRow`s. */
export const KEY_PAGE: Statement = whileSessionLives({
  columns: COLUMNS,
  from: keysOfRole(someAuthorizingRole(MANAGES_MEMBERS)),
});

/** The same for an administrator's task. */
export const KEYS_OF_ROLE: Statement = defineStatement(
  `SELECT ${VALUES} FROM ${keysOfRole("true")} ORDER BY owned.id`,
);

/** Notes that keys, given by a JSON list of ids, were used in the hour that begins at `:hour`. */
export const NOTE_KEY_USES: Statement = defineStatement(`
  UPDATE role_key SET last_used_at = :hour
  WHERE id IN (SELECT value FROM json_each(:keyIds)) AND coalesce(last_used_at, 0) < :hour`);
