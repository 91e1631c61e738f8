import { type ProofRow, READ_PROOF } from "../../src/accounts/password/own_password_queries.ts";
import { DAY_MS, SECOND_MS } from "../../src/core/clock.ts";
import { randomToken } from "../../src/core/encoding.ts";
import type { Secrets } from "../../src/core/secrets.ts";
import type { DemoPeople, DemoPerson, DemoStory } from "../../src/console/demo_people.ts";
import type { Database } from "../../src/db/database.ts";
import { securityEvent, userAccount } from "../../src/db/schema/identity.ts";
import { role } from "../../src/db/schema/role.ts";
import { int, row, rows, rowsOf, sql, text } from "../../src/db/sql.ts";
import { bind, bindBatch } from "../../src/db/statement.ts";
import { OPEN_ADMINISTRATOR_SESSION } from "../../src/identity/administrator_session_queries.ts";
import { REFRESH_IDLE_SECONDS } from "../../src/identity/lifetimes.ts";
import { decideForActor } from "../../src/identity/security_queries.ts";
import { type ResultRow, runSecurityBatch } from "../../src/identity/security_service.ts";
import { generateFamily, hashFamily, makeRefreshToken } from "../../src/identity/token/refresh_token.ts";
import type { SudoTokens } from "../../src/identity/token/sudo_token.ts";
import { demoOrganization, SHARED_SITE } from "./demo_organization.ts";

const SESSION_ID_BYTES = 16;

/** Reads the accounts of a JSON list of addresses. */
const FIND_ACCOUNTS = rows<{ readonly id: number; readonly email: string }>()(
  { emails: text },
  ({ emails }) => {
    const account = row(userAccount, "account");
    return sql`
  SELECT ${account.id} AS id, ${account.email} AS email FROM json_each(${emails}) asked
  CROSS JOIN ${account} ON ${account.email} = asked.value`;
  },
);

/** Finds a role by its name: the first one, if others have the same. */
const FIND_ROLE = rows<{ readonly id: number }>()({ name: text }, ({ name }) => {
  const found = row(role, "found");
  return sql`SELECT ${found.id} AS id FROM ${found} WHERE ${found.name} = ${name} ORDER BY ${found.id} LIMIT 1`;
});

/** Reads the address of the account for which the service itself opened this session, as `OPEN_ADMINISTRATOR_SESSION` does. */
const FIND_SIGNED_IN = rows<{ readonly email: string }>()(
  { userId: int, sessionId: text },
  ({ userId, sessionId }) => {
    const { opened, account } = rowsOf({ opened: securityEvent, account: userAccount });
    return sql`
  SELECT ${account.email} AS email FROM ${opened} CROSS JOIN ${account} ON ${account.id} = ${opened.userId}
  WHERE ${opened.userId} = ${userId} AND ${opened.sessionId} = ${sessionId}
    AND ${opened.event} = 'session.operator'`;
  },
);

/** Records the proof of a password, which is right without a comparison. Returns a `ProofRow`. */
const PROVE = [
  decideForActor({}, { event: "password.prove", proof: "factor", verdict: () => sql`'ok'` }),
  READ_PROOF,
];

/** How long the period is about which a story asks. */
const PAST_MS = 30 * DAY_MS;

interface Deps {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: () => number;
  readonly sudoTokens: SudoTokens;
}

/** Opens the demo's people and their administrator, for one-click sign-in and proof under `deno task dev`. */
export function openDemoPeople(deps: Deps, adminEmail: string): DemoPeople {
  const { database, secrets, clock, sudoTokens } = deps;
  const { rootName, people } = demoOrganization();
  const admin: DemoPerson = { name: "Administrator", email: adminEmail, roles: [rootName] };
  const all = [admin, ...people.map(({ name, email, roles }) => ({ name, email, roles }))];

  async function findAccounts(emails: readonly string[]): Promise<Map<string, number>> {
    const found = await database.read(bind(FIND_ACCOUNTS, { emails: JSON.stringify(emails) }));
    return new Map(found.map(({ id, email }) => [email, id]));
  }

  return {
    async list() {
      const accounts = await findAccounts(all.map(({ email }) => email));
      return all.filter(({ email }) => accounts.has(email));
    },
    async listStories() {
      const [house] = await database.read(bind(FIND_ROLE, { name: SHARED_SITE }));
      if (house === undefined) return [];
      // As the fields for a period write them.
      const [from = "", to = ""] = [clock() - PAST_MS, clock()].map((at) =>
        new Date(at).toISOString().slice(0, "YYYY-MM-DD".length)
      );
      const why = new URLSearchParams({
        person: "tom@maasdak.example",
        role: String(house.id),
        right: "deviceManagement",
      });
      const past = new URLSearchParams({ tab: "people", list: "access", from, to });
      const stories: DemoStory[] = [
        { name: "why", email: "ines@lumenveld.example", path: `/why?${why}` },
        {
          name: "sale",
          email: "femke@noordlicht.example",
          path: `/role/${house.id}?tab=devices&do=hand-over`,
        },
        { name: "past", email: "ines@lumenveld.example", path: `/role/${house.id}?${past}` },
      ];
      const accounts = await findAccounts(stories.map(({ email }) => email));
      return stories.filter(({ email }) => accounts.has(email));
    },
    async signIn(email, client) {
      const userId = all.some((person) => person.email === email)
        ? (await findAccounts([email])).get(email)
        : undefined;
      if (userId === undefined) return undefined;
      const family = generateFamily();
      const now = clock();
      await database.write(bindBatch(OPEN_ADMINISTRATOR_SESSION, {
        opId: crypto.randomUUID(),
        now,
        sessionId: randomToken(SESSION_ID_BYTES),
        userId,
        client,
        familyHash: await hashFamily(family),
        expiresAt: now + REFRESH_IDLE_SECONDS * SECOND_MS,
      }));
      return await makeRefreshToken(secrets, family, 1);
    },
    async prove({ userId, sessionId }, address) {
      const [account] = await database.read(bind(FIND_SIGNED_IN, { userId, sessionId }));
      if (!all.some(({ email }) => email === account?.email)) return undefined;
      const { securityVersion } = await runSecurityBatch<ResultRow & ProofRow>(
        deps,
        { userId, sessionId },
        address,
        PROVE,
      );
      return await sudoTokens.sign({ userId, sessionId, securityVersion });
    },
  };
}
