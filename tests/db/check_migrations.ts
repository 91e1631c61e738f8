import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { print, printError } from "../../scripts/lib/output.ts";
import { runTask, TaskError } from "../../scripts/lib/run_task.ts";
import { readShape } from "./schema_shape.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Folders of migrations, each with the files of its tables. */
const PARTS = [
  { folder: "migrations", schema: "src/db/schema" },
  { folder: "migrations/points", schema: "src/db/schema/points" },
] as const;
type Part = typeof PARTS[number];

/**
 * Checks that migrations match the schema: drizzle-kit finds nothing to add to their last snapshot, and a database made
 * by them has the tables, columns, checks and indexes of one made from the schema alone. The second check is needed
 * because the snapshot does not include manual edits of the SQL.
 */
async function checkMigrations(): Promise<number> {
  const scratch = await Deno.makeTempDir({ prefix: "rolegrid_migrations_" });
  try {
    const problems: string[] = [];
    for (const [i, part] of PARTS.entries()) {
      const place = `${scratch}/${i}`;
      problems.push(...await findMissingMigration(part, place), ...await findDifferences(part, place));
    }
    for (const problem of problems) printError(problem);
    if (problems.length > 0) return 1;
    print("The migrations are up to date with the schema.");
    return 0;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

/** Runs drizzle-kit on a copy of the migrations. It must find nothing to generate. */
async function findMissingMigration(part: Part, scratch: string): Promise<string[]> {
  const copy = `${scratch}/copy`;
  await Deno.mkdir(`${copy}/meta`, { recursive: true });
  for (const folder of ["", "/meta"]) {
    for await (const { name, isFile } of Deno.readDir(ROOT + part.folder + folder)) {
      if (isFile) await Deno.copyFile(`${ROOT}${part.folder}${folder}/${name}`, `${copy}${folder}/${name}`);
    }
  }
  const before = await readMigrations(toFolder(copy));
  await generate(part, copy);
  const added = (await readMigrations(toFolder(copy))).slice(before.length);
  if (added.length === 0) return [];
  return [
    `${part.schema}/ says more than ${part.folder}/ does. Generate a migration ` +
    "(CONTRIBUTING.md) and commit it. It would add:",
    ...added.flatMap(({ statements }) => statements),
  ];
}

/** Compares a database made by the migrations with one that drizzle-kit generates from the schema alone. */
async function findDifferences(part: Part, scratch: string): Promise<string[]> {
  const fresh = `${scratch}/fresh`;
  await generate(part, fresh);
  const migrated = await shapeOf(`${scratch}/migrated.db`, toFolder(ROOT + part.folder));
  const wanted = await shapeOf(`${scratch}/wanted.db`, toFolder(fresh));
  return [
    ...[...wanted].filter((part) => !migrated.has(part)).map((part) => `The migrations lack: ${part}`),
    ...[...migrated].filter((part) => !wanted.has(part)).map((part) =>
      `The migrations make, but not the schema: ${part}`
    ),
  ];
}

async function shapeOf(path: string, folder: URL): Promise<Set<string>> {
  const database = await openDatabase(`file:${path}`);
  try {
    await migrate(database, await readMigrations(folder));
    return await readShape(database);
  } finally {
    await database.close();
  }
}

/** Runs drizzle-kit, which accepts a folder only as a path relative to its working directory. */
async function generate({ schema }: Part, folder: string): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "-A", "--config", "tests/deno.json"],
      ...["npm:drizzle-kit", "generate", "--name", "check"],
      ...["--dialect", "sqlite", "--schema", `./${schema}/*.ts`, "--out", relative(ROOT, folder)],
    ],
    cwd: ROOT,
    stdin: "null",
  }).output();
  const output = new TextDecoder().decode(new Uint8Array([...stdout, ...stderr]));
  // If drizzle-kit has a question and no terminal, it gives up with status 0.
  if (success && /No schema changes|SQL migration file/.test(output)) return;
  throw new TaskError(`drizzle-kit could not compare the schema:\n${output}`);
}

function toFolder(path: string): URL {
  return new URL(`file://${path}/`);
}

if (import.meta.main) await runTask(checkMigrations);
