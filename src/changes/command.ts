import { idSequence } from "../db/schema/role.ts";
import {
  bare,
  type Declared,
  define,
  nullable,
  placeholdersOf,
  quoted,
  type SQL,
  sql,
  text,
} from "../db/sql.ts";
import { uniqueViolation } from "../db/sql_errors.ts";
import { deciding, probing, type SqlArgs, type Statement } from "../db/statement.ts";
import type { Authorization, Membership } from "../graph/rules/rules.ts";
import { CALLER_HAS_FEW } from "./caller_facts.ts";
import { recordChange, type RecordedChange } from "./change_queries.ts";
import { type Fact, type FactSet, type FactsOf, textOf, whether } from "./facts.ts";
import type { Decide, Ruled } from "./ruled.ts";
import type { Run } from "../graph/step_queries.ts";

/**
 * A change that is decided in TypeScript. On a file, the writer's thread reads the facts, decides and writes in one
 * transaction. On a server, the facts are read, and the write fails unless they are still the same; then all begins anew
 * (`run_command.ts`).
 */
export interface Command<F extends FactSet = FactSet> {
  /** The name of its decider (`role/deciding_thread.ts`). */
  readonly name: string;
  /** The arguments of the facts. */
  readonly declared: Declared;
  readonly facts: F;
  readonly reads: FactReads;
  readonly guards: Guards;
  readonly decide: Decide<FactsOf<F>, never>;
  /** Returns the facts on which is decided whether a step-up would help. By default those that were read. */
  readonly judged?: (facts: FactsOf<F>) => FactsOf<F>;
  /** What changes at the same time as this: after a first conflict, changes of one target take turns. */
  readonly target: (input: never) => string;
  /** Fails a write that is on record under another id than its operation's; see `REFUSE_REPEATED_CHANGE`. */
  readonly refuseRepeated?: Statement;
}

const { facts: known } = placeholdersOf({ facts: text });

interface FactsRow {
  readonly facts: string | null;
}

/** The reads of facts. Two texts, since a server takes longer to prepare a long one than to run it. */
export interface FactReads {
  /** Of a user with few memberships. Null for others, for whom the event loop would take too many lookups. */
  readonly few: Statement<never, FactsRow>;
  readonly many: Statement<never, FactsRow>;
}

/** Statements that fail a write if the facts have changed since they were read; see `haveFactsChanged`. */
type Guards = Readonly<Record<keyof FactReads, Statement>>;

/** Returns a command with the reads of its facts. */
export function commandOf<F extends FactSet>(command: Omit<Command<F>, "reads" | "guards">): Command<F> {
  const { declared, facts } = command;
  const few = define(
    declared,
    () => sql`SELECT iif(${CALLER_HAS_FEW}, ${textOf(facts, "few")}, NULL) AS facts`,
  );
  const many = define(declared, () => sql`SELECT ${textOf(facts, "many")} AS facts`);
  const guardOf = (memberships: keyof FactReads): Statement =>
    define({ ...declared, facts: text }, () => failIf(sql`${textOf(facts, memberships)} IS NOT ${known}`));
  return {
    ...command,
    reads: { few: probing(few), many },
    guards: { few: guardOf("few"), many: guardOf("many") },
  };
}

/** What an undo asks besides the facts of the inverse change; see `UndoFacts`. */
export interface Undone {
  /** The arguments of both conditions. */
  readonly declared: Declared;
  readonly isRead: SQL;
  readonly hasChanged: SQL;
}

/** The command of an undo. */
export type Undoing<F extends FactSet> = Command<F & Record<"isRead" | "hasChanged", Fact<boolean>>>;

/** Returns the command that undoes a change, of the one that makes the inverse. */
export function undoOf<F extends FactSet>(
  command: Pick<Command<F>, "declared" | "facts" | "target">,
  { declared, isRead, hasChanged }: Undone,
  { name, decide }: Pick<Undoing<F>, "name" | "decide">,
): Undoing<F> {
  return commandOf({
    name,
    decide,
    target: command.target,
    declared: { ...command.declared, ...declared },
    facts: { ...command.facts, isRead: whether(isRead), hasChanged: whether(hasChanged) },
  });
}

/** A command as the service runs it. */
export interface RunnableCommand {
  readonly name: string;
  readonly reads: FactReads;
  readonly decide: (facts: Authorization<Membership>, input: SqlArgs) => Ruled;
  readonly judged?: (facts: Authorization<Membership>) => Authorization<Membership>;
  readonly target: (input: SqlArgs) => string;
  readonly refuseRepeated?: Statement;
  readonly guards: Guards;
  /** The statement that records the decision, outside of a transaction that decides. */
  readonly records: Statement;
}

/** The statement that records what a command decided. */
export interface DecidedStatement extends Statement {
  readonly command: RunnableCommand;
}

/** The argument of what was decided. */
export const DECIDED = { decided: nullable(text) };
const { decided } = placeholdersOf(DECIDED);

/** Returns what a command's decision says of a column. */
export function said(name: string): SQL {
  return sql`${decided} ->> ${quoted(name)}`;
}

/** Selects the membership by which a command is charged, and the oldest role through which it is made. */
export const CHARGED_BY: SQL = sql`SELECT ${said("$.charged.roleId")} AS role_id, ${
  said("$.charged.isRoot")
} AS is_root,
    ${said("$.charged.branch")} AS branch, ${said("via")} AS oldest_role_id WHERE ${
  said("$.charged")
} IS NOT NULL`;

/**
 * Returns the statement that records what a command decided; see `recordChange`. `declared` are the arguments of the
 * change.
 */
export function recordCommand<F extends FactSet>(
  command: Command<F>,
  change: RecordedChange,
  declared: Declared,
  run: Run = "change",
): DecidedStatement {
  const { name, reads, guards, decide, judged, target, refuseRepeated } = command;
  const records = recordChange(
    { ...declared, ...DECIDED },
    { ...change, onlyIf: sql`${decided} IS NOT NULL` },
    run,
  );
  const runnable = {
    name,
    reads,
    guards,
    decide,
    judged,
    target,
    refuseRepeated,
    records,
    // Commands of all kinds are run alike: what `decide` takes are the facts that `reads` select, parsed.
  } as unknown as RunnableCommand;
  return Object.assign(deciding(records, { by: name, on: [reads.few, reads.many] }), { command: runnable });
}

/** Returns a statement that breaks a unique key, and so fails its batch, if the condition holds. */
function failIf(condition: SQL): SQL {
  const columns = bare(idSequence.name, idSequence.lastId);
  return sql`INSERT INTO ${idSequence} (${columns}) SELECT ${columns} FROM ${idSequence} WHERE ${condition}`;
}

/** Whether a write failed since the facts have changed on which it was decided. */
export function haveFactsChanged(error: unknown): boolean {
  return uniqueViolation(error) === "id_sequence.name";
}

/** Whether a command decides the statement. */
export function isDecided(statement: Statement): statement is DecidedStatement {
  return "command" in statement;
}
