import { REVISION_COLUMN } from "../../db/revisions.ts";
import { changeLog, role } from "../../db/schema/role.ts";
import {
  assigned,
  define,
  inserted,
  int,
  placeholdersOf,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { someAuthorizingRole } from "../../graph/rules/guard_queries.ts";
import { holds } from "../../graph/rules/rule_queries.ts";
import { ACTOR_IS_USER, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import {
  CALLER_ROLE_PASSWORD_FAILURES,
  CALLER_ROLE_PASSWORD_WINDOW_SECONDS,
  ROLE_PASSWORD_FAILURES_PER_WINDOW,
  ROLE_PASSWORD_WINDOW_SECONDS,
  THROTTLE_SCOPES,
} from "../../throttle/limits.ts";
import {
  type Budget,
  type Counter,
  counterValue,
  countGuess,
  countInWindow,
  forgetCounters,
  nextGuessAt,
  takeBack,
  takeBackWithWait,
} from "../../throttle/throttle_queries.ts";
import {
  CHANGE,
  type Previewable,
  previewable,
  recordChange,
  TAKE_RELATION_ID,
} from "../../changes/change_queries.ts";
import { chargeChange } from "../../changes/charge_queries.ts";
import { MERGE_TRIED } from "../../changes/merge_queries.ts";
import { GROW_CLOSURE, RECOMPUTE_RECTANGLE } from "../../graph/closure/closure_queries.ts";
import {
  PREVIEWED_COLUMNS,
  RELATION_COLUMNS,
  relationCommand,
  WRITE_RELATION_BY_PASSWORD,
} from "./manages_queries.ts";
import { PUT_BY_PASSWORD } from "./relation_facts.ts";
import { passwordWorks } from "../password/role_password_queries.ts";
import { type Run, whenStep } from "../../graph/step_queries.ts";

/**
 * Making a relation with the child role's password. The first batch counts the attempt as a failure; then the hash is
 * compared; the second batch repeats every condition, makes the relation and takes the failure back. A role that does
 * not exist, or has no valid password, leaves the same rows as any other.
 */

const PUT = { parentId: int, childId: int, rights: int };
const { parentId, childId, rights } = placeholdersOf(PUT);
const { comparedHash, attemptId } = placeholdersOf({ comparedHash: text, attemptId: text });
const { opId, actorId, now } = placeholdersOf(CHANGE);

const OF_CALLER: Counter = {
  scope: THROTTLE_SCOPES.rolePasswordByCaller,
  key: sql`(${childId} || ' ' || ${actorId})`,
};
const OF_ROLE: Budget = {
  scope: THROTTLE_SCOPES.rolePassword,
  key: sql`CAST(${childId} AS TEXT)`,
  windowSeconds: ROLE_PASSWORD_WINDOW_SECONDS,
  most: ROLE_PASSWORD_FAILURES_PER_WINDOW,
};
const OF_ALL_ROLES: Budget = {
  scope: THROTTLE_SCOPES.rolePasswordOverRoles,
  key: sql`CAST(${actorId} AS TEXT)`,
  windowSeconds: CALLER_ROLE_PASSWORD_WINDOW_SECONDS,
  most: CALLER_ROLE_PASSWORD_FAILURES,
};
/** The arguments of the counters. */
const COUNTED = { childId: int, actorId: int };

const NEXT_GUESS_AT = nextGuessAt(OF_CALLER);
const WAITS = sql`(${NEXT_GUESS_AT} > ${now} OR ${isFull(OF_ROLE)} OR ${isFull(OF_ALL_ROLES)})`;
const COMPARES = sql`EXISTS (SELECT 1 FROM ${changeLog} WHERE ${whenStep("compare")})`;

function isFull(budget: Budget): SQL {
  return sql`${counterValue(budget, "count")} >= ${budget.most}`;
}

/** Returns the end of the window of a full budget, or 0. */
function freeAt(budget: Budget): SQL {
  return sql`CASE WHEN ${isFull(budget)} THEN ${counterValue(budget, "expiresAt")} ELSE 0 END`;
}

const MANAGES_PARENT = someAuthorizingRole((acting) => holds(acting, "roleManagement", parentId));
const MAY_COMPARE = sql`allowed AND NOT waits`;

/**
 * Records the attempt. Without roleManagement on the parent, and for a key, the password is not compared and no counter
 * changes: with a key, a removed maker could place their own role below others by its password.
 */
const RECORD_ATTEMPT: Statement = recordChange(PUT, {
  kind: sql`'manages.put'`,
  ctes: sql`attempt AS MATERIALIZED (
    SELECT ${ACTOR_IS_USER} AND ${MANAGES_PARENT} AS allowed, ${WAITS} AS waits
    WHERE ${PRINCIPAL_LIVES})`,
  ruled: sql`SELECT *, CASE WHEN allowed AND waits THEN 'too_many_role_passwords' ELSE 'denied' END AS ruling
    FROM attempt`,
  values: { parentId, roleId: childId, newRights: rights },
  step: sql`CASE WHEN ${MAY_COMPARE} THEN 'compare' ELSE 'none' END`,
  judged: judgedBy(MANAGES_PARENT),
});

function judgedBy(isAllowed: SQL): SQL {
  return sql`SELECT CASE WHEN ${ACTOR_IS_USER} AND ${isAllowed} THEN 'ok' ELSE 'denied' END AS ruling
    WHERE ${PRINCIPAL_LIVES}`;
}

/** Records an attempt as a failure before its password is compared. Returns a `PasswordAttemptRow`. */
export const BEGIN_PUT_BY_PASSWORD: readonly Statement[] = [
  RECORD_ATTEMPT,
  countGuess({ ...COUNTED, opId: text }, OF_CALLER, COMPARES),
  countInWindow({ childId: int, opId: text }, OF_ROLE, COMPARES),
  countInWindow({ actorId: int, opId: text }, OF_ALL_ROLES, COMPARES),
  define({ ...COUNTED, opId: text, now: int }, () => {
    const { attempt, child } = rowsOf({ attempt: changeLog, child: role });
    const nextAt = sql`max(${NEXT_GUESS_AT},
        ${freeAt(OF_ROLE)},
        ${freeAt(OF_ALL_ROLES)})`;
    return sql`
    SELECT CASE ${attempt.step} WHEN 'compare' THEN 'ok' ELSE ${attempt.decision} END AS decision, ${attempt.cost}, ${REVISION_COLUMN}, ${attempt.opId} AS attemptId,
      ${attempt.step} = 'compare' AS compares,
      CASE WHEN ${passwordWorks(child)} THEN ${child.passwordHash} END AS passwordHash, ${nextAt} AS nextAt
    FROM ${attempt} LEFT JOIN ${child} ON ${child.id} = ${attempt.roleId} AND ${attempt.step} = 'compare'
    WHERE ${attempt.opId} = ${opId}`;
  }),
];

/** The compared password is still the child's and not void, and this operation was decided. */
const PROVEN = isProven();

function isProven(): SQL {
  const { decided, proven } = rowsOf({ decided: changeLog, proven: role });
  return sql`EXISTS (SELECT 1 FROM ${decided} CROSS JOIN ${proven} ON ${proven.id} = ${decided.roleId}
  WHERE ${decided.opId} = ${opId} AND ${proven.passwordHash} = ${comparedHash} AND ${passwordWorks(proven)})`;
}

/** The setter of the password, for the log of its use. */
const WHOSE = sql`CASE WHEN decision IN ('ok', 'noop') THEN json_object('passwordSetBy',
      (SELECT ${role.passwordSetBy} FROM ${role} WHERE ${role.id} = ${childId})) END`;

function putByPassword(run: Run): Statement {
  const further = { details: WHOSE, declared: { childId: int } };
  return relationCommand(PUT_BY_PASSWORD, "manages.put", run, further);
}

/** The arguments of `PROVEN`. */
const PROOF = { opId: text, comparedHash: text, now: int };
/** Take the failure back after a right password. */
const TAKE_FAILURE_BACK: readonly Statement[] = [
  forgetCounters({ ...COUNTED, ...PROOF }, [OF_CALLER], PROVEN),
  takeBack({ ...COUNTED, ...PROOF }, [OF_ROLE, OF_ALL_ROLES], PROVEN),
];

/**
 * Replace the attempt's row by the decision's, which takes over its operation id: a server refuses a late copy of the
 * attempt as already on record.
 */
const REPLACE_ATTEMPT: readonly Statement[] = [
  define({ opId: text, attemptId: text }, () => {
    const decided = row(changeLog, "decided");
    return sql`
    DELETE FROM ${changeLog} WHERE ${changeLog.opId} = ${attemptId} AND EXISTS (
      SELECT 1 FROM ${decided} WHERE ${decided.opId} = ${opId})`;
  }),
  define({ opId: text, attemptId: text }, () =>
    sql`
    UPDATE ${changeLog} SET ${assigned(changeLog, { opId: attemptId })}
    WHERE ${changeLog.opId} = ${opId}`),
];

/** Returns the last statement, which reads columns of the decision's row. */
function readDecided(columns: SQL): Statement {
  return define({ attemptId: text }, () =>
    sql`
    SELECT ${columns} FROM ${changeLog}
    WHERE ${changeLog.opId} = ${attemptId} AND ${changeLog.step} <> 'compare'`);
}

/**
 * The password was right: makes or updates the relation. Returns a `RelationRow`. The row is merged while it has the
 * operation's id.
 */
export const COMPLETE_PUT_BY_PASSWORD: Previewable = previewable({
  make: [
    putByPassword("change"),
    // Before the change, which may void the password.
    ...TAKE_FAILURE_BACK,
    TAKE_RELATION_ID,
    WRITE_RELATION_BY_PASSWORD,
    ...GROW_CLOSURE,
    ...RECOMPUTE_RECTANGLE,
    chargeChange(),
    MERGE_TRIED,
    ...REPLACE_ATTEMPT,
    readDecided(RELATION_COLUMNS),
  ],
  preview: [
    putByPassword("preview"),
    ...TAKE_FAILURE_BACK,
    MERGE_TRIED,
    ...REPLACE_ATTEMPT,
    readDecided(PREVIEWED_COLUMNS),
  ],
});

/** The change log row is of an unsettled attempt. */
const IS_ATTEMPT = sql`${changeLog.opId} = ${attemptId} AND ${changeLog.step} = 'compare'`;

/**
 * Refuses a wrong password in a row, and so a revision, of its own: readers of the log do not see unsettled attempts,
 * and may have passed the attempt's revision.
 */
export const REFUSE_PUT_BY_PASSWORD: readonly Statement[] = [
  define({ opId: text, attemptId: text }, () => {
    const { at, actorId, sessionId, kind, parentId, roleId, newRights, decision } = changeLog;
    const kept = { at, actorId, sessionId, kind, parentId, roleId, newRights, decision };
    const { names, values } = inserted(changeLog, { opId, ...kept, step: sql`'none'` });
    return sql`
    INSERT INTO ${changeLog} (${names})
    SELECT ${values}
    FROM ${changeLog} WHERE ${IS_ATTEMPT}`;
  }),
  ...REPLACE_ATTEMPT,
  define(
    { attemptId: text },
    () => sql`SELECT ${REVISION_COLUMN} FROM ${changeLog} WHERE ${changeLog.opId} = ${attemptId}`,
  ),
];

/**
 * Takes back an attempt whose password could not be compared. That leaves no wait: none was left when it began, and its
 * own kept other attempts from beginning. The row stays, so that a server refuses a late copy of the attempt as already
 * on record.
 */
export const ABANDON_PUT_BY_PASSWORD: readonly Statement[] = [
  takeBackWithWait(
    { ...COUNTED, attemptId: text },
    [OF_CALLER, OF_ROLE, OF_ALL_ROLES],
    sql`EXISTS (SELECT 1 FROM ${changeLog} WHERE ${IS_ATTEMPT})`,
  ),
  define(
    { attemptId: text },
    () => sql`UPDATE ${changeLog} SET ${assigned(changeLog, { step: sql`'abandoned'` })} WHERE ${IS_ATTEMPT}`,
  ),
];
