/** The plans of all SQL statements: what they may scan, what takes long to prepare, and where they are defined. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import type { Statement } from "../../src/db/statement.ts";
import { type DatabaseKind, forEachDatabase } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { expandedLength } from "./expanded_length.ts";
import {
  collectStatements,
  explain,
  explainLoops,
  type NamedStatement,
  readTables,
  strayDefinitions,
  tableNames,
  type Waste,
  wasteOf,
} from "./query_plans.ts";

/** Tables with a handful of rows, which cost nothing to scan. */
const TINY_TABLES: ReadonlySet<string> = new Set(["id_sequence", "setting", "applied_migration"]);

/** Statements that may waste work, each only in this way. */
const EXEMPT: ReadonlyMap<string, Waste> = new Map([
  // The notices of ends read the next batch of an index that has no others.
  ...exempt("range", "end_notice_queries TELL_ENDS.", ["0", "1", "2"]),
  // Verification reads everything, page by page, and first counts the rows to show its progress.
  ...exempt("range", "verification_queries ", [
    "RELATIONS_AFTER",
    "CLOSURE_ROWS_AFTER",
    "UNMANAGED_ROLES_AFTER",
  ]),
  ...exempt("scan", "verification_queries ", [
    ...["COUNT_GRAPH", "LOOSE_ROWS", "WRONG_DEMANDS", "WRONG_HISTORY", "WRONG_USAGE"],
  ]),
  // So does the end of all sessions.
  ...exempt("scan", "administrator_queries ", ["COUNT_OPEN"]),
  ...exempt("range", "session_queries END_EVERYTHING_OPEN.", ["signIns", "sessions"]),
  // So does an export of everything.
  ...exempt("range", "role_export_queries ", ["EXPORT_ROLES"]),
  ...exempt("range", "export_queries ", ["EXPORT_PEOPLE", "EXPORT_MEMBERS", "EXPORT_DEVICES"]),
  ...exempt("scan", "role_export_queries ", ["COUNT_ROLES"]),
  // An import notes the roots of its new roles, whose ids follow one another. Another one of the same file counts those
  // that are left.
  ...exempt("range", "role_import_queries ", ["APPLY_IMPORT.8", "READ_RECORD"]),
  // Deletions of accounts that were interrupted are few. The root with most bytes is one row from the end of its index.
  ...exempt("scan", "leave_queries ", ["UNFINISHED"]),
  ...exempt("range", "count_queries ", ["MOST_BYTES"]),
  // The last revision is one row from the end of the log.
  ...exempt("range", "verification_queries ", ["CURRENT_REVISION", "REPAIR_UPSERT", "REPAIR_DELETE"]),
  // The last mail that waits is one row from the end.
  ...exempt("range", "invitation_queries ", ["LAST_DUE"]),
  // The administrator's listing reads page by page.
  ...exempt("range", "outbox_queries ", ["KEPT_MAILS_AFTER"]),
  // Reads up to a batch of the rows before a time, over an index that starts with that time.
  ...exempt("range", "purge_queries PURGES.", [
    ...["mailed codes", "password links", "used challenges", "factor links", "undo links"],
    ...["reserved addresses", "half sign-ins", "unfinished setups", "sessions", "known addresses"],
    ...["counters", "mails", "staged imports", "unopened accounts", "idempotency keys"],
    ...["ended memberships.0", "ended memberships.1", "ended memberships.2"],
    ...["history.0", "history.1", "history.2", "history.3", "history.4", "history.5"],
    ...["changes", "previews", "refused changes", "security events", "refused attempts"],
    ...["rate limits", "counts of nothing"],
  ]),
  ...exempt("range", "ahead_queries BRING_BACK.", ["0", "1", "2", "3", "4", "5"]),
  ...exempt("range", "tombstone_queries ", ["SETTLED_TOMBSTONES"]),
  ...exempt("range", "register_queries ", ["NEXT_AGED"]),
  // Reads the mails that are due, over the index of undelivered mails, or up to a number of its rows.
  ...exempt("range", "delivery_queries ", ["FIND_DUE", "DROP_DEAD", "CLAIM_MAILS", "FIND_OLDEST"]),
  // If the actor sees too many roles to sort a page from, the listing walks the rows in order of id.
  ...exempt("range", "manages_listing_queries ", ["MANAGES_PAGES.none.walk", "MANAGED_BY_PAGES.none.walk"]),
  ...exempt("range", "member_listing_queries ", ["MEMBER_PAGES.none.walk"]),
  ...exempt("range", "device_listing_queries ", [
    "MONITORS_PAGES.none.walk",
    ...["DEVICE_PAGES", "ENDED_DEVICE_PAGES", "DEVICE_UPDATE_PAGES"]
      .flatMap((pages) => [`${pages}.none.walk`, `${pages}.ancestor.walk`]),
  ]),
  ...exempt("range", "search_queries RESOURCE_PAGES.", ["role.walk", "device.walk"]),
  // A page of the change log walks the rows in order, a bounded number per statement, from its first or last of a period.
  ...exempt("range", "change_log_queries CHANGE_PAGES.", ["all", "role"]),
  // The greatest id tells whether a walk reached the end.
  ...exempt("range", "role_listing_queries ROLE_PAGES.", ["name.walk"]),
  // Up to 10,000 names with one of up to 16 beginnings; otherwise it walks, too.
  ...exempt("range", "role_listing_queries ROLE_PAGES.namePrefix.", ["named", "walk"]),
  // Up to 10,000 roles or devices with the external ids of a list; otherwise they walk, too.
  ...exempt("range", "role_listing_queries ROLE_PAGES.", ["externalId.walk"]),
  ...exempt("range", "device_listing_queries ", [
    ...["DEVICE_PAGES.externalId", "ENDED_DEVICE_PAGES.externalId", "DEVICE_UPDATE_PAGES.externalId"],
  ]),
  // A search of a text that is too short for an index walks the rows in order, a bounded number per statement; the
  // greatest id tells whether it reached the end.
  ...exempt("range", "find_queries FIND_ANYWHERE.", ["role", "person", "device"]),
  ...exempt("range", "find_queries FIND_BEGINNING.", ["role", "person", "device"]),
  // Clearing old points walks the series and the tag sets in order of id, one batch per statement.
  ...exempt("range", "store_queries ", ["SERIES_PAGE", "CLEAR_SERIES", "TAG_SET_PAGE", "CLEAR_TAG_SETS"]),
  // A page of the series with points finds each by a search; the last one is at the end.
  ...exempt("range", "store_queries ", ["SERIES_WITH_POINTS", "LAST_SERIES"]),
  // The slots of recent points, one search each, and copied points from the first on.
  ...exempt("range", "clear_queries ", ["CLEAR_RECENT"]),
  ...exempt("range", "read_queries READ_RECENT.", ["ascending", "descending"]),
  ...exempt("range", "carry_queries ", ["DELETE_COPIED", "NEXT_HOUR"]),
  // A check for existence stops at the first row.
  ...exempt("range", "carry_queries ", ["COPY_STEP.0"]),
  ...exempt("scan", "register_queries ", ["HOLDS_POINTS"]),
]);

/** The statements with these names after a beginning that they share. */
function exempt(waste: Waste, beginning: string, names: readonly string[]): [name: string, waste: Waste][] {
  return names.map((name) => [beginning + name, waste]);
}

/**
 * Ranges that several statements may read: the refusals of one user in one minute, about a hundred at most; the last
 * row of the change log at or before a moment, and whether one is after it; up to a hundred roles near an id; what came
 * since a preview, within one request; and the rows of one operation of an
 * import, and the last row of the log.
 */
const BOUNDED_RANGES = [
  /^SEARCH crowd USING COVERING INDEX change_log_merged /,
  /^SEARCH moment_row USING (INTEGER PRIMARY KEY \(rowid<|COVERING INDEX change_log_by_time \(at[<>])/,
  /^SEARCH near_role USING PRIMARY KEY \(role_id</,
  /^SEARCH moved_by USING INTEGER PRIMARY KEY /,
  /^SEARCH moved_end USING COVERING INDEX member_by_end /,
  /^SEARCH last_change$/,
  /^SEARCH (change_log|logged) USING (COVERING )?INDEX change_log_op_id_unique \(op_id>\? AND op_id<\?\)/,
];

forEachDatabase(
  "no statement reads more of a stored table than an index selects, unless it is exempt",
  async (database, { kind }) => {
    const wasteful = await findWaste(database, kind);
    const unexpected = wasteful.filter(({ name, waste }) => EXEMPT.get(name) !== waste);
    assert.deepEqual(unexpected.map(({ name, step }) => `${name}: ${step}`), []);
  },
);

forEachDatabase(
  "a grant is checked by a single relation, however often its role has had the device",
  async (database, { kind }) => {
    const plans = await plansOn(database, kind);
    const checks = plans.filter(({ statement }) => /\bgranted\.value ->> 1\b/.test(statement.sql));
    assert.ok(checks.length > 3, `only ${checks.length} statements`);
    for (const { name, loops } of checks) {
      const steps = loops.flat().filter((step) => step.startsWith("SEARCH watching "));
      const byId = "SEARCH watching USING INTEGER PRIMARY KEY (rowid=?)";
      assert.ok(steps.includes(byId), `${name}: ${steps.join(", ")}`);
    }
  },
);

forEachDatabase("every exemption is still needed", async (database, { kind }) => {
  const found = new Set((await findWaste(database, kind)).map(({ name, waste }) => `${name}: ${waste}`));
  assert.deepEqual(Array.from(EXEMPT, (entry) => entry.join(": ")).filter((name) => !found.has(name)), []);
});

forEachDatabase(
  "a probe, which runs on the event loop, reads only rows that an index selects",
  async (database, { kind }) => {
    const wasteful = (await findWaste(database, kind)).filter(({ isProbe }) => isProbe);
    assert.deepEqual(wasteful.map(({ name, step }) => `${name}: ${step}`), []);
    const probes = (await collectStatements()).filter(({ statement }) => statement.isProbe);
    assert.ok(probes.length >= 6, `only ${probes.length} probes`);
  },
);

/** Lists of at most one row, which are joined to rows that may be absent. */
// `unmanaged` is a list, but joined to the single row of `scope`.
const SINGLE_ROWS =
  /^SCAN (adopted|bound|granting|of_maker|unmanaged|paying|shown) |^SCAN (acted|charged|counted|moment)$/;

/** Lists whose length, for each row of the join, is in the cost of a restore. */
const COSTED_ROWS = /^SCAN candidate$/;

forEachDatabase(
  "no statement scans a whole list for each row of a join",
  async (database, { kind }) => {
    const found: string[] = [];
    for (const { name, loops } of await plansOn(database, kind)) {
      for (const loop of loops) {
        const firstSearch = loop.findIndex((step) => step.startsWith("SEARCH "));
        const scans = loop.filter((step, i) =>
          /^SCAN .* LEFT-JOIN$/.test(step) ||
          (firstSearch !== -1 && i > firstSearch && /^SCAN \w+$/.test(step))
        );
        const whole = scans.filter((step) => !SINGLE_ROWS.test(step) && !COSTED_ROWS.test(step));
        found.push(...whole.map((step) => `${name}: ${step}`));
      }
    }
    assert.deepEqual(found, []);
  },
);

interface FoundWaste {
  readonly name: string;
  readonly isProbe: boolean;
  readonly step: string;
  readonly waste: Waste;
}

/** A statement with the steps of its plan; see `explainLoops`. */
interface PlannedStatement extends NamedStatement {
  readonly loops: readonly (readonly string[])[];
}

const plans = new Map<DatabaseKind, Promise<readonly PlannedStatement[]>>();

/** Returns the plans of all statements on one kind of database, which takes seconds once. */
function plansOn(database: Database, kind: DatabaseKind): Promise<readonly PlannedStatement[]> {
  const known = plans.get(kind) ?? planAll(database);
  plans.set(kind, known);
  return known;
}

async function planAll(database: Database): Promise<PlannedStatement[]> {
  const planned: PlannedStatement[] = [];
  for (const { name, statement } of await collectStatements()) {
    planned.push({ name, statement, loops: await explainLoops(database, statement) });
  }
  return planned;
}

async function findWaste(database: Database, kind: DatabaseKind): Promise<FoundWaste[]> {
  const tables = (await readTables(database)).filter((table) => !TINY_TABLES.has(table));
  const found: FoundWaste[] = [];
  for (const { name, statement, loops } of await plansOn(database, kind)) {
    const names = tableNames(statement.sql, tables);
    for (const step of loops.flat()) {
      const waste = BOUNDED_RANGES.some((range) => range.test(step)) ? undefined : wasteOf(step, names);
      if (waste !== undefined) found.push({ name, isProbe: statement.isProbe ?? false, step, waste });
    }
  }
  return found;
}

forEachDatabase("the check finds a statement that reads a whole table under any alias", async (database) => {
  const tables = await readTables(database);
  const wasteFound = async (statement: Statement): Promise<(Waste | undefined)[]> => {
    const names = tableNames(statement.sql, tables);
    return (await explain(database, statement)).map((step) => wasteOf(step, names));
  };
  const scan = defineStatement("SELECT below.rights FROM role_closure AS below WHERE below.rights = :rights");
  assert.deepEqual(await wasteFound(scan), ["scan"]);
  const automatic = defineStatement(`
    SELECT one.id FROM manages one CROSS JOIN manages two ON two.rights = one.rights WHERE one.id = :id`);
  assert.ok((await wasteFound(automatic)).some((waste) => waste === "scan" || waste === "automatic index"));
  const range = defineStatement("SELECT id FROM manages later WHERE later.id > :afterId");
  assert.deepEqual(await wasteFound(range), ["range"]);
  const fine = defineStatement(`
    WITH listed(id) AS MATERIALIZED (SELECT value FROM json_each(:ids))
    SELECT manages.id FROM listed CROSS JOIN manages ON manages.parent_id = listed.id AND manages.id > :afterId`);
  assert.deepEqual((await wasteFound(fine)).filter((waste) => waste !== undefined), []);
});

/** Plans that depend on a bound value: SQLite compiles a kept statement again whenever that value changes. */
const PLANNED_BY_VALUE = /\b(LIMIT|LIKE|GLOB)\s+:\w+\b(?!\s*[-+*/|])/gi;

Deno.test("no statement is planned again for each value of a limit or pattern", async () => {
  const found = (await collectStatements()).flatMap(({ name, statement: { sql } }) => {
    const texts = Array.from(sql.matchAll(PLANNED_BY_VALUE), ([text]) => text);
    return texts.map((text) => `${name}: write a plus sign before the parameter of "${text}"`);
  });
  assert.deepEqual(found, []);
});

/** Characters; see `expandedLength`. A statement of more takes a server 6 ms to prepare, or longer. */
const LONGEST = 125_000;

Deno.test("no statement repeats its CTEs so often that a server takes long to prepare it", async () => {
  const lengths = (await collectStatements()).map(({ name, statement: { sql } }) =>
    [name, expandedLength(sql)] as const
  );
  assert.deepEqual(lengths.filter(([, length]) => length > LONGEST), []);
});

Deno.test("the expanded length counts a CTE wherever it is named, but not inside itself", () => {
  assert.equal(expandedLength("SELECT 1"), 8);
  const one = "WITH one AS (SELECT 1), two AS MATERIALIZED (SELECT * FROM one JOIN one)";
  // The text without the CTEs, and twice the second CTE, each with twice the first.
  const left = "WITH ,) SELECT * FROM two CROSS JOIN two".length;
  const twice = 2 * ("SELECT * FROM one JOIN one".length + 2 * "SELECT 1".length);
  const length = expandedLength(`${one} SELECT * FROM two CROSS JOIN two`);
  assert.ok(Math.abs(length - left - twice) < 5, `${length}`);
  const walk = "WITH RECURSIVE walk(id) AS (SELECT 1 UNION SELECT id + 1 FROM walk) SELECT * FROM walk";
  assert.ok(expandedLength(walk) <= walk.length);
});

Deno.test("an automatic index counts as reading the whole table", () => {
  const step = "SEARCH two USING AUTOMATIC COVERING INDEX (rights=?)";
  assert.equal(wasteOf(step, new Set(["two"])), "automatic index");
  assert.equal(wasteOf(step, new Set(["one"])), undefined);
});

Deno.test("all statements are defined in query modules, where these tests find them", async () => {
  assert.deepEqual(strayDefinitions(), []);
  const names = (await collectStatements()).map(({ name }) => name);
  const known = ["role_queries CREATE_ROLE.keyless.0", "security_queries FAIL_ATTEMPT"];
  for (
    const name of [...known, "role_listing_queries ROLE_PAGES.none", "administrator_queries LOOK_UP.session"]
  ) {
    assert.ok(names.includes(name), `${name} is not among ${names.length} statements`);
  }
});
