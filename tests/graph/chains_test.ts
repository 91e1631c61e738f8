/** The chain of who brought whom is remembered for each principal, and read again in time. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { countToPrincipal, currentBranch, runForStranger } from "../../src/core/request_scope.ts";
import { createChains } from "../../src/graph/rules/chains.ts";
import { forEachApp, queryNumber } from "../helpers/http.ts";
import { bootstrap, invite } from "../helpers/person.ts";

const BEARER = "Bearer ";

/** Chains that are read from a table in memory, which the test may break. */
function openChains() {
  const scene = { now: 0, reads: 0, isBroken: false };
  const database = {
    read(): Promise<unknown[]> {
      scene.reads++;
      return scene.isBroken ? Promise.reject(new Error("away")) : Promise.resolve([{ chain: "1:2" }]);
    },
  } as unknown as Database;
  return { scene, chains: createChains({ database, clock: () => scene.now }) };
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("a chain is read once in five minutes, and until then the principal has one of their own", async () => {
  const { scene, chains } = openChains();
  assert.deepEqual(chains.of(7), ["unknown", "principal 7"]);
  await settle();
  for (let i = 0; i < 3; i++) assert.deepEqual(chains.of(7), ["1:2", "principal 7"]);
  assert.equal(scene.reads, 1);
  scene.now += 300_000;
  assert.deepEqual(chains.of(7), ["1:2", "principal 7"]);
  assert.equal(scene.reads, 2);
});

Deno.test("a change counts to the branch of its caller from their first request on", async () => {
  const { scene, chains } = openChains();
  const branch = runForStranger({ networks: () => ["192.0.2.0"], chains }, () => {
    countToPrincipal(7);
    return currentBranch();
  });
  assert.equal(await branch, "1:2");
  assert.equal(scene.reads, 1);
});

Deno.test("a chain that cannot be read stays as it was, and is asked for again after a second", async () => {
  const { scene, chains } = openChains();
  chains.of(7);
  await settle();
  scene.isBroken = true;
  scene.now += 300_000;
  chains.of(7);
  await settle();
  scene.isBroken = false;
  assert.deepEqual(chains.of(7), ["1:2", "principal 7"]);
  assert.equal(scene.reads, 2);
  scene.now += 1000;
  chains.of(7);
  assert.equal(scene.reads, 3);
});

Deno.test("ten thousand others do not drop a principal who keeps asking, nor tokens of one those of another", async () => {
  const { scene, chains } = openChains();
  chains.note(`${BEARER}own`, 7);
  await settle();
  for (let i = 0; i < 20_000; i++) {
    chains.note(`${BEARER}token-${i}`, 8);
    chains.of(100 + i);
    if (i % 5000 === 0) chains.of(7);
  }
  assert.deepEqual(chains.ofCredential(`${BEARER}own`), ["1:2", "principal 7"]);
  const reads = scene.reads;
  chains.of(7);
  assert.equal(scene.reads, reads);
  assert.equal(
    chains.ofCredential(`${BEARER}token-3`),
    undefined,
    "the last ones of an account alone are kept",
  );
});

forEachApp("a membership that others add later does not change its holder's branch", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const earlyId = await admin.create(rootId, "Early");
  const lateId = await admin.create(rootId, "Late");
  const mallory = await invite(target, admin, earlyId, "mallory@example.com");
  await invite(target, admin, lateId, "eva@example.com");
  await mallory.addMember(earlyId, "eva@example.com");
  const userId = await queryNumber(target, "SELECT id FROM user_account WHERE email = 'eva@example.com'");
  const chains = createChains(target.deps);
  assert.equal((await chains.known(userId))[0], `${rootId}:${userId}`);
});
