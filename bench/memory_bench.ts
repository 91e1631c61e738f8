import { startService } from "../tests/helpers/service_process.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure } from "./benchmark.ts";
import { putLoad } from "./bench_process.ts";
import { summarize } from "./statistics.ts";

const SECONDS = 20;
/** The limit in deploy/rolegrid.service, which is below the default of an instance on Deno Deploy. */
const GOAL_MIB = 512;
/**
 * The service's limit of concurrent hashes per client address. Each login uses another account, because
 * accounts are throttled, too.
 */
const LOGIN_LANES = 8;
const LISTING_LANES = 4;
const QUERY_CONNECTIONS = 16;
const KIB_PER_MIB = 1024;

/** Memory of the process under concurrent logins, queries and listings. */
export const MEMORY_BENCH: Benchmark = {
  name: "memory",
  summary: "Peak memory of the process under a mixed load, including logins with their password hashes",
  async run(note): Promise<BenchmarkResult[]> {
    await using prepared = await openProductionService("file");
    const { rows } = await seedService(prepared, { seed: 1, levels: 4 });
    const { env, port, accessToken: token, credentials, database } = prepared;
    const sql = `INSERT INTO user_account (email, password_hash, created_at)
      SELECT 'lane' || value || '@example.com', password_hash, created_at
      FROM user_account CROSS JOIN json_each(:lanes) WHERE email = :email`;
    const lanes = Array.from({ length: LOGIN_LANES }, (_, lane) => lane);
    await database.write([{ sql, args: { email: credentials.username, lanes: JSON.stringify(lanes) } }]);
    await using service = await startService(env);
    const atRest = readPeak(service.pid);
    note(`a mixed load for ${SECONDS} s`);
    const ask = (path: string, body: unknown): Promise<number> => repeat(service.url + path, { token, body });
    const order = { port, token, seconds: SECONDS, connections: QUERY_CONNECTIONS };
    const { password } = credentials;
    const [logins, listings, queries] = await Promise.all([
      sum(lanes.map((lane) => ask("/auth/login", { username: `lane${lane}@example.com`, password }))),
      sum(Array.from({ length: LISTING_LANES }, () => ask("/v1/role/query", {}))),
      putLoad({ ...order, path: "/v1/role/query", body: '{"filter":{"id":[1]}}' }),
    ]);
    const figures = [
      figure("peak resident memory", "MiB", summarize([readPeak(service.pid)]), { atMost: GOAL_MIB }),
      figure("after the start", "MiB", summarize([atRest])),
      perSecond("concurrent logins", logins / SECONDS),
      perSecond(`concurrent listings of ${rows.roles} roles`, listings / SECONDS),
      perSecond("queries for one role meanwhile", queries.requestsPerSecond),
    ];
    return [{ input: `${rows.roles} roles on a file, ${SECONDS} s`, figures }];
  },
};

/** Sends one request after the other. Returns their number. */
async function repeat(url: string, { token, body }: { token: string; body: unknown }): Promise<number> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  const endsAt = performance.now() + SECONDS * 1000;
  let count = 0;
  for (; performance.now() < endsAt; count++) {
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Not a success: ${answer.status} ${text}`);
  }
  return count;
}

async function sum(counts: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
}

function perSecond(name: string, value: number): Figure {
  return figure(name, "requests/s", summarize([value]));
}

/** The peak resident memory of a process in MiB, as recorded by Linux. */
function readPeak(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
  return Number(kib) / KIB_PER_MIB;
}
