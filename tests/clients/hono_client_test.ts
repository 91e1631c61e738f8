/** A client typed by the app works, and refuses at compile time what the service refuses. */
import assert from "node:assert/strict";
import { hc, type InferRequestType, type InferResponseType } from "hono/client";
import { toRights } from "../../src/graph/rights.ts";
import type { ApiRoutes } from "../../src/app.ts";
import { ADMIN, ADMIN_PASSWORD, ALL } from "../every_operation/request_catalogue.ts";
import { openTestApp, TEST_URL, type TestApp } from "../helpers/test_app.ts";

/** True if both are the same type, not only assignable to each other. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

type Rights = ReturnType<typeof toRights>;

const ALL_RIGHTS = toRights(63);

/** A separate function gives the client's type, so that the compiler computes it only once. */
function createClient(target: TestApp, token?: string) {
  return hc<ApiRoutes>(TEST_URL, {
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    fetch: (input: RequestInfo | URL, init?: RequestInit) => target.request(String(input), init),
  });
}

type Client = ReturnType<typeof createClient>;

async function logIn(target: TestApp): Promise<{ client: Client; rootId: number }> {
  const { userId, roleId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
  await target.setPassword(userId, ADMIN_PASSWORD);
  const open = createClient(target);
  const login = await open.auth.login.$post({ json: { username: ADMIN, password: ADMIN_PASSWORD } });
  const refreshToken: string = await login.text();
  const access = await createClient(target, refreshToken).auth.accesstoken.$get();
  return { client: createClient(target, await access.text()), rootId: roleId };
}

Deno.test("a client typed by the app sends path, query and body, and gets typed responses", async () => {
  await using target = await openTestApp("file");
  const { client, rootId } = await logIn(target);
  const account = await (await client.user.$get()).json();
  assert.equal(account.email, ADMIN);

  const created = await client.v1.role.$post({
    header: { "Idempotency-Key": "plant-north" },
    query: { parentRoleId: rootId },
    json: { manages: ALL_RIGHTS, role: { name: "Plant North", selfRights: ALL_RIGHTS } },
  });
  assert.equal(created.status, 200);
  const { role, manages } = await created.json();
  assert.equal(role.name, "Plant North");
  assert.equal(manages.childRoleId, role.id);

  const changed = await client.v1.role[":parentRoleId"].manages[":managesId"].$put({
    param: { parentRoleId: rootId, managesId: manages.id },
    json: { ...ALL_RIGHTS, alarmManagement: false },
  });
  assert.equal((await changed.json()).manages.alarmManagement, false);

  const checked = await client.v1.rights.check.$post({
    json: {
      checks: [{ roleId: role.id, right: "viewManagement" }, { roleId: role.id, right: "alarmManagement" }],
    },
  });
  assert.deepEqual((await checked.json()).allowed, [true, false]);

  const added = await client.v1.role[":roleId"].member.$put({
    param: { roleId: role.id },
    query: { userEmail: "grace@example.com", language: "nl" },
    json: {},
  });
  assert.equal((await added.json()).member.userEmail, "grace@example.com");

  const deletion = await client.v1.role[":parentRoleId"].manages[":managesId"].$delete({
    param: { parentRoleId: rootId, managesId: manages.id },
    query: { dryRun: true },
  });
  assert.deepEqual((await deletion.json()).deletedNodeIds, [role.id]);

  const sessions = await (await client.user.session.$get()).json();
  assert.deepEqual(sessions.session.map(({ current }) => current), [true]);
});

Deno.test("the client's types match the wire", async () => {
  assert.deepEqual(ALL_RIGHTS, ALL);
  type Role = Client["v1"]["role"];
  type Check = InferRequestType<Client["v1"]["rights"]["check"]["$post"]>;
  type Right = Check["json"]["checks"][number]["right"];
  const rightIsOneOfSix: Same<Right, keyof Rights> = true;
  type Created = InferResponseType<Role["$post"], 200>;
  const answerIsTyped: Same<Created["role"]["selfRights"], Rights> = true;
  const idIsNumber: Same<Created["manages"]["childRoleId"], number> = true;
  type Sessions = InferResponseType<Client["user"]["session"]["$get"], 200>;
  const listIsTyped: Same<Sessions["session"][number]["current"], boolean> = true;
  type Key = InferResponseType<Role[":roleId"]["key"]["$post"], 200>;
  const previewIsTyped: Same<Key["secret"], string | undefined> = true;
  assert.ok(rightIsOneOfSix && answerIsTyped && idIsNumber && listIsTyped && previewIsTyped);

  await using target = await openTestApp("file");
  const client = createClient(target);
  const statusOf = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status;
  const oneRight = { roleManagement: true };
  const newRole = { manages: ALL_RIGHTS, role: { name: "A", selfRights: ALL_RIGHTS } };
  const wrong = [
    // @ts-expect-error -- the password is missing
    client.auth.login.$post({ json: { username: ADMIN } }),
    // @ts-expect-error -- a number is not an address
    client.user["2fa"]["email-otp"].setup.$post({ query: {}, json: { email: 7 } }),
    // @ts-expect-error -- there is no such right
    client.v1.rights.check.$post({ json: { checks: [{ roleId: 1, right: "anything" }] } }),
    // @ts-expect-error -- the parent is missing
    client.v1.role.$post({ header: {}, json: newRole }),
    // @ts-expect-error -- an id is a number
    client.v1.role[":roleId"].$put({ param: { roleId: "x" }, json: { name: "A", selfRights: ALL_RIGHTS } }),
    // @ts-expect-error -- rights must name all six
    client.v1.role[":roleId"].$put({ param: { roleId: 1 }, json: { name: "A", selfRights: oneRight } }),
  ];
  const statuses = await Promise.all(wrong.map(statusOf));
  assert.ok(statuses.every((status) => status === 400 || status === 401), String(statuses));
  // @ts-expect-error -- there is no such operation
  assert.equal(await statusOf(client.v1.roles.$get()), 404);
});
