/** Every operation documents examples, which match their schemas and get the documented response. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import {
  type ApiDocument,
  type Described,
  fillPath,
  operationsOf,
  requestMediaOf,
  successOf,
} from "../contract/api_document.ts";
import { send, succeed } from "../helpers/http.ts";
import { enliven, liveValues } from "./live_examples.ts";
import { keepScene } from "./kept_scene.ts";
import { requestOf, type Scene, sentOf } from "./request_catalogue.ts";
import { openQuickApp, openTestApp, type TestApp } from "../helpers/test_app.ts";

/**
 * The response is the document itself, so that the example cannot be complete; or the example explains a denial, and the
 * scene has none.
 */
const SHOWN_IN_PART: ReadonlySet<string> = new Set(["getOpenApi", "explainRight"]);

/** Parameters that have no value that every installation accepts, and those that every read has. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["audience"]);

const isServing = (): Promise<boolean> => Promise.resolve(true);

function openApp(): Promise<TestApp> {
  return openQuickApp({ readinessParts: { database: isServing, schema: isServing } });
}

Deno.test("every operation documents examples of its request and its response", async () => {
  await using target = await openTestApp("file");
  const missing: string[] = [];
  for (const operation of operationsOf(await readDocument(target))) {
    const { parameters = [] } = operation;
    const body = requestMediaOf(operation);
    const { media } = successOf(operation);
    if (body !== undefined && body.example === undefined) missing.push(`${operation.route}: body`);
    if (media !== undefined && media.example === undefined) missing.push(`${operation.route}: answer`);
    for (const { name, required, example } of parameters) {
      if (required === true && example === undefined) missing.push(`${operation.route}: ${name}`);
    }
    const shown = parameters.filter(({ example }) => example !== undefined);
    const isSimple = parameters.every(({ name }) => NOT_SHOWN.has(name));
    if (!isSimple && shown.length === 0 && body === undefined) {
      missing.push(`${operation.route}: any parameter`);
    }
  }
  assert.deepEqual(missing, []);
});

Deno.test("every example matches its schema", async () => {
  await using target = await openTestApp("file");
  const document = await readDocument(target);
  const wrong: string[] = [];
  for (const operation of operationsOf(document)) {
    const pairs = [
      ...(operation.parameters ?? []).map(({ name, schema, example }) => ({ name, schema, example })),
      { name: "body", ...requestMediaOf(operation) },
      { name: "answer", ...successOf(operation).media },
    ];
    for (const { name, schema, example } of pairs) {
      if (schema === undefined || example === undefined) continue;
      const faults = faultsOf(document, schema, example);
      if (faults !== "") wrong.push(`${operation.route}, ${name}: ${faults}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("every example request gets the documented response", async () => {
  await using target = await openApp();
  const document = await readDocument(target);
  const bringBack = await keepScene(target);
  const wrong: string[] = [];
  for (const operation of operationsOf(document)) {
    const fault = await tryExample(await bringBack(), document, operation);
    if (fault !== undefined) wrong.push(`${operation.route}: ${fault}`);
  }
  assert.deepEqual(wrong, []);
});

/** Sends the documented request, and returns how its response differs from the documented one. */
async function tryExample(
  scene: Scene,
  document: ApiDocument,
  operation: Described,
): Promise<string | undefined> {
  const { token } = sentOf(scene, requestOf(scene, operation.route));
  const live = liveValues(scene);
  const body = enliven(requestMediaOf(operation)?.example, live);
  const examples = (operation.parameters ?? []).map((parameter) => ({
    ...parameter,
    example: enliven(parameter.example, live),
  }));
  const { status, type, media } = successOf(operation);
  const headers = Object.fromEntries(
    examples.filter((one) => one.in === "header" && one.example !== undefined)
      .map(({ name, example }) => [name, String(example)]),
  );
  const path = fillPath(operation.path, examples);
  const answer = await send(scene.target, operation.method, path, { token, body, headers });
  if (answer.status !== status) return `${answer.status} ${answer.text}`;
  if (media === undefined) return answer.text === "" ? undefined : "a body that is not documented";
  if (answer.headers.get("Content-Type")?.split(";")[0] !== type) return "another content type";
  const real = type === "application/json" ? answer.body : answer.text;
  const faults = faultsOf(document, media.schema, real);
  if (faults !== "") return `the answer is not of its schema: ${faults}`;
  if (SHOWN_IN_PART.has(operation.operationId)) return undefined;
  return differenceOf(media.example, real, "answer");
}

async function readDocument(target: TestApp): Promise<ApiDocument> {
  return await succeed<ApiDocument>(target, "GET", "/openapi.json");
}

const validators = new WeakMap<ApiDocument, InstanceType<typeof Ajv2020>>();

/** The faults of a value by a schema of the document, as one text, which is empty without faults. */
function faultsOf(document: ApiDocument, schema: object, value: unknown): string {
  let ajv = validators.get(document);
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    validators.set(document, ajv);
  }
  // The document's references start at its root.
  const { components } = document;
  return ajv.validate({ components, ...schema }, value) ? "" : ajv.errorsText();
}

/**
 * The first place where the response has other fields or types than the documented one, or undefined. `null` matches
 * any type. Each item of a documented list must match an item of the response.
 */
function differenceOf(documented: unknown, real: unknown, path: string): string | undefined {
  if (documented === null && real === null) return undefined;
  if (documented === null || real === null) return path === "answer" ? `${path}: null` : undefined;
  if (Array.isArray(documented) && Array.isArray(real)) {
    if ((documented.length === 0) !== (real.length === 0)) return `${path}: one is empty`;
    for (const item of documented) {
      const differences = real.map((other) => differenceOf(item, other, `${path}[]`));
      if (!differences.includes(undefined)) return differences[0];
    }
    return undefined;
  }
  if (typeof documented !== typeof real || Array.isArray(documented) !== Array.isArray(real)) {
    return `${path}: ${typeof real}, not ${typeof documented}`;
  }
  if (typeof documented !== "object" || typeof real !== "object") return undefined;
  const fields = Object.entries(documented);
  const others = new Map(Object.entries(real));
  const names = new Set([...others.keys(), ...fields.map(([name]) => name)]);
  if (names.size > fields.length || names.size > others.size) {
    return `${path}: ${[...others.keys()]}, not ${fields.map(([name]) => name)}`;
  }
  for (const [name, value] of fields) {
    const difference = differenceOf(value, others.get(name), `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
