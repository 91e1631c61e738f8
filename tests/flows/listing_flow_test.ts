/** Listings of roles, relations and members: filters, forms of a request, pages, and what is hidden. */
import assert from "node:assert/strict";
import { forEachApp, queryNumber } from "../helpers/http.ts";
import { bootstrap, invite, type Manages, type Member, type Person, type Role } from "../helpers/person.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";

forEachApp("a listing returns names and properties exactly as given", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const texts = ['"', "\\", "\\u0041", "/", "\u2028\u2029", "\u{1f600}é\u00a0", "</a>", "{}", "1e5"];
  for (const text of texts) {
    const name = `a${text}z`;
    const roleId = await admin.create(rootId, name);
    const { role } = await admin.post<{ role: Role[] }>("/v1/role/query", { filter: { id: [roleId] } });
    assert.deepEqual(role.map((each) => each.name), [name]);
    const properties = { nodeId: name, [text]: [text, "\u0000\ud800", 1e-7, 1.5e300, -0.1, true, null, {}] };
    await admin.post(`/v1/device?roleId=${roleId}`, { properties });
    const { device } = await admin.post<{ device: { properties: unknown }[] }>("/v1/device/query", {
      filter: { nodeId: [name] },
    });
    assert.deepEqual(device.map((each) => JSON.stringify(each.properties)), [JSON.stringify(properties)]);
  }
});

forEachApp("a filter returns the same roles in the body, the query string and in pages", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [a, b] = [await admin.create(rootId, "Twin"), await admin.create(rootId, "Twin")];
  const [c, d] = [await admin.create(a, "Comma, Inc"), await admin.create(b, "Leaf")];
  const all = [rootId, a, b, c, d];

  // `role_listing_test.ts` compares all combinations of filters with the model.
  const filters: [unknown, number[]][] = [
    [undefined, all],
    [{ filter: {} }, all],
    [{ filter: { id: [d, a, a, 999] } }, [a, d]],
    [{ filter: { name: ["twin", "Twi"] } }, []],
    // Blanks at the ends are no part of a name.
    [{ filter: { name: ["Twin "] } }, [a, b]],
    [{ filter: { ancestorRoleId: [rootId], name: ["Twin"], id: [b, c] } }, [b]],
    [{ filter: { id: [] } }, []],
  ];
  for (const [body, expected] of filters) {
    await assertLists(admin, "/v1/role/query", "role", body, expected);
    // The same with the paging parameters in the query.
    const turned = await pages(admin, "role", (page) => ["POST", `/v1/role/query?${inQuery(page)}`, body]);
    assert.deepEqual(turned, expected, JSON.stringify(body));
  }

  const gets: [string, number[]][] = [
    ["", all],
    [`?id=${a}&id=${d}`, [a, d]],
    [`?id=${a},${d}`, [a, d]],
    [`?id=${a},${b}&id=${c}`, [a, b, c]],
    ["?name=Twin", [a, b]],
    ["?name=Twin&name=Leaf", [a, b, d]],
    ["?name=Twin,Leaf", [a, b, d]],
    [`?ancestorRoleId=${a},${b}`, [c, d]],
    [`?ancestorRoleId=${rootId}&name=Twin&id=${b},${c}`, [b]],
    ["?id=", []],
  ];
  for (const [queryString, expected] of gets) {
    const answer = await admin.ask("GET", `/v1/role${queryString}`);
    assert.equal(answer.headers.get("Link"), '</v1/role/query>; rel="successor-version"');
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
    assert.deepEqual((answer.body as { role: Role[] }).role.map(({ id }) => id), expected, queryString);
    const join = queryString === "" ? "?" : `${queryString}&`;
    const turned = await pages(admin, "role", (page) => ["GET", `/v1/role${join}${inQuery(page)}`]);
    assert.deepEqual(turned, expected, queryString);
  }

  // The request chooses which of the caller's rights are returned.
  const narrow = await admin.get<{ role: Role[] }>(
    `/v1/role?id=${a}&userRights.viewManagement=true&userRights.alarmManagement=false`,
  );
  assert.deepEqual(narrow.role.map(({ userRights }) => userRights), [{ viewManagement: true }]);
  const [queried] = (await admin.post<{ role: Role[] }>("/v1/role/query", {
    filter: { id: [a] },
    userRights: { reportManagement: true },
  })).role;
  const userRights = { reportManagement: true };
  assert.deepEqual(queried, { id: a, name: "Twin", selfRights: ALL, userRights });
  for (const none of [{}, { viewManagement: false }]) {
    const body = { filter: { id: [a] }, userRights: none };
    const { role } = await admin.post<{ role: Role[] }>("/v1/role/query", body);
    assert.deepEqual(role[0]?.userRights, ALL);
  }
});

type Page = { limit: string | number; cursor?: string };

/** Reads pages of two until there are no more, and returns their ids. `request` requests one page. */
async function pages(
  person: Person,
  key: string,
  request: (page: Page) => [method: string, path: string, body?: unknown],
): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | null | undefined;
  do {
    const answer = await person.ask(...request({ limit: 2, ...(cursor ? { cursor } : {}) }));
    assert.equal(answer.status, 200, answer.text);
    const page = answer.body as Record<string, { id: number }[]> & { nextCursor: string | null };
    assert.deepEqual(Object.keys(page).toSorted(), [key, "nextCursor"].toSorted());
    const rows = page[key] ?? [];
    assert.ok(rows.length <= 2);
    ids.push(...rows.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}

function inQuery(page: Page): URLSearchParams {
  return new URLSearchParams(Object.entries(page).map(([name, value]) => [name, String(value)]));
}

/** Asserts which rows a query lists, at once and in pages, whose parameters are in the body. */
async function assertLists(
  person: Person,
  path: string,
  key: string,
  body: unknown,
  expected: readonly number[],
): Promise<void> {
  const context = `${path} ${JSON.stringify(body)}`;
  const found = await person.post<Record<string, { id: number }[]>>(path, body);
  assert.deepEqual(found[key]?.map(({ id }) => id), expected, context);
  const turned = await pages(person, key, (page) => ["POST", path, { ...body as object, ...page }]);
  assert.deepEqual(turned, expected, context);
}

forEachApp("listings of relations and members accept every filter, form of path and page", async (target) => {
  const { admin, rootId, memberId } = await bootstrap(target);
  const a = await admin.create(rootId, "A");
  const b = await admin.create(rootId, "B");
  const c = await admin.create(a, "C");
  await admin.put(`/v1/role/${b}/manages?childRoleId=${c}`, ALL);
  const { manages } = await admin.post<{ manages: Manages[] }>("/v1/role/*/manages/query");
  const idOf = (parent: number, child: number): number =>
    manages.find(({ parentRoleId, childRoleId }) => parentRoleId === parent && childRoleId === child)?.id ??
      -1;
  const [ra, rb, ac, bc] = [idOf(rootId, a), idOf(rootId, b), idOf(a, c), idOf(b, c)];
  assert.deepEqual(manages.map(({ id }) => id), [ra, rb, ac, bc]);
  assert.deepEqual(manages[0], { id: ra, parentRoleId: rootId, childRoleId: a, ...ALL });

  const queries: [string, unknown, number[]][] = [
    [`${a},${b}`, {}, [ac, bc]],
    ["*", { filter: { childRoleId: [c], parentRoleId: [b] } }, [bc]],
    [`${c}`, undefined, []],
  ];
  for (const [parents, body, expected] of queries) {
    await assertLists(admin, `/v1/role/${parents}/manages/query`, "manages", body, expected);
  }
  const gets: [string, number[]][] = [
    [`${a},${b}/manages`, [ac, bc]],
    [`*/manages?id=${ra},${bc}`, [ra, bc]],
    [`*/manages?id=${ra}&id=${bc}`, [ra, bc]],
    [`*/manages?childRoleId=${c}&id=${bc}`, [bc]],
  ];
  for (const [path, expected] of gets) {
    const answer = await admin.ask("GET", `/v1/role/${path}`);
    assert.deepEqual((answer.body as { manages: Manages[] }).manages.map(({ id }) => id), expected, path);
    const base = path.split("?")[0];
    assert.equal(answer.headers.get("Link"), `</v1/role/${base}/query>; rel="successor-version"`);
  }
  const into = await admin.post<{ manages: Manages[] }>(`/v1/role/${c}/managed-by/query`);
  assert.deepEqual(into.manages.map(({ id }) => id), [ac, bc]);
  await assertLists(admin, `/v1/role/${a},${c}/managed-by/query`, "manages", {}, [ra, ac, bc]);

  const added: number[] = [];
  for (const email of ["x@example.com", "y@example.com", "z@example.com"]) {
    const { member } = await admin.put<{ member: Member }>(`/v1/role/${c}/member?userEmail=${email}`, {});
    added.push(member.id);
  }
  const [x = 0, y = 0, z = 0] = added;
  const members: [string, unknown, number[]][] = [
    [`${rootId},${c}`, undefined, [memberId, x, y, z]],
    ["*", { filter: { userEmail: ["Y@EXAMPLE.com", "x@example.com", "nobody@example.com"] } }, [x, y]],
    [`${c}`, { filter: { id: [memberId] } }, []],
  ];
  for (const [roles, body, expected] of members) {
    await assertLists(admin, `/v1/role/${roles}/member/query`, "member", body, expected);
  }
  const filters = `userEmail=x@example.com&userEmail=z@example.com&id=${z},${y}`;
  const answer = await admin.ask("GET", `/v1/role/${c}/member?${filters}`);
  const userId = await queryNumber(target, "SELECT id FROM user_account WHERE email = 'z@example.com'");
  const waitingSince = new Date(target.clock.now()).toISOString();
  assert.deepEqual(answer.body, {
    member: [{ id: z, roleId: c, userId, userEmail: "z@example.com", waitingSince }],
  });
  assert.equal(answer.headers.get("Link"), `</v1/role/${c}/member/query>; rel="successor-version"`);
});

forEachApp(
  "a hidden role leads to no roles below, relations or members, a seen one to no members",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const [seen, unseen] = [await admin.create(rootId, "Seen"), await admin.create(rootId, "Unseen")];
    const [both, below] = [await admin.create(seen, "Both"), await admin.create(unseen, "Below")];
    await admin.put(`/v1/role/${unseen}/manages?childRoleId=${both}`, ALL);
    const person = await invite(target, admin, seen, "person@x.example");
    await invite(target, admin, unseen, "stranger@x.example");
    assert.deepEqual(await person.roleIds(), [seen, both]);
    for (const more of [{}, { id: [both, below] }, { name: ["Both", "Below"] }]) {
      assert.deepEqual(await person.roleIds({ filter: { ...more, ancestorRoleId: [unseen] } }), []);
      assert.deepEqual(await person.roleIds({ filter: { ...more, ancestorRoleId: [seen] } }), [both]);
    }
    const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${unseen}/manages/query`);
    assert.equal(manages.length, 2);
    const id = manages.map((relation) => relation.id);
    for (const [path, body] of [[`${unseen}`, {}], ["*", { filter: { id } }]] as const) {
      const found = await person.post<{ manages: Manages[] }>(`/v1/role/${path}/manages/query`, body);
      assert.deepEqual(found.manages, []);
    }
    // Of a role that they only see, they get no members either.
    const watched = await admin.create(rootId, "Watched");
    await admin.put(`/v1/role/${seen}/manages?childRoleId=${watched}`, rights());
    await invite(target, admin, watched, "other@x.example");
    assert.deepEqual(await person.roleIds(), [seen, both, watched]);
    const memberIds = [
      await admin.memberIdOf(unseen, "stranger@x.example"),
      await admin.memberIdOf(watched, "other@x.example"),
    ];
    assert.ok(memberIds.every((memberId) => memberId > 0));
    const filter = { id: memberIds };
    for (
      const [path, body] of [[unseen, {}], [watched, {}], [watched, { filter }], ["*", { filter }]] as const
    ) {
      const found = await person.post<{ member: Member[] }>(`/v1/role/${path}/member/query`, body);
      assert.deepEqual(found.member, []);
    }
  },
);
