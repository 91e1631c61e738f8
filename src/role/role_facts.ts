import { eq, pick, select } from "../db/builder.ts";
import { role } from "../db/schema/role.ts";
import { int, nullable, placeholdersOf, row, sql, text } from "../db/sql.ts";
import { authorizationOf } from "../changes/caller_facts.ts";
import { commandOf, type Undoing, type Undone, undoOf } from "../changes/command.ts";
import { type Fact, one, onlyIf, whether } from "../changes/facts.ts";
import { ASKED_ONCE, FIRST_REQUEST } from "../changes/idempotency_queries.ts";
import { decideCreateRole } from "./create_role.ts";
import {
  externalRootOf,
  GIVEN_SPELLINGS,
  isExternalIdTaken,
  isOtherExternalId,
  SPELLINGS,
} from "./external_id_queries.ts";
import { someAuthorizingRole } from "../graph/rules/guard_queries.ts";
import { demandAsJson, PRINCIPAL } from "../graph/rules/principal_queries.ts";
import { holds, holdsIndirectly } from "../graph/rules/rule_queries.ts";
import { decideUndoOfUpdate } from "./role_deciders.ts";
import { decideUpdateRole } from "./update_role.ts";

/** The changes of roles as commands: their facts, read from the database. */

const { parentId, roleId, setsExternalId, externalIds } = placeholdersOf({
  parentId: int,
  roleId: int,
  setsExternalId: int,
  externalIds: nullable(text),
});
const [upper, namesake, current] = [row(role, "upper"), row(role, "namesake"), row(role, "current")];

const CREATE_FACTS = {
  ...authorizationOf({ parent: parentId }),
  demand: {
    json: sql`(SELECT ${demandAsJson(upper)} FROM ${upper} WHERE ${upper.id} = ${parentId})`,
  } as Fact<unknown>,
  // The time would tell others that the role exists.
  isTaken: onlyIf(
    sql`iif(${externalIds} IS NOT NULL, ${
      someAuthorizingRole((acting) => holds(acting, "roleManagement", parentId))
    }, false)`,
    whether(isExternalIdTaken(namesake, GIVEN_SPELLINGS, externalRootOf(parentId))),
  ),
};

const CREATE_COMMAND = {
  decide: decideCreateRole,
  target: ({ parentId }: { parentId: number }) => `roles below ${parentId}`,
};
const DECLARED = { ...PRINCIPAL, ...SPELLINGS };

export const CREATE = commandOf({
  ...CREATE_COMMAND,
  name: "create role",
  declared: { ...DECLARED, parentId: int },
  facts: CREATE_FACTS,
});

/** With an `Idempotency-Key`. */
export const CREATE_ONCE = commandOf({
  ...CREATE_COMMAND,
  name: "create role once",
  declared: { ...DECLARED, parentId: int, ...ASKED_ONCE },
  facts: { ...CREATE_FACTS, first: FIRST_REQUEST },
});

const EXTERNAL_ID = select({ externalId: current.externalId }).from(current).where(eq(current.id, roleId));
const CHANGES_EXTERNAL_ID = sql`(${setsExternalId} AND ${isOtherExternalId(sql`${EXTERNAL_ID}`)})`;

export const UPDATE = commandOf({
  name: "update role",
  declared: { ...DECLARED, roleId: int, setsExternalId: int },
  facts: {
    ...authorizationOf({ role: roleId }),
    current: one(
      select(pick(current, "name", "selfRights", "externalId")).from(current).where(eq(current.id, roleId)),
    ),
    changesExternalId: whether(CHANGES_EXTERNAL_ID),
    isTaken: onlyIf(
      // In this order: the right takes the same time whether the role has that external id or not.
      sql`iif(${
        someAuthorizingRole((acting) => holdsIndirectly(acting, "roleManagement", roleId))
      }, ${CHANGES_EXTERNAL_ID}, false)`,
      whether(isExternalIdTaken(namesake, GIVEN_SPELLINGS, externalRootOf(roleId))),
    ),
  },
  decide: decideUpdateRole,
  target: ({ roleId }: { roleId: number }) => `role ${roleId}`,
});

export const undoOfUpdate = (undone: Undone): Undoing<typeof UPDATE["facts"]> =>
  undoOf(UPDATE, undone, { name: "undo update of role", decide: decideUndoOfUpdate });
