/** Every documented filter narrows its listing, unless the document says that it is ignored. */
import assert from "node:assert/strict";
import {
  type ApiDocument,
  type Described,
  type DocumentedParameter,
  operationsOf,
  requestMediaOf,
} from "../contract/api_document.ts";
import { type JsonSchema, resolveSchema } from "../contract/json_schema.ts";
import { forEachApp, succeed } from "../helpers/http.ts";
import { setScene } from "./request_catalogue.ts";

/** Parameters that choose the returned fields of each row. */
const CHOICES = new Set(["fields"]);

/** Filters that are documented as ignored, each with a value that no row has. */
const IGNORED: Readonly<Record<string, unknown>> = { nodeType: [], isActive: false };

/** Values that no row has, for filters that take one value instead of a list. */
const UNMATCHED: Readonly<Record<string, unknown>> = {
  roleId: 987_654,
  namePrefix: "nobody",
  property: { nodeType: [] },
  actorEmail: "nobody@example.com",
  memberEmail: "nobody@example.com",
  memberId: 987_654,
  actorId: 987_654,
  keyId: 987_654,
  endsBefore: "1970-01-01T00:00:00Z",
  kind: "none",
  decision: "none",
  from: "2999-01-01T00:00:00Z",
  to: "1999-01-01T00:00:00Z",
};

/** Filters of which a result must have all values, so that an empty list narrows nothing. */
const ALL_OF = new Set(["right"]);

/** A listing to ask for in full, and narrowed by one filter to nothing. */
interface Listing {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly narrowed: { readonly path: string; readonly body?: object };
  readonly filter: string;
}

forEachApp(
  "every documented filter narrows its listing, unless the document says that it is ignored",
  async (target) => {
    const { accessToken: token, rootId } = await setScene(target);
    const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
    const listings = operationsOf(document).flatMap((operation) => [
      ...byQuery(operation, rootId),
      ...byBody(document, operation, rootId),
    ]);
    assert.ok(listings.length > 20, `only ${listings.length} filters were found`);
    for (const { method, path, body, narrowed, filter } of listings) {
      const all = await succeed<object>(target, method, path, { token, body });
      assert.ok(listsOf(all)[0]?.length, `${method} ${path} has nothing to narrow`);
      const none = await succeed<object>(target, method, narrowed.path, { token, body: narrowed.body });
      if (Object.hasOwn(IGNORED, filter) || ALL_OF.has(filter)) {
        assert.deepEqual(none, all, `${method} ${path} by ${filter}`);
        continue;
      }
      assert.deepEqual(listsOf(none), [[]], `${method} ${path} by ${filter}`);
    }
  },
);

function listsOf(body: object): unknown[][] {
  return Object.values(body).filter(Array.isArray);
}

function byQuery(operation: Described, rootId: number): Listing[] {
  const { method, parameters = [] } = operation;
  const path = listingPath(operation, rootId);
  return parameters.filter(isList).map(({ name: filter }) => {
    // A list without values.
    return { method, path, filter, narrowed: { path: `${path}?${filter}=` } };
  });
}

function isList({ in: place, name, schema }: DocumentedParameter): boolean {
  return place === "query" && (schema as JsonSchema).type === "array" && !CHOICES.has(name);
}

function byBody(document: ApiDocument, operation: Described, rootId: number): Listing[] {
  const { schema } = requestMediaOf(operation) ?? {};
  const filter = schema === undefined ? undefined : resolveSchema(document, schema).properties?.["filter"];
  if (filter === undefined) return [];
  const { properties = {}, required = [] } = resolveSchema(document, filter);
  // What a listing requires does not narrow it.
  if (required.length > 0) return [];
  const path = listingPath(operation, rootId);
  // Something has either value of a boolean.
  const narrowing = Object.entries(properties).filter(([, { type }]) => type !== "boolean");
  return narrowing.map(([name, { type }]) => {
    const value = IGNORED[name] ?? (type === "array" ? [] : UNMATCHED[name]);
    assert.ok(value !== undefined, `${operation.route}: say here which ${name} nothing has`);
    const narrowed = { path, body: { filter: { [name]: value } } };
    return { method: operation.method, path, body: {}, narrowed, filter: name };
  });
}

/** All roles in place of an id, or the root where the path takes one id. */
function listingPath({ path, parameters = [] }: Described, rootId: number): string {
  const takesOne = (name: string): boolean =>
    parameters.some((one) => one.name === name && (one.schema as JsonSchema).type === "integer");
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => takesOne(name) ? String(rootId) : "*");
}
