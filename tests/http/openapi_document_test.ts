/** The OpenAPI document is valid, and describes tokens, rights and errors of every operation. */
import assert from "node:assert/strict";
import { FOR_PROXIES } from "../every_operation/authzen_requests.ts";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type ApiDocument, type Described, operationsOf } from "../contract/api_document.ts";
import { succeed } from "../helpers/http.ts";
import { openQuickApp, TEST_URL } from "../helpers/test_app.ts";

async function readDocument(): Promise<ApiDocument> {
  await using target = await openQuickApp();
  return await succeed<ApiDocument>(target, "GET", "/openapi.json");
}

Deno.test("the document is valid OpenAPI 3.1", async () => {
  const document = structuredClone(await readDocument());
  const validator = new Validator();
  const result = await validator.validate({ ...document });
  assert.deepEqual([result.valid, result.errors], [true, undefined]);
  assert.equal(validator.version, "3.1");
});

Deno.test("the document names the address of the service", async () => {
  assert.deepEqual((await readDocument()).servers, [{ url: TEST_URL }]);
});

Deno.test("the validator refuses a document with a mistake", async () => {
  const { paths, ...rest } = await readDocument();
  const login = paths["/auth/login"]?.["post"];
  const broken = { ...paths, "/auth/login": { post: { ...login, responses: "none" } } };
  assert.equal((await new Validator().validate({ ...rest, paths: broken })).valid, false);
});

Deno.test("every operation has a unique id, a known tag, a summary and a description", async () => {
  const document = await readDocument();
  const operations = operationsOf(document);
  const tags = new Set(document.tags.map(({ name }) => name));
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  assert.deepEqual(new Set(operations.flatMap((operation) => operation.tags)), tags);
  for (const { route, summary, description } of operations) {
    assert.match(summary, /^[A-Z].*[^.]$/, route);
    assert.match(description, /^\S[\s\S]*\.$/, route);
  }
});

function nameToken(name: string): string {
  return name === "key" ? "key of a role" : `${name} token`;
}

Deno.test("every description names the token that the security scheme requires", async () => {
  for (const { route, description, security } of operationsOf(await readDocument())) {
    const [, told] = /\*\*Token:\*\* ([a-z ]+)\./.exec(description) ?? [];
    const names = security.flatMap((scheme) => Object.keys(scheme)).map((name) =>
      name.replace("BearerAuth", "")
    );
    const expected = names.length === 0 ? "none" : names.map(nameToken).join(" or ");
    assert.equal(told, expected, route);
  }
});

Deno.test("every operation documents the errors of its token, of its input and of an outage", async () => {
  for (const operation of operationsOf(await readDocument())) {
    const { route, responses, security, parameters = [], requestBody } = operation;
    const told = new Set(Object.keys(responses));
    const expected = [
      ...(security.length > 0 ? ["401"] : []),
      ...(parameters.length > 0 && route !== FOR_PROXIES || requestBody !== undefined ? ["400"] : []),
      ...(requestBody !== undefined ? ["413", "415"] : []),
      "500",
      "503",
    ];
    assert.deepEqual(expected.filter((status) => !told.has(status)), [], route);
    if (requestBody === undefined) {
      assert.deepEqual([told.has("413"), told.has("415")], [false, false], route);
    }
  }
});

Deno.test("every operation that checks rights names the required right in its description", async () => {
  const refusable = operationsOf(await readDocument()).filter(isRefusable);
  assert.ok(refusable.length >= 8);
  for (const { route, path, description } of refusable) {
    const [text = ""] = description.split("\n\n**");
    // Users may end all of their own sessions, change all of their own passkeys, and no others.
    assert.match(
      text,
      path.startsWith("/v1/") || route === FOR_PROXIES
        ? /\b[a-z]+Management\b/
        : /403 if the (session|passkey) .* belongs to another user/,
      route,
    );
  }
});

Deno.test("every specific error of an operation is listed in its description and under its status", async () => {
  for (const { route, description, responses } of operationsOf(await readDocument())) {
    const [, list = ""] = /\*\*Specific errors:\*\* (.*)\.$/m.exec(description) ?? [];
    for (const [, status = "", message = ""] of list.matchAll(/(\d{3}) `([^`]+)`/g)) {
      assert.ok(responses[status]?.description.includes(`\`${message}\``), `${route}: ${message}`);
    }
    for (const [status, { description: told }] of Object.entries(responses)) {
      if (!["403", "409", "422", "429"].includes(status)) continue;
      for (const [, message = ""] of told.matchAll(/`([^`]+)`/g)) {
        assert.ok(list.includes(`${status} \`${message}\``), `${route}: ${message}`);
      }
    }
  }
});

function isRefusable({ responses }: Described): boolean {
  return responses["403"]?.description.includes("User does not have sufficient rights") ?? false;
}

Deno.test("a null body has a schema that client generators understand", async () => {
  const schemas = operationsOf(await readDocument()).flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content }) =>
      Object.values(content ?? {}).map(({ schema }) => schema)
    )
  );
  const nulls = schemas.filter((schema) => JSON.stringify(schema).includes('"enum":[null]'));
  assert.ok(nulls.length >= 16);
  for (const schema of nulls) assert.deepEqual(schema, { type: ["object", "null"], enum: [null] });
  assert.ok(schemas.every((schema) => (schema as { type?: string }).type !== "null"));
});
