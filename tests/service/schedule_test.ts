/** Jobs run repeatedly and never twice at once, by a timer or by the platform's schedule. */
import assert from "node:assert/strict";
import { createLog } from "../../src/core/log.ts";
import { type Cron, type Job, startSchedule } from "../../src/service/schedule.ts";

function job(run: () => Promise<unknown>, everySeconds = 0.001): Job {
  return { name: "a job", cron: "* * * * *", everySeconds, run };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("without a platform schedule, jobs run repeatedly and never twice at once", async () => {
  let running = 0;
  let runs = 0;
  const lines: string[] = [];
  const work = async (): Promise<void> => {
    assert.equal(++running, 1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
    if (++runs === 2) throw new Error("secret words");
  };
  const schedule = startSchedule([job(work)], createLog("info", (line) => lines.push(line)), undefined);
  await until(() => runs >= 4);
  schedule.stop();
  await until(() => running === 0);
  const after = runs;
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(runs, after);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /schedule\.job_failed.*a job/);
  assert.doesNotMatch(lines[0] ?? "", /secret words/);
});

Deno.test("the platform's schedule gets the jobs and their abort signal", async () => {
  const given: { name: string; schedule: string; signal: AbortSignal; handler: () => Promise<void> }[] = [];
  const cron: Cron = (name, schedule, { signal }, handler) => {
    given.push({ name, schedule, signal, handler });
    return Promise.resolve();
  };
  let runs = 0;
  const log = createLog("silent", () => {});
  const schedule = startSchedule([job(() => Promise.resolve(runs++))], log, cron);
  const [entry = assert.fail()] = given;
  assert.deepEqual([entry.name, entry.schedule, runs], ["a job", "* * * * *", 0]);
  await entry.handler();
  assert.equal(runs, 1);
  schedule.stop();
  assert.equal(entry.signal.aborted, true);
});
