import type { Database } from "../../src/db/database.ts";
import { bind, defineStatement } from "../../src/db/statement.ts";

const HAS_ACCOUNTS = defineStatement("SELECT EXISTS (SELECT 1 FROM user_account) AS found");

/** Whether anybody has an account in this database. */
export async function hasAccounts(database: Database): Promise<boolean> {
  const [row] = await database.read<{ found: number }>(bind(HAS_ACCOUNTS, {}));
  return row?.found === 1;
}
