import assert from "node:assert/strict";
import type { Actor } from "../../src/core/actor.ts";
import type { FieldKind, Namespace, SeriesWrite } from "../../src/telemetry/points/point.ts";
import type { Aggregate, Column } from "../../src/telemetry/points/query.ts";
import type { ReadBudget } from "../../src/telemetry/read_budget.ts";
import type { Cutoffs } from "../../src/telemetry/retention.ts";
import type { StoredSeries, StoreQuery, StoreResult, TelemetryStore } from "../../src/telemetry/store.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import { execute, queryNumber } from "../helpers/http.ts";
import { bootstrap, type Person } from "../helpers/person.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import {
  DATABASE_LABELS,
  type DatabaseKind,
  DATABASES,
  KINDS,
  openTestPoints,
} from "../helpers/databases.ts";

/** A store to run a suite against. */
export interface StoreUnderTest {
  /** Appended to the name of each test, in brackets. */
  readonly label: string;
  /** Kind of the service's own database, which holds sessions, roles and devices. */
  readonly kind: DatabaseKind;
  /** Whether other processes may open a file of it. */
  readonly onDisk?: boolean;
  /** Whether it takes a millisecond for each point. */
  readonly isSlow?: boolean;
  /** Registers the tests as ignored. */
  readonly ignore?: boolean;
  /** Creates the store. Unless it can be disposed of, its connections are closed when the process of the tests ends. */
  open(target: TestApp): Promise<TelemetryStore & Partial<AsyncDisposable>>;
}

/** The store in each kind of database. */
export const LIBSQL_STORES: readonly StoreUnderTest[] = KINDS.map((kind) => ({
  label: DATABASE_LABELS[kind],
  kind,
  open: ({ deps }) => Promise.resolve(createSqliteStore(deps)),
}));

/** The store with a points' file, beside each kind of database. */
export const FILE_STORES: readonly StoreUnderTest[] = KINDS.map((kind) => ({
  label: `points' file, ${DATABASE_LABELS[kind]}`,
  kind,
  open: async ({ database, deps: { clock } }) => {
    const file = await openTestPoints(database);
    const store = createSqliteStore({ database, points: file.database, clock });
    return { ...store, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
  },
}));

/** A store, and two unrelated users, each with a root role. */
export interface TelemetryScene extends AsyncDisposable {
  readonly target: TestApp;
  readonly store: UnboundedStore;
  readonly owner: Actor;
  readonly stranger: Actor;
  /** Writes in the name of the owner. */
  write(series: readonly SeriesWrite[], namespace?: Parameters<TelemetryStore["write"]>[1]): Promise<void>;
  /** Creates a device that the actor's role monitors (the owner's by default), and returns its id. */
  addDevice(nodeId: string, actor?: Actor): Promise<number>;
  /** Creates one, and returns it as series and queries name it. */
  addMeter(nodeId?: string, actor?: Actor): Promise<Meter>;
  /** The root role of the actor. */
  roleOf(actor: Actor): number;
}

export interface Meter {
  readonly nodeId: string;
  readonly deviceId: number;
}

/** A store whose reads by default have a budget that is never used up. */
export type UnboundedStore = Omit<TelemetryStore, "read"> & {
  read(queries: readonly StoreQuery[], budget?: ReadBudget): Promise<StoreResult[]>;
};

export const UNLIMITED: ReadBudget = { keep: () => {}, scan: () => {}, wait: () => {} };

/** A budget that is never used up, and what was counted against it. */
export function countingBudget(): ReadBudget & { points: number; characters: number; values: number } {
  return {
    points: 0,
    characters: 0,
    values: 0,
    keep(points, characters) {
      this.points += points;
      this.characters += characters;
    },
    scan(values) {
      this.values += values;
    },
    wait() {},
  };
}

/** Cutoffs by which all points before `time` (nanoseconds) are deleted. */
export function everywhere(time: bigint): Cutoffs {
  return { others: { time }, named: [] };
}

/** Values at one nanosecond after the other from a time on: 0, 1, 2 …, or what `valueOf` gives for these. */
export function valuesFrom<V extends Value = number>(
  begin: bigint,
  count: number,
  valueOf: (i: number) => V = (i) => i as V,
): Map<bigint, V> {
  return new Map(Array.from({ length: count }, (_, i) => [begin + BigInt(i), valueOf(i)]));
}

export function withoutBudget(store: TelemetryStore): UnboundedStore {
  return { ...store, read: (queries, budget = UNLIMITED) => store.read(queries, budget) };
}

/** The rows of a series as one text. */
export function rowsOf(series: StoredSeries | undefined): string {
  return series?.rows.join(",") ?? "";
}

/** The series of a result, which must be valid. */
export function seriesOf(result: StoreResult | undefined): readonly StoredSeries[] {
  assert.ok(result !== undefined && "series" in result, JSON.stringify(result));
  return result.series;
}

/** The rows of the first series that matches a query. */
export async function readRows(store: Pick<UnboundedStore, "read">, asked: StoreQuery): Promise<string> {
  const [result] = await store.read([asked]);
  return rowsOf(seriesOf(result)[0]);
}

/** The number of rows of a table of the service's own database. */
export function countRows(target: Pick<TestApp, "database">, table: string): Promise<number> {
  return queryNumber(target, `SELECT count(*) FROM ${table}`);
}

export const NAMESPACE: Namespace = { database: "plant", retentionPolicy: "autogen" };

/** Ids far from those of the roles and relations of a test. */
const FIRST_DEVICE_ID = 1_000_001;

const ADD_DEVICE = [
  `INSERT INTO device (id, node_id, properties, updated_at)
   VALUES (:deviceId, :nodeId, json_object('nodeId', :nodeId), 0)`,
  "INSERT INTO monitors (id, role_id, device_id) VALUES (:deviceId, :roleId, :deviceId)",
];

export async function openTelemetryScene(under: StoreUnderTest): Promise<TelemetryScene> {
  const target = await openTestApp(under.kind, {}, { onDisk: under.onDisk ?? false });
  const roleIds = new Map<number, number>();
  let nextDeviceId = FIRST_DEVICE_ID;
  async function addActor(email: string, roleName: string): Promise<Actor> {
    const { userId, roleId } = await target.bootstrapRoot(email, roleName);
    roleIds.set(userId, roleId);
    return { userId, sessionId: (await target.openSession(userId)).sessionId };
  }
  const owner = await addActor("owner@plant.example", "Plant");
  const stranger = await addActor("stranger@other.example", "Other");
  const opened = await under.open(target);
  const store = withoutBudget(opened);
  async function add(nodeId: string, actor: Actor = owner): Promise<number> {
    const deviceId = nextDeviceId++;
    const roleId = roleIds.get(actor.userId) ?? 0;
    await execute(target, ADD_DEVICE, { deviceId, nodeId, roleId });
    return deviceId;
  }
  return {
    target,
    store,
    owner,
    stranger,
    addDevice: add,
    addMeter: async (nodeId = "meter", actor = owner) => ({ nodeId, deviceId: await add(nodeId, actor) }),
    write: (series, namespace = NAMESPACE) => store.write(owner, namespace, series),
    roleOf: ({ userId }) => roleIds.get(userId) ?? 0,
    async [Symbol.asyncDispose](): Promise<void> {
      await opened[Symbol.asyncDispose]?.();
      await target[Symbol.asyncDispose]();
    },
  };
}

/** Creates a root role, logs its first member in, and adds the device `meter`. */
export async function bootstrapMeter(
  target: TestApp,
): Promise<{ admin: Person; rootId: number; deviceId: number }> {
  const { admin, rootId } = await bootstrap(target);
  return { admin, rootId, deviceId: await addDevice(admin, rootId, "meter") };
}

/** Registers a test of a store, with a fresh scene. */
export function testScene(
  under: StoreUnderTest,
  name: string,
  body: (scene: TelemetryScene) => Promise<void>,
): void {
  if (!DATABASES.includes(under.kind)) return;
  Deno.test({
    name: `${name} (${under.label})`,
    ignore: under.ignore ?? false,
    // Servers and their connections outlive the test that first needs them.
    sanitizeResources: false,
    sanitizeOps: false,
    async fn(): Promise<void> {
      await using scene = await openTelemetryScene(under);
      await body(scene);
    },
  });
}

export type Value = number | boolean | string;

export interface SeriesInput {
  readonly nodeId: string;
  readonly measurement?: string;
  /** Tags other than `nodeId`. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly field?: string;
  readonly line?: number;
}

/** The values of one field by time (nanoseconds), as a parser passes them to a store. */
export function series(input: SeriesInput, values: ReadonlyMap<bigint, Value>): SeriesWrite {
  const { nodeId, measurement = "power", tags = {}, field = "watts", line = 1 } = input;
  const [first] = values.values();
  return {
    nodeId,
    measurement,
    tags: canonicalTags({ ...tags, nodeId }),
    field,
    kind: typeof first as FieldKind,
    line,
    values: new Map(Array.from(values, ([time, value]) => [time, JSON.stringify(value)])),
  };
}

/** A JSON object, its keys ordered by UTF-16 code units. */
export function canonicalTags(tags: Readonly<Record<string, string>>): string {
  const names = Object.keys(tags).sort((a, b) => a < b ? -1 : 1);
  return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(tags[name])}`).join(",")}}`;
}

export type QueryInput = Partial<Omit<StoreQuery, "columns" | "tags">> & {
  readonly nodeId: string;
  readonly deviceId: number;
  /** `watts`, or `mean(watts)`. */
  readonly select?: readonly string[];
  /** Tags other than `nodeId`. */
  readonly tags?: Readonly<Record<string, string>>;
};

export function query({ select = ["watts"], tags = {}, ...given }: QueryInput): StoreQuery {
  return {
    ...NAMESPACE,
    measurement: "power",
    from: undefined,
    to: undefined,
    window: undefined,
    descending: false,
    limit: undefined,
    ...given,
    columns: select.map(column) as [Column, ...Column[]],
    tags: new Map(Object.entries({ ...tags, nodeId: given.nodeId })),
  };
}

/** Parses a column: a field, or a function of one. */
function column(text: string): Column {
  const [, aggregate, field] = /^(sum|min|max|mean|count|first|last)\((.*)\)$/s.exec(text) ?? [];
  if (aggregate === undefined || field === undefined) {
    return { field: text, aggregate: undefined, name: text };
  }
  return { field, aggregate: aggregate as Aggregate, name: `${aggregate}_${field}` };
}
