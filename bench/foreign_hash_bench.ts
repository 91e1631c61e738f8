import { createApp } from "../src/app.ts";
import { bind } from "../src/db/statement.ts";
import { noteForeignHashes } from "../src/accounts/password/foreign_cost_queries.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, ratio } from "./benchmark.ts";
import { startingAt, summarize } from "./statistics.ts";

const INSERT_ACCOUNTS = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbered WHERE n + 1 < :count)
  INSERT INTO user_account (email, password_hash, created_at)
  SELECT :side || '-' || numbered.n || '@example.com', :hash, 0 FROM numbered`);

const ROUNDS = 20;
const BURSTS = 4;
/** Sign-ins that one client can have under way for an account. */
const BURST = 4;
const GOAL = 1.1;

const SALT = "A".repeat(22);
const KEY = "A".repeat(43);

/** Hashes by the defaults of frameworks, and a cheap one. None matches a password. */
const FORMS: Readonly<Record<string, string>> = {
  "bcrypt of cost 4": `$2b$04$${".".repeat(53)}`,
  "bcrypt of cost 10": `$2b$10$${".".repeat(53)}`,
  "PBKDF2 of 210000 rounds": `$pbkdf2-sha512$i=210000$${SALT}$${KEY}`,
  "scrypt of 32 MiB": `$scrypt$ln=15,r=8,p=1$${SALT}$${KEY}`,
  "argon2id of 64 MiB": `$argon2id$v=19$m=65536,t=3,p=4$${SALT}$${KEY}`,
  "unreadable": "5f4dcc3b5aa765d61d8327deb882cf99",
};

/** Whether the time of a wrong password reveals the form of the stored hash, or whether there is an account. */
export const FOREIGN_HASH_BENCH: Benchmark = {
  name: "foreign-hash",
  summary: "Wrong passwords for hashes of each form against those without an account",
  async run(note): Promise<BenchmarkResult[]> {
    await using service = await openProductionService("file");
    const { database, deps } = service;
    const hashes = { ...FORMS, "ours": await deps.hasher.hash("a heron at dusk") };
    const sides = ["no account", ...Object.keys(hashes)];
    for (const [side, hash] of Object.entries(hashes)) {
      const args = { count: ROUNDS + BURSTS, side: sides.indexOf(side), hash };
      await database.write([bind(INSERT_ACCOUNTS, args), ...noteForeignHashes([hash])]);
    }
    const app = createApp(deps);

    /** Sends wrong passwords at once, from a client of its own, and returns the time until the last response. */
    async function time(side: string, turn: number, count: number): Promise<number> {
      const number = sides.indexOf(side);
      const hostname = `2001:db8:${turn.toString(16)}:${number}::1`;
      const body = JSON.stringify({
        username: `${number}-${turn}@example.com`,
        password: "a wrong password",
      });
      const headers = { "Content-Type": "application/json" };
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: count }, async () => {
        const init = { method: "POST", headers, body };
        const answer = await app.request("/auth/login", init, { remoteAddr: { hostname } });
        await answer.text();
        if (answer.status !== 401) throw new Error(`A wrong password responded with ${answer.status}`);
      }));
      return performance.now() - startedAt;
    }

    async function compare(rounds: number, first: number, count: number): Promise<Figure[]> {
      const times = new Map<string, number[]>(sides.map((side) => [side, []]));
      for (let round = 0; round < rounds; round++) {
        for (const side of startingAt(sides, round)) {
          times.get(side)?.push(await time(side, first + round, count));
        }
      }
      const [none, ...others] = sides.map((side) => summarize(times.get(side) ?? []));
      if (none === undefined) throw new RangeError("There is no side to compare with");
      return [
        figure("no account", "ms", none),
        ...others.map((other, i) => ratio(sides[i + 1] ?? "", "ms", [other, none], { atMost: GOAL })),
      ];
    }

    // The process measures the forms at the first password.
    await time("no account", ROUNDS + BURSTS, 1);
    note("one after the other");
    const single = await compare(ROUNDS, 0, 1);
    note(`${BURST} at once`);
    const bursts = await compare(BURSTS, ROUNDS, BURST);
    return [
      { input: `A wrong password, ${ROUNDS} times, on a file`, figures: single },
      {
        input: `${BURST} wrong passwords of a client at once, until the last, ${BURSTS} times`,
        figures: bursts,
      },
    ];
  },
};
