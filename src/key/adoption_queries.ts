import { changeLog, member, memberHistory, roleKey } from "../db/schema/role.ts";
import {
  assigned,
  bare,
  define,
  int,
  nullable,
  placeholdersOf,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { CHAIN_OF_KEY } from "../changes/chain_queries.ts";
import { GIVEN, type Previewable, previewable, recordChange } from "../changes/change_queries.ts";
import { chargeChange } from "../changes/charge_queries.ts";
import {
  ACTOR_IS_USER,
  LACKS_LASTING_PROOF,
  memberIsAwake,
  memberLives,
  ONE_ROW,
  PRINCIPAL,
  PRINCIPAL_LIVES,
} from "../graph/rules/principal_queries.ts";
import { type Acting, managesMembersOf, mayGiveUntil } from "../graph/rules/rule_queries.ts";
import { mailMaker } from "../role/made_notice_queries.ts";
import { COST_OF_MEMBERSHIP } from "../changes/preview/effect_queries.ts";
import { prefixOf, READ_MADE } from "./key_queries.ts";
import { type Run, whenStep } from "../graph/step_queries.ts";

/**
 * Adopting a key: as if its user deleted it and made the same one again, but with its id, so that what it has given
 * remains known as given by it. It counts as made by the user from then on, also where all that a user made is ended.
 */

const ADOPT = { roleId: int, keyId: int, isPreview: int, sudoVersion: nullable(int) };
const { roleId, keyId, isPreview } = placeholdersOf(ADOPT);
const { opId, actorId, now } = placeholdersOf({ ...PRINCIPAL, opId: text });

function managesMembers(acting: Acting): SQL {
  return managesMembersOf(acting, roleId);
}

function decideAdoption(run: Run): Statement {
  const { existing, held, acting } = rowsOf({ existing: roleKey, held: member, acting: member });
  const adopted = sql`SELECT ${existing.id} AS key_id, ${existing.name} AS name, ${held.rights} AS rights,
      ${held.endsAt} AS ends_at
    FROM ${existing} CROSS JOIN ${held} ON ${held.id} = ${existing.id} AND ${memberLives(held)}
    WHERE ${existing.id} = ${keyId} AND ${existing.roleId} = ${roleId}`;
  const oldest = sql`SELECT min(${acting.roleId}) AS oldest_role_id FROM adopted CROSS JOIN ${acting}
    WHERE ${acting.userId} = ${actorId} AND ${memberIsAwake(acting)} AND ${ACTOR_IS_USER}
      AND (${managesMembers(acting)}) AND ${mayGiveUntil(acting, sql`adopted.rights`, sql`adopted.ends_at`)}`;
  return recordChange(ADOPT, {
    kind: sql`'key.adopt'`,
    charged: { by: managesMembers },
    ctes: sql`adopted AS MATERIALIZED (${adopted}),
  bound AS MATERIALIZED (${oldest})`,
    ruled: sql`SELECT adopted.*, bound.oldest_role_id, CASE
        WHEN NOT ${isPreview} AND ${LACKS_LASTING_PROOF} THEN 'proof_required'
        WHEN bound.oldest_role_id IS NULL THEN 'denied'
        ELSE 'ok' END AS ruling
      FROM ${ONE_ROW} LEFT JOIN adopted ON true LEFT JOIN bound ON true WHERE ${PRINCIPAL_LIVES}`,
    via: sql`oldest_role_id`,
    values: {
      roleId,
      relationId: sql`key_id`,
      subjectId: sql`-key_id`,
      newRights: sql`CASE decision WHEN 'ok' THEN rights END`,
      ...(run === "preview" && { cost: COST_OF_MEMBERSHIP }),
      details: sql`CASE decision WHEN 'ok' THEN json_object('name', name) END`,
    },
  }, run);
}

const ADOPTED = sql`(SELECT ${changeLog.relationId} FROM ${changeLog} WHERE ${whenStep("write")})`;

/**
 * Replaces the secret, which makes the old one void. The time is that of the new one: what a thief has made is found by
 * it (`deleteKeysMadeBy`).
 */
const RENEW_KEY = define(
  { opId: text, keyId: int, shown: text, mac: text, actorId: int, now: int },
  (given) => {
    const renewed = assigned(roleKey, {
      prefix: prefixOf(given.keyId, given.shown),
      secretMac: given.mac,
      createdAt: now,
      createdBy: actorId,
      lastUsedAt: sql`NULL`,
    });
    return sql`
  UPDATE ${roleKey} SET ${renewed} WHERE ${roleKey.id} = ${ADOPTED}`;
  },
);

const GIVER = sql`(SELECT ${GIVEN.givenBy}, ${GIVEN.givenVia}, ${CHAIN_OF_KEY} FROM ${changeLog} WHERE ${
  whenStep("write")
})`;
const GIVE_ANEW: readonly Statement[] = [
  define({ opId: text }, () =>
    sql`
  UPDATE ${member} SET (${
      bare(member.givenBy, member.givenVia, member.chain)
    }) = ${GIVER} WHERE ${member.id} = ${ADOPTED}`),
  // What a person gave is also found in the history.
  define({ opId: text }, () =>
    sql`
  UPDATE ${memberHistory} SET (${
      bare(memberHistory.givenBy, memberHistory.givenVia, memberHistory.chain)
    }) = ${GIVER}
  WHERE ${memberHistory.memberId} = ${ADOPTED}`),
];

/**
 * Makes the actor the maker of a live key, with a new secret, and mails them. Needs what making the key needs: one
 * membership that manages the role's members, has the key's rights and does not end before it, and proof, which
 * `isPreview` waives. Returns a `CreatedKeyRow`, in a preview that of the key as it is.
 */
export const ADOPT_KEY: Previewable = previewable({
  make: [
    decideAdoption("change"),
    RENEW_KEY,
    ...GIVE_ANEW,
    chargeChange(),
    ...mailMaker("key_created", { detail: nameOfAdopted() }),
    READ_MADE,
  ],
  preview: [decideAdoption("preview"), READ_MADE],
});

function nameOfAdopted(): SQL {
  const own = row(changeLog, "own");
  return sql`(SELECT ${own.details} ->> 'name' FROM ${own} WHERE ${own.opId} = ${opId})`;
}
