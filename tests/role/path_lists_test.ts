/** A list of ids in a path is accepted in each form that generated clients write. */
import assert from "node:assert/strict";
import { type ApiDocument, operationsOf } from "../contract/api_document.ts";
import type { JsonSchema } from "../contract/json_schema.ts";
import { succeed, testApp } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";

/** How clients write a list of ids, each form with its name. */
const SPELLINGS: readonly (readonly [string, (ids: readonly number[]) => string])[] = [
  ["the form of the document", (ids) => ids.join(",")],
  ["encoded", (ids) => ids.join("%2C")],
  ["a JSON text", (ids) => JSON.stringify(ids)],
  ["an encoded JSON text", (ids) => encodeURIComponent(JSON.stringify(ids))],
  ["the text of a list in Java and Python", (ids) => `%5B${ids.join("%2C%20")}%5D`],
  ["the text of a slice in Go", (ids) => `%5B${ids.join("%20")}%5D`],
];

testApp("each list of ids in a path is accepted in the forms that generated clients use", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Branch");
  await admin.create(roleId, "Leaf");
  const operations = operationsOf(await succeed<ApiDocument>(target, "GET", "/openapi.json")).filter(
    ({ parameters = [] }) =>
      parameters.some(({ in: place, schema }) =>
        place === "path" && (schema as JsonSchema).anyOf?.some(({ type }) => type === "array")
      ),
  );
  assert.equal(operations.length, 7);
  for (const { method, path, route } of operations) {
    for (const ids of [[rootId, roleId], [roleId]]) {
      const body = method === "POST" ? {} : undefined;
      const expected = await admin.ask(method, path.replace(/\{\w+\}/, ids.join()), body);
      for (const [who, spell] of SPELLINGS) {
        const answer = await admin.ask(method, path.replace(/\{\w+\}/, spell(ids)), body);
        assert.deepEqual([answer.status, answer.text], [200, expected.text], `${route}: ${who}`);
      }
    }
  }
});
