/**
 * Batches of several callers may share a transaction: no statement ends it for all of them, nor leaves a condition for
 * the commit to find out.
 */
import assert from "node:assert/strict";
import { testMigrations } from "../helpers/databases.ts";
import { collectStatements } from "./query_plans.ts";

const ENDS_TRANSACTIONS =
  /\b(ROLLBACK|COMMIT|SAVEPOINT|RELEASE|DEFERR(ED|ABLE)|defer_foreign_keys)\b|^\s*(BEGIN|END)\b/i;

function endsTransactions(sql: string): boolean {
  return ENDS_TRANSACTIONS.test(sql.replace(/'[^']*'/g, "''"));
}

Deno.test("no statement or migration ends its shared transaction, or defers a constraint to the commit", async () => {
  const statements = (await collectStatements()).map(({ name, statement }) => ({ name, sql: statement.sql }));
  const migrations = (await testMigrations()).flatMap((migration) =>
    migration.statements.map((sql) => ({ name: migration.name, sql }))
  );
  assert.ok(statements.length > 100 && migrations.length > 50);
  const ending = [...statements, ...migrations].filter(({ sql }) => endsTransactions(sql));
  assert.deepEqual(ending.map(({ name }) => name), []);
});

Deno.test("the check finds every way in which a statement could end its transaction", () => {
  const ways = [
    "CREATE TRIGGER t BEFORE INSERT ON role BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
    "INSERT OR ROLLBACK INTO role (id) VALUES (1)",
    "CREATE TABLE t (id INTEGER UNIQUE ON CONFLICT ROLLBACK)",
    "CREATE TABLE t (role_id INTEGER REFERENCES role (id) DEFERRABLE INITIALLY DEFERRED)",
    "PRAGMA defer_foreign_keys = ON",
    "COMMIT",
    " end transaction",
    "BEGIN IMMEDIATE",
  ];
  assert.deepEqual(ways.filter((sql) => !endsTransactions(sql)), []);
  assert.equal(endsTransactions("SELECT 'rollback', CASE WHEN 1 THEN 2 END"), false);
});
