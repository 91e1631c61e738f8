/**
 * The core scenarios of the AuthZEN 1.0 certification and discovery, with the types and ids of this service: a role in
 * place of a record, viewManagement in place of read and roleManagement in place of write.
 */
import assert from "node:assert/strict";
import { assertError, MALFORMED, send, testApp } from "../helpers/http.ts";
import { TEST_URL } from "../helpers/test_app.ts";
import {
  accountId,
  action,
  ALICE,
  BOB,
  decide,
  post,
  READ,
  readPages,
  results,
  role,
  type Scene,
  setScene,
  user,
  WRITE,
} from "./scene.ts";

const permitted = (scene: Scene) => ({
  subject: user(ALICE),
  action: action(READ),
  resource: role(scene.roleId),
});

testApp("Alice may manage and read a role, and Bob only read it", async (target) => {
  const scene = await setScene(target);
  const ask = (email: string, name: string) =>
    decide(scene, scene.admin, user(email), name, role(scene.roleId));
  assert.equal(await ask(ALICE, READ), true);
  assert.equal(await ask(ALICE, WRITE), true);
  assert.equal(await ask(BOB, READ), true);
  assert.equal(await ask(BOB, WRITE), false);
});

testApp("context, properties and unknown fields change no decision", async (target) => {
  const scene = await setScene(target);
  const body = permitted(scene);
  const more = { foo: "bar", futureField: { nested: true } };
  const properties = { department: "Sales", role: "manager" };
  const bodies = [
    { ...body, context: { time: "2025-06-27T18:03-07:00", ip: "192.168.1.1" } },
    { ...body, ...more },
    {
      subject: { ...body.subject, properties, ...more },
      action: { ...body.action, properties: { method: "GET" }, ...more },
      resource: { ...body.resource, properties, ...more },
      context: more,
    },
    { ...body, constructor: 1, toString: null, ["__proto__"]: [] },
  ];
  for (const one of bodies) {
    const answer = await post(scene, scene.admin, "evaluation", one);
    assert.equal(answer.status, 200, answer.text);
    assert.equal((answer.body as { decision: unknown }).decision, true);
    assert.equal(answer.headers.get("Content-Type"), "application/json");
  }
});

testApp("a decision names the revision at which it was made", async (target) => {
  const scene = await setScene(target);
  const answer = await post(scene, scene.admin, "evaluation", permitted(scene));
  const revision = Number(answer.headers.get("X-Rolegrid-Revision"));
  assert.ok(revision > 0);
  assert.deepEqual(answer.body, { decision: true, context: { revision } });
});

/** Each with one fault, by its path. */
function faultyEvaluations(good: Readonly<Record<string, object>>): readonly (readonly [string, unknown])[] {
  const without = (entity: string, key: string): unknown => {
    const { [key]: _, ...rest } = good[entity] as Record<string, unknown>;
    return { ...good, [entity]: rest };
  };
  const entities = ["subject", "action", "resource"];
  return [
    ...entities.map((entity) => {
      const { [entity]: _, ...rest } = good;
      return [`body.${entity}`, rest] as const;
    }),
    ["body.subject.type", without("subject", "type")],
    ["body.subject.id", without("subject", "id")],
    ["body.action.name", without("action", "name")],
    ["body.resource.type", without("resource", "type")],
    ["body.resource.id", without("resource", "id")],
    ...entities.flatMap((entity) =>
      ["alice", 5, null, [], [good[entity]]].map((value) =>
        [`body.${entity}`, { ...good, [entity]: value }] as const
      )
    ),
    ["body.action.name", { ...good, action: { name: 123 } }],
    ["body.subject.id", { ...good, subject: { type: "user", id: 17 } }],
    ["body.subject.type", { ...good, subject: { type: null, id: "17" } }],
    ["body.subject.properties", { ...good, subject: { ...good["subject"], properties: 5 } }],
    ["body.subject.properties", { ...good, subject: { ...good["subject"], properties: [] } }],
    ["body.context", { ...good, context: "now" }],
    ["body.context", { ...good, context: [] }],
    ["body", []],
    ["body", "text"],
    ["body", null],
  ];
}

testApp("a missing field or one of a wrong type gets a 400 that names it", async (target) => {
  const scene = await setScene(target);
  const headers = { "X-Error-Details": "true" };
  for (const path of ["evaluation", "evaluations"]) {
    for (const [at, body] of faultyEvaluations(permitted(scene))) {
      const context = `${path} ${JSON.stringify(body)}`;
      assertError(await post(scene, scene.admin, path, body), 400, MALFORMED, context);
      const told = await post(scene, scene.admin, path, body, { headers });
      const { details } = told.body as { details: { path: string }[] };
      assert.ok(details.some((detail) => detail.path.startsWith(at)), `${context}: ${told.text}`);
    }
  }
});

testApp("another content type, malformed JSON and an empty body get a 400", async (target) => {
  const scene = await setScene(target);
  const rawBody = JSON.stringify(permitted(scene));
  for (const path of ["evaluation", "evaluations", "search/subject", "search/resource", "search/action"]) {
    const faults: [string, Record<string, string>][] = [
      [rawBody, { "Content-Type": "text/plain" }],
      [rawBody, { "Content-Type": "application/x-www-form-urlencoded" }],
      [rawBody, { "Content-Type": "application/jsonp" }],
      [rawBody, { "Content-Type": "" }],
      ["", { "Content-Type": "application/json" }],
      ["", {}],
      ["{", { "Content-Type": "application/json" }],
    ];
    for (const [text, headers] of faults) {
      const bytes = new TextEncoder().encode(text);
      const answer = await post(scene, scene.admin, path, undefined, { rawBody: bytes, headers });
      assertError(answer, 400, MALFORMED, `${path} ${text} ${JSON.stringify(headers)}`);
    }
  }
  const bytes = new TextEncoder().encode(rawBody);
  const headers = { "Content-Type": "application/json; charset=utf-8" };
  const answer = await post(scene, scene.admin, "evaluation", undefined, { rawBody: bytes, headers });
  assert.equal(answer.status, 200);
});

// ---- lists

interface Decisions {
  readonly evaluations: readonly { readonly decision: boolean; readonly context: Record<string, unknown> }[];
}

async function decideList(scene: Scene, body: object): Promise<boolean[]> {
  const answer = await post(scene, scene.admin, "evaluations", body);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body as object), ["evaluations"]);
  return (answer.body as Decisions).evaluations.map(({ decision }) => decision);
}

testApp("a list of evaluations returns its decisions in order, with and without defaults", async (target) => {
  const scene = await setScene(target);
  const resource = role(scene.roleId);
  assert.deepEqual(
    await decideList(scene, {
      subject: user(BOB),
      resource,
      evaluations: [{ action: action(READ) }, { action: action(WRITE) }],
    }),
    [true, false],
  );
  assert.deepEqual(
    await decideList(scene, {
      evaluations: [
        { subject: user(ALICE), action: action(READ), resource },
        { subject: user(BOB), action: action(WRITE), resource },
      ],
    }),
    [true, false],
  );
  const inherited = { subject: user(ALICE), action: action(WRITE), resource };
  assert.deepEqual(
    await decideList(scene, {
      ...inherited,
      context: { time: "2025-06-27T18:03-07:00" },
      evaluations: [{}, { subject: user(BOB) }, { resource: role(scene.bobTeamId) }, {
        action: action(READ),
        subject: user(BOB),
        context: { source: "batch-override" },
      }],
    }),
    [true, false, false, true],
  );
});

testApp("an item replaces a default as a whole", async (target) => {
  const scene = await setScene(target);
  const body = {
    ...permitted(scene),
    evaluations: [{}, { subject: { type: "user" } }, { resource: { id: "1" } }],
  };
  assert.deepEqual(await decideList(scene, body), [true, false, false]);
});

testApp("an incomplete or malformed item is denied in its place, with the reason", async (target) => {
  const scene = await setScene(target);
  const { subject, action, resource } = permitted(scene);
  const faults = [{}, { resource: 5 }, { resource: null }, { resource, context: [] }, 5, null, [], "text"];
  const body = {
    subject,
    action,
    options: { evaluations_semantic: "execute_all" },
    evaluations: [{ resource }, ...faults, { resource }],
  };
  const answer = await post(scene, scene.admin, "evaluations", body);
  const { evaluations } = answer.body as Decisions;
  assert.deepEqual(evaluations.map(({ decision }) => decision), [true, ...faults.map(() => false), true]);
  assert.deepEqual(evaluations[1]?.context.error, {
    status: 400,
    message: "body.evaluations.1.resource: Required field is missing",
  });
  for (const { context } of evaluations.slice(1, -1)) assert.ok(context.error);
  for (const { context } of evaluations) assert.equal(typeof context.revision, "number");
});

testApp("a malformed default or option gets a 400", async (target) => {
  const scene = await setScene(target);
  const { subject, action, resource } = permitted(scene);
  const evaluations = [{ subject, action, resource }];
  for (
    const fault of [
      { subject: "alice" },
      { subject: { type: "user" } },
      { action: {} },
      { resource: [] },
      { context: 5 },
      { evaluations: {} },
      { evaluations: "all" },
      { options: [] },
      { options: { evaluations_semantic: "some" } },
      { options: { evaluations_semantic: null } },
    ]
  ) {
    const body = { evaluations, ...fault };
    assertError(await post(scene, scene.admin, "evaluations", body), 400, MALFORMED, JSON.stringify(fault));
  }
});

testApp("a list ends at the first denial or the first permit if the request says so", async (target) => {
  const scene = await setScene(target);
  const evaluations = [READ, WRITE, READ, WRITE].map((name) => ({ action: action(name) }));
  const ask = (subject: object, evaluations_semantic: string) =>
    decideList(scene, {
      subject,
      resource: role(scene.roleId),
      evaluations,
      options: { evaluations_semantic, another_option: "value" },
    });
  assert.deepEqual(await ask(user(BOB), "execute_all"), [true, false, true, false]);
  assert.deepEqual(await ask(user(BOB), "deny_on_first_deny"), [true, false]);
  assert.deepEqual(await ask(user(BOB), "permit_on_first_permit"), [true]);
  assert.deepEqual(await ask(user(ALICE), "deny_on_first_deny"), [true, true, true, true]);
  assert.deepEqual(await ask(user("nobody@example.com"), "permit_on_first_permit"), Array(4).fill(false));
});

testApp("a list of evaluations without items returns a single decision", async (target) => {
  const scene = await setScene(target);
  const { body } = await post(scene, scene.admin, "evaluation", permitted(scene));
  for (const list of [{}, { evaluations: [] }, { options: {} }]) {
    const answer = await post(scene, scene.admin, "evaluations", { ...permitted(scene), ...list });
    assert.deepEqual(answer.body, body);
  }
});

testApp("a list has up to a thousand items", async (target) => {
  const scene = await setScene(target);
  const list = (length: number) => ({ ...permitted(scene), evaluations: Array.from({ length }, () => ({})) });
  assert.deepEqual(await decideList(scene, list(1000)), Array.from({ length: 1000 }, () => true));
  assertError(await post(scene, scene.admin, "evaluations", list(1001)), 400, MALFORMED);
});

// ---- searches

const search = (scene: Scene, kind: string, body: object) =>
  results<{ type: string; id: string }>(scene, scene.admin, kind, body);

testApp("a subject search finds Alice and Bob whatever ignored fields it has", async (target) => {
  const scene = await setScene(target);
  const body = { subject: { type: "user" }, action: action(READ), resource: role(scene.roleId) };
  const found = await search(scene, "subject", body);
  const [alice, bob] = [await accountId(target, ALICE), await accountId(target, BOB)];
  assert.deepEqual(found.map(({ type }) => type), found.map(() => "user"));
  for (const id of [alice, bob]) assert.ok(found.some((one) => one.id === id));
  const context = { time: "2025-06-27T18:03-07:00", ip: "192.168.1.1" };
  assert.deepEqual(await search(scene, "subject", { ...body, context, foo: "bar" }), found);
  assert.deepEqual(await search(scene, "subject", { ...body, subject: user(ALICE) }), found);
  const writers = await search(scene, "subject", { ...body, action: action(WRITE) });
  assert.deepEqual(writers, found.filter(({ id }) => id !== bob));
});

testApp("a resource search finds Alice's roles whatever ignored fields it has", async (target) => {
  const scene = await setScene(target);
  const body = { subject: user(ALICE), action: action(READ), resource: { type: "role" } };
  const found = await search(scene, "resource", body);
  assert.deepEqual(found, [role(scene.aliceTeamId), role(scene.roleId)]);
  const context = { time: "2025-06-27T18:03-07:00" };
  assert.deepEqual(await search(scene, "resource", { ...body, context, foo: "bar" }), found);
  assert.deepEqual(await search(scene, "resource", { ...body, resource: role(999) }), found);
});

testApp("an action search finds the actions of Alice and of Bob on a role", async (target) => {
  const scene = await setScene(target);
  const body = { subject: user(ALICE), resource: role(scene.roleId) };
  const found = await search(scene, "action", body);
  assert.deepEqual(found, [action(WRITE), action(READ), action("member")]);
  assert.deepEqual(await search(scene, "action", { ...body, context: { ip: "::1" } }), found);
  const ofBob = await search(scene, "action", { ...body, subject: user(BOB) });
  assert.deepEqual(ofBob, [action(READ), action("member")]);
});

testApp("a search for an unknown subject, action or resource returns an empty page", async (target) => {
  const scene = await setScene(target);
  const [subject, resource] = [user(ALICE), role(scene.roleId)];
  const other = { type: "spaceship", id: "1" };
  const cases: [string, object][] = [
    ...[user("nonexistent-user"), user("nobody@example.com"), user("999999"), other, { type: "key", id: "1" }]
      .flatMap((unknown): [string, object][] => [
        ["action", { subject: unknown, resource }],
        ["resource", { subject: unknown, action: action(READ), resource: { type: "role" } }],
      ]),
    ...[role(999_999), { type: "role", id: "record-1" }, other, { type: "device", id: "meter" }]
      .flatMap((unknown): [string, object][] => [
        ["action", { subject, resource: unknown }],
        ["subject", { subject: { type: "user" }, action: action(READ), resource: unknown }],
      ]),
    ["subject", { subject: { type: "spaceship" }, action: action(READ), resource }],
    ["resource", { subject, action: action(READ), resource: { type: "spaceship" } }],
    ["subject", { subject: { type: "user" }, action: action("fly"), resource }],
    ["resource", { subject, action: action("fly"), resource: { type: "role" } }],
    ["subject", {
      subject: { type: "toString" },
      action: action("constructor"),
      resource: { type: "__proto__", id: "1" },
    }],
  ];
  for (const [kind, body] of cases) {
    const answer = await post(scene, scene.admin, `search/${kind}`, body);
    assert.equal(answer.status, 200, JSON.stringify(body));
    const context = { revision: Number(answer.headers.get("X-Rolegrid-Revision")) };
    const empty = { page: { next_token: "", count: 0 }, results: [], context };
    assert.deepEqual(answer.body, empty, JSON.stringify(body));
  }
});

const WRONG_PAGES = [
  ...[-1, 1.5, "1", null].map((limit) => ({ limit })),
  ...[5, "", "x"].map((token) => ({ token })),
  ...[[], 5, null],
];

testApp("a search with a missing or malformed field gets a 400", async (target) => {
  const scene = await setScene(target);
  const [subject, resource] = [user(ALICE), role(scene.roleId)];
  const typed = { subject: { type: "user" }, resource: { type: "role" } };
  const read = { action: action(READ) };
  const faults: [string, unknown][] = [
    ["subject", { subject, resource }],
    ["subject", { ...read, resource }],
    ["subject", { subject, ...read }],
    ["subject", { subject, ...read, resource: typed.resource }],
    ["subject", { subject: {}, ...read, resource }],
    ["subject", { subject: { type: "user", id: 5 }, ...read, resource }],
    ["resource", { ...read, resource }],
    ["resource", { subject, resource }],
    ["resource", { subject: typed.subject, ...read, resource }],
    ["resource", { subject, ...read, resource: {} }],
    ["action", { subject }],
    ["action", { resource }],
    ["action", { subject: typed.subject, resource }],
    ["action", { subject, resource: typed.resource }],
    ...["subject", "resource", "action"].flatMap((kind) =>
      WRONG_PAGES.map((page): [string, unknown] => [kind, { subject, ...read, resource, page }])
    ),
  ];
  for (const [kind, body] of faults) {
    const answer = await post(scene, scene.admin, `search/${kind}`, body);
    assertError(answer, 400, MALFORMED, `${kind} ${JSON.stringify(body)}`);
  }
});

testApp("a page has up to as many results as its limit, and a token while more remain", async (target) => {
  const scene = await setScene(target);
  const searches: [string, object][] = [
    ["subject", { subject: { type: "user" }, action: action(READ), resource: role(scene.roleId) }],
    ["resource", { subject: user(ALICE), action: action("member"), resource: { type: "role" } }],
    ["action", { subject: user(ALICE), resource: role(scene.roleId) }],
  ];
  for (const [kind, body] of searches) {
    const all = await search(scene, kind, body);
    assert.ok(all.length > 1);
    for (const limit of [1, 2, 1000, 10 ** 9]) {
      assert.deepEqual(await readPages(scene, scene.admin, kind, body, limit), all, `${kind} by ${limit}`);
    }
    const none = await post(scene, scene.admin, `search/${kind}`, { ...body, page: { limit: 0 } });
    const { page, results } = none.body as {
      page: { next_token: string; count: number };
      results: unknown[];
    };
    assert.deepEqual([results, page.count, page.next_token === ""], [[], 0, false]);
  }
});

testApp("a page token works only for the same request of the same caller", async (target) => {
  const scene = await setScene(target);
  const body = { subject: { type: "user" }, action: action(READ), resource: role(scene.roleId) };
  const first = await post(scene, scene.admin, "search/subject", { ...body, page: { limit: 1 } });
  const { page: { next_token: token } } = first.body as { page: { next_token: string } };
  const ask = (change: object, page: object = {}, person = scene.admin, kind = "subject") =>
    post(scene, person, `search/${kind}`, { ...body, ...change, page: { token, ...page } });
  // The order of fields and the ignored fields may differ.
  const same = { resource: { id: String(scene.roleId), type: "role" }, subject: user(BOB), foo: 1 };
  for (const answer of [await ask({}), await ask(same), await ask({}, { limit: 1 })]) {
    assert.equal(answer.status, 200, answer.text);
    assert.equal((answer.body as { results: unknown[] }).results.length, 1);
  }
  const others = [
    await ask({ action: action(WRITE) }),
    await ask({ resource: role(scene.rootId) }),
    await ask({ subject: { type: "key" } }),
    await ask({ context: { time: "now" } }),
    await ask({}, { limit: 2 }),
    await ask({}, {}, scene.alice),
    await ask({}, { token: `${token}x` }),
    await ask({ subject: user(ALICE) }, {}, scene.admin, "resource"),
    await ask({ subject: user(ALICE) }, {}, scene.admin, "action"),
  ];
  for (const answer of others) assertError(answer, 400, MALFORMED);
});

testApp("deeply nested context causes no server error", async (target) => {
  const scene = await setScene(target);
  const nested = "[".repeat(90_000) + "]".repeat(90_000);
  const rawBody =
    `{"subject":{"type":"user","id":"${ALICE}"},"action":{"name":"member"},"resource":{"type":"role",` +
    `"id":"${scene.roleId}"},"page":{"limit":1},"context":{"deep":${nested}}}`;
  const headers = { "Content-Type": "application/json" };
  for (const path of ["evaluation", "evaluations", "search/subject", "search/resource", "search/action"]) {
    const { status } = await post(scene, scene.admin, path, undefined, { rawBody, headers });
    assert.equal(status, path.startsWith("search") ? 400 : 200, path);
  }
});

// ---- discovery

testApp("the metadata names the addresses of the operations, and takes no token", async (target) => {
  const answer = await send(target, "GET", "/.well-known/authzen-configuration");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("Content-Type"), "application/json");
  assert.deepEqual(answer.body, {
    policy_decision_point: TEST_URL,
    access_evaluation_endpoint: `${TEST_URL}/access/v1/evaluation`,
    access_evaluations_endpoint: `${TEST_URL}/access/v1/evaluations`,
    search_subject_endpoint: `${TEST_URL}/access/v1/search/subject`,
    search_resource_endpoint: `${TEST_URL}/access/v1/search/resource`,
    search_action_endpoint: `${TEST_URL}/access/v1/search/action`,
  });
  for (const url of Object.values(answer.body as Record<string, string>).slice(1)) {
    assert.equal((await send(target, "POST", new URL(url).pathname)).status, 401, url);
  }
});
