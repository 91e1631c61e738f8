import { join } from "node:path";
import { progress } from "../../scripts/lib/progress.ts";
import { createRandom } from "../../tests/helpers/random_numbers.ts";
import { ApiClient } from "./api_client.ts";
import { ExpectedRights } from "./expected_rights.ts";
import { changeGraph, type ChangeOutcome } from "./graph_changes.ts";
import { formatImport, graphOfImport, planImport, type PlannedImport } from "./import_file.ts";
import { invitePeople, type Person } from "./people.ts";
import { type Checked, checkRights, sumChecked } from "./random_checks.ts";
import { listAllRoles, queryRoles } from "./role_queries.ts";
import { type PreparedDatabase, startService } from "./running_service.ts";
import type { PlacedSynset } from "./synsets.ts";

/** The service's default. */
export const MAX_COST = 200_000;

const ROOT_NAME = "WordNet";
/** Depths at which a role counts as high in the hierarchy. */
const HIGH_DEPTHS = [0, 1, 2, 3] as const;
const CHECKS_A_CHANGE = 2;
const IMPORTED = /(\d+) roles?, (\d+) relations?, (\d+) rows? of the rights table.*Their ids: (\d+) to (\d+)/;

export interface ImportRunOptions {
  readonly synsets: readonly PlacedSynset[];
  readonly seed: number;
  /** Number of rights checks before the first change, and number of role queries. */
  readonly checks: number;
  readonly changes: number;
  readonly people: number;
  /** The service's `CLOSURE_MAX_CHANGE`. */
  readonly maxCost: number;
}

/** The output of `deno task import`. */
export interface ImportedRows {
  readonly relations: number;
  readonly closureRows: number;
  readonly firstRoleId: number;
  readonly seconds: number;
}

export interface VerifiedTable {
  readonly isClean: boolean;
  readonly output: string;
}

export interface ImportRun {
  readonly planned: PlannedImport;
  readonly imported: ImportedRows;
  readonly queries: number;
  readonly checked: Checked;
  readonly changes: readonly ChangeOutcome[];
  /** Unexpected responses, including those of checks and changes. */
  readonly wrong: readonly string[];
  /** After the import and at the end. */
  readonly verified: readonly [VerifiedTable, VerifiedTable];
  /** Milliseconds by kind of request. */
  readonly times: ReadonlyMap<string, readonly number[]>;
}

/** Imports synsets into a new database, starts the service on it, and queries and changes it over HTTP. */
export async function runImport(options: ImportRunOptions): Promise<ImportRun> {
  const { synsets, seed, maxCost } = options;
  const planned = planImport(synsets, seed);
  let prepared: { imported: ImportedRows; verified: VerifiedTable; rootId: number } | undefined;
  await using service = await startService(ROOT_NAME, {
    env: { CLOSURE_MAX_CHANGE: String(maxCost) },
    prepare: async (database) => {
      const imported = await importRows(database, planned);
      prepared = { imported, verified: await verify(database), rootId: database.rootId };
    },
  });
  if (prepared === undefined) throw new Error("The service started without its hierarchy");
  const { imported, verified, rootId } = prepared;
  const times = new Map<string, number[]>();
  const client = await ApiClient.logIn(service.url, service.admin, times);
  const { firstRoleId } = imported;
  const graph = graphOfImport(planned.rows, { underId: rootId, firstRoleId });
  const roleIds = synsets.map((_, place) => firstRoleId + place);
  const names = new Map(planned.rows.map(({ name }, place) => [firstRoleId + place, name]));
  names.set(rootId, ROOT_NAME);
  const random = createRandom(seed + 1);
  const inner = roleIds.filter((roleId) => graph.childrenOf(roleId).size > 0);
  const people = await invitePeople(service, client, inner, { random, times, count: options.people });
  const highCounts = HIGH_DEPTHS.map((deepest) => synsets.filter(({ depth }) => depth <= deepest).length);
  const scene = {
    client,
    rootId,
    expected: new ExpectedRights(graph),
    people,
    names,
    roleIds,
    highCounts,
    random,
  };
  const outcome = await askAndChange(scene, options);
  return { planned, imported, ...outcome, verified: [verified, await verify(service)], times };
}

async function importRows(
  { directory, rootId, runTask }: PreparedDatabase,
  { rows }: PlannedImport,
): Promise<ImportedRows> {
  const file = join(directory, "wordnet.csv");
  await Deno.writeTextFile(file, formatImport(rows));
  const startedAt = performance.now();
  const { code, output } = await runTask("import", file, "--under", String(rootId));
  const seconds = (performance.now() - startedAt) / 1000;
  const [, ...counts] = IMPORTED.exec(output) ?? [];
  const [roles = NaN, relations = NaN, closureRows = NaN, firstRoleId = NaN] = counts.map(Number);
  if (code !== 0 || roles !== rows.length) throw new Error(`The import ended with code ${code}: ${output}`);
  return { relations, closureRows, firstRoleId, seconds };
}

async function verify({ runTask }: Pick<PreparedDatabase, "runTask">): Promise<VerifiedTable> {
  const { code, output } = await runTask("closure:verify");
  return { isClean: code === 0, output: output.trim() };
}

interface Scene {
  readonly client: ApiClient;
  readonly rootId: number;
  readonly expected: ExpectedRights;
  readonly people: readonly Person[];
  readonly names: Map<number, string>;
  readonly roleIds: number[];
  readonly highCounts: readonly number[];
  readonly random: () => number;
}

async function askAndChange(
  scene: Scene,
  { checks, changes, maxCost }: ImportRunOptions,
): Promise<Pick<ImportRun, "queries" | "checked" | "changes" | "wrong">> {
  const { client, rootId, expected } = scene;
  const administrator: Person = { client, roleIds: [rootId] };
  const bar = progress(2 * checks + changes);
  const onStep = (): void => bar.advance();
  const asked = { ...scene, people: [...scene.people, administrator], count: checks, onStep };
  const listing = { ...scene, memberOf: administrator.roleIds };
  const wrong = [...await listAllRoles(client, listing), ...await queryRoles(asked)];
  const parts = [await checkRights(asked)];
  const outcomes: ChangeOutcome[] = [];
  for (let n = 0; n < changes; n++) {
    outcomes.push(await changeGraph({ ...scene, graph: expected.graph, maxCost }));
    // Without the administrator, whose reach would have to be recomputed after each change.
    parts.push(await checkRights({ ...scene, count: CHECKS_A_CHANGE }));
    onStep();
  }
  wrong.push(...await listAllRoles(client, listing));
  bar.finish();
  const checked = sumChecked(parts);
  wrong.push(...checked.wrong, ...outcomes.flatMap((outcome) => outcome.wrong));
  return { queries: checks + 2, checked, changes: outcomes, wrong };
}
