import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";

export interface CountedDatabase extends AsyncDisposable {
  readonly database: Database;
  /** Number of requests to the server since the last call of this function, or since the opening. */
  takeCount(): number;
}

/** Opens another connection to a server's database and counts its requests. */
export async function openCounted(url: string): Promise<CountedDatabase> {
  let requests = 0;
  const database = await openDatabase(url, {
    fetch: (input, init) => {
      requests++;
      return fetch(input, init);
    },
  });
  return {
    database,
    takeCount(): number {
      const count = requests;
      requests = 0;
      return count;
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}
