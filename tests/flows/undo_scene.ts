import assert from "node:assert/strict";
import { type Answer, query, queryNumber } from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** Undoing changes, and comparing what they leave. */

const WORLD = [
  "SELECT id, name, self_rights FROM role ORDER BY id",
  "SELECT id, parent_id, child_id, rights, by_password, given_by, given_via FROM manages ORDER BY id",
  "SELECT id, role_id, user_id, rights, ends_at, given_by, given_via FROM member ORDER BY id",
  "SELECT * FROM role_closure ORDER BY descendant_id, ancestor_id",
  "SELECT id, node_id, properties, updated_at, has_points FROM device ORDER BY id",
  "SELECT id, role_id, device_id FROM monitors ORDER BY id",
  "SELECT device_id FROM gone_device",
];

/** All that an undo puts back. */
export function worldOf(target: TestApp): Promise<unknown[]> {
  return Promise.all(WORLD.map((sql) => query(target, sql)));
}

/** The revision of the last change that was made. Rows that tell each role of a transfer do not count. */
export function lastRevision(target: TestApp): Promise<number> {
  return queryNumber(
    target,
    `SELECT max(rev) FROM change_log WHERE decision = 'ok' AND kind NOT LIKE '%.dry_run' AND kind <> 'monitors.end'
      AND (kind <> 'device.transfer' OR relation_id IS NOT NULL)`,
  );
}

export function undo(person: Person, revision: number, query = ""): Promise<Answer> {
  return person.ask("POST", `/v1/change/${revision}/undo${query}`);
}

/** Previews the undo of one change, and makes it with the effect that was seen. */
export async function undone(person: Person, revision: number): Promise<void> {
  const preview = await undo(person, revision, "?dryRun=true");
  assert.equal(preview.status, 200, preview.text);
  const { effect } = preview.body as { effect: { tag: string } };
  const headers = { "If-Effect": effect.tag };
  const { status, body } = await person.ask("POST", `/v1/change/${revision}/undo`, undefined, { headers });
  assert.deepEqual([status, body], [200, { undoes: revision }]);
}

/** Asserts that the thing has changed since, and returns the revision of the later change. */
export function laterOf({ status, body }: Answer): number | undefined {
  const { message, revision } = body as { message: string; revision?: number };
  assert.deepEqual([status, message], [409, "CHANGED_SINCE"]);
  return revision;
}
