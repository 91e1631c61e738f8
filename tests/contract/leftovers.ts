import assert from "node:assert/strict";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { query } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** Queries for rows that refer to a missing row, by kind. The schema has no foreign keys that would refuse them. */
const ORPHANS: Readonly<Record<string, string>> = {
  "members of no role": "SELECT id FROM member WHERE role_id NOT IN (SELECT id FROM role)",
  "members of no account":
    "SELECT id FROM member WHERE user_id > 0 AND user_id NOT IN (SELECT id FROM user_account)",
  "members of no key": "SELECT id FROM member WHERE user_id < 0 AND id NOT IN (SELECT id FROM role_key)",
  "keys that are no member": "SELECT id FROM role_key WHERE -id NOT IN (SELECT user_id FROM member)",
  "relations from no role": "SELECT id FROM manages WHERE parent_id NOT IN (SELECT id FROM role)",
  "relations to no role": "SELECT id FROM manages WHERE child_id NOT IN (SELECT id FROM role)",
  "monitors relations of no role": "SELECT id FROM monitors WHERE role_id NOT IN (SELECT id FROM role)",
  "monitors relations of no device": "SELECT id FROM monitors WHERE device_id NOT IN (SELECT id FROM device)",
  "devices that nothing monitors": "SELECT id FROM device WHERE id NOT IN (SELECT device_id FROM monitors)",
  "roots without a member":
    "SELECT id FROM role WHERE is_root AND id NOT IN (SELECT role_id FROM member WHERE user_id > 0)",
  "second factors of no account":
    "SELECT user_id FROM second_factor WHERE user_id NOT IN (SELECT id FROM user_account)",
  "recovery codes of no account":
    "SELECT user_id FROM recovery_code WHERE user_id NOT IN (SELECT id FROM user_account)",
  "living sessions of no account":
    "SELECT id FROM session WHERE ended_at IS NULL AND user_id NOT IN (SELECT id FROM user_account)",
  "living codes of no account": `SELECT subject FROM one_time_code
    WHERE ended_at IS NULL AND user_id IS NOT NULL AND user_id NOT IN (SELECT id FROM user_account)`,
  "living links of no account": `SELECT id FROM password_link
    WHERE ended_at IS NULL AND user_id IS NOT NULL AND user_id NOT IN (SELECT id FROM user_account)`,
};

/** Asserts that the closure matches the relations, and that no row refers to a deleted one. */
export async function assertNothingLeftOver(target: TestApp): Promise<void> {
  await assertSoundGraph(target);
  for (const [name, sql] of Object.entries(ORPHANS)) {
    assert.deepEqual(await query(target, sql), [], name);
  }
}
