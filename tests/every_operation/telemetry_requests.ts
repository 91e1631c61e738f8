import assert from "node:assert/strict";
import type { Answer } from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";
import type { ListedRequest } from "./request_catalogue.ts";

/** Requests and responses about telemetry. */

export interface QueryResult {
  readonly statement_id: number;
  readonly error?: string;
  readonly series?: readonly {
    readonly name: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly columns: readonly string[];
    readonly values: readonly (readonly unknown[])[];
  }[];
}

export const WRITE = "/v1/telemetry?db=plant";
export const COLLECT = "/v1/telemetry/query";

/** Adds a device that the role monitors. Returns its id. */
export async function addDevice(person: Person, roleId: number, nodeId: string): Promise<number> {
  const { device } = await person.post<{ device: { id: number } }>(`/v1/device?roleId=${roleId}`, {
    properties: { nodeId },
  });
  return device.id;
}

export function writeLines(
  person: Person,
  lines: string | readonly string[],
  more = "&precision=ms",
): Promise<Answer> {
  return person.ask("POST", WRITE + more, undefined, {
    rawBody: typeof lines === "string" ? lines : lines.join("\n"),
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}

/** Writes the power of a device for each minute from 2026-01-01 on: 1, 2, 3 … */
export async function writeMinutes(person: Person, nodeId: string, count: number): Promise<void> {
  const lines = Array.from(
    { length: count },
    (_, i) => `energy,nodeId=${nodeId} power=${i + 1} ${minute(i)}`,
  );
  const answer = await writeLines(person, lines);
  assert.equal(answer.status, 204, answer.text);
}

/** The start of minute `i` of 2026, in milliseconds. */
export function minute(i: number): number {
  return Date.UTC(2026, 0, 1, 0, i);
}

/** A query for the power of a device. */
export function powerOf(nodeId: string, more: object = {}): Record<string, unknown> {
  return {
    select: ["power"],
    from: { measurement: "energy", database: "plant", retentionPolicy: "autogen" },
    where: { tags: { nodeId } },
    ...more,
  };
}

export async function collect(person: Person, queries: readonly unknown[]): Promise<QueryResult[]> {
  return await person.post<QueryResult[]>(COLLECT, queries);
}

/** The values of a result, which must have one series. */
export function valuesOf(result: QueryResult | undefined): readonly (readonly unknown[])[] {
  assert.equal(result?.series?.length, 1, JSON.stringify(result));
  return result?.series?.[0]?.values ?? [];
}

/** A successful request for every operation on telemetry. */
export function telemetryRequests(nodeId: string): (ListedRequest & { readonly path: string })[] {
  const asks = { accepts: "access or key", ownBody: true } as const;
  return [
    { ...asks, route: "POST /v1/telemetry/query", path: COLLECT, body: powerOf(nodeId) },
    { ...asks, route: "POST /v1/telemetry", path: WRITE, body: [pointOf(nodeId)] },
  ];
}

/** The same for the paths of clients of InfluxDB. */
export function influxRequests(nodeId: string): ListedRequest[] {
  const asks = { accepts: "access or key", ownBody: true } as const;
  const body = [pointOf(nodeId)];
  return [
    ...["", "/v1/telemetry"].flatMap((base): ListedRequest[] => [
      { ...asks, route: `POST ${base}/write`, query: "db=plant", body },
      { ...asks, route: `POST ${base}/api/v2/write`, query: "bucket=plant", body },
      { accepts: "none", route: `GET ${base}/ping` },
      { accepts: "none", route: `GET ${base}/health` },
    ]),
    { ...asks, route: "POST /query", query: "q=CREATE+DATABASE+plant", body: "" },
  ];
}

function pointOf(nodeId: string): object {
  return { measurement: "energy", time: minute(0), tags: { nodeId }, fields: { power: 1 } };
}
