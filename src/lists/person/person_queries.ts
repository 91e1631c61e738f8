import { REVISION_COLUMN } from "../../db/revisions.ts";
import { secondFactor, session, userAccount } from "../../db/schema/identity.ts";
import { memberHistory } from "../../db/schema/role.ts";
import { int, placeholdersOf, quoted, row, rows, rowsOf, sql, text } from "../../db/sql.ts";
import { AFFORDED_END, LOOKED_TO } from "../../graph/paging/page_queries.ts";
import { hasManyOnRecord, isManagedAlone } from "../../graph/rules/guard_queries.ts";
import { affordedId } from "../../graph/rules/price_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { MAIN_FACTORS } from "../../identity/factors.ts";

/** `userIds` is a JSON list. */
const PEOPLE = { ...PRINCIPAL, userIds: text, afterId: int };
const { userIds, afterId } = placeholdersOf(PEOPLE);

export interface PeopleRow {
  /** JSON: a list of `PersonOnRecord`. */
  readonly people: string;
  /** The last account that was judged, or null after the last of the list. */
  readonly lookedTo: number | null;
  readonly revision: number;
}

/**
 * The accounts of a list, after `afterId`, that the actor manages alone: as many as one statement can judge, for an actor
 * with many memberships.
 */
export const READ_PEOPLE = rows<PeopleRow>()(PEOPLE, () => {
  const { held, begun, factor } = rowsOf({ held: memberHistory, begun: session, factor: secondFactor });
  const person = row(userAccount, "person");
  const judged = sql`SELECT asked.id, ${held.roleId} AS role_id FROM asked CROSS JOIN ${held}
      ON ${held.userId} = asked.id`;
  return sql`
  WITH asked(id) AS MATERIALIZED (SELECT DISTINCT CAST(value AS INTEGER) FROM json_each(${userIds})
    WHERE value > ${afterId} AND NOT ${hasManyOnRecord(sql`value`)}),
  afforded(last_id) AS MATERIALIZED (SELECT ${affordedId(judged)})
  SELECT (SELECT json_group_array(json_object('userId', ${person.id}, 'name', ${person.name},
        'lastSignInAt', (SELECT max(${begun.createdAt}) FROM ${begun} WHERE ${begun.userId} = ${person.id}),
        'factors', json((SELECT json_group_array(${factor.kind}) FROM ${factor}
          WHERE ${factor.userId} = ${person.id} AND ${factor.activatedAt} IS NOT NULL
            AND ${factor.kind} IN (${quoted(...MAIN_FACTORS)})))))
      FROM asked CROSS JOIN ${person} ON ${person.id} = asked.id
      WHERE asked.id <= ${AFFORDED_END} AND ${isManagedAlone(person.id)}) AS people,
    ${LOOKED_TO} AS lookedTo, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
});
