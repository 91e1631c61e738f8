import assert from "node:assert/strict";
import { MARKER } from "./bad_bodies.ts";
import {
  assertError,
  assertUnchanged,
  DENIED,
  dumpState,
  forEachApp,
  MALFORMED,
  send,
  succeed,
  testApp,
} from "../helpers/http.ts";
import {
  ALL,
  ask,
  catalogue,
  type CatalogueRequest,
  methodOf,
  requestOf,
  type Scene,
  setScene,
  withQuery,
} from "./request_catalogue.ts";

/** Asserts that each path is refused as malformed, repeats nothing that was sent, and changes nothing. */
async function assertAllMalformed(
  scene: Scene,
  request: CatalogueRequest,
  paths: readonly string[],
): Promise<void> {
  await assertUnchanged(scene.target, request.route, async () => {
    for (const path of paths) await assertMalformed(scene, request, path);
  });
}

async function assertMalformed(scene: Scene, request: CatalogueRequest, path: string): Promise<void> {
  const context = `${methodOf(request)} ${path.slice(0, 200)}`;
  const plain = await ask(scene, request, { path });
  assertError(plain, 400, MALFORMED, context);
  const detailed = await ask(scene, request, { path, headers: { "X-Error-Details": "true" } });
  const { details, ...rest } = detailed.body as Record<string, unknown>;
  assert.deepEqual(rest, plain.body, context);
  assert.ok(Array.isArray(details) && details.length > 0, `${context}: no details`);
  for (const text of [plain.text, detailed.text, scene.target.logLines.join("\n")]) {
    assert.ok(!text.includes(MARKER), `${context}: repeats the input`);
  }
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

/** The request's paths, each with one id replaced by something that is not an id. */
function badPaths({ route, path, kind }: CatalogueRequest): string[] {
  const names = route.split(" ")[1]?.split("/") ?? [];
  const parts = path.split("?")[0]?.split("/") ?? [];
  const query = path.includes("?") ? path.slice(path.indexOf("?")) : "";
  const bad = kind === "collect" ? BAD_ID_LISTS : BAD_SINGLE_IDS;
  return names.flatMap((name, i) =>
    name.startsWith(":") ? bad.map((id) => parts.with(i, id).join("/") + query) : []
  );
}

testApp("a path with malformed ids gets a 400", async (target) => {
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

const BAD_PAGING = [
  ...["0", "1001", "-1", "1.5", "x", "", "01", "%00", MARKER, "10&limit=10", "1,2"].map((limit) =>
    `limit=${limit}`
  ),
  ...["-1", "x", "", "1.5", "1e3", "9999999999999999", "%20", MARKER, "1&cursor=1", "1,2"].map((c) =>
    `cursor=${c}`
  ),
];

const UNKNOWN = [
  `${MARKER}=1`,
  "ids=1",
  "Id=1",
  "id[]=1",
  "id%5B%5D=1",
  "filter=1",
  "__proto__=1",
  "constructor=1",
  "toString=1",
  "=1",
  "a%00b=1",
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
    const request = requestOf(scene, route);
    const [path = ""] = request.path.split("?");
    await assertAllMalformed(scene, request, [...queries, ...BAD_PAGING].map((query) => `${path}?${query}`));
  }
});

testApp("every collect operation refuses unknown query parameters", async (target) => {
  const scene = await setScene(target);
  for (const request of catalogue(scene)) {
    if (request.kind !== "collect") continue;
    await assertAllMalformed(scene, request, UNKNOWN.map((query) => withQuery(request.path, query)));
  }
});

/** Query strings that operations refuse in place of the valid one. */
const BAD_QUERIES: Readonly<Record<string, readonly string[]>> = {
  "POST /v1/role": [
    "",
    ...BAD_IDS.map((id) => `parentRoleId=${id}`),
    "parentRoleId=",
    "parentRoleId=1&parentRoleId=1",
  ],
  // That a write names its database in one way alone is tested with the writes.
  "POST /v1/telemetry": [
    ...["db=", "db=a&db=b", "db=a&rp=", "db=a&precision=h", `db=a&${MARKER}=1`, "db=a&u=a&u=b"],
    ...["org=&bucket=b", "org=o&bucket=", "org=o&bucket=/r", "org=o&bucket=b/", "namespace="],
  ],
  "POST /v1/device": ["", ...BAD_IDS.map((id) => `roleId=${id}`), "roleId=", "roleId=1&roleId=1"],
  "PUT /v1/role/:roleId/monitors": [
    "",
    ...BAD_IDS.map((id) => `deviceId=${id}`),
    "deviceId=1,2",
    "deviceId=3&deviceId=3",
    `deviceId=3&${MARKER}=1`,
  ],
  "PUT /v1/role/:parentRoleId/manages": [
    "",
    ...BAD_IDS.map((id) => `childRoleId=${id}`),
    "childRoleId=1,2",
    "childRoleId=3&childRoleId=3",
    "childRoleId=3&childRolePassword=a&childRolePassword=a",
    `childRoleId=3&${MARKER}=1`,
  ],
  "DELETE /v1/role/:parentRoleId/manages/:managesId": [
    ...["1", "yes", "TRUE", "", MARKER].map((value) => `dryRun=${value}`),
    "dryrun=true",
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
    `userEmail=a@example.com&origin=${"x".repeat(257)}`,
    ...["e", "eng", "12", "", "e-", MARKER].map((language) => `userEmail=a@example.com&language=${language}`),
    `userEmail=a@example.com&${MARKER}=1`,
  ],
};

testApp("an operation refuses a query string with a missing or malformed parameter", async (target) => {
  const scene = await setScene(target);
  for (const [route, queries] of Object.entries(BAD_QUERIES)) {
    const request = requestOf(scene, route);
    const [path = ""] = request.path.split("?");
    await assertAllMalformed(scene, request, queries.map((query) => `${path}?${query}`));
  }
});

/** Paths for each acting request: with an unknown id, and with an id of another user's. */
function elsewhere(scene: Scene): Record<string, readonly string[]> {
  const { foreign, rootId, childId, grandchildId, lowerId, upperId } = scene;
  const unknownId = 999_999;
  const roles = [unknownId, 0, Number.MAX_SAFE_INTEGER, foreign.rootId, foreign.childId];
  const { deviceId, monitorsId } = scene.device;
  return {
    "POST /v1/role": roles.map((id) => `/v1/role?parentRoleId=${id}`),
    "PUT /v1/role/:roleId": roles.map((id) => `/v1/role/${id}`),
    "GET /v1/role/:roleId/usage": [...roles, childId].map((id) => `/v1/role/${id}/usage`),
    "GET /v1/role/:roleId/password": roles.map((id) => `/v1/role/${id}/password`),
    "PUT /v1/role/:roleId/password": roles.map((id) => `/v1/role/${id}/password`),
    "GET /v1/role/:roleId/authentication-policy": roles.map((id) => `/v1/role/${id}/authentication-policy`),
    "PUT /v1/role/:roleId/authentication-policy": roles.map((id) => `/v1/role/${id}/authentication-policy`),
    "PUT /v1/role/:parentRoleId/manages": [
      `/v1/role/${unknownId}/manages?childRoleId=${childId}`,
      `/v1/role/${foreign.rootId}/manages?childRoleId=${childId}`,
      `/v1/role/${childId}/manages?childRoleId=${unknownId}`,
      `/v1/role/${childId}/manages?childRoleId=${foreign.childId}`,
      `/v1/role/${unknownId}/manages?childRoleId=${unknownId}`,
      `/v1/role/${foreign.childId}/manages?childRoleId=${foreign.childId}`,
    ],
    "PUT /v1/role/:parentRoleId/manages/:managesId": relations(),
    "DELETE /v1/role/:parentRoleId/manages/:managesId": relations(),
    "PUT /v1/role/:roleId/member": [unknownId, foreign.rootId, foreign.childId]
      .map((id) => `/v1/role/${id}/member?userEmail=fourth@example.com`),
    "DELETE /v1/role/:roleId/member/:memberId": members(),
    "POST /v1/role/:roleId/member/:memberId/invitation": members().map((path) => `${path}/invitation`),
    "POST /v1/role/:roleId/key": roles.map((id) => `/v1/role/${id}/key`),
    "DELETE /v1/role/:roleId/key/:keyId": keys(),
    "POST /v1/role/:roleId/key/:keyId/adopt": keys().map((path) => `${path}/adopt`),
    "POST /v1/device": roles.map((id) => `/v1/device?roleId=${id}`),
    "PUT /v1/device/:deviceId": [unknownId, 0, Number.MAX_SAFE_INTEGER, foreign.deviceId, rootId]
      .map((id) => `/v1/device/${id}`),
    "POST /v1/device/:deviceId/transfer": [
      `/v1/device/${deviceId}/transfer?toRoleId=${unknownId}`,
      `/v1/device/${deviceId}/transfer?toRoleId=${foreign.childId}`,
      `/v1/device/${unknownId}/transfer?toRoleId=${childId}`,
      `/v1/device/${foreign.deviceId}/transfer?toRoleId=${childId}`,
      `/v1/device/${foreign.deviceId}/transfer?toRoleId=${foreign.childId}`,
      `/v1/device/${childId}/transfer?toRoleId=${deviceId}`,
    ],
    "POST /v1/device/transfer": [unknownId, 0, foreign.rootId, foreign.childId].map((id) =>
      `/v1/device/transfer?toRoleId=${id}`
    ),
    "PUT /v1/role/:roleId/monitors": [
      `/v1/role/${unknownId}/monitors?deviceId=${deviceId}`,
      `/v1/role/${foreign.childId}/monitors?deviceId=${deviceId}`,
      `/v1/role/${childId}/monitors?deviceId=${unknownId}`,
      `/v1/role/${childId}/monitors?deviceId=${foreign.deviceId}`,
      `/v1/role/${foreign.childId}/monitors?deviceId=${foreign.deviceId}`,
      `/v1/role/${deviceId}/monitors?deviceId=${childId}`,
    ],
    "DELETE /v1/role/:roleId/monitors/:monitorsId": [
      `/v1/role/${unknownId}/monitors/${monitorsId}`,
      `/v1/role/${childId}/monitors/${unknownId}`,
      `/v1/role/${foreign.childId}/monitors/${foreign.monitorsId}`,
      `/v1/role/${childId}/monitors/${foreign.monitorsId}`,
      // A relation of the caller's under the wrong role, and one of another kind.
      `/v1/role/${grandchildId}/monitors/${monitorsId}`,
      `/v1/role/${childId}/monitors/${lowerId}`,
    ],
    "DELETE /user/session/:id": ["unknown", foreign.sessionId].map((id) => `/user/session/${id}`),
  };

  function members(): string[] {
    return [
      `/v1/role/${unknownId}/member/${scene.memberId}`,
      `/v1/role/${rootId}/member/${unknownId}`,
      `/v1/role/${foreign.rootId}/member/${foreign.memberId}`,
      `/v1/role/${rootId}/member/${foreign.memberId}`,
      `/v1/role/${childId}/member/${scene.memberId}`,
      `/v1/role/${rootId}/member/${upperId}`,
    ];
  }

  function keys(): string[] {
    return [
      `/v1/role/${unknownId}/key/${scene.keyId}`,
      `/v1/role/${grandchildId}/key/${unknownId}`,
      `/v1/role/${grandchildId}/key/${Number.MAX_SAFE_INTEGER}`,
      `/v1/role/${foreign.childId}/key/${foreign.keyId}`,
      `/v1/role/${grandchildId}/key/${foreign.keyId}`,
      `/v1/role/${childId}/key/${scene.keyId}`,
      `/v1/role/${rootId}/key/${scene.memberId}`,
    ];
  }

  function relations(): string[] {
    return [
      `/v1/role/${unknownId}/manages/${lowerId}`,
      `/v1/role/${childId}/manages/${unknownId}`,
      `/v1/role/${foreign.rootId}/manages/${foreign.relationId}`,
      `/v1/role/${childId}/manages/${foreign.relationId}`,
      // A relation of the caller's under the wrong parent.
      `/v1/role/${rootId}/manages/${lowerId}`,
      `/v1/role/${grandchildId}/manages/${lowerId}`,
    ];
  }
}

forEachApp(
  "unknown ids and other users' ids get the same 403, and nothing changes",
  async (target) => {
    const scene = await setScene(target);
    const acting = catalogue(scene).filter(({ kind }) => kind === "act");
    const paths = elsewhere(scene);
    assert.deepEqual(new Set(Object.keys(paths)), new Set(acting.map(({ route }) => route)));
    for (const request of acting) {
      await assertUnchanged(target, request.route, async () => {
        for (const path of paths[request.route] ?? []) {
          const answer = await ask(scene, request, { path });
          assertError(answer, 403, DENIED, `${methodOf(request)} ${path}`);
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
