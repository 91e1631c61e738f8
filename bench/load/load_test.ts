/** The load generator: its mix, its counts of failures, and its judgement of memory. */
import assert from "node:assert/strict";
import { runStep } from "./load_step.ts";
import { judgeMemory } from "./memory.ts";
import { chooseKind, KINDS, MIX } from "./mix.ts";
import { runLoad } from "./run_load.ts";
import { VirtualClient } from "./virtual_client.ts";

const SHORT = { kind: "file", levels: 2, secondsOfStep: 2, long: { seconds: 0 } } as const;

Deno.test("a short load on a file database has no errors", async () => {
  const report = await runLoad({ ...SHORT, connections: [4] });
  const [step] = report.steps;
  assert.ok(step !== undefined);
  assert.deepEqual(step.failures, []);
  assert.equal(report.exitCode, 0);
  assert.ok(step.overall.requests > 20, `only ${step.overall.requests} requests`);
  assert.ok(step.overall.p50Ms > 0 && step.overall.p50Ms <= step.overall.p99Ms);
  const counted = Object.values(step.kinds).reduce((sum, { requests }) => sum + requests, 0);
  assert.equal(counted, step.overall.requests);
  assert.ok(step.residentMiB > 10 && report.residentMiB > 10);
});

Deno.test("failed responses are counted by kind and status, with the first of each", async () => {
  let answered = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    answered++;
    if (new URL(request.url).pathname !== "/auth/accesstoken") return new Response("a token");
    return new Response(`no ${answered}`, { status: 503 });
  });
  const place = { number: 0, emails: ["a@b.example"], password: "a password", workspaceId: 1, teamId: 2 };
  const client = new VirtualClient({ ...place, nodeId: "meter", seenRoleId: 3, checkedRoleIds: [4] });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const { failures, overall } = await runStep({ url, clients: [client], length: { requests: 5 } });
  await server.shutdown();
  assert.deepEqual(failures, [{ kind: "access token", status: 503, count: 4, first: "no 2" }]);
  assert.deepEqual([overall.requests, answered], [5, 5]);
});

Deno.test("the mix gives each kind its share and maps every random number to a kind", () => {
  const counts = new Map<string, number>();
  for (let n = 0; n < 1000; n++) {
    const kind = chooseKind((n + 0.5) / 1000);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  assert.deepEqual(Object.fromEntries(counts), MIX);
  assert.equal(chooseKind(0), KINDS[0]);
});

Deno.test("settled memory is flat, growing memory is not, and the slope is reported", () => {
  const samples = (mebibytesAt: (n: number) => number): { requests: number; mebibytes: number }[] =>
    Array.from({ length: 31 }, (_, n) => ({ requests: n * 10_000, mebibytes: mebibytesAt(n) }));
  const settled = judgeMemory(samples((n) => Math.min(100 + n * 10, 200)));
  assert.deepEqual([settled.isFlat, settled.mebibytesPer100kRequests], [true, 0]);
  const growing = judgeMemory(samples((n) => 100 + n * 4));
  assert.equal(growing.isFlat, false);
  assert.ok(Math.abs(growing.mebibytesPer100kRequests - 40) < 1e-9);
  assert.throws(() => judgeMemory([]), RangeError);
});
