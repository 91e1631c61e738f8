import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { startHoldingProxy } from "./holding_proxy.ts";
import {
  ADD_FACT,
  COUNT_FACTS,
  countFacts,
  type Instance,
  openScene,
  type ReplicaScene,
  until,
} from "./replica_scene.ts";

/** The directories of copies in a folder. */
function copiesIn(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => `${folder}/${name}`)
    .filter((path) => path.includes("/copy-")).sort();
}

/** Opens an instance on the folder of an earlier one. Returns whether its first copy was made anew. */
async function reopen(scene: ReplicaScene, folder: string): Promise<{ instance: Instance; isNew: boolean }> {
  const [kept] = copiesIn(folder);
  const instance = await scene.open({ folder });
  return { instance, isNew: copiesIn(folder)[0] !== kept };
}

/** Opens an instance with a folder that outlives it, lets it make a copy, and closes it. */
async function leaveCopy(
  scene: ReplicaScene,
  url = scene.server.url,
): Promise<{ folder: string; copy: string }> {
  const folder = await scene.makeFolder();
  const { database } = await scene.open({ folder, url });
  await scene.direct.write([ADD_FACT]);
  assert.equal(await countFacts(database), 2);
  await database.close();
  const [copy = ""] = copiesIn(folder);
  // The system's times of files advance in steps of some milliseconds.
  await delay(20);
  return { folder, copy };
}

Deno.test("an orderly end leaves the copy to the next run, which catches up from there", async () => {
  await using scene = await openScene();
  const { folder } = await leaveCopy(scene);
  await scene.direct.write([ADD_FACT]);
  const { instance, isNew } = await reopen(scene, folder);
  assert.equal(isNew, false);
  assert.equal(await countFacts(instance.database), 3);
  assert.equal(instance.primaryReads(), 0);
});

const DAMAGES: Record<string, (copy: string) => void> = {
  "was cut off": (copy) => Deno.truncateSync(`${copy}/copy.db`, 4096),
  "was overwritten in place": (copy) => overwrite(`${copy}/copy.db`, 4096),
  "was replaced": (copy) => {
    Deno.copyFileSync(`${copy}/copy.db`, `${copy}/other.db`);
    Deno.renameSync(`${copy}/other.db`, `${copy}/copy.db`);
  },
  "is missing": (copy) => Deno.removeSync(`${copy}/copy.db`),
  "lost libSQL's note": (copy) => Deno.removeSync(`${copy}/copy.db-client_wal_index`),
  "has an older note of libSQL's": (copy) => overwrite(`${copy}/copy.db-client_wal_index`, 16),
  "got another log": (copy) => Deno.writeTextFileSync(`${copy}/copy.db-wal`, "something else"),
  "has a note that cannot be read": (copy) => Deno.writeTextFileSync(`${copy}/note.json`, "{"),
  "has a note of another server": (copy) => editNote(copy, (note) => note.replace(/"url":"./, '"url":"_')),
  "did not end in an orderly way": (copy) => Deno.removeSync(`${copy}/note.json`),
};

function overwrite(path: string, at: number): void {
  const bytes = Deno.readFileSync(path);
  bytes.fill(0, at, at + 8);
  Deno.writeFileSync(path, bytes);
}

function editNote(copy: string, edit: (note: string) => string): void {
  const path = `${copy}/note.json`;
  Deno.writeTextFileSync(path, edit(Deno.readTextFileSync(path)));
}

for (const [what, damage] of Object.entries(DAMAGES)) {
  Deno.test(`a kept copy that ${what} is deleted, and made anew`, async () => {
    await using scene = await openScene();
    const { folder, copy } = await leaveCopy(scene);
    damage(copy);
    const { instance, isNew } = await reopen(scene, folder);
    assert.equal(isNew, true);
    assert.equal(await countFacts(instance.database), 2);
    assert.equal(copiesIn(folder).length, 1);
  });
}

Deno.test("a kept copy whose damage its file does not show is found out by a check", async () => {
  await using scene = await openScene();
  const { folder, copy } = await leaveCopy(scene);
  const { mtime, atime } = Deno.statSync(`${copy}/copy.db`);
  overwrite(`${copy}/copy.db`, 4096);
  Deno.utimeSync(`${copy}/copy.db`, atime ?? 0, mtime ?? 0);
  const instance = await scene.openEmpty({ folder });
  await instance.logged("replica.dropped");
  assert.equal(await countFacts(instance.database), 2, "from the primary");
  assert.equal(instance.primaryReads(), 1);
  await instance.logged("replica.ready");
  assert.equal(await countFacts(instance.database), 2, "from a new copy");
  assert.equal(instance.primaryReads(), 1);
});

Deno.test("a kept copy is not used if the server was started since", async () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await using scene = await openScene();
    const { folder } = await leaveCopy(scene);
    await scene.server.kill(signal);
    await scene.server.start();
    const { instance, isNew } = await reopen(scene, folder);
    assert.equal(isNew, true);
    assert.equal(await countFacts(instance.database), 2);
  }
});

Deno.test("a kept copy is the only one that is begun, however many reads wait for it", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  const { folder } = await leaveCopy(scene, proxy.url);
  proxy.hold(asksForProtocol);
  const { database, logged } = await scene.openEmpty({ folder, url: proxy.url, pauseMs: 60_000 });
  for (let i = 0; i < 10; i++) {
    assert.equal(await countFacts(database), 2);
    await delay(10);
  }
  assert.equal(proxy.heldCount(), 1);
  // The driver asks the same.
  proxy.hold(undefined);
  proxy.letGo();
  await logged("replica.ready");
  assert.equal(copiesIn(folder).length, 1);
});

Deno.test("a kept copy goes to the next instance if one is closed before it has looked at it", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  const { folder } = await leaveCopy(scene, proxy.url);
  proxy.hold(asksForProtocol);
  const closed = await scene.openEmpty({ folder, url: proxy.url });
  await until(() => proxy.heldCount() === 1, () => "the beginning of a copy");
  proxy.hold(undefined);
  await closed.database.close();
  const [copy] = copiesIn(folder);
  const { database, primaryReads } = await scene.open({ folder, url: proxy.url });
  proxy.letGo();
  for (let i = 3; i < 20; i++) {
    await scene.direct.write([ADD_FACT]);
    assert.equal(await countFacts(database), i);
    await delay(20);
  }
  assert.equal(primaryReads(), 0);
  assert.deepEqual(copiesIn(folder), [copy]);
});

function asksForProtocol({ url }: Request): boolean {
  return new URL(url).pathname === "/info";
}

Deno.test("instances that start together delete what earlier ones left, and each gets a copy", async () => {
  await using scene = await openScene();
  const folder = await scene.makeFolder();
  const { database } = await scene.open({ folder });
  await database.close();
  const [copy = ""] = copiesIn(folder);
  Deno.removeSync(`${copy}/note.json`);
  for (let i = 0; i < 10; i++) {
    const left = `${folder}/copy-${crypto.randomUUID()}`;
    Deno.mkdirSync(left);
    for (const { name } of Deno.readDirSync(copy)) Deno.copyFileSync(`${copy}/${name}`, `${left}/${name}`);
  }
  const instances = await Promise.all(Array.from({ length: 4 }, () => scene.open({ folder })));
  for (const { events } of instances) assert.deepEqual(events, ["replica.ready"]);
  await until(() => copiesIn(folder).length === 4, () => `four copies: ${copiesIn(folder)}`);
});

Deno.test("two instances on one folder have a copy each, and leave one another's alone", async () => {
  await using scene = await openScene();
  const folder = await scene.makeFolder();
  const first = await scene.open({ folder });
  const second = await scene.open({ folder });
  assert.equal(copiesIn(folder).length, 2);
  await scene.direct.write([ADD_FACT]);
  for (const { database, primaryReads } of [first, second]) {
    assert.equal(await countFacts(database), 2);
    assert.equal(primaryReads(), 0);
  }
  await first.database.close();
  await second.database.close();
  const { instance } = await reopen(scene, folder);
  assert.equal(await countFacts(instance.database), 2);
  assert.equal(copiesIn(folder).length, 1, "the other one is deleted");
});

Deno.test("nobody else may read a copy", async () => {
  await using scene = await openScene();
  const { folder, database } = await scene.open();
  for (let i = 0; i < 5; i++) {
    await scene.direct.write([ADD_FACT]);
    await countFacts(database);
  }
  const [copy = ""] = copiesIn(folder);
  await database.close();
  const mode = (path: string) => ((Deno.statSync(path).mode ?? 0) & 0o777).toString(8);
  assert.equal(mode(copy), "700");
  await Deno.chmod(folder, 0o755);
  await (await scene.open({ folder })).database.close();
  assert.equal(mode(folder), "700", "an existing folder of copies, too");
  const files = Array.from(Deno.readDirSync(copy), ({ name }) => [name, mode(`${copy}/${name}`)]);
  assert.deepEqual(
    Object.fromEntries(files),
    Object.fromEntries(files.map(([name]) => [name, "600"])),
  );
  assert.ok(files.length >= 5);
});

Deno.test("a folder of others is refused, with what to do, and stays as it is", async () => {
  await using scene = await openScene();
  const folder = await scene.makeFolder();
  await Deno.writeTextFile(`${folder}/letter.txt`, "Dear reader");
  await assert.rejects(scene.openEmpty({ folder }), (error: Error) => {
    assert.equal(error.name, "RangeError");
    assert.match(error.message, /^REPLICA_PATH .* Name one that is empty or missing/);
    return true;
  });
  assert.deepEqual(Array.from(Deno.readDirSync(folder), ({ name }) => name), ["letter.txt"]);
  await assert.rejects(
    scene.openEmpty({ folder: `${folder}/letter.txt` }),
    /^RangeError: REPLICA_PATH names a file/,
  );
  assert.equal(await Deno.readTextFile(`${folder}/letter.txt`), "Dear reader");
});

Deno.test("what others put beside the copies stays", async () => {
  await using scene = await openScene();
  const { folder } = await leaveCopy(scene);
  const letters = [`${folder}/letter.txt`, `${folder}/copy-of-letters/letter.txt`];
  await Deno.mkdir(`${folder}/copy-of-letters`);
  for (const letter of letters) await Deno.writeTextFile(letter, "Dear reader");
  await scene.open({ folder });
  for (const letter of letters) assert.equal(await Deno.readTextFile(letter), "Dear reader");
});

Deno.test("where nothing can be written, the log says so once and reads go to the primary", async () => {
  await using scene = await openScene();
  // The system lets nobody create anything there.
  const { database, events } = await scene.openEmpty({ folder: "/proc/rolegrid" });
  for (let i = 0; i < 5; i++) assert.equal(await countFacts(database), 1);
  await scene.direct.write([ADD_FACT]);
  assert.deepEqual(await database.read(COUNT_FACTS), [{ n: 2 }]);
  assert.deepEqual(events, ["replica.off"]);
});
