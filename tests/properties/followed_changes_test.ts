/**
 * A key with `asks` and no right follows exactly the changes about its role and those below: their rows, and those of
 * roles that were deleted from there. Told from the rows of the log and the present roles alone.
 */
import assert from "node:assert/strict";
import { execute, query } from "../helpers/http.ts";
import type { Tally } from "../model/oracle_driver.ts";
import { closureOf, membershipsOf } from "../model/oracle_rights.ts";
import type { GraphRun } from "../model/oracle_run.ts";
import { ask, askersOf, assertMet, forRandomScenarios } from "./random_runs.ts";

interface Change {
  readonly revision: number;
  readonly roleId: number | null;
  readonly parentRoleId: number | null;
  readonly viaRoleId: number | null;
}

interface LoggedRow {
  readonly rev: number;
  readonly role_id: number | null;
  readonly parent_id: number | null;
  readonly deleted: string | null;
  readonly is_shown: number;
}

const READ_LOG = `SELECT rev, role_id, parent_id, gone_role_ids AS deleted,
  kind NOT LIKE '%.dry_run' AND step NOT IN ('compare', 'abandoned') AS is_shown FROM change_log ORDER BY rev`;

const PAGE = 7;

async function follow(run: GraphRun, keyId: number, filter: object): Promise<Change[]> {
  const changes: Change[] = [];
  for (let after = 0;;) {
    const body = { after, limit: PAGE, filter };
    const page = await ask(run, keyId, "/v1/change/query", body) as {
      change: Change[];
      nextRevision: number;
    };
    changes.push(...page.change);
    if (page.nextRevision === after) return changes;
    after = page.nextRevision;
  }
}

const tally: Tally = new Map();

forRandomScenarios(
  "an asking key follows the changes about the roles that it reaches, and no others",
  () => ({
    atEnd: async (run) => {
      const { world, target } = run;
      await execute(target, [
        "UPDATE role_key SET asks = 1",
        "UPDATE member SET rights = 0 WHERE user_id < 0",
      ]);
      const rows = await query<LoggedRow>(target, READ_LOG);
      const deletedFrom = new Map(
        rows.flatMap(({ parent_id, deleted }) =>
          (JSON.parse(deleted ?? "[]") as number[]).map((id) => [id, parent_id] as const)
        ),
      );
      /** The role itself, or the one that it was deleted from. */
      function standingFor(roleId: number | null): number | null {
        if (roleId === null || world.roles.has(roleId)) return roleId;
        return standingFor(deletedFrom.get(roleId) ?? null);
      }
      const closure = closureOf(world);
      for (const keyId of askersOf(run).filter((id) => id < 0)) {
        const [membership] = membershipsOf(world, keyId);
        const own = membership?.roleId ?? assert.fail();
        const reached = new Set<number | null>([own, ...closure.get(own)?.keys() ?? []]);
        const isAbout = (roleId: number | null): boolean => reached.has(standingFor(roleId));
        const shown = rows.filter(({ role_id, parent_id, is_shown }) =>
          is_shown === 1 && (isAbout(role_id) || isAbout(parent_id))
        );
        const seen = await follow(run, keyId, {});
        assert.deepEqual(seen.map(({ revision }) => revision), shown.map(({ rev }) => rev));
        for (const { roleId, parentRoleId, viaRoleId } of seen) {
          for (const id of [roleId, parentRoleId, viaRoleId]) assert.ok(id === null || isAbout(id));
        }
        const asked = [own, ...world.roles.keys()][rows.length % (world.roles.size + 1)] ?? own;
        const ofRole = shown.filter(({ role_id, parent_id }) => role_id === asked || parent_id === asked);
        assert.deepEqual(
          (await follow(run, keyId, { roleId: asked })).map(({ revision }) => revision),
          reached.has(asked) ? ofRole.map(({ rev }) => rev) : [],
        );
        tally.set(shown.length === rows.length ? "all" : "some", 1);
        if (shown.some(({ role_id }) => role_id !== null && !world.roles.has(role_id))) {
          tally.set("deleted", 1);
        }
      }
    },
  }),
  { tally, atEnd: (histories) => assertMet(tally, histories, ["some", "deleted"]) },
);
