import assert from "node:assert/strict";
import { WITH_DEVICES } from "../src/device/with_devices.ts";
import { bind } from "../src/db/statement.ts";
import { deleteManages } from "../src/role/manages/manages_service.ts";
import { undoChange } from "../src/undo/undo_service.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { seedService, timeService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, figure, ratio } from "./benchmark.ts";
import { summarize } from "./statistics.ts";

const SAMPLES = 20;
const DEVICES = 500;
const MEMBERS = 50;
const GOAL = { atMost: 250 };
const MAKE = { kind: "make" } as const;
const PREVIEW = { kind: "preview" } as const;

/** Every other leaf below the role has a device, and every twentieth a member. */
const INSERT_DEVICES = defineStatement(`
  WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${DEVICES - 1})
  INSERT INTO device (id, node_id, properties, updated_at)
  SELECT 5000000 + n, 'meter-' || n, '{}', 0 FROM numbers`);
const INSERT_MONITORS = defineStatement(`
  INSERT INTO monitors (id, role_id, device_id)
  SELECT 6000000 + key, value, 5000000 + key FROM json_each(:leaves) WHERE key < ${DEVICES}`);
const INSERT_PEOPLE = defineStatement(`
  INSERT INTO user_account (id, email, created_at)
  SELECT 1000000 + key, 'person' || key || '@example.com', 0 FROM json_each(:leaves) WHERE key < ${MEMBERS}`);
const INSERT_MEMBERS = defineStatement(`
  INSERT INTO member (id, role_id, user_id)
  SELECT 7000000 + key, value, 1000000 + key FROM json_each(:leaves) WHERE key < ${MEMBERS}`);
/** The budget of previews, and what may be stored in a while. */
const FORGET = [
  defineStatement("DELETE FROM throttle"),
  defineStatement("UPDATE root_usage SET free_at = 0"),
];
const LAST = defineStatement("SELECT max(rev) AS rev FROM change_log");

/** Restoring what a deletion took. */
export const RESTORE_BENCH: Benchmark = {
  name: "restore",
  summary: "Deletes and restores 1,111 of 11k roles, with devices and members, on a file: time of the writer",
  async run(note): Promise<BenchmarkResult[]> {
    note("seeding 11k roles");
    await using opened = await openProductionService("file");
    const { hierarchy, rows } = await seedService(opened, { seed: 1, levels: 4, shape: "tree" });
    const service = timeService(opened, hierarchy);
    const relation = hierarchy.relations.find(({ parentId }) => parentId === opened.rootId);
    if (relation === undefined) throw new TypeError("The root has no role below it");
    const leaves = leavesBelow(hierarchy.relations, relation.childId);
    assert.ok(leaves.length >= DEVICES);
    const args = { leaves: JSON.stringify(leaves) };
    await opened.database.write([
      bind(INSERT_DEVICES, {}),
      bind(INSERT_MONITORS, args),
      bind(INSERT_PEOPLE, args),
      bind(INSERT_MEMBERS, args),
    ]);

    note("deleting and restoring");
    const deps = { ...service.deps, ...WITH_DEVICES };
    const input = { managesId: relation.id, parentRoleId: relation.parentId };
    const times = { deletion: [] as number[], preview: [] as number[], restore: [] as number[] };
    const timed = async (kind: keyof typeof times, act: () => Promise<unknown>): Promise<void> => {
      service.takeTimes();
      await act();
      times[kind].push(Math.max(...service.takeTimes()));
    };
    for (let i = 0; i < SAMPLES; i++) {
      await opened.database.write(FORGET.map((statement) => bind(statement, {})));
      await timed("deletion", () => deleteManages(deps, service.actor, input, MAKE));
      const [last] = await opened.database.read(bind(LAST, {})) as { rev: number }[];
      const revision = Number(last?.rev);
      await timed("preview", () => undoChange(deps, service.actor, revision, PREVIEW));
      await timed("restore", () => undoChange(deps, service.actor, revision, MAKE));
    }
    const [deletion, preview, restore] = [times.deletion, times.preview, times.restore].map(summarize);
    if (deletion === undefined || preview === undefined || restore === undefined) {
      throw new TypeError("No times");
    }
    return [{
      input: `${rows.roles} roles; ${leaves.length} leaves below, ${DEVICES} devices, ${MEMBERS} members`,
      figures: [
        figure("restore of 1,111 roles, the writer", "ms", restore, GOAL),
        figure("preview of that, its longest statement", "ms", preview),
        ratio("restore, to the deletion", "ms", [restore, deletion]),
      ],
    }];
  },
};

/** The roles below a role that have none below themselves. */
function leavesBelow(
  relations: readonly { readonly parentId: number; readonly childId: number }[],
  top: number,
): number[] {
  const below = Map.groupBy(relations, ({ parentId }) => parentId);
  const leaves: number[] = [];
  const open = [top];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const children = below.get(id) ?? [];
    if (children.length === 0) leaves.push(id);
    open.push(...children.map(({ childId }) => childId));
  }
  return leaves;
}
