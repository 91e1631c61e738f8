/** Wrong ids, filters and query strings: what is malformed, what is denied, and what finds nothing. */
import assert from "node:assert/strict";
import { MARKER } from "./bad_bodies.ts";
import { assertMalformed } from "./malformed.ts";
import {
  assertError,
  assertUnchanged,
  DENIED,
  dumpState,
  forEachApp,
  send,
  succeed,
  testApp,
} from "../helpers/http.ts";
import {
  ALL,
  ask,
  catalogue,
  type CatalogueRequest,
  requestOf,
  type Scene,
  setScene,
  withIds,
} from "./request_catalogue.ts";

/** Asserts that each path is refused as malformed, repeats nothing that was sent, and changes nothing. */
async function assertAllMalformed(
  scene: Scene,
  request: CatalogueRequest,
  paths: readonly string[],
): Promise<void> {
  await assertUnchanged(scene.target, request.route, async () => {
    for (const path of paths) await assertMalformed(scene, request, { path }, path.slice(0, 200));
  });
}

/** The same for query strings in place of the valid one. */
function assertQueriesMalformed(scene: Scene, route: string, queries: readonly string[]): Promise<void> {
  const request = requestOf(scene, route);
  const [path = ""] = request.path.split("?");
  return assertAllMalformed(scene, request, queries.map((query) => `${path}?${query}`));
}

const BAD_IDS = [
  "-1",
  "1.5",
  "1e3",
  "0x1",
  "01",
  "+1",
  "%201",
  "1%20",
  "9007199254740992",
  "99999999999999999999",
  "NaN",
  "true",
  "%00",
  "1%00",
  "1%0A",
  "%FF",
  "%F0%9F%98%80",
  "__proto__",
  "null",
  MARKER,
];

/** Wrong lists in a path that takes several ids. */
const BAD_ID_LISTS = [
  ...BAD_IDS.map((id) => `1,${id}`),
  ...BAD_IDS,
  "1,",
  ",1",
  "1,,2",
  "*,1",
  "1,*",
  "**",
  ";",
  "[]",
  "[1,]",
  "[1,,2]",
  "[1",
  "1]",
  "[1],2",
  "[[1]]",
  "[*]",
  "[1,x]",
  "[1;2]",
];

/** Wrong ids in a path that takes one. */
const BAD_SINGLE_IDS = [...BAD_IDS, "*", "1,2", ",", "[1]", "[1,2]"];

/** The request's paths, each with one id that is missing, repeated, or replaced by something that is not an id. */
function badPaths(request: CatalogueRequest): string[] {
  const bad = request.kind === "collect" ? BAD_ID_LISTS : BAD_SINGLE_IDS;
  const inPath = [...request.route.matchAll(/:(\w+)/g)].flatMap(([, name = ""]) =>
    bad.map((id) => withIds(request, { [name]: id }))
  );
  const [path = "", query] = request.path.split("?");
  const inQuery = [...new URLSearchParams(query).keys()].filter((name) => name.endsWith("Id"))
    .flatMap((name) => ["", ...BAD_SINGLE_IDS].map((id) => withIds(request, { [name]: id })));
  return inQuery.length === 0
    ? inPath
    : [...inPath, ...inQuery, path, `${path}?`, `${path}?${query}&${query}`];
}

testApp("a path or query with malformed ids gets a 400", async (target) => {
  const scene = await setScene(target);
  for (const request of catalogue(scene)) {
    if (!request.path.startsWith("/v1/")) continue;
    await assertAllMalformed(scene, request, badPaths(request));
  }
});

testApp("a session id of more than 128 characters gets a 400", async (target) => {
  const scene = await setScene(target);
  const request = requestOf(scene, "DELETE /user/session/:id");
  await assertAllMalformed(scene, request, [`/user/session/${MARKER.padEnd(129, "x")}`]);
});

const BAD_LIMITS = ["0", "1001", "-1", "1.5", "x", "", "01", "%00", MARKER, "10&limit=10", "1,2"];
const BAD_CURSORS = ["-1", "x", "", "1.5", "1e3", "9999999999999999", "%20", MARKER, "1&cursor=1", "1,2"];
const BAD_PAGING = [
  ...BAD_LIMITS.map((limit) => `limit=${limit}`),
  ...BAD_CURSORS.map((cursor) => `cursor=${cursor}`),
];

const thousandIds = Array.from({ length: 1000 }, (_, i) => i).join(",");

/** Query strings that the superseded operations refuse, in addition to those that every collect operation refuses. */
const BAD_FILTERS: Readonly<Record<string, readonly string[]>> = {
  "GET /v1/role": [
    ...badIdLists("id", "ancestorRoleId"),
    "userRights.roleManagement=1",
    "userRights.roleManagement=TRUE",
    "userRights.roleManagement=",
    "userRights.roleManagement=true&userRights.roleManagement=true",
    "userRights.unknown=true",
    "userRights=true",
    "name=".concat(Array.from({ length: 1001 }, () => MARKER).join(",")),
  ],
  "GET /v1/role/:parentRoleId/manages": [...badIdLists("id", "childRoleId"), "parentRoleId=1"],
  "GET /v1/role/:roleId/member": [
    ...badIdLists("id"),
    `userEmail=${"x".repeat(257)}`,
    Array.from({ length: 1001 }, () => "userEmail=a").join("&"),
  ],
  "GET /v1/device": [
    ...badIdLists("id", "roleId"),
    "nodeId=".concat(Array.from({ length: 1001 }, () => MARKER).join(",")),
  ],
  "GET /v1/role/:roleId/monitors": [...badIdLists("id", "deviceId"), "roleId=1"],
};

function badIdLists(...names: string[]): string[] {
  const lists = [
    ...BAD_IDS,
    "1,x",
    "1,,2",
    ",",
    "1,",
    "x&NAME=1",
    `${thousandIds},1`,
    `${thousandIds}&NAME=1`,
  ];
  const hundredThousand = Array.from({ length: 100_000 }, () => "1").join(",");
  return names.flatMap((name) =>
    [...lists, hundredThousand].map((list) => `${name}=${list.replaceAll("NAME", name)}`)
  );
}

testApp("a collect operation refuses malformed filters and paging", async (target) => {
  const scene = await setScene(target);
  for (const [route, queries] of Object.entries(BAD_FILTERS)) {
    await assertQueriesMalformed(scene, route, [...queries, ...BAD_PAGING]);
  }
});

/** Query strings that operations refuse in place of the valid one, other than for ids and unknown parameters. */
const BAD_QUERIES: Readonly<Record<string, readonly string[]>> = {
  // That a write names its database in one way alone is tested with the writes.
  "POST /v1/telemetry": [
    ...["db=", "db=a&db=b", "db=a&rp=", "db=a&precision=h", "db=a&u=a&u=b"],
    ...["org=&bucket=b", "org=o&bucket=", "org=o&bucket=/r", "org=o&bucket=b/", "namespace="],
  ],
  "PUT /v1/role/:parentRoleId/manages": ["childRoleId=3&childRolePassword=a&childRolePassword=a"],
  "DELETE /v1/role/:parentRoleId/manages/:managesId": [
    ...["1", "yes", "TRUE", "", MARKER].map((value) => `dryRun=${value}`),
    "dryRun=true&dryRun=true",
  ],
  "PUT /v1/role/:roleId/member": [
    "",
    ...[
      "",
      MARKER,
      "a@b",
      "@example.com",
      "a@",
      "a@@example.com",
      "a b@example.com",
      "a@example.com,b@example.com",
      "%22a%22@example.com",
      "a%00@example.com",
      "a%0D%0ABcc:b@example.com",
      "a@exa%0Ample.com",
      "%3Ca@example.com%3E",
      "a%E2%80%AE@example.com",
      "a@-example.com",
      `${"x".repeat(245)}@example.com`,
    ].map((email) => `userEmail=${email}`),
    "userEmail=a@example.com&userEmail=a@example.com",
    `userEmail=a@example.com&origin=${MARKER}`,
    "userEmail=a@example.com&origin=",
    "userEmail=a@example.com&origin=__proto__",
    ...["e", "eng", "12", "", "e-", MARKER].map((language) => `userEmail=a@example.com&language=${language}`),
  ],
};

testApp("an operation refuses a query string with a missing or malformed parameter", async (target) => {
  const scene = await setScene(target);
  for (const [route, queries] of Object.entries(BAD_QUERIES)) {
    await assertQueriesMalformed(scene, route, queries);
  }
});

const UNKNOWN_ID = 999_999;

/** Paths of an acting request, each with an id that is unknown, foreign, of another kind or from another place. */
function elsewhere(scene: Scene, request: CatalogueRequest): string[] {
  const { foreign, rootId, childId, grandchildId, upperId, lowerId, memberId, keyId } = scene;
  const { deviceId, monitorsId } = scene.device;
  const noIds = [UNKNOWN_ID, 0, Number.MAX_SAFE_INTEGER];
  const relations = [...noIds, upperId, lowerId, memberId, keyId, monitorsId];
  const roles = [...noIds, foreign.rootId, foreign.childId, deviceId];
  const wrong: Readonly<Record<string, readonly (number | string)[]>> = {
    roleId: roles,
    parentRoleId: roles,
    childRoleId: roles,
    toRoleId: roles,
    managesId: [...relations, foreign.relationId],
    memberId: [...relations, foreign.memberId],
    keyId: [...relations, foreign.keyId],
    deviceId: [...noIds, foreign.deviceId, rootId],
    monitorsId: [...relations, foreign.monitorsId],
    id: ["unknown", foreign.sessionId],
  };
  const { relationId: managesId, rootId: parentRoleId, childId: childRoleId } = foreign;
  const allForeign = { ...foreign, managesId, parentRoleId, childRoleId, toRoleId: childRoleId };
  const allUnknown = Object.fromEntries(Object.keys(wrong).map((name) => [name, UNKNOWN_ID]));
  const paths = [
    ...Object.entries(wrong).flatMap(([name, values]) =>
      values.map((value) => withIds(request, { [name]: value }))
    ),
    withIds(request, allUnknown),
    ...[foreign.rootId, foreign.childId].map((roleId) => withIds(request, { ...allForeign, roleId })),
    // What belongs to one role of the caller, under another one.
    ...[rootId, childId, grandchildId].filter(() => /:\w+\/\w+\/:/.test(request.route))
      .map((roleId) => withIds(request, { roleId, parentRoleId: roleId })),
    // Only roots have quotas.
    ...request.route.endsWith("/usage") ? [withIds(request, { roleId: childId })] : [],
  ];
  return [...new Set(paths)].filter((path) => path !== request.path);
}

forEachApp(
  "unknown ids and other users' ids get the same 403, and nothing changes",
  async (target) => {
    const scene = await setScene(target);
    for (const request of catalogue(scene).filter(({ kind }) => kind === "act")) {
      const paths = elsewhere(scene, request);
      assert.ok(paths.length >= 2, request.route);
      await assertUnchanged(target, request.route, async () => {
        for (const path of paths) {
          assertError(await ask(scene, request, { path }), 403, DENIED, `${request.route} ${path}`);
        }
      });
    }
  },
);

forEachApp(
  "listings and checks find nothing for unknown and foreign ids, and never respond 403",
  async (target) => {
    const { accessToken: token, foreign } = await setScene(target);
    const { rootId, childId, deviceId } = foreign;
    for (const id of [999_999, 0, Number.MAX_SAFE_INTEGER, rootId, childId, deviceId]) {
      const gets = [
        `role?id=${id}`,
        `role?ancestorRoleId=${id}`,
        `role/${id}/manages`,
        `role/*/manages?childRoleId=${id}`,
        `device?id=${id}`,
        `device?roleId=${id}`,
        `role/${id}/monitors`,
        `role/*/monitors?deviceId=${id}`,
        `role/${id}/member`,
      ];
      for (const path of gets) {
        const body = await succeed<object>(target, "GET", `/v1/${path}`, { token });
        assert.deepEqual(Object.values(body), [[]], path);
      }
      const posts: [string, unknown][] = [
        ["role/query", { filter: { id: [id] } }],
        ["role/query", { filter: { ancestorRoleId: [id] } }],
        [`role/${id}/manages/query`, {}],
        ["role/*/manages/query", { filter: { parentRoleId: [id] } }],
        ["role/*/manages/query", { filter: { childRoleId: [id] } }],
        [`role/${id}/managed-by/query`, {}],
        [`role/${id}/member/query`, {}],
        [`role/${id}/key/query`, {}],
        [`role/${id}/access/query`, {}],
        ["access/query", { userEmail: "admin@example.com", roleId: [id] }],
        ["access/query", { keyId: id }],
        ["device/query", { filter: { id: [id] } }],
        ["device/query", { filter: { roleId: [id] } }],
        [`role/${id}/monitors/query`, {}],
        ["role/*/monitors/query", { filter: { deviceId: [id] } }],
      ];
      for (const [path, body] of posts) {
        const answer = await succeed<object>(target, "POST", `/v1/${path}`, { token, body });
        assert.deepEqual(Object.values(answer).filter(Array.isArray), [[]], path);
      }
      const checks = Object.keys(ALL).map((right) => ({ roleId: id, right }));
      const answer = await succeed(target, "POST", "/v1/rights/check", { token, body: { checks } });
      assert.deepEqual(answer, { allowed: checks.map(() => false) });
    }
    const relations = [foreign.relationId, foreign.memberId, foreign.monitorsId];
    for (const path of ["/v1/role/*/manages", "/v1/role/*/member", "/v1/role/*/monitors"]) {
      const body = await succeed<object>(target, "GET", `${path}?id=${relations}`, { token });
      assert.deepEqual(Object.values(body), [[]], path);
    }
  },
);

testApp("a wrong role password gets a 403 even if the caller needs none", async (target) => {
  const { accessToken: token, rootId, grandchildId } = await setScene(target);
  const before = await dumpState(target);
  const path = `/v1/role/${rootId}/manages?childRoleId=${grandchildId}`;
  for (const password of [MARKER, ""]) {
    const query = `${path}&childRolePassword=${password}`;
    assertError(await send(target, "PUT", query, { token, body: ALL }), 403, DENIED, query);
    const headers = { "X-Child-Role-Password": password };
    const answer = await send(target, "PUT", path, { token, body: ALL, headers });
    assertError(answer, 403, DENIED, `header ${password}`);
  }
  assert.equal(await dumpState(target), before);
  assert.ok(!target.logLines.join("\n").includes(MARKER), "the log repeats the password");
});

forEachApp("texts that are special to a database match nothing and cause no error", async (target) => {
  const { accessToken: token } = await setScene(target);
  const texts = [
    "\0",
    "a\0b",
    "\ud800",
    "\udc00a",
    "'; DROP TABLE role; --",
    "%",
    "_",
    "\\",
    '"',
    "\u{10ffff}",
  ];
  const before = await dumpState(target);
  for (const text of texts) {
    const listings: [path: string, filter: object, found: object][] = [
      ["role", { name: [text] }, { role: [] }],
      ["role", { namePrefix: text }, { role: [] }],
      ["role", { externalId: [text] }, { role: [] }],
      ["device", { nodeId: [text] }, { device: [] }],
      ["device", { externalId: [text] }, { device: [] }],
      ["role/*/member", { externalId: [text] }, { member: [] }],
      ["role/*/member", { userEmail: [text] }, { member: [] }],
    ];
    for (const [path, filter, found] of listings) {
      const sent = { token, body: { filter } };
      assert.deepEqual(await succeed(target, "POST", `/v1/${path}/query`, sent), found, JSON.stringify(text));
    }
    const credentials = { username: text, password: text };
    const login = await send(target, "POST", "/auth/login", { body: credentials, from: crypto.randomUUID() });
    assertError(login, 401, "PASSWORD_INCORRECT", JSON.stringify(text));
    const body = { token: text, newPassword: "long enough, rare" };
    const link = await send(target, "PUT", "/user/password/link", { body });
    assertError(link, 401, "OTP_INVALID_EXPIRED", JSON.stringify(text));
  }
  assert.equal(await dumpState(target), before);
});
