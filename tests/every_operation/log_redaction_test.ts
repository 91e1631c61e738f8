/** No secret of a request or response, and no error of the database, reaches the log. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import type { Database } from "../../src/db/database.ts";
import { testApp } from "../helpers/http.ts";
import { catalogue, methodOf, sentOf, setScene, withQuery } from "./request_catalogue.ts";
import { holds, recordSecrets, spellingsOf } from "./secret_recorder.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";

/** A text that occurs in no valid request and in no message of a database. */
const MARKER = "marker-5f21c8-nobody-logs-this";

interface Asked {
  readonly path: string;
  readonly init: RequestInit;
}

/** A successful request for every operation. */
async function everyRequest(target: TestApp): Promise<Asked[]> {
  const scene = await setScene(target);
  return catalogue(scene).map((request) => {
    const { token, body, headers: own } = sentOf(scene, request);
    const headers = new Headers(own);
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const init: RequestInit = { method: methodOf(request), headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    return { path: request.path, init };
  });
}

async function drain(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

/** The same request with the marker in every place where a client could put a secret by mistake. */
function withMarkers({ path, init }: Asked): Asked {
  const headers = new Headers(init.headers);
  for (const name of ["X-Child-Role-Password", "Cookie", "User-Agent", "X-Forwarded-For", "Referer"]) {
    headers.set(name, MARKER);
  }
  const query = `childRolePassword=${MARKER}&token=${MARKER}&${MARKER}=1`;
  return { path: withQuery(path, query), init: { ...init, headers } };
}

testApp("no log line contains a secret from a request or response of any operation", async (opened) => {
  const { target, secrets, recordMails } = recordSecrets(opened);
  const requests = await everyRequest(target);
  const linesBefore = opened.logLines.length;
  let succeeded = 0;
  for (const { path, init } of requests) {
    const status = await drain(await target.request(path, init));
    if (status < 300) succeeded++;
  }
  // Some requests end the session that others use. The success of the rest shows that the requests are valid.
  assert.ok(succeeded > requests.length / 2, `${succeeded} of ${requests.length} succeeded`);
  for (const asked of requests) {
    const { path, init } = withMarkers(asked);
    await drain(await target.request(path, init));
    await drain(await target.request(`/${MARKER}${path}`, init));
  }
  assert.equal(opened.logLines.length - linesBefore >= requests.length * 3, true);
  await recordMails();
  assert.ok(secrets.size > 5);
  const log = opened.logLines.join("\n");
  assert.ok(!log.includes(MARKER));
  for (const [name, texts] of secrets) {
    for (const secret of texts) {
      for (const spelling of spellingsOf(secret)) assert.ok(!holds(log, spelling), `${name} is in the log`);
    }
  }
});

Deno.test("no log line and no response of any operation repeats the database's error", async () => {
  await using target = await openTestApp("file");
  const requests = await everyRequest(target);
  const fail = (): Promise<never> =>
    Promise.reject(new Error(`SELECT ${MARKER}`, { cause: new Error(`bound: ${MARKER}`) }));
  const database: Database = { ...target.database, read: fail, readAll: fail, write: fail };
  const app = createApp({ ...target.deps, database });
  let failed = 0;
  for (const { path, init } of requests) {
    const answer = await app.request(path, init, { remoteAddr: { hostname: "192.0.2.1" } });
    if (answer.status === 500) failed++;
    assert.ok(!(await answer.text()).includes(MARKER), path);
  }
  assert.ok(failed > requests.length / 2, `${failed} of ${requests.length} met the failure`);
  const log = target.logLines.join("\n");
  assert.ok(log.split('"event":"request.failed"').length > failed);
  assert.ok(!log.includes(MARKER));
});
