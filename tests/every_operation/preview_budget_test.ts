import assert from "node:assert/strict";
import { type ApiDocument, operationsOf } from "../contract/api_document.ts";
import { assertWait, query, succeed, testApp } from "../helpers/http.ts";
import { ask, type CatalogueRequest, requestOf, setScene, withQuery } from "./request_catalogue.ts";

/** What previews cost is counted for their payer, whatever is previewed. */

testApp("a payer whose previews have cost too much in a minute gets none of any kind", async (target) => {
  const scene = await setScene(target);
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  const tried = operationsOf(document).filter(({ parameters }) =>
    parameters?.some(({ name }) => name === "dryRun")
  );
  const put = requestOf(scene, "PUT /v1/role/:parentRoleId/manages");
  const password = "the password of a role";
  await succeed(target, "PUT", `/v1/role/${scene.grandchildId}/password`, {
    token: scene.accessToken,
    body: { password },
  });
  const byPassword = { ...put, headers: { "X-Child-Role-Password": password } };
  const previews = [...tried.map(({ route }) => requestOf(scene, route)), byPassword];
  assert.ok(previews.length >= 8, previews.map(({ route }) => route).join(", "));
  const preview = (request: CatalogueRequest) =>
    ask(scene, request, { path: withQuery(request.path, "dryRun=true") });
  const assertAllowed = async (context: string, prepare?: () => Promise<unknown>): Promise<void> => {
    for (const request of previews) {
      await prepare?.();
      const { status, text } = await preview(request);
      assert.equal(status, 200, `${request.route} ${context}: ${text}`);
    }
  };
  const change = (sql: string): Promise<unknown> => target.database.write([{ sql, args: {} }]);
  await assertAllowed("at first");
  const spent = await query<{ key: string }>(target, "SELECT key FROM throttle WHERE scope = 'preview'");
  assert.deepEqual(spent.map(({ key }) => key), [`${scene.adminId}`]);

  await change(`INSERT INTO throttle (scope, key, count, started_at, expires_at)
    SELECT 'preview', '!another', 2000000, started_at, expires_at FROM throttle WHERE scope = 'preview' UNION ALL
    SELECT '!another', key, 2000000, started_at, expires_at FROM throttle WHERE scope = 'preview'`);
  await assertAllowed("beside other counters");

  await change(`UPDATE throttle SET count = 400000 WHERE scope = 'preview' AND key = '${scene.adminId}'`);
  for (const request of previews) assertWait(await preview(request), "TOO_MANY_PREVIEWS", 60);
  // The first preview of the next minute would start the counter anew for the others.
  const expired =
    `UPDATE throttle SET count = 400000, expires_at = ${target.clock.now()} WHERE scope = 'preview'`;
  await assertAllowed("a minute later", () => change(expired));
});
