import assert from "node:assert/strict";
import { testKind } from "../../helpers/databases.ts";
import { IS_LONG } from "../../helpers/read_count.ts";
import { collectStatements } from "../query_plans.ts";
import { measureAccounts, measureWorlds } from "./measure.ts";
import { findUses, type Use } from "./use_of_bounds.ts";
import { WORLDS } from "./worlds.ts";

/** Statements that no request of the worlds runs, by the beginnings of their names. */
const UNMEASURED: ReadonlyMap<string, string> = new Map([
  ["administrator_queries ", "a task of an administrator"],
  ["administrator_session_queries ", "a task of an administrator"],
  ["bootstrap_queries ", "a task of an administrator"],
  ["key_queries CREATE_KEY_AS_ADMINISTRATOR", "a task of an administrator"],
  ["key_queries DELETE_KEY_AS_ADMINISTRATOR", "a task of an administrator"],
  ["demand_queries CLEAR_DEMAND", "a task of an administrator"],
  ["demand_queries NO_EFFECT_ON_RIGHTS", "only whether the graph has moved, as every effect reads it"],
  ["made_key_queries DELETE_", "ends the keys of one maker, over the index of makers"],
  ["key_queries KEYS_OF_ROLE", "a task of an administrator"],
  ["explain_queries READ_LINEAGE.administrator", "a task of an administrator"],
  ["explain_queries READ_NAMES", "a task of an administrator"],
  ["people_queries ADMINISTRATOR_PEOPLE_PAGES", "a task of an administrator"],
  ["people_queries COUNT_PEOPLE", "a task of an administrator"],
  ["session_queries END_EVERYTHING_OPEN", "a task of an administrator"],
  ["foreign_cost_queries ", "one row, in an import"],
  ["role_import_queries ", "a task of an administrator"],
  ["import_run_queries ", "a task of an administrator"],
  ["invitation_queries ", "a task of an administrator"],
  ["people_import_queries ", "a task of an administrator"],
  ["member_import_queries ", "a task of an administrator"],
  ["role_changes_queries ", "a task of an administrator"],
  ["device_import_queries ", "a task of an administrator"],
  ["manages_queries PUT_RELATION_AS_ADMINISTRATOR", "a task of an administrator"],
  ["missing_queries ", "a task of an administrator"],
  ["member_queries PROVISION_MEMBER.make.0.facts.few", "of users, who do not provision"],
  ["member_queries PROVISION_AND_INVITE_MEMBER.make.0.facts.few", "of users, who do not provision"],
  ["fence_queries ", "a task of an administrator"],
  ["authority_queries ", "a task of an administrator"],
  ["deletion_queries DELETE_RELATION_AS_ADMINISTRATOR", "a task of an administrator"],
  ["member_removal_queries REMOVE_MEMBER_AS_ADMINISTRATOR", "a task of an administrator"],
  ["monitors_removal_queries END_MONITORS_AS_ADMINISTRATOR", "a task of an administrator"],
  ["monitors_removal_queries REMOVE_MONITORS_AS_ADMINISTRATOR", "a task of an administrator"],
  ["export_queries EXPORT_DEVICES", "a task of an administrator"],
  ["export_queries EXPORT_MEMBERS", "a task of an administrator"],
  ["export_queries EXPORT_PEOPLE", "a task of an administrator"],
  ["role_export_queries ", "a task of an administrator"],
  ["trash_queries FORGET_BY_ADMINISTRATOR", "a task of an administrator"],
  ["trash_queries RESTORE_DEVICE_BY_ADMINISTRATOR", "a task of an administrator"],
  ["inverse_queries UNDO_CASCADE_BY_ADMINISTRATOR", "a task of an administrator"],
  ["undone_queries READ_UNDONE_BY_ADMINISTRATOR", "a task of an administrator"],
  ["verification_queries ", "verification, page by page"],
  ["verification_queries WRONG_USAGE", "verification"],
  ["outbox_queries ", "a task of an administrator"],
  ["purge_queries ", "the purge, in batches"],
  ["ahead_queries ", "the purge, in batches"],
  ["session_queries READ_CURRENT_TOKEN", "only while nothing can be stored"],
  ["role_queries PROBE_RIGHT.key", "that of users, for the one membership of a key"],
  ["delivery_queries ", "the courier, in batches"],
  ["end_notice_queries ", "the notices of ends, in batches"],
  ["store_queries ", "the purge of points, in batches, and readiness"],
  ["tombstone_queries DELETE_TOMBSTONES", "the purge of points, in batches"],
  ["tombstone_queries SETTLED_TOMBSTONES", "the purge of points, in batches"],
  ["count_queries COUNT_SERIES", "another telemetry store"],
  ["count_queries DISCOUNT_SERIES", "the purge of points, in batches"],
  ["count_queries MOST_BYTES", "one row, once for each export of metrics"],
  ["leave_queries LEAVE_STEP", "in steps of a bounded size"],
  ["leave_queries UNFINISHED", "a job"],
  ["register_queries ", "the other telemetry stores"],
  ["point_write_queries WRITE_ACCEPTED", "another telemetry store"],
  ["point_write_queries WRITE_POINTS.recent", "only while an hour takes recent points"],
  ["point_write_queries WRITE_POINTS.both", "only while an hour takes recent points"],
  ["carry_queries ", "the job that carries points over, in steps"],
  ["clear_queries ", "the purge of points, in batches"],
  ["key_queries NOTE_KEY_USES", "written ten seconds later, for all keys together"],
  ["change_log_queries LATEST_REVISION", "one row, once a second for all who wait"],
  ["period_queries FIND_NODE_IDS", "only for nodeIds with several spellings"],
  ["login_queries ABANDON_LOGIN", "only if there is no room for a hash"],
  ["own_password_queries ABANDON_OWN_PASSWORD", "only if there is no room for a hash"],
  ["password_relation_queries ABANDON_PUT_BY_PASSWORD", "only if there is no room for a hash"],
  ["security_queries ABANDON_ATTEMPT", "only if there is no room for a hash"],
  ["transfer_queries PREVIEW_TRANSFER.keyed", "that without a key, and one row of the key"],
  ["transfer_queries TRANSFER_DEVICES.keyed", "that without a key, and one row of the key"],
  [
    "device_listing_queries ENDED_DEVICE_PAGES",
    "the pages of devices with another condition; no world asks for them yet",
  ],
  ["write_queries FIND_CROWDED", "only if a device would have too many series"],
  ["queries ABANDON_RECOVERY", "only if there is no room for a hash"],
]);

/** The least part of a bound that the worst world has to use. A bound that is used less is too loose. */
const LEAST_USE = 1 / 20;

testKind(
  "remote",
  "every statement scans no more rows than it declares, in worlds that are built to be worst",
  async () => {
    const measured = (await Promise.all([measureWorlds(WORLDS), measureAccounts()])).flat();
    const uses = await findUses(measured);
    const describe = ({ key, description }: Use): string => `${key}: ${description}`;
    assert.deepEqual(uses.filter(({ part }) => part > 1).map(describe), []);
    assert.deepEqual(uses.filter(({ part }) => part < LEAST_USE).map(describe), []);
    await assertMeasured(new Set(measured.map(({ sql }) => sql)));
  },
  // Takes minutes: CI does not wait for them alone.
  { ignore: !IS_LONG },
);

/** A guard scans what the read of its facts does. */
const MEASURED_ELSEWHERE = /\.guards\.(few|many)$/;

/** Asserts that all statements were measured, but for those with a reason, and that each reason is needed. */
async function assertMeasured(texts: ReadonlySet<string>): Promise<void> {
  const missing = (await collectStatements()).filter(({ name, statement }) =>
    !texts.has(statement.sql) && !MEASURED_ELSEWHERE.test(name)
  );
  const reasons = [...UNMEASURED.keys()];
  const reasonOf = (name: string): string | undefined => reasons.find((start) => name.startsWith(start));
  assert.deepEqual(missing.filter(({ name }) => reasonOf(name) === undefined).map(({ name }) => name), []);
  const needed = new Set(missing.map(({ name }) => reasonOf(name)));
  assert.deepEqual(reasons.filter((start) => !needed.has(start)), []);
}
