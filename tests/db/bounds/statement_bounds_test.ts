/** Every statement scans no more rows than it declares, in worlds that are each the worst for some. */
import assert from "node:assert/strict";
import { testKind } from "../../helpers/databases.ts";
import { IS_LONG } from "../../helpers/read_count.ts";
import { collectStatements } from "../query_plans.ts";
import { measureAccounts, measureWorlds } from "./measure.ts";
import { findUses, type Use } from "./use_of_bounds.ts";
import { WORLDS } from "./worlds.ts";

/** Statements that no request of the worlds runs, by what runs them instead; by the beginnings of their names. */
const UNMEASURED: Readonly<Record<string, readonly string[]>> = {
  "a task of an administrator": [
    ...["administrator_queries ", "administrator_session_queries ", "bootstrap_queries "],
    ...["role_import_queries ", "import_run_queries ", "invitation_queries ", "people_import_queries "],
    ...["member_import_queries ", "role_changes_queries ", "device_import_queries ", "missing_queries "],
    ...["fence_queries ", "authority_queries ", "role_export_queries ", "outbox_queries "],
    ...["key_queries CREATE_KEY_AS_ADMINISTRATOR", "key_queries DELETE_KEY_AS_ADMINISTRATOR"],
    ...["demand_queries CLEAR_DEMAND", "key_queries KEYS_OF_ROLE"],
    ...["explain_queries READ_LINEAGE.administrator", "explain_queries READ_NAMES"],
    ...["people_queries ADMINISTRATOR_PEOPLE_PAGES", "people_queries COUNT_PEOPLE"],
    ...["session_queries END_EVERYTHING_OPEN", "manages_queries PUT_RELATION_AS_ADMINISTRATOR"],
    ...["deletion_queries DELETE_RELATION_AS_ADMINISTRATOR"],
    ...["member_removal_queries REMOVE_MEMBER_AS_ADMINISTRATOR"],
    ...["monitors_removal_queries END_MONITORS_AS_ADMINISTRATOR"],
    ...["monitors_removal_queries REMOVE_MONITORS_AS_ADMINISTRATOR", "export_queries EXPORT_DEVICES"],
    ...["export_queries EXPORT_MEMBERS", "export_queries EXPORT_PEOPLE"],
    ...["trash_queries FORGET_BY_ADMINISTRATOR", "trash_queries RESTORE_DEVICE_BY_ADMINISTRATOR"],
    ...["inverse_queries UNDO_CASCADE_BY_ADMINISTRATOR", "undone_queries READ_UNDONE_BY_ADMINISTRATOR"],
  ],
  "only whether the graph has moved, as every effect reads it": ["demand_queries NO_EFFECT_ON_RIGHTS"],
  "ends the keys of one maker, over the index of makers": ["made_key_queries DELETE_"],
  "one row, in an import": ["foreign_cost_queries "],
  "of users, who do not provision": [
    ...["member_queries PROVISION_MEMBER.make.0.facts.few"],
    ...["member_queries PROVISION_AND_INVITE_MEMBER.make.0.facts.few"],
  ],
  "verification, page by page": ["verification_queries "],
  "the purge, in batches": ["purge_queries ", "ahead_queries "],
  "only while nothing can be stored": ["session_queries READ_CURRENT_TOKEN"],
  "that of users, for the one membership of a key": ["role_queries PROBE_RIGHT.key"],
  "the courier, in batches": ["delivery_queries "],
  "the notices of ends, in batches": ["end_notice_queries "],
  "the purge of points, in batches, and readiness": ["store_queries "],
  "the purge of points, in batches": [
    ...["tombstone_queries DELETE_TOMBSTONES", "tombstone_queries SETTLED_TOMBSTONES"],
    ...["count_queries DISCOUNT_SERIES", "clear_queries "],
  ],
  "another telemetry store": [
    ...["count_queries COUNT_SERIES", "point_write_queries WRITE_ACCEPTED", "register_queries "],
  ],
  "one row, once for each export of metrics": ["count_queries MOST_BYTES"],
  "in steps of a bounded size": ["leave_queries LEAVE_STEP"],
  "a job": ["leave_queries UNFINISHED"],
  "only while an hour takes recent points": [
    ...["point_write_queries WRITE_POINTS.recent", "point_write_queries WRITE_POINTS.both"],
  ],
  "the job that carries points over, in steps": ["carry_queries "],
  "written ten seconds later, for all keys together": ["key_queries NOTE_KEY_USES"],
  "one row, once a second for all who wait": ["change_log_queries LATEST_REVISION"],
  "only for nodeIds with several spellings": ["period_queries FIND_NODE_IDS"],
  "only if there is no room for a hash": [
    ...["login_queries ABANDON_LOGIN", "own_password_queries ABANDON_OWN_PASSWORD"],
    ...["password_relation_queries ABANDON_PUT_BY_PASSWORD", "security_queries ABANDON_ATTEMPT"],
    ...["queries ABANDON_RECOVERY"],
  ],
  "that without a key, and one row of the key": [
    ...["transfer_queries PREVIEW_TRANSFER.keyed", "transfer_queries TRANSFER_DEVICES.keyed"],
  ],
  "the pages of devices with another condition; no world asks for them yet": [
    "device_listing_queries ENDED_DEVICE_PAGES",
  ],
  "only if a device would have too many series": ["write_queries FIND_CROWDED"],
};

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
  const beginnings = Object.values(UNMEASURED).flat();
  const beginningOf = (name: string): string | undefined => beginnings.find((each) => name.startsWith(each));
  assert.deepEqual(missing.filter(({ name }) => beginningOf(name) === undefined).map(({ name }) => name), []);
  const needed = new Set(missing.map(({ name }) => beginningOf(name)));
  assert.deepEqual(beginnings.filter((each) => !needed.has(each)), []);
}
