import { createApp } from "../../src/app.ts";
import { isStrangerAsking, isUserAsking } from "../../src/core/request_scope.ts";
import type { Database } from "../../src/db/database.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { type InputName, INPUTS, type Term } from "../db/bounds/bound.ts";
import { boundOf } from "../db/bounds/declared.ts";
import { bodyOf, sendAsked } from "../db/bounds/send_asked.ts";
import { type Asked, changePlace, readsOf } from "../db/bounds/world_requests.ts";
import { SMALL_WORLD } from "../db/bounds/worlds.ts";
import { collectStatements } from "../db/query_plans.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { openLargeScene } from "../helpers/large_scene.ts";
import { findGuards } from "./body_guards.ts";
import { eachInItsScene } from "./kept_scene.ts";
import { methodOf, sentOf } from "./request_catalogue.ts";
import { findStreaming } from "./ways_out.ts";

/** The bounds of each operation, measured by running it, as `openapi.json` states them. */

/** An operation and its bounds. Each list is sorted. */
export interface OperationLimits {
  /** Method and pattern, as in the router. */
  readonly route: string;
  /** The inputs that its rows grow with, such as `list x few`; empty if none. */
  readonly grows: readonly string[];
  /** Whose turns it takes at the database: those of the caller's chain, or of the client's networks. */
  readonly turns: readonly string[];
  /** What else it is counted in. */
  readonly counters: readonly string[];
  /** Whether a long response is sent piece by piece. */
  readonly isStreamed: boolean;
  /** The guards that a long body waits for; undefined if the operation reads none. */
  readonly bodyAfter: string | undefined;
}

/** The statements that the requests of one operation ran, and for which askers. */
interface Seen {
  readonly texts: Set<string>;
  readonly askers: Set<string>;
}

/** The tables of counters, and what they limit. */
const COUNTERS: ReadonlyMap<string, string> = new Map([
  ["rate_bucket", "telemetry bucket"],
  ["throttle", "counters"],
]);

/** The limits of every operation that needs the database or reads a body, in the order of the router. */
export async function listOperationLimits(): Promise<OperationLimits[]> {
  await using target = await openTestApp("file");
  const routes = target.app.routes.filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path}`);
  const seen = new Map([...new Set(routes)].map((route) => [route, newSeen()]));
  await runCatalogue(target, seen);
  await runPlace(seen);
  const [guards, streaming] = [await findGuards(target), findStreaming(target.app)];
  const bounds = await boundsByText();
  return Array.from(seen, ([route, { texts, askers }]) => {
    const statements = [...texts].flatMap((sql) => bounds.has(sql) ? [bounds.get(sql) ?? []] : []);
    return {
      route,
      grows: describeTerms(statements.flat()),
      turns: [...askers].sort(),
      counters: countersOf([...texts]),
      isStreamed: streaming.has(route),
      bodyAfter: guards.get(route),
      hasStatements: statements.length > 0,
    };
  }).filter(({ hasStatements, bodyAfter }) => hasStatements || bodyAfter !== undefined);
}

/** The bound of each statement. One that several batches have was measured within the shortest. */
async function boundsByText(): Promise<Map<string, readonly Term[]>> {
  const bounds = new Map<string, readonly Term[]>();
  for (const { name, statement: { sql } } of await collectStatements()) {
    const bound = boundOf(name);
    if (bound.length < (bounds.get(sql)?.length ?? Infinity)) bounds.set(sql, bound);
  }
  return bounds;
}

function newSeen(): Seen {
  return { texts: new Set(), askers: new Set() };
}

/** Runs one request of every operation, each in a scene of its own, and the previews of changes. */
async function runCatalogue(target: TestApp, seen: ReadonlyMap<string, Seen>): Promise<void> {
  let current = newSeen();
  const database = recordCalls(target.database, () => current);
  const telemetryStore = createSqliteStore({ database, clock: target.deps.clock });
  const app = createApp({ ...target.deps, database, telemetryStore });
  for await (const { scene, request } of eachInItsScene(target)) {
    const { token, body, headers = {} } = sentOf(scene, request);
    const asked = { method: methodOf(request), path: request.path, body, headers };
    current = seen.get(request.route) ?? newSeen();
    await sendAsked({ app, deps: target.deps }, asked, token);
  }
}

/** Runs the requests of the worlds that statements are measured in: each filter, each preview, each kind of change. */
async function runPlace(seen: ReadonlyMap<string, Seen>): Promise<void> {
  await using scene = await openLargeScene("file");
  const { deps } = scene.service;
  let current = newSeen();
  const database = recordCalls(deps.database, () => current);
  const telemetryStore = createSqliteStore({ database, clock: deps.clock });
  const app = createApp({ ...deps, database, telemetryStore });
  const place = await SMALL_WORLD.prepare(scene);
  const patterns = Array.from(seen, ([route, each]) => [patternOf(route), each] as const);
  async function ask(asked: Asked): Promise<unknown> {
    const route = `${asked.method} ${asked.path.split("?")[0]}`;
    current = patterns.find(([pattern]) => pattern.test(route))?.[1] ?? newSeen();
    return bodyOf(await sendAsked({ app, deps }, asked, place.caller.token));
  }
  for (const asked of readsOf(place)) {
    await ask(asked);
    const collect = collectOf(asked);
    if (
      collect !== undefined && patterns.some(([pattern]) => pattern.test(`GET ${collect.path.split("?")[0]}`))
    ) {
      await ask(collect);
    }
  }
  await changePlace(place, ask);
}

/** The same question in a query string, if there is such an operation. */
function collectOf({ method, path, body }: Asked): Asked | undefined {
  if (method !== "POST" || !path.endsWith("/query")) return undefined;
  const { filter = {} } = body as { readonly filter?: Readonly<Record<string, unknown>> };
  const query = Object.entries(filter).map(([name, value]) => `${name}=${value}`).join("&");
  return { method: "GET", path: `${path.slice(0, -"/query".length)}?${query}` };
}

function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+").replaceAll("*", ".*")}$`);
}

/** Records the statements that run, and whose turn each takes. */
function recordCalls(database: Database, current: () => Seen): Database {
  function note(statements: readonly BoundStatement[]): void {
    const { texts, askers } = current();
    for (const { sql } of statements) texts.add(sql);
    // A chain is read outside of the request that asks for it.
    if (isUserAsking()) askers.add("caller");
    else if (isStrangerAsking()) askers.add("network");
  }
  return {
    ...database,
    read: (statement) => (note([statement]), database.read(statement)),
    readAll: (statements) => (note(statements), database.readAll(statements)),
    write: (statements) => (note(statements), database.write(statements)),
  };
}

/** The counters that the statements add to. */
function countersOf(texts: readonly string[]): string[] {
  const tables = texts.flatMap((sql) =>
    Array.from(
      sql.matchAll(/\b(?:INSERT INTO|UPDATE) (throttle|\w*bucket\w*|\w*quota\w*)\b/g),
      ([, name]) => name ?? "",
    )
  );
  return [...new Set(tables)].sort().map((table) => COUNTERS.get(table) ?? table);
}

/** The products that rows grow with, without those that are part of others. */
function describeTerms(terms: readonly Term[]): string[] {
  const order = Object.keys(INPUTS) as InputName[];
  const products = new Map(
    terms.filter(({ factors }) => factors.length > 0).map(({ factors }) => [factors.join(" x "), factors]),
  );
  const all = [...products.values()];
  const isPart = (some: readonly InputName[]): boolean =>
    all.some((other) => other.length > some.length && some.every((name) => other.includes(name)));
  return [...products].filter(([, factors]) => !isPart(factors))
    .sort(([, [a]], [, [b]]) => order.indexOf(a as InputName) - order.indexOf(b as InputName))
    .map(([name]) => name);
}
