import type { Database } from "../../src/db/database.ts";
import { bind } from "../../src/db/statement.ts";
import { verifyClosure } from "../../src/graph/closure/closure_service.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/**
 * The content of the database as texts that clients can predict: one key for each thing. Keys hold names and no ids, so
 * that a client knows the effect of its change beforehand. Names start with that of the client (`l3-…`, `l3.…@`), so
 * every fact belongs to one client.
 */
export type Facts = ReadonlyMap<string, string>;

export interface Fact {
  readonly key: string;
  readonly value: string;
  /** Id of the node or relation. */
  readonly id: number | null;
}

/** The state of a database, for comparison with the journals. */
export interface Inspection {
  /** Output of `PRAGMA integrity_check`: "ok" for a sound file. */
  readonly integrity: readonly string[];
  /** Number of differences between closure and relations, cycles and unmanaged roles. */
  readonly closureFaults: number;
  /** Sequences that skipped an id. */
  readonly brokenSequences: readonly string[];
  readonly facts: readonly Fact[];
  /** The imports of tasks that ran beside the service, which belong to no client. */
  readonly imports: readonly Import[];
}

/** The roles of one import have names that begin with its own, and a space. */
export interface Import {
  readonly name: string;
  readonly roles: number;
}

/** The beginning of the names of imports. */
export const IMPORT = "import";

/** Number of times at which a request of the load writes values of two fields. */
export const POINT_TIMES = 20;

/** Reads everything that a comparison needs. */
export async function inspect(database: Database): Promise<Inspection> {
  const integrity = await database.read<{ integrity_check: string }>(bind(INTEGRITY, {}));
  const closure = await verifyClosure(database);
  const broken = await database.read<{ name: string }>(bind(BROKEN_SEQUENCES, {}));
  return {
    integrity: integrity.map((row) => row.integrity_check),
    closureFaults: closure.differenceCount + closure.unmanagedRoleIds.length + (closure.cycle?.length ?? 0),
    brokenSequences: broken.map(({ name }) => name),
    facts: await database.read<Fact>(bind(FACTS, {})),
    imports: await database.read<Import>(bind(IMPORTS, {})),
  };
}

const IMPORTS = defineStatement(`
  SELECT substr(name, 1, instr(name, ' ') - 1) AS name, count(*) AS roles FROM role WHERE name LIKE '${IMPORT}%'
  GROUP BY 1`);

const INTEGRITY = defineStatement("PRAGMA integrity_check");

/** Every id up to the last is in the log row of the change that took it, since an interrupted write takes none. */
const BROKEN_SEQUENCES = defineStatement(`
  WITH taken(name, id) AS (
    SELECT 'node', role_id FROM change_log WHERE decision = 'ok' AND kind IN ('role.create', 'role.bootstrap')
    UNION ALL SELECT 'node', device_id FROM change_log WHERE decision = 'ok' AND kind = 'device.create'
    UNION ALL SELECT DISTINCT 'relation', relation_id FROM change_log WHERE decision = 'ok' AND kind IN
      ('role.create', 'role.bootstrap', 'device.create', 'manages.put', 'member.add', 'monitors.add')
    UNION ALL SELECT 'node', id FROM role WHERE name LIKE '${IMPORT}%'
    UNION ALL SELECT 'relation', manages.id FROM manages CROSS JOIN role ON role.id = manages.child_id
      WHERE role.name LIKE '${IMPORT}%')
  SELECT name FROM id_sequence WHERE last_id <> (SELECT count(*) FROM taken WHERE taken.name = id_sequence.name)
    OR last_id <> (SELECT count(DISTINCT id) FROM taken WHERE taken.name = id_sequence.name)
    OR last_id <> (SELECT max(id) FROM taken WHERE taken.name = id_sequence.name)`);

/**
 * A row that refers to a missing row gets a key that no client knows. A series without points is none: it is registered
 * before its first points, and shows nothing by itself.
 */
const FACTS = defineStatement(`
  SELECT 'role ' || name AS key, CAST(self_rights AS TEXT) AS value, id FROM role
  WHERE name NOT LIKE '${IMPORT}%'
  UNION ALL
  SELECT 'manages ' || coalesce(parent.name, '?') || ' > ' || coalesce(child.name, '?'),
    CAST(manages.rights AS TEXT), manages.id
  FROM manages LEFT JOIN role parent ON parent.id = manages.parent_id
    LEFT JOIN role child ON child.id = manages.child_id
  WHERE child.name IS NULL OR child.name NOT LIKE '${IMPORT}%'
  UNION ALL
  SELECT 'member ' || coalesce(role.name, '?') || ' < ' || coalesce(account.email, '?'), '', member.id
  FROM member LEFT JOIN role ON role.id = member.role_id LEFT JOIN user_account account ON account.id = member.user_id
  UNION ALL
  SELECT 'device ' || node_id, '', id FROM device
  UNION ALL
  SELECT 'monitors ' || coalesce(role.name, '?') || ' > ' || coalesce(device.node_id, '?'), '', monitors.id
  FROM monitors LEFT JOIN role ON role.id = monitors.role_id LEFT JOIN device ON device.id = monitors.device_id
  UNION ALL
  SELECT 'points ' || device.node_id || ' ' || point.value,
    count(*) || ' at ' || count(DISTINCT point.time), NULL
  FROM device CROSS JOIN tag_set ON tag_set.device_id = device.id CROSS JOIN series ON series.tag_set_id = tag_set.id
    CROSS JOIN point ON point.series_id = series.id
  GROUP BY device.node_id, point.value
  UNION ALL
  SELECT 'account ' || email, (SELECT count(*) FROM password_link WHERE user_id = account.id) || ' link, ' ||
    (SELECT count(*) FROM outbox WHERE recipient = account.email AND template = 'invitation') || ' mail', NULL
  FROM user_account account WHERE email LIKE '%.member%'
  UNION ALL
  SELECT 'reset ' || email,
    (SELECT count(*) FROM outbox WHERE recipient = account.email AND template = 'password_reset_otp') || ' mails, ' ||
    (SELECT count(*) FROM security_event WHERE user_id = account.id AND event = 'password_reset_otp.request')
    || ' events, code ' || CASE
      WHEN (SELECT created_at FROM one_time_code WHERE user_id = account.id AND purpose = 'password_reset')
        IS (SELECT max(created_at) FROM outbox WHERE recipient = account.email AND template = 'password_reset_otp')
      THEN 'of the last' ELSE 'of another' END, NULL
  FROM user_account account WHERE email LIKE '%.reset%'
  UNION ALL
  SELECT 'session ' || account.email, 'generation ' || session.generation, NULL
  FROM session CROSS JOIN user_account account ON account.id = session.user_id
  UNION ALL
  SELECT 'code ' || account.email,
    CASE WHEN ended_at IS NULL THEN 'open' ELSE 'used' END, NULL
  FROM one_time_code CROSS JOIN user_account account ON account.id = one_time_code.user_id
  WHERE purpose = 'email_otp.challenge'
  UNION ALL
  SELECT 'proofs ' || account.email, CAST(count(*) AS TEXT), NULL
  FROM security_event CROSS JOIN user_account account ON account.id = security_event.user_id
  WHERE event = 'email_otp.authenticate' AND result = 'ok' GROUP BY account.email
  UNION ALL
  SELECT 'changes ' || account.email, CAST(count(*) AS TEXT), NULL
  FROM change_log CROSS JOIN user_account account ON account.id = change_log.actor_id
  WHERE decision = 'ok' AND kind <> 'role.bootstrap' GROUP BY account.email`);
