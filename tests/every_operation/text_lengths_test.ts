import assert from "node:assert/strict";
import { type ApiDocument, type Described, operationsOf, requestMediaOf } from "../contract/api_document.ts";
import { type JsonSchema, resolveSchema } from "../contract/json_schema.ts";
import { replaced } from "./bad_bodies.ts";
import { type Answer, succeed, testApp } from "../helpers/http.ts";
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
  const scene = await setScene(target);
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  const operations = new Map(operationsOf(document).map((operation) => [operation.route, operation]));
  const places = catalogue(scene).flatMap((request) => {
    const operation = operations.get(request.route);
    if (operation === undefined) return [];
    return [...inQuery(scene, request, operation), ...inBody(scene, request, operation, document)];
  });
  assert.ok(places.length > 35, `only ${places.length} texts were found`);
  for (const { name, maxLength, send } of places) {
    const { body } = await send(ASTRAL.repeat(maxLength));
    assert.doesNotMatch(JSON.stringify(body ?? ""), /characters|TOO_LONG/, `${name}: ${maxLength}`);
    const { status, text } = await send(ASTRAL.repeat(maxLength + 1));
    assert.equal(status, 400, `${name}: ${maxLength + 1}`);
    assert.match(text, /characters|TOO_LONG/, name);
  }
});

const headers = { "X-Error-Details": "true" };

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

function inBody(
  scene: Scene,
  request: CatalogueRequest,
  operation: Described,
  document: ApiDocument,
): Place[] {
  const media = requestMediaOf(operation);
  // Telemetry has rules and errors of its own.
  if (media === undefined || request.ownBody) return [];
  return textsOf(document, media.schema, []).map(({ path, maxLength }) => ({
    name: `${request.route} ${path.join(".")}`,
    maxLength,
    send: (text) => ask(scene, request, { body: replaced(request.body, path, text), headers }),
  }));
}

/** The texts with a maximum length in an object, also in an object in it. */
function textsOf(
  document: ApiDocument,
  given: JsonSchema,
  path: readonly string[],
): { readonly path: string[]; readonly maxLength: number }[] {
  const { properties = {}, anyOf = [], oneOf = anyOf, maxLength } = resolveSchema(document, given);
  return [
    ...(maxLength === undefined ? [] : [{ path: [...path], maxLength }]),
    ...oneOf.flatMap((option) => textsOf(document, option, path)),
    ...Object.entries(properties).flatMap(([name, inner]) => textsOf(document, inner, [...path, name])),
  ];
}
