/** Every text and every list may be as long as the document says, and no longer. */
import assert from "node:assert/strict";
import { type ApiDocument, type Described, operationsOf, requestMediaOf } from "../contract/api_document.ts";
import { type JsonSchema, resolveSchema } from "../contract/json_schema.ts";
import { replaced } from "./bad_bodies.ts";
import { assertMalformed } from "./malformed.ts";
import { type Answer, assertUnchanged, forEachApp, succeed, testApp } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { ask, catalogue, type CatalogueRequest, type Scene, setScene } from "./request_catalogue.ts";

/** One code point, two UTF-16 code units, four bytes of UTF-8. */
const ASTRAL = "\u{1d7d8}";

/** A text of a request, and how to send another one in its place. */
interface Place {
  readonly name: string;
  readonly maxLength: number;
  readonly send: (text: string) => Promise<Answer>;
}

testApp("every text may have up to the documented number of code points", async (target) => {
  const { scene, described } = await openScene(target);
  const places = described.flatMap(({ request, operation, parts }) => [
    ...inQuery(scene, request, operation),
    ...inBody(scene, request, parts),
  ]);
  assert.ok(places.length > 35, `only ${places.length} texts were found`);
  for (const { name, maxLength, send } of places) {
    const { body } = await send(ASTRAL.repeat(maxLength));
    assert.doesNotMatch(JSON.stringify(body ?? ""), /characters|TOO_LONG/, `${name}: ${maxLength}`);
    await assertUnchanged(target, name, async () => {
      const { status, text } = await send(ASTRAL.repeat(maxLength + 1));
      assert.equal(status, 400, `${name}: ${maxLength + 1}`);
      assert.match(text, /characters|TOO_LONG/, name);
      assert.ok(!text.includes(ASTRAL), name);
    });
  }
  assert.ok(!target.logLines.join().includes(ASTRAL));
});

forEachApp("every list may have up to the documented number of values", async (target) => {
  const { scene, described } = await openScene(target);
  let count = 0;
  for (const { request, parts } of described) {
    for (const { path, schema: { type, items = {}, minItems = 0, maxItems } } of parts) {
      // The whole body is one thing or a list of it. Values of a closed set do not repeat.
      if (type !== "array" || maxItems === undefined || path.length === 0 || items.enum !== undefined) {
        continue;
      }
      const name = `${request.route} ${path.join(".")}`;
      const example = path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), request.body);
      const valueAt = (i: number): unknown =>
        items.type === "integer"
          ? i
          : items.type === "string"
          ? String(i)
          : Reflect.get(Object(example), "0");
      const bodyOf = (length: number): unknown =>
        replaced(request.body, path, Array.from({ length }, (_, i) => valueAt(i)));
      count++;
      const most = await ask(scene, request, { body: bodyOf(maxItems) });
      const isAct = request.kind === "act";
      assert.equal(most.status, isAct ? 403 : 200, `${name}: ${most.text}`);
      await assertUnchanged(target, name, async () => {
        const huge = typeof valueAt(0) === "object" ? 15_000 : 100_000;
        for (const length of [...minItems > 0 ? [0] : [], maxItems + 1, huge]) {
          await assertMalformed(scene, request, { body: bodyOf(length) }, `${path.join(".")} of ${length}`);
        }
      });
    }
  }
  assert.ok(count >= 25, `only ${count} lists were found`);
});

const headers = { "X-Error-Details": "true" };

/** A place in a body, and its schema. */
interface Part {
  readonly path: string[];
  readonly schema: JsonSchema;
}

async function openScene(target: TestApp) {
  const scene = await setScene(target);
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  const operations = new Map(operationsOf(document).map((operation) => [operation.route, operation]));
  const described = catalogue(scene).flatMap((request) => {
    const operation = operations.get(request.route);
    if (operation === undefined) return [];
    const schema = requestMediaOf(operation)?.schema;
    // Telemetry has rules and errors of its own.
    const parts = schema === undefined || request.ownBody ? [] : partsOf(document, schema, []);
    return [{ request, operation, parts }];
  });
  return { scene, described };
}

function inQuery(scene: Scene, request: CatalogueRequest, { parameters = [] }: Described): Place[] {
  return parameters.flatMap(({ in: where, name, schema }) => {
    const { maxLength } = schema as JsonSchema;
    // A bucket holds two names, each with a length of its own.
    if (where !== "query" || maxLength === undefined || name === "bucket") return [];
    return [{
      name: `${request.route} ${name}`,
      maxLength,
      send: (text) => {
        const [path = "", query] = request.path.split("?");
        const parameters = new URLSearchParams(query);
        parameters.set(name, text);
        return ask(scene, request, { path: `${path}?${parameters}`, headers });
      },
    }];
  });
}

function inBody(scene: Scene, request: CatalogueRequest, parts: readonly Part[]): Place[] {
  return parts.flatMap(({ path, schema: { maxLength } }) =>
    maxLength === undefined ? [] : [{
      name: `${request.route} ${path.join(".")}`,
      maxLength,
      send: (text) => ask(scene, request, { body: replaced(request.body, path, text), headers }),
    }]
  );
}

/** A schema, and those of the fields of an object, also of an object in it. */
function partsOf(document: ApiDocument, given: JsonSchema, path: readonly string[]): Part[] {
  const schema = resolveSchema(document, given);
  const { properties = {}, anyOf = [], oneOf = anyOf } = schema;
  return [
    { path: [...path], schema: { ...schema, items: resolveSchema(document, schema.items ?? {}) } },
    ...oneOf.flatMap((option) => partsOf(document, option, path)),
    ...Object.entries(properties).flatMap(([name, inner]) => partsOf(document, inner, [...path, name])),
  ];
}
