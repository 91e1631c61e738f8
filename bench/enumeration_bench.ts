import { createApp } from "../src/app.ts";
import { bind } from "../src/db/statement.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { type Benchmark, type BenchmarkResult, figure } from "./benchmark.ts";
import { summarize } from "./statistics.ts";

/** Accounts with the administrator's password hash, so that each comparison costs the same. */
const INSERT_ACCOUNTS = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbered WHERE n + 1 < :count)
  INSERT INTO user_account (email, password_hash, created_at)
  SELECT 'known' || numbered.n || '@example.com', admin.password_hash, 0
  FROM numbered CROSS JOIN user_account admin ON admin.id = 1`);

const PAIRS = 500;
const GOAL_MS = 5;

interface Operation {
  readonly name: string;
  readonly path: string;
  readonly bodyFor: (email: string) => Record<string, string>;
}

/** Operations whose response time must not reveal whether an address has an account. */
const OPERATIONS: readonly Operation[] = [
  {
    name: "log in",
    path: "/auth/login",
    bodyFor: (email) => ({ username: email, password: "a wrong password" }),
  },
  { name: "send a reset mail", path: "/user/password/reset/email", bodyFor: (email) => ({ email }) },
  { name: "send a reset code", path: "/user/password/reset/send", bodyFor: (email) => ({ email }) },
  {
    name: "check a reset code",
    path: "/user/password/reset/validate",
    bodyFor: (email) => ({ email, otp: "ABCDEF" }),
  },
];

/** Whether the response time differs between addresses with and without an account. */
export const ENUMERATION_BENCH: Benchmark = {
  name: "enumeration",
  summary: "Response times for addresses with and without an account, in pairs",
  async run(note): Promise<BenchmarkResult[]> {
    await using service = await openProductionService("file");
    await service.database.write([bind(INSERT_ACCOUNTS, { count: PAIRS * OPERATIONS.length })]);
    const app = createApp(service.deps);
    const figures = [];
    for (const [turn, { name, path, bodyFor }] of OPERATIONS.entries()) {
      note(name);
      const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
      for (let i = 0; i < PAIRS; i++) {
        // Separate accounts and clients, so that no throttle cuts the work short. The sides take turns in going
        // first.
        const n = turn * PAIRS + i;
        const sides = [["known", `known${n}@example.com`], ["unknown", `nobody${n}@example.com`]] as const;
        for (const [side, email] of i % 2 === 0 ? sides : sides.toReversed()) {
          const from = `2001:db8:${n.toString(16)}:${side === "known" ? 1 : 2}::1`;
          const startedAt = performance.now();
          const answer = await app.request(path, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(bodyFor(email)),
          }, { remoteAddr: { hostname: from } });
          await answer.text();
          if (answer.status >= 429) throw new Error(`${path} responded with ${answer.status}`);
          times[side].push(performance.now() - startedAt);
        }
      }
      const known = summarize(times.known);
      const unknown = summarize(times.unknown);
      const difference = summarize([Math.abs(known.median - unknown.median)]);
      figures.push(
        figure(`${name}: known`, "ms", known),
        figure(`${name}: unknown`, "ms", unknown),
        figure(`${name}: difference of the medians`, "ms", difference, { atMost: GOAL_MS }),
      );
    }
    return [{ input: `${PAIRS} pairs per operation, on a file`, figures }];
  },
};
