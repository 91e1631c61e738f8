/** A client with types generated from openapi.json works with a served app. */
import assert from "node:assert/strict";
import createClient, { type Client } from "openapi-fetch";
import { toRights } from "../../src/graph/rights.ts";
import { ADMIN, ADMIN_PASSWORD } from "../every_operation/request_catalogue.ts";
import type { components, paths } from "../../src/console/web/openapi_types.ts";
import { sudoTokenFor } from "../helpers/sudo.ts";
import { createRoot, withServer } from "./serve_app.ts";

type Rights = components["schemas"]["Rights"];

const ALL_RIGHTS: Rights = toRights(63);

function clientFor(baseUrl: string, token: string): Client<paths> {
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
}

Deno.test("a client with generated types logs in and works with a served app", async () => {
  await withServer(async (target, baseUrl) => {
    const rootId = await createRoot(target);
    const open = createClient<paths>({ baseUrl });
    const login = await open.POST("/auth/login", {
      body: { username: ADMIN, password: ADMIN_PASSWORD },
      parseAs: "text",
    });
    assert.ok(login.data !== undefined, "no refresh token");
    const access = await clientFor(baseUrl, login.data).GET("/auth/accesstoken", { parseAs: "text" });
    assert.ok(access.data !== undefined, "no access token");
    const client = clientFor(baseUrl, access.data);

    const created = await client.POST("/v1/role", {
      params: { query: { parentRoleId: rootId } },
      body: { manages: ALL_RIGHTS, role: { name: "Plant North", selfRights: ALL_RIGHTS } },
    });
    const roleId: number = created.data?.role.id ?? -1;
    assert.equal(created.data?.manages.parentRoleId, rootId);

    const queried = await client.POST("/v1/role/query", {
      body: { filter: { ancestorRoleId: [rootId] }, userRights: { viewManagement: true } },
    });
    assert.deepEqual(queried.data?.role.map(({ id, userRights }) => ({ id, userRights })), [
      { id: roleId, userRights: { viewManagement: true } },
    ]);

    const collected = await client.GET("/v1/role", { params: { query: { id: [rootId, roleId] } } });
    assert.deepEqual(collected.data?.role.map(({ id }) => id), [rootId, roleId]);

    const members = await client.POST("/v1/role/{roleId}/member/query", {
      params: { path: { roleId: [rootId] } },
      body: {},
    });
    assert.deepEqual(members.data?.member.map(({ userEmail }) => userEmail), [ADMIN]);

    const refused = await client.PUT("/v1/role/{roleId}", {
      params: { path: { roleId: rootId } },
      body: { name: "Energy Ltd", selfRights: ALL_RIGHTS },
    });
    const error: components["schemas"]["ApiError"] | undefined = refused.error;
    assert.deepEqual([refused.data, error?.statusCode], [undefined, 403]);

    const header = { "X-Sudo-Token": await sudoTokenFor(target.deps, access.data) };
    const removed = await client.PUT("/v1/role/{roleId}/password", {
      params: { path: { roleId: rootId }, header },
      body: { password: null },
    });
    const nothing: null | undefined = removed.data;
    assert.equal(nothing, null);
  });
});

Deno.test("a client with generated types previews a change, explains a right and acts with a key", async () => {
  await withServer(async (target, baseUrl) => {
    const { userId, roleId: rootId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
    const token = await target.accessToken(userId);
    const client = clientFor(baseUrl, token);
    const path = { roleId: rootId };

    const member = { params: { path, query: { userEmail: "eva@example.com", dryRun: true } } };
    const preview = await client.PUT("/v1/role/{roleId}/member", member);
    assert.deepEqual([preview.data?.member.id, preview.data?.effect?.people.gained], [null, 1]);

    const created = await client.POST("/v1/role/{roleId}/key", {
      params: { path, header: { "X-Sudo-Token": await sudoTokenFor(target.deps, token) } },
      body: { name: "Gateway", asks: true },
    });
    const program = clientFor(baseUrl, created.data?.secret ?? "");
    const explained = await program.POST("/v1/rights/explain", {
      body: { roleId: rootId, right: "viewManagement", userEmail: ADMIN, asOf: new Date(0).toISOString() },
    });
    assert.deepEqual([explained.data?.allowed, explained.data?.revision], [false, 0]);
    const people = await program.POST("/v1/role/{roleId}/access/query", { params: { path }, body: {} });
    assert.ok(typeof people.data === "object", "a file, or nothing");
    const names = people.data.access.map(({ userEmail, key }) => userEmail ?? key?.name);
    assert.deepEqual(names, [ADMIN, "Gateway"]);
  });
});

Deno.test("the generated types refuse the requests that the service refuses", async () => {
  await withServer(async (_target, baseUrl) => {
    const client = createClient<paths>({ baseUrl });
    const answers = [
      // @ts-expect-error -- the password is missing
      await client.POST("/auth/login", { body: { username: ADMIN }, parseAs: "text" }),
      // @ts-expect-error -- there is no such right
      await client.POST("/v1/rights/check", { body: { checks: [{ roleId: 1, right: "anything" }] } }),
      // @ts-expect-error -- the parent is missing
      await client.PUT("/v1/role/{parentRoleId}/manages", { params: { query: {} }, body: ALL_RIGHTS }),
      // @ts-expect-error -- there is no such operation
      await client.GET("/v1/roles", {}),
    ];
    for (const { response } of answers) assert.ok(response.status >= 400, response.url);
  });
});
