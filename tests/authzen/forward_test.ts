/** Proxies ask `/access/v1/forward` for a right, and its status alone is the decision. */
import assert from "node:assert/strict";
import { createApp, createClosedApp } from "../../src/app.ts";
import { AppError } from "../../src/core/errors.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import { type Answer, execute, forEachApp, send, testApp } from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";
import { makeProgram } from "../key/key_scene.ts";
import { accountId, ALICE, BOB, READ, setScene, WRITE } from "./scene.ts";

const PATH = "/access/v1/forward";
/** Every method with a meaning, and one without. */
const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "PROPFIND",
  "MKCOL",
  "PURGE",
  "X",
] as const;

function forward(
  person: Person,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return person.ask("GET", `${PATH}?${query}`, undefined, { headers });
}

/** Asserts that a response says this and nothing else, and may not be stored. */
function assertSaid(answer: Answer, status: number, subject: string | null, context: string): void {
  const { headers, text } = answer;
  assert.deepEqual([answer.status, text], [status, ""], context);
  assert.equal(headers.get("X-Rolegrid-Subject"), subject, context);
  assert.equal(headers.get("Content-Type"), null, context);
  assert.equal(headers.get("Cache-Control"), "no-store", context);
  assert.equal(headers.has("WWW-Authenticate"), status === 401, context);
}

forEachApp(
  "a proxy learns by the status whether the caller has a right, and by a header who they are",
  async (target) => {
    const scene = await setScene(target);
    const { alice, bob, roleId } = scene;
    const deviceId = await addDevice(scene.admin, roleId, "meter 1/ü");
    const nodeId = encodeURIComponent("meter 1/ü");
    const people = [
      { person: alice, subject: `user:${await accountId(target, ALICE)}` },
      { person: bob, subject: `user:${await accountId(target, BOB)}` },
    ];
    const onRole = [[READ, true, true], [WRITE, true, false], ["member", true, true]] as const;
    const onDevice = [["read", true, true], ["write", true, false], ["manage", true, false]] as const;
    for (const resource of [`roleId=${roleId}`, `deviceId=${deviceId}`, `nodeId=${nodeId}`]) {
      const asked = [...onRole, ["userManagement", false, false] as const];
      for (const [right, ...decisions] of resource.startsWith("role") ? asked : [...asked, ...onDevice]) {
        for (const [i, { person, subject }] of people.entries()) {
          const query = `right=${right}&${resource}`;
          const answer = await forward(person, query);
          if (decisions[i]) assertSaid(answer, 200, subject, query);
          else assertSaid(answer, 403, null, query);
          assert.match(answer.headers.get("X-Rolegrid-Revision") ?? "", /^[1-9][0-9]*$/);
        }
      }
    }
  },
);

testApp("any method asks the same, and no body is read", async (target) => {
  const { alice, bob, roleId } = await setScene(target);
  const path = `${PATH}?right=${WRITE}&roleId=${roleId}`;
  const subject = `user:${await accountId(target, ALICE)}`;
  for (const method of METHODS) {
    const body = method === "GET" || method === "HEAD" ? {} : {
      rawBody: new ReadableStream({
        pull: () => assert.fail(`${method}: the body was read`),
      }, { highWaterMark: 0 }),
    };
    const sent = { ...body, headers: { "Content-Length": "999999999", "Content-Type": "nonsense" } };
    assertSaid(await send(target, method, path, { ...sent, token: alice.accessToken }), 200, subject, method);
    assertSaid(await send(target, method, path, { ...sent, token: bob.accessToken }), 403, null, method);
    assertSaid(await send(target, method, path, sent), 401, null, method);
  }
});

testApp("a preflight of another origin is a question, too, also during shutdown", async (target) => {
  const { roleId } = await setScene(target);
  const deps = { ...target.deps, corsOrigins: ["*"] };
  const headers = { "Origin": "https://evil.test", "Access-Control-Request-Method": "POST" };
  const path = `${PATH}?right=${WRITE}&roleId=${roleId}`;
  for (const [app, status] of [[createApp(deps), 401], [createClosedApp(deps), 503]] as const) {
    const sent = { headers };
    const elsewhere = await send({ request: requestsTo(app) }, "OPTIONS", "/access/v1/evaluation", sent);
    assert.equal(elsewhere.status, 204);
    for (const spelling of [path, path.replace("forward", "%66orward")]) {
      assert.equal((await send({ request: requestsTo(app) }, "OPTIONS", spelling, sent)).status, status);
    }
  }
});

testApp("a query that is not one right on one resource is a 403", async (target) => {
  const scene = await setScene(target);
  const { alice, roleId } = scene;
  const deviceId = await addDevice(scene.admin, roleId, "7");
  const [right, role] = [`right=${READ}`, `roleId=${roleId}`];
  const queries = [
    "",
    "?",
    "&",
    right,
    role,
    `right=&${role}`,
    `right&${role}`,
    `${right}&roleId=`,
    `right=fly&${role}`,
    `right=read&${role}`,
    `right=ViewManagement&${role}`,
    `right=${READ},${WRITE}&${role}`,
    `Right=${READ}&${role}`,
    `${right}&roleid=${roleId}`,
    `${right}&role=${roleId}`,
    `${right}&${right}&${role}`,
    `${right}&${role}&${role}`,
    `${right}&${role}&deviceId=${deviceId}`,
    `${right}&${role}&right=${WRITE}`,
    `${right}&${role}&`,
    `&${right}&${role}`,
    `${right}&&${role}`,
    `${right};${role}`,
    `${right}&${role}&x=1`,
    `${right}&${role}?x=1`,
    `${right}&roleId[]=${roleId}`,
    `${right}&roleId=${roleId},${roleId}`,
    `${right}&roleId=0${roleId}`,
    `${right}&roleId=+${roleId}`,
    `${right}&roleId=${roleId}%00`,
    `${right}&roleId=%20${roleId}`,
    `${right}&roleId=${roleId}.0`,
    `${right}&roleId=-1`,
    `${right}&roleId=0`,
    `${right}&roleId=99999999999999999999`,
    `${right}&nodeId=`,
    `${right}&nodeId=%ff`,
    `${right}&__proto__=1`,
    `__proto__=${READ}&${role}`,
    `right=constructor&${role}`,
    `right=__proto__&deviceId=${deviceId}`,
    `${right}&${role}`.repeat(500),
    `${right}&nodeId=${"x".repeat(50_000)}`,
  ];
  for (const query of queries) assertSaid(await forward(alice, query), 403, null, query.slice(0, 200));
  const encoded = `%72ight=${READ.replace("v", "%76")}&roleId=${roleId}`;
  assert.equal((await forward(alice, encoded)).status, 200);
  // A nodeId of digits is none of the ids.
  assert.equal((await forward(alice, `${right}&nodeId=7`)).status, 200);
});

testApp("headers that a proxy passes on are no part of the question", async (target) => {
  const { alice, bob, roleId } = await setScene(target);
  const headers = {
    "X-Rolegrid-Subject": `user:${await accountId(target, ALICE)}`,
    "X-Rolegrid-Revision": "999999",
    "X-Original-Method": "GET",
    "X-Forwarded-Uri": `${PATH}?right=member&roleId=${roleId}`,
    "X-Original-URI": "/",
    "X-HTTP-Method-Override": "OPTIONS",
    "If-Effect": "no tag",
    "If-None-Match": "*",
    "If-Modified-Since": new Date(0).toUTCString(),
    "Range": "bytes=0-0",
    "Idempotency-Key": "",
    "Accept": "nothing/none",
    "Origin": "null",
    "Upgrade": "websocket",
    "Connection": "Upgrade, Authorization",
    "Expect": "100-continue",
  };
  const query = `right=${WRITE}&roleId=${roleId}`;
  assertSaid(await forward(bob, query, headers), 403, null, "denied");
  assertSaid(await forward(alice, query, headers), 200, headers["X-Rolegrid-Subject"], "allowed");
});

testApp("keys ask, too; a token that is missing, wrong or has ended is a 401", async (target) => {
  const scene = await setScene(target);
  const { admin, alice, roleId } = scene;
  const { key, secret, program } = await makeProgram(target, admin, roleId, { rights: rights(READ) });
  const query = `right=${READ}&roleId=${roleId}`;
  assertSaid(await forward(program, query), 200, `key:${key.id}`, "key");
  assertSaid(await forward(program, `right=${WRITE}&roleId=${roleId}`), 403, null, "key");
  const authorizations = [
    "",
    "Basic Zm9v",
    "Bearer",
    "Bearer a b",
    `Bearer ${secret}x`,
    `Bearer ${secret}, Bearer ${secret}`,
  ];
  for (const Authorization of authorizations) {
    const headers = { Authorization };
    assertSaid(await send(target, "GET", `${PATH}?${query}`, { headers }), 401, null, Authorization);
  }
  await admin.delete(`/v1/role/${roleId}/key/${key.id}`);
  await alice.ask("POST", "/auth/logout", {}, {});
  await execute(target, "DELETE FROM session");
  for (const ended of [program, alice]) {
    for (const asked of [query, "", "right=fly&roleId=1"]) {
      assertSaid(await forward(ended, asked), 401, null, asked);
    }
  }
});

/** The status and headers of a response, without those that differ from one to the next. */
function looksOf({ status, headers, text }: Answer): unknown {
  return [status, text, [...headers].filter(([name]) => name !== "x-request-id").sort()];
}

testApp("what is hidden looks like what does not exist", async (target) => {
  const scene = await setScene(target);
  const { admin, bob, rootId } = scene;
  const hiddenId = await admin.create(rootId, "Hidden");
  const deviceId = await addDevice(scene.admin, hiddenId, "hidden meter");
  const looks = new Set<string>();
  for (const right of [READ, "member"]) {
    for (
      const resource of [
        `roleId=${hiddenId}`,
        "roleId=999999",
        `deviceId=${deviceId}`,
        "deviceId=999999",
        "nodeId=hidden%20meter",
        "nodeId=none",
      ]
    ) {
      looks.add(JSON.stringify(looksOf(await forward(bob, `right=${right}&${resource}`))));
    }
  }
  assert.equal(looks.size, 1, [...looks].join("\n"));
});

testApp("a 401 asks for the second factor that would turn a no into a yes", async (target) => {
  const scene = await setScene(target);
  const { admin, bob, bobTeamId, roleId } = scene;
  const deviceId = await addDevice(scene.admin, roleId, "meter");
  await execute(target, "UPDATE session SET meets = 2");
  const policy = { secondFactor: "required" };
  assert.equal((await admin.ask("PUT", `/v1/role/${bobTeamId}/authentication-policy`, policy)).status, 200);
  await execute(target, "UPDATE session SET meets = 0");
  for (const resource of [`roleId=${roleId}`, `deviceId=${deviceId}`]) {
    for (const right of [READ, "member"]) {
      const answer = await forward(bob, `right=${right}&${resource}`);
      assertSaid(answer, 401, null, resource);
      const challenge = answer.headers.get("WWW-Authenticate");
      assert.equal(challenge, 'Bearer error="insufficient_user_authentication", acr_values="aal2"');
    }
    assertSaid(await forward(bob, `right=${WRITE}&${resource}`), 403, null, resource);
  }
  await execute(target, "UPDATE session SET meets = 1");
  assert.equal((await forward(bob, `right=${READ}&roleId=${roleId}`)).status, 200);
});

testApp("without the database, the response is neither a yes nor a no", async (target) => {
  const { alice, roleId } = await setScene(target);
  const down = { ...target.deps, database: failing(target) };
  const request = requestsTo(createApp(down));
  const answer = await send({ request }, "GET", `${PATH}?right=${READ}&roleId=${roleId}`, {
    token: alice.accessToken,
  });
  assertSaid(answer, 503, null, "down");
});

function failing({ deps }: TestApp): TestApp["deps"]["database"] {
  const fail = () => Promise.reject(new AppError("UNAVAILABLE"));
  return { ...deps.database, read: fail, write: fail };
}
