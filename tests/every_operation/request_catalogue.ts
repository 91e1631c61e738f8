import assert from "node:assert/strict";
import { consoleRequests } from "./console_requests.ts";
import { RIGHT_NAMES } from "../model/oracle_rights.ts";
import { authzenRequests } from "./authzen_requests.ts";
import { accountRequests, type AccountScene, setAccountScene } from "./account_requests.ts";
import { createDevice, deviceRequests, type DeviceScene, setDeviceScene } from "./device_requests.ts";
import { factorRequests, type FactorScene, setFactorScene } from "./factor_requests.ts";
import { type Answer, execute, logInFully, query, send, type Sent, succeed } from "../helpers/http.ts";
import { influxRequests, telemetryRequests } from "./telemetry_requests.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** One successful request for every operation of the service. Tests make each wrong in one place. */

export type Rights = Readonly<Record<string, boolean>>;

/** A rights object with these rights and no others. */
export function rights(...names: readonly string[]): Rights {
  return Object.fromEntries(RIGHT_NAMES.map((name) => [name, names.includes(name)]));
}

export const ALL: Rights = rights(...RIGHT_NAMES);

/** The data of the requests: a chain of three roles, a second member, a second session, an invitation. */
export interface Scene {
  readonly target: TestApp;
  readonly adminId: number;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly rootId: number;
  readonly childId: number;
  readonly grandchildId: number;
  /** The relations root -> child and child -> grandchild. */
  readonly upperId: number;
  readonly lowerId: number;
  /** The second member of the root. */
  readonly memberId: number;
  /** The revision of the change by which they joined. */
  readonly joinedRevision: number;
  /** A key of the grandchild. */
  readonly keyId: number;
  readonly otherSessionId: string;
  readonly linkToken: string;
  readonly account: AccountScene;
  readonly factors: FactorScene;
  readonly device: DeviceScene;
  /** A second root with one child. The administrator is not a member of it. */
  readonly foreign: {
    readonly rootId: number;
    readonly childId: number;
    readonly relationId: number;
    readonly memberId: number;
    readonly keyId: number;
    readonly deviceId: number;
    readonly monitorsId: number;
    readonly sessionId: string;
  };
}

export const ADMIN = "admin@example.com";
export const ADMIN_PASSWORD = "the administrator's password";
const FOREIGN_ADMIN = "foreign@example.com";

export type Created = { readonly manages: { readonly id: number }; readonly role: { readonly id: number } };

/** Creates a role below a parent, with all rights on both. Returns its id and that of its relation. */
export async function createRole(
  target: TestApp,
  token: string,
  parentId: number,
  name: string,
): Promise<{ roleId: number; relationId: number }> {
  const created = await succeed<Created>(target, "POST", `/v1/role?parentRoleId=${parentId}`, {
    token,
    body: { manages: ALL, role: { name, selfRights: ALL } },
  });
  return { roleId: created.role.id, relationId: created.manages.id };
}

/** Makes a key of a role with all rights. Returns its id. */
async function createKey(target: TestApp, token: string, roleId: number): Promise<number> {
  const { key } = await succeed<{ key: { id: number } }>(target, "POST", `/v1/role/${roleId}/key`, {
    token,
    body: { name: "Key" },
  });
  return key.id;
}

/** Sets the scene, by HTTP where the service has an operation for it. */
export async function setScene(target: TestApp): Promise<Scene> {
  const root = await target.bootstrapRoot(ADMIN, "Root");
  await target.setPassword(root.userId, ADMIN_PASSWORD);
  await logInFully(target, ADMIN, ADMIN_PASSWORD);
  const { accessToken, refreshToken } = await logInFully(target, ADMIN, ADMIN_PASSWORD);
  await execute(target, "UPDATE session SET meets = 2", {});
  await succeed(target, "PUT", "/user", { token: accessToken, body: { language: "en", name: "Ada Jansen" } });
  const child = await createRole(target, accessToken, root.roleId, "Child");
  const grandchild = await createRole(target, accessToken, child.roleId, "Grandchild");
  const { member } = await succeed<{ member: { id: number } }>(
    target,
    "PUT",
    `/v1/role/${root.roleId}/member?userEmail=second@example.com`,
    { token: accessToken },
  );
  const [joined] = await query<{ rev: number }>(target, "SELECT max(rev) AS rev FROM change_log");
  const foreignRoot = await target.bootstrapRoot(FOREIGN_ADMIN, "Foreign root");
  const foreign = await target.openSession(foreignRoot.userId);
  const foreignChild = await createRole(target, foreign.accessToken, foreignRoot.roleId, "Foreign child");
  const foreignDevice = await createDevice(target, foreign.accessToken, foreignChild.roleId, "foreign meter");
  const { session } = await succeed<{ session: { id: string; current: boolean }[] }>(
    target,
    "GET",
    "/user/session",
    { token: accessToken },
  );
  return {
    target,
    adminId: root.userId,
    accessToken,
    refreshToken,
    rootId: root.roleId,
    childId: child.roleId,
    grandchildId: grandchild.roleId,
    upperId: child.relationId,
    lowerId: grandchild.relationId,
    memberId: member.id,
    joinedRevision: joined?.rev ?? 0,
    keyId: await createKey(target, accessToken, grandchild.roleId),
    otherSessionId: session.find(({ current }) => !current)?.id ?? "",
    linkToken: await openInvitation(target, "second@example.com"),
    factors: await setFactorScene(target),
    device: await setDeviceScene(target, {
      token: accessToken,
      roleId: child.roleId,
      otherRoleId: grandchild.roleId,
    }),
    account: await setAccountScene(target, { token: accessToken, password: ADMIN_PASSWORD }),
    foreign: {
      rootId: foreignRoot.roleId,
      childId: foreignChild.roleId,
      relationId: foreignChild.relationId,
      memberId: foreignRoot.memberId,
      keyId: await createKey(target, foreign.accessToken, foreignChild.roleId),
      ...foreignDevice,
      sessionId: foreign.sessionId,
    },
  };
}

/** The token of the link in the latest invitation to an address, unsealed as delivery does it. */
export async function openInvitation(target: TestApp, recipient: string): Promise<string> {
  const [mail] = await query<{ id: string; sealed: string }>(
    target,
    `SELECT id, sealed_params AS sealed FROM outbox
     WHERE recipient = :recipient AND template = 'invitation' ORDER BY created_at DESC LIMIT 1`,
    { recipient },
  );
  assert.ok(mail, `no invitation for ${recipient}`);
  const { link } = JSON.parse(await target.deps.secrets.open(mail.sealed, `mail ${mail.id}`));
  const [, token] = /#token=([A-Za-z0-9_-]{43})$/.exec(link) ?? [];
  assert.ok(token, "the link carries no token");
  return token;
}

/** The tokens that an operation accepts. */
export type Accepted =
  | "none"
  | "access"
  | "access or key"
  | "refresh"
  | "access or partial"
  | "access or sudo"
  /** A sudo token, or a fresh access token of a user without a second factor. */
  | "sudo*"
  /** A sudo token, or an access token of a user without a second factor. */
  | "sudo or access without factor"
  | "access without factor";

export interface CatalogueRequest {
  /** Method and pattern, as in the router. */
  readonly route: string;
  readonly path: string;
  readonly accepts: Accepted;
  /** The kind of token that is sent. */
  readonly token: "access" | "refresh" | "none";
  /** The token to send, if it is not the administrator's. */
  readonly bearer?: string;
  /** "collect" returns a list for any ids in its path, "act" acts on the ids in its path. */
  readonly kind?: "collect" | "act";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A missing body has the same meaning as `{}`. */
  readonly bodyOptional?: boolean;
  /** The body is not a single JSON document of one schema. Tests of the operation itself cover wrong ones. */
  readonly ownBody?: boolean;
  /** Every field of the body may be left out. */
  readonly allOptional?: boolean;
  /** Names of bodies that `badBodies` makes of this one although they are valid. */
  readonly wellFormed?: readonly string[];
  /** A page that people open, which ignores unknown parameters: mail programs append some to links. */
  readonly isPage?: boolean;
}

/** A request as a list names it. Its path is that of the route with the scene's ids, unless it has one. */
export type ListedRequest = Omit<CatalogueRequest, "path" | "token"> & {
  readonly path?: string;
  /** The role in the path. */
  readonly roleId?: number;
  readonly query?: string;
};

/** A request for every operation. Each succeeds in the scene, but not all of them in sequence. */
export function catalogue(scene: Scene): CatalogueRequest[] {
  const ids = {
    managesId: scene.lowerId,
    memberId: scene.memberId,
    keyId: scene.keyId,
    deviceId: scene.device.deviceId,
    monitorsId: scene.device.monitorsId,
    passkeyId: scene.factors.passkeyId,
    revision: scene.joinedRevision,
    id: scene.otherSessionId,
  };
  return listRequests(scene).map(({ roleId = 0, query, ...listed }) => {
    const [, pattern = ""] = listed.route.split(" ");
    const filled = withIds({ route: listed.route, path: pattern }, { ...ids, roleId, parentRoleId: roleId });
    const token = (["none", "refresh"] as const).find((kind) => kind === listed.accepts) ?? "access";
    return { path: query === undefined ? filled : `${filled}?${query}`, token, ...listed };
  });
}

/** The path with these ids in the places where the route or the query has their names. */
export function withIds(
  { route, path }: Pick<CatalogueRequest, "route" | "path">,
  ids: Readonly<Record<string, string | number>>,
): string {
  const names = route.split(" ")[1]?.split("/") ?? [];
  const [filled = "", query] = path.split("?");
  const parts = filled.split("/").map((part, i) => ids[names[i]?.replace(/^:/, "") ?? ""] ?? part);
  const replaced = query?.replaceAll(/(\w+)=([^&]*)/g, (_, name, value) => `${name}=${ids[name] ?? value}`);
  return parts.join("/") + (replaced === undefined ? "" : `?${replaced}`);
}

/** The request of the catalogue for one operation. */
export function requestOf(scene: Scene, route: string): CatalogueRequest {
  const request = catalogue(scene).find((candidate) => candidate.route === route);
  assert.ok(request, route);
  return request;
}

function listRequests(scene: Scene): ListedRequest[] {
  const { rootId, childId, grandchildId, lowerId, memberId, linkToken } = scene;
  const asks = { accepts: "access or key" } as const;
  const lists = { ...asks, kind: "collect" } as const;
  const queries = { ...lists, bodyOptional: true, allOptional: true } as const;
  const acts = { ...asks, kind: "act" } as const;
  const own = { accepts: "access" } as const;
  const ownActs = { ...own, kind: "act" } as const;
  const open = { accepts: "none" } as const;
  const refreshes = { accepts: "refresh" } as const;
  const someRights = { roleManagement: true, viewManagement: true };
  const newRole = { name: "New", selfRights: ALL };
  return [
    { ...lists, route: "GET /v1/role", query: `id=${childId}` },
    {
      ...queries,
      route: "POST /v1/role/query",
      body: {
        filter: {
          id: [childId],
          name: ["Child"],
          namePrefix: "chi",
          externalId: ["none"],
          ancestorRoleId: [rootId],
        },
        userRights: someRights,
        limit: 10,
      },
    },
    {
      ...queries,
      route: "POST /v1/role/:roleId/neighbourhood/query",
      roleId: childId,
      body: { userEmail: "second@example.com", limit: 10 },
    },
    {
      ...lists,
      route: "POST /v1/search",
      body: { text: "child", kind: ["role"], limit: 10, cursor: "0" },
      wellFormed: ["the body without cursor", "the body without limit"],
    },
    { ...lists, route: "POST /v1/role/summary", body: { id: [childId, rootId] } },
    {
      ...acts,
      route: "POST /v1/role",
      query: `parentRoleId=${childId}`,
      body: { manages: ALL, role: { ...newRole, externalId: null } },
      wellFormed: ["role without externalId"],
    },
    {
      ...acts,
      route: "PUT /v1/role/:roleId",
      roleId: grandchildId,
      body: { ...newRole, externalId: "new" },
      wellFormed: ["externalId = null", "the body without externalId"],
    },
    { ...acts, route: "GET /v1/role/:roleId/usage", roleId: rootId },
    { ...ownActs, route: "GET /v1/role/:roleId/password", roleId: grandchildId },
    {
      ...ownActs,
      route: "PUT /v1/role/:roleId/password",
      roleId: grandchildId,
      body: { password: "a password of a role" },
      wellFormed: ["password = null"],
    },
    { ...acts, route: "GET /v1/role/:roleId/authentication-policy", roleId: grandchildId },
    {
      ...ownActs,
      route: "PUT /v1/role/:roleId/authentication-policy",
      roleId: grandchildId,
      body: { secondFactor: "required" },
    },
    { ...lists, route: "GET /v1/role/:parentRoleId/manages", roleId: childId },
    {
      ...queries,
      route: "POST /v1/role/:parentRoleId/manages/query",
      roleId: childId,
      body: { filter: { id: [lowerId], parentRoleId: [childId], childRoleId: [grandchildId] }, limit: 10 },
    },
    {
      ...queries,
      route: "POST /v1/role/:roleId/managed-by/query",
      roleId: childId,
      body: { limit: 10 },
    },
    {
      ...acts,
      route: "PUT /v1/role/:parentRoleId/manages",
      roleId: rootId,
      query: `childRoleId=${grandchildId}`,
      body: ALL,
    },
    {
      ...acts,
      route: "PUT /v1/role/:parentRoleId/manages/:managesId",
      roleId: childId,
      body: rights("roleManagement"),
    },
    { ...acts, route: "DELETE /v1/role/:parentRoleId/manages/:managesId", roleId: childId },
    { ...lists, route: "GET /v1/role/:roleId/member", roleId: rootId },
    {
      ...queries,
      route: "POST /v1/role/:roleId/member/query",
      roleId: rootId,
      body: {
        filter: { id: [memberId], userEmail: ["second@example.com"], externalId: ["none"] },
        limit: 10,
      },
    },
    {
      ...acts,
      route: "PUT /v1/role/:roleId/member",
      roleId: childId,
      query: "userEmail=third@example.com",
      body: { until: "2026-02-01T00:00:00Z", rights: rights("viewManagement") },
      bodyOptional: true,
      wellFormed: ["until", "rights"].flatMap((field) => [`the body without ${field}`, `${field} = null`]),
    },
    { ...acts, route: "DELETE /v1/role/:roleId/member/:memberId", roleId: rootId },
    { ...ownActs, route: "POST /v1/role/:roleId/member/:memberId/invitation", roleId: rootId },
    { ...ownActs, route: "DELETE /v1/role/:roleId/member/:memberId/session", roleId: rootId },
    { ...own, route: "POST /v1/person/query", body: { userId: [1] } },
    {
      ...ownActs,
      route: "POST /v1/role/:roleId/key",
      roleId: childId,
      body: {
        name: "Key",
        rights: rights("viewManagement"),
        expiresAt: "2026-02-01T00:00:00Z",
        asks: true,
        provisions: true,
      },
      wellFormed: ["rights", "expiresAt", "asks", "provisions"].map((field) => `the body without ${field}`),
    },
    { ...ownActs, route: "POST /v1/role/:roleId/key/:keyId/adopt", roleId: grandchildId },
    {
      ...asks,
      allOptional: true,
      bodyOptional: true,
      route: "POST /v1/role/:roleId/key/query",
      roleId: grandchildId,
      body: { limit: 10 },
    },
    { ...acts, route: "DELETE /v1/role/:roleId/key/:keyId", roleId: grandchildId },
    {
      ...queries,
      route: "POST /v1/role/:roleId/access/query",
      roleId: childId,
      body: {
        filter: { right: ["userManagement"], userEmail: ["second@example.com"] },
        during: { from: "2025-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
        limit: 10,
      },
    },
    {
      ...lists,
      route: "POST /v1/access/query",
      body: { userEmail: "second@example.com", roleId: [childId], right: ["userManagement"], limit: 10 },
      wellFormed: ["the body without roleId", "the body without right", "the body without limit"],
    },
    {
      ...own,
      route: "POST /v1/access/end",
      body: { userEmail: "second@example.com", under: childId, granted: true },
      wellFormed: ["the body without granted"],
    },
    {
      ...asks,
      route: "POST /v1/grant/query",
      body: { filter: { grantedBy: { userEmail: ADMIN }, roleId: childId, kind: "relation" }, limit: 10 },
      wellFormed: ["filter without roleId", "filter without kind", "the body without limit"],
    },
    {
      ...asks,
      route: "POST /v1/rights/check",
      body: { checks: [{ roleId: childId, right: "roleManagement" }] },
    },
    {
      ...asks,
      route: "POST /v1/rights/explain",
      body: {
        roleId: childId,
        right: "roleManagement",
        userEmail: "second@example.com",
        asOf: "2026-01-01T00:00:00Z",
      },
      wellFormed: ["the body without userEmail", "the body without asOf", "asOf = 1"],
    },
    { ...asks, route: "POST /v1/change/:revision/undo" },
    {
      ...asks,
      route: "POST /v1/change/query",
      body: {
        filter: {
          roleId: childId,
          actorEmail: ADMIN,
          memberEmail: "second@example.com",
          memberId: 2,
          kind: "role.create",
          decision: "ok",
          from: "2025-12-31T00:00:00Z",
          to: "2026-12-31T00:00:00Z",
        },
        after: 0,
        limit: 10,
        wait: 0,
      },
      bodyOptional: true,
      allOptional: true,
    },
    { ...asks, route: "GET /v1/company" },
    { ...open, route: "POST /auth/login", body: { username: ADMIN, password: ADMIN_PASSWORD } },
    { ...refreshes, route: "GET /auth/accesstoken" },
    { ...refreshes, route: "GET /accesstoken" },
    { ...refreshes, route: "GET /auth/refreshtoken" },
    { ...refreshes, route: "GET /auth/refreshtoken/validate" },
    { ...own, route: "GET /auth/accesstoken/validate" },
    { ...refreshes, route: "POST /auth/logout" },
    { ...own, route: "GET /user/session" },
    { ...ownActs, route: "DELETE /user/session/:id" },
    { accepts: "access or sudo", route: "DELETE /user/session" },
    { ...own, route: "GET /user/key" },
    {
      ...open,
      route: "PUT /user/password/link",
      body: { token: linkToken, newPassword: "four words nobody guesses" },
    },
    ...deviceRequests(scene.device),
    ...telemetryRequests(scene.device.nodeId),
    ...influxRequests(scene.device.nodeId),
    ...authzenRequests({ email: ADMIN, roleId: childId }),
    ...accountRequests(scene.account),
    ...factorRequests(scene.factors),
    ...consoleRequests(scene.refreshToken),
    { ...open, route: "GET /reset-password", isPage: true },
    { ...open, route: "GET /healthz" },
    { ...open, route: "GET /readyz" },
    { ...open, route: "GET /openapi.json" },
    { ...open, route: "GET /docs", isPage: true },
    { ...open, route: "GET /docs/:file", path: "/docs/page.js" },
    { ...open, route: "GET /.well-known/jwks.json" },
  ];
}

/** Sends the successful request, with the parts in `change` replaced. */
export function ask(
  scene: Scene,
  request: CatalogueRequest,
  change: Sent & { readonly path?: string } = {},
): Promise<Answer> {
  const { path = request.path, ...sent } = change;
  return send(scene.target, methodOf(request), path, sentOf(scene, request, sent));
}

/** The path with one more parameter in its query string. */
export function withQuery(path: string, parameter: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${parameter}`;
}

export function methodOf({ route }: Pick<CatalogueRequest, "route">): string {
  return route.split(" ")[0] ?? "";
}

/** The successful request, with the parts in `change` replaced. */
export function sentOf(
  scene: Scene,
  { token, bearer: own, body, headers }: CatalogueRequest,
  change: Sent = {},
): Sent {
  const bearer = { access: scene.accessToken, refresh: scene.refreshToken, none: undefined }[token];
  return { token: own ?? bearer, body, ...change, headers: { ...headers, ...change.headers } };
}
