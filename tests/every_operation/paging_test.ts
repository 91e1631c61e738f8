/** A listing accepts paging in its query string and its body, but not two values of one parameter. */
import assert from "node:assert/strict";
import { type ApiDocument, type Described, operationsOf, requestMediaOf } from "../contract/api_document.ts";
import { resolveSchema } from "../contract/json_schema.ts";
import { assertError, MALFORMED, send, succeed, testApp } from "../helpers/http.ts";
import { setScene } from "./request_catalogue.ts";

/** Whether `*` is a value of the parameter. */
function takesAll({ parameters = [] }: Described, parameter: string): boolean {
  return parameters.some(({ name, schema }) => name === parameter && JSON.stringify(schema).includes(`"*"`));
}

/** Two values of each parameter of paging. */
const VALUES = { limit: [1, 2], cursor: ["0", "1"] } as const;

testApp(
  "a listing accepts paging in its query string and its body, but not two values of one parameter",
  async (target) => {
    const { accessToken: token, rootId } = await setScene(target);
    const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
    let listings = 0;
    for (const operation of operationsOf(document)) {
      const { schema } = requestMediaOf(operation) ?? {};
      const properties = schema === undefined ? {} : resolveSchema(document, schema).properties ?? {};
      const path = operation.path.replaceAll(
        /\{(\w+)\}/g,
        (_, name) => takesAll(operation, name) ? "*" : `${rootId}`,
      );
      for (const [name, [one, other]] of Object.entries(VALUES)) {
        const isInQuery = operation.parameters?.some((parameter) => parameter.name === name) ?? false;
        if (!isInQuery || properties[name] === undefined) continue;
        listings++;
        const ask = (inQuery: unknown, body: object) =>
          send(target, operation.method, `${path}?${name}=${inQuery}`, { token, body });
        const expected = await send(target, operation.method, path, { token, body: { [name]: one } });
        assert.equal(expected.status, 200, expected.text);
        assert.match(expected.text, /"nextCursor"/, operation.route);
        for (const body of [{}, { [name]: one }]) {
          assert.equal((await ask(one, body)).text, expected.text, operation.route);
        }
        assertError(await ask(one, { [name]: other }), 400, MALFORMED, operation.route);
      }
    }
    assert.ok(listings >= 12, `only ${listings} were found`);
  },
);
