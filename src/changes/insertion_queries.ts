import { manages, member } from "../db/schema/role.ts";
import { inserted, type SQL, sql, type Value } from "../db/sql.ts";

/** The places where relations and memberships are made: by changes, imports, restorations and the first start. */

interface MadeRelation {
  readonly id: Value;
  readonly parentId: Value;
  readonly childId: Value;
  readonly rights: Value;
  readonly byPassword?: Value;
  /** Who gave it, and through which role; an administrator did by default. */
  readonly givenBy?: Value;
  readonly givenVia?: Value;
}

/** Returns the text that makes a relation of each row of `FROM …`. */
export function insertRelations(made: MadeRelation, from: SQL): SQL {
  const { names, values } = inserted(manages, { ...made });
  return sql`
  INSERT INTO ${manages} (${names}) SELECT ${values} ${from}`;
}

interface MadeMembership {
  readonly id: Value;
  readonly roleId: Value;
  readonly userId: Value;
  /** By default all. */
  readonly rights?: Value;
  /** By default it has no end. */
  readonly endsAt?: Value;
  readonly givenBy?: Value;
  readonly givenVia?: Value;
  /** Who brought whom (`chain_queries.ts`). */
  readonly chain: Value;
}

/** Returns the text that makes a membership of each row of `FROM …`. */
export function insertMemberships(made: MadeMembership, from: SQL): SQL {
  const { names, values } = inserted(member, { ...made });
  return sql`
  INSERT INTO ${member} (${names}) SELECT ${values} ${from}`;
}
