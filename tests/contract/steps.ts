import fc from "fast-check";
import { type ApiDocument, type Described, operationsOf, requestMediaOf } from "./api_document.ts";
import { type Change, changesOf, changeText, changeValue } from "./changes.ts";
import { weighted } from "./hostile_values.ts";
import type { JsonSchema } from "./json_schema.ts";
import type { Pools } from "./live.ts";
import { lines, valueOf } from "./schema_values.ts";

/** The bearer token of a request: one that suits the operation, or one of a certain kind. */
const TOKEN_CHOICES = [
  "suited",
  "access",
  "refresh",
  "sudo",
  "partial",
  "key",
  "expired",
  "garbled",
  "forged",
  "none",
  "other scheme",
  "learned",
] as const;

export type TokenChoice = typeof TOKEN_CHOICES[number];

/** A generated request. Ids, codes and tokens are filled in when it is sent. */
export interface Step {
  readonly operation: Described;
  /** Whether the administrator sends it, to change the world around the user of the sequence. */
  readonly byAdministrator: boolean;
  readonly token: TokenChoice;
  /** Index into the suitable tokens, if there are several. */
  readonly pick: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly asLines: boolean;
  readonly changes: readonly Change[];
  readonly asksDetails: boolean;
  readonly from: string;
  /** Seconds to wait before it is sent. */
  readonly wait: number;
}

/** Operations that leave little for the rest of a sequence to work with. */
const SELDOM: ReadonlySet<string> = new Set([
  "DELETE /user",
  "DELETE /user/session",
  "POST /auth/logout",
  "GET /docs",
  "GET /openapi.json",
]);

const token = weighted<TokenChoice>(
  [24, fc.constant("suited")],
  [6, fc.constantFrom(...TOKEN_CHOICES)],
  [1, fc.constant("learned")],
);

const wait = weighted([8, fc.constantFrom(0, 1)], [1, fc.constantFrom(31, 61, 901, 3700, 90_000)]);

/** Any request to any operation of the document. With `open`, operations without a token come up more often. */
export function anyStep(document: ApiDocument, { open }: { readonly open: boolean }): fc.Arbitrary<Step> {
  return weighted(
    ...operationsOf(document).map((operation): [number, fc.Arbitrary<Step>] => {
      const often = SELDOM.has(`${operation.method} ${operation.path}`) ? 1 : 6;
      const more = open && operation.security.length === 0 ? 6 : 1;
      return [often * more, stepOf(document, operation)];
    }),
  );
}

/** Groups of parameters by operation. A request may have only one group, as the document says in prose alone. */
const ALTERNATIVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  writeTelemetry: [["db", "rp"], ["db"], ["org", "bucket"], ["namespace"]],
};

/** Any parameters, or, more often, one whole group with parameters that belong to no group. */
function parametersOf(
  { operationId, parameters = [] }: Described,
  values: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Record<string, unknown>> {
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name);
  const groups = ALTERNATIVES[operationId] ?? [];
  const grouped = new Set(groups.flat());
  return fc.oneof(
    fc.record({ ...values }, { requiredKeys: required }),
    ...groups.map((group) => {
      const names = Object.keys(values).filter((name) => group.includes(name) || !grouped.has(name));
      const ofGroup = Object.fromEntries(names.map((name) => [name, values[name] ?? fc.constant(undefined)]));
      return fc.record(ofGroup, { requiredKeys: [...required, ...group] });
    }),
  );
}

function stepOf(document: ApiDocument, operation: Described): fc.Arbitrary<Step> {
  const { path, parameters = [], requestBody } = operation;
  const media = requestMediaOf(operation);
  const values = Object.fromEntries(
    parameters.map(({ name, schema }) => [name, valueOf(document, schema, { name, path })]),
  );
  const body = media === undefined
    ? fc.constant(undefined)
    : valueOf(document, media.schema as JsonSchema, { name: "", path });
  const takesLines = requestBody?.content["text/plain"] !== undefined;
  const json = fc.record({ body, asLines: fc.constant(false) });
  const text = fc.record({ body: lines, asLines: fc.constant(true) });
  return fc.tuple(
    fc.record({
      operation: fc.constant(operation),
      byAdministrator: weighted([5, fc.constant(false)], [1, fc.boolean()]),
      token,
      pick: fc.nat(3),
      parameters: parametersOf(operation, values),
      changes: changesOf(media !== undefined),
      asksDetails: fc.boolean(),
      from: fc.constantFrom("192.0.2.1", "192.0.2.2", "198.51.100.7", "2001:db8::1"),
      wait,
    }),
    takesLines ? fc.oneof(json, text) : json,
  ).map(([rest, sent]) => ({ ...rest, ...sent }));
}

/** A request as sent, with its parts before they became text. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
  /** The parameters of the query, in order. */
  readonly query: URLSearchParams;
  readonly pathTexts: ReadonlyMap<string, string>;
}

/** Fills in a generated request, and applies its changes. */
export function outgoingOf(step: Step, pools: Pools, authorization: string | undefined): Outgoing {
  const { operation, changes } = step;
  const headers = new Headers();
  if (authorization !== undefined) headers.set("Authorization", authorization);
  if (step.asksDetails) headers.set("X-Error-Details", "true");
  const given = { ...step, parameters: pools.fill(step.parameters) as Record<string, unknown> };
  const { path, query, pathTexts } = addressOf(given, headers);
  const body = bodyOf(step, pools, headers);
  for (const change of changes) {
    if (change.kind === "header") headers.set(change.name, change.value);
    if (change.kind === "type") headers.set("Content-Type", change.contentType);
    if (change.kind === "type" && change.contentType === "") headers.delete("Content-Type");
  }
  return { method: operation.method, path, headers, body, query, pathTexts };
}

function addressOf(
  { operation, parameters, changes }: Step,
  headers: Headers,
): Pick<Outgoing, "path" | "query" | "pathTexts"> {
  const query = new URLSearchParams();
  const pathTexts = new Map<string, string>();
  for (const described of operation.parameters ?? []) {
    const value = parameters[described.name];
    if (value === undefined) continue;
    const text = [value].flat().map(String).join(",");
    if (described.in === "header") headers.set(described.name, toHeader(text));
    if (described.in === "path") pathTexts.set(described.name, text);
    if (described.in === "query") {
      // Lists of two become repeated parameters, longer ones a single parameter.
      const texts = Array.isArray(value) && value.length === 2 ? value.map(String) : [text];
      for (const one of texts) query.append(described.name, one);
    }
  }
  for (const change of changes) changeAddress(change, query, pathTexts);
  const path = operation.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent((pathTexts.get(name) ?? "").toWellFormed()),
  );
  return { path: query.size === 0 ? path : `${path}?${query}`, query, pathTexts };
}

function changeAddress(change: Change, query: URLSearchParams, pathTexts: Map<string, string>): void {
  if (change.kind === "unknown") query.append(change.name, change.text);
  if (change.kind !== "parameter" && change.kind !== "omit" && change.kind !== "repeat") return;
  const names = [...pathTexts.keys(), ...query.keys()];
  const name = names[change.at % names.length];
  if (name === undefined) return;
  const inPath = pathTexts.has(name);
  if (change.kind === "parameter" && inPath) pathTexts.set(name, change.text);
  if (change.kind === "parameter" && !inPath) query.set(name, change.text);
  if (change.kind === "omit" && !inPath) query.delete(name);
  if (change.kind === "repeat") query.append(name, change.text);
}

function bodyOf({ body, asLines, changes }: Step, pools: Pools, headers: Headers): Outgoing["body"] {
  if (body === undefined) return undefined;
  headers.set("Content-Type", asLines ? "text/plain; charset=utf-8" : "application/json");
  const value = changes.reduce((changed, change) => changeValue(changed, change), pools.fill(body));
  const text = asLines && Array.isArray(value)
    ? value.map((parts) => [parts].flat().map(String).join("")).join("\n")
    : JSON.stringify(value);
  const fault = changes.find((change) => change.kind === "text");
  return fault === undefined ? text : changeText(text, fault.how);
}

/** The part of a text that is allowed in a header. */
function toHeader(text: string): string {
  return text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, "").trim();
}
