import { logIn } from "../src/identity/login_service.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { type Benchmark, type BenchmarkResult, figure } from "./benchmark.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 60;
const WARM_UP_ROUNDS = 5;
const GOAL_MS = 3;

/** The time of a login without its password hash, which is slow on purpose. */
export const LOGIN_BENCH: Benchmark = {
  name: "login",
  summary: "A login, without the time that its password hash takes",
  async run(note): Promise<BenchmarkResult[]> {
    note("logging in");
    await using service = await openProductionService("file");
    const { deps, credentials } = service;
    let hashMs = 0;
    const passwords: typeof deps.passwords = {
      ...deps.passwords,
      async verify(password, phc) {
        const startedAt = performance.now();
        const verdict = await deps.passwords.verify(password, phc);
        hashMs = performance.now() - startedAt;
        return verdict;
      },
    };
    const rest: number[] = [];
    const hashes: number[] = [];
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      const startedAt = performance.now();
      await logIn({ ...deps, passwords }, { address: "127.0.0.1", name: "bench" }, credentials);
      const totalMs = performance.now() - startedAt;
      if (round < WARM_UP_ROUNDS) continue;
      rest.push(totalMs - hashMs);
      hashes.push(hashMs);
    }
    const figures = [
      figure("login minus the password hash", "ms", summarize(rest), { atMost: GOAL_MS }),
      figure("the password hash", "ms", summarize(hashes)),
    ];
    return [{ input: "One after the other, on a file", figures }];
  },
};
