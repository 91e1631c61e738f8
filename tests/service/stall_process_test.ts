/** A crowd of one user's costliest queries leaves the event loop to the requests of others. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { testKind } from "../helpers/databases.ts";
import { openLargeScene } from "../helpers/large_scene.ts";
import { startService } from "../helpers/service_process.ts";
import { startVictim } from "../helpers/victim.ts";

// One row of the attacks in bench/stall/, which measures processor time alone, so that it holds on a busy machine.

const TOPS = 200;
const LEAVES = 200;
const CONNECTIONS = 16;
const QUIET_MS = 500;
const ATTACK_MS = 1000;
/** How many times the processor time of the event loop during a request may be under attack what it is without. */
const MOST_TIMES = 20;
/** On a fast machine, that is too short to compare with, in milliseconds. */
const SHORT_MS = 5;

/** Only Linux counts the processor time of one thread. */
const ignore = !existsSync("/proc/self/schedstat");

testKind(
  "file",
  "a crowd of one user's costliest queries leaves the event loop to the requests of others",
  async () => {
    await using scene = await openLargeScene("file");
    const tops = await scene.addRoles(TOPS);
    const [hub = 0] = await scene.addRoles(1, { parentIds: tops });
    const leaves = await scene.addRoles(LEAVES, { parentIds: [hub] });
    const attacker = await scene.addPerson(tops);
    const [root = 0] = await scene.addRoles(1);
    const [roleId = 0] = await scene.addRoles(1, { parentIds: [root] });
    const bystander = await scene.addPerson([root]);
    await using service = await startService({ ...scene.service.env, TRUSTED_PROXIES: "127.0.0.1" });
    using victim = startVictim({ port: service.port, pid: service.pid, token: bystander.token, roleId });
    await victim.during(() => pause(QUIET_MS));
    const quiet = await victim.during(() => pause(QUIET_MS));

    const answers = new Set<number>();
    const endsAt = performance.now() + ATTACK_MS;
    async function attack(): Promise<void> {
      while (performance.now() < endsAt) {
        const response = await fetch(`${service.url}/v1/role/${leaves}/member/query`, {
          method: "POST",
          headers: { Authorization: `Bearer ${attacker.token}`, "Content-Type": "application/json" },
          body: "{}",
        });
        await response.body?.cancel();
        answers.add(response.status);
      }
    }
    const attacked = await victim.during(async () => {
      await Promise.all(Array.from({ length: CONNECTIONS }, attack));
    });

    assert.ok(answers.has(200), `The attack was answered with ${[...answers]}`);
    assert.deepEqual(attacked.failures, []);
    const bound = MOST_TIMES * Math.max(quiet.loopMs, SHORT_MS);
    assert.ok(
      attacked.loopMs < bound,
      `The event loop was busy for ${attacked.loopMs} ms, with ${quiet.loopMs} ms before`,
    );
  },
  { ignore },
);

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
