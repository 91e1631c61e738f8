import { ALL, withQuery } from "../../every_operation/request_catalogue.ts";
import type { Place } from "./worlds.ts";

/** The most expensive requests about a place: every operation of the graph, with each of its filters at its longest. */

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const FEW = 10;
const EPOCH = "1970-01-01T00:00:00Z";

const post = (path: string, body: unknown = {}): Asked => ({ method: "POST", path, body });

/** Requests that change nothing. */
export function readsOf({ caller, roleId, parentId, roleIds, deviceIds, names, emails }: Place): Asked[] {
  const limit = 1000;
  const queries = (path: string, filters: readonly object[]) =>
    filters.map((filter) => post(path, { filter, limit }));
  const listed = roleIds.join(",");
  const nodeIds = deviceIds.map((id) => `node-${id}`);
  const external = (ids: readonly (number | string)[]) => ids.map((id) => `x-${id}`);
  const [externalIds, externalDeviceIds] = [external(roleIds), external(deviceIds)];
  const checks = roleIds.map((id) => ({ roleId: id, right: "viewManagement" }));
  const resources = roleIds.map((id) => ({ resource: { type: "role", id: String(id) } }));
  const devices = deviceIds.map((id) => ({ resource: { type: "device", id: `node-${id}` } }));
  const stranger = { type: "user", id: "crowd510000001@bounds.example" };
  const self = { type: "user", id: caller.email };
  const unknown = { userEmail: "nobody@bounds.example" };
  const principals = [{ userEmail: caller.email }, { userId: caller.userId }, unknown, { keyId: 1 }];
  const actionOn = (type: string) => ({ name: type === "role" ? "viewManagement" : "manage" });
  const action = actionOn("role");
  const resource = { type: "role", id: String(roleId) };
  const asOf = new Date().toISOString();
  const moments = (path: string, body: object) => [post(path, body), post(path, { ...body, asOf })];
  const periods = (path: string, body: object) => [
    ...moments(path, body),
    post(path, { ...body, during: { from: EPOCH, to: asOf } }),
  ];
  return [
    ...queries("/v1/role/query", [
      {},
      { id: roleIds },
      { id: roleIds.slice(0, FEW) },
      { id: roleIds, ancestorRoleId: roleIds },
      { id: roleIds, externalId: externalIds },
      { externalId: externalIds },
      { externalId: externalIds, ancestorRoleId: roleIds },
      { name: names },
      { namePrefix: "role" },
      { namePrefix: "ROLE 1000" },
      { ancestorRoleId: roleIds },
      { ancestorRoleId: [roleId] },
    ]),
    ...["role", "r", "example", "c", ...nodeIds.slice(0, 1).flatMap((id) => [id.slice(0, 3), id.slice(0, 1)])]
      .map(
        (text) => post("/v1/search", { text, limit: 50 }),
      ),
    post("/v1/person/query", { userId: roleIds.slice(0, 50).map((_, i) => i + 1) }),
    post("/v1/role/summary", { id: roleIds.slice(0, 150) }),
    post("/v1/role/summary", { id: [roleId] }),
    ...[{}, { userEmail: caller.email }, { userEmail: "nobody@bounds.example" }].flatMap((who) =>
      [parentId, roleId, ...roleIds.slice(0, 1)].flatMap((id) =>
        moments(`/v1/role/${id}/neighbourhood/query`, { ...who, limit: 100 })
      )
    ),
    ...["*", listed, String(roleId)].flatMap((ids) => [
      ...queries(`/v1/role/${ids}/manages/query`, [{}, { id: roleIds }, { childRoleId: roleIds }]),
      post(`/v1/role/${ids}/managed-by/query`, { limit }),
      ...queries(`/v1/role/${ids}/member/query`, [
        {},
        { id: roleIds },
        { userId: [caller.userId, ...roleIds.slice(1)] },
        { userEmail: emails },
        { externalId: external(emails) },
        { userEmail: emails, externalId: external(emails) },
        { waiting: true, endsBefore: "2999-01-01T00:00:00Z" },
      ]),
      ...queries(`/v1/role/${ids}/monitors/query`, [{}, { id: deviceIds }, { deviceId: deviceIds }]),
    ]),
    ...queries("/v1/device/query", [
      {},
      { id: deviceIds },
      { nodeId: nodeIds },
      { roleId: roleIds },
      { roleId: [roleId] },
      { id: deviceIds, roleId: roleIds },
      { id: deviceIds, externalId: externalDeviceIds },
      { externalId: externalDeviceIds },
      { externalId: externalDeviceIds, roleId: roleIds },
      { ancestorRoleId: roleIds.slice(0, 32) },
      { ancestorRoleId: [roleId] },
      { id: deviceIds, ancestorRoleId: roleIds.slice(0, 32) },
      { nodeId: nodeIds, ancestorRoleId: roleIds.slice(0, 32), property: { made: ["true", "false"] } },
      { property: { made: ["true", "false"], nodeId: nodeIds.slice(0, 100) } },
    ]),
    ...[
      {},
      { id: deviceIds },
      { nodeId: nodeIds },
      { roleId: [roleId] },
      { externalId: externalDeviceIds },
      { nodeId: nodeIds, externalId: externalDeviceIds },
      { ancestorRoleId: roleIds.slice(0, 32) },
      { ancestorRoleId: [roleId] },
    ].map((filter) => post("/v1/device/query", { filter, skipHash: `${"A".repeat(43)}=` })),
    post(`/v1/role/${roleId}/key/query`, { limit }),
    { method: "GET", path: `/v1/role/${roleId}/password` },
    ...periods(`/v1/role/${roleId}/access/query`, { limit }),
    ...periods(`/v1/role/${roleId}/access/query`, { filter: { right: ["viewManagement"] }, limit }),
    ...periods(`/v1/role/${roleId}/access/query`, { filter: { userEmail: emails }, limit }),
    { ...post(`/v1/role/${roleId}/access/query`), headers: { Accept: "text/csv" } },
    ...principals.flatMap((who) => [
      ...moments("/v1/access/query", { ...who, limit }),
      ...moments("/v1/access/query", { ...who, roleId: roleIds, limit }),
    ]),
    ...principals.flatMap((grantedBy) =>
      [{ grantedBy }, { grantedBy, roleId }].map((filter) => post("/v1/grant/query", { filter, limit }))
    ),
    ...Object.keys(ALL).map((right) => post("/v1/rights/check", { checks: [{ roleId, right }] })),
    ...moments("/v1/rights/check", { checks: checks.slice(0, FEW) }),
    ...moments("/v1/rights/check", { checks }),
    ...moments("/v1/rights/check", { checks: [{ roleId, right: "viewManagement" }] }),
    ...moments("/v1/rights/explain", { roleId, right: "viewManagement" }),
    ...moments("/v1/rights/explain", { roleId, right: "viewManagement", userEmail: stranger.id }),
    ...queries("/v1/change/query", [{}, { roleId }, { actorEmail: caller.email }, { from: EPOCH }]),
    post("/access/v1/evaluation", { subject: stranger, action, resource }),
    ...[stranger, self].flatMap((subject) =>
      ([["role", resources], ["device", devices]] as const).map(([type, evaluations]) =>
        post("/access/v1/evaluations", { subject, action: actionOn(type), evaluations })
      )
    ),
    post("/access/v1/search/subject", { subject: { type: "user" }, action, resource }),
    post("/access/v1/search/subject", {
      subject: { type: "user" },
      action,
      resource,
      context: { ids: "email" },
      page: { limit },
    }),
    post("/access/v1/search/subject", { subject: { type: "key" }, action, resource }),
    ...[stranger, self].flatMap((subject) =>
      ["role", "device"].map((type) =>
        post("/access/v1/search/resource", { subject, action: actionOn(type), resource: { type } })
      )
    ),
    post("/access/v1/search/action", { subject: stranger, resource }),
    ...telemetryOf(nodeIds),
    ...[`roleId=${roleId}`, `nodeId=${nodeIds[0]}`].flatMap((asked) =>
      ["member", "viewManagement"].map((right) => ({
        method: "GET",
        path: `/access/v1/forward?right=${right}&${asked}`,
      }))
    ),
    { method: "GET", path: "/v1/company" },
  ];
}

function telemetryOf(nodeIds: readonly string[]): Asked[] {
  const from = { measurement: "energy", database: "plant", retentionPolicy: "autogen" };
  const lines = nodeIds.map((nodeId) => `energy,nodeId=${nodeId} power=1,mode="eco" 1767225600`).join("\n");
  const queries = (query: object) =>
    nodeIds.map((nodeId) => ({ ...query, from, where: { tags: { nodeId } } }));
  const read = (select: unknown, more: object = {}) =>
    post("/v1/telemetry/query", queries({ select, ...more }));
  return [
    { ...post("/v1/telemetry?db=plant&precision=s", lines), headers: { "Content-Type": "text/plain" } },
    read(["power"]),
    read(["power", "mode"]),
    read([{ field: "power", function: "mean" }]),
    ...[["power"], ["power", "mode"], [{ field: "power", function: "mean" }]].map((select) =>
      read(select, { orderBy: "DESC" })
    ),
  ];
}

/** Sends a request, and returns the body of its response. */
export type Ask = (asked: Asked) => Promise<unknown>;

interface Answered {
  readonly effect?: { readonly tag: string };
  readonly manages?: { readonly id: number };
  readonly role?: { readonly id: number };
  readonly member?: { readonly id: number };
  readonly monitors?: { readonly id: number };
  readonly key?: { readonly id: number };
  readonly secret?: string;
  readonly revision?: number;
  readonly endedRelationIds?: readonly number[];
  readonly deletedRelationIds?: readonly number[];
}

/** Changes the place in every way. The deletions at the end also delete the rest below it. */
export async function changePlace(
  { caller, roleId, parentId, roleIds, deviceIds }: Place,
  send: Ask,
): Promise<void> {
  const [otherId = roleId, movedId = otherId] = roleIds;
  const [deviceId = 0] = deviceIds;
  const role = { name: "made", selfRights: ALL };
  const external = { externalId: `made ${roleId}` };
  const less = { ...ALL, alarmManagement: false };
  // A refusal has none of the fields.
  const ask = async (asked: Asked): Promise<Answered> => await send(asked) as Answered;
  const put = (path: string, body: unknown): Asked => ({ method: "PUT", path, body });
  const remove = (path: string): Asked => ({ method: "DELETE", path });

  /** Asks for the effect, and makes the change with it. */
  async function preview(asked: Asked): Promise<Answered> {
    const { effect } = await ask({ ...asked, path: withQuery(asked.path, "dryRun=true") });
    if (effect === undefined) return {};
    return await ask({ ...asked, headers: { ...asked.headers, "If-Effect": effect.tag } });
  }

  /** Previews and makes the undo of a change. */
  const undo = async ({ revision = 0 }: Answered): Promise<void> => {
    await preview(post(`/v1/change/${revision}/undo`, undefined));
  };

  const create = post(`/v1/role?parentRoleId=${roleId}`, { role, manages: ALL });
  await undo(await ask(post(create.path, { role: { ...role, ...external }, manages: ALL })));
  const { manages: fresh, role: leaf } = await ask(create);
  const away = `/v1/role/${parentId}/manages?childRoleId=${leaf?.id}&replaces=${fresh?.id}`;
  // The last row of a move is about the relation that it ended.
  const { revision: ended = 1 } = await ask(put(away, ALL));
  await undo({ revision: ended - 1 });
  await ask({ ...create, headers: { "Idempotency-Key": `role ${roleId}` } });
  await preview(put(`/v1/role/${roleId}`, { ...role, selfRights: less }));
  await ask(put(`/v1/role/${roleId}`, role));
  const renamed = await ask(put(`/v1/role/${roleId}`, { name: "undone", selfRights: less, ...external }));
  await undo(renamed);
  // A second time, the answer names the change that came later.
  await undo(renamed);

  const relation = `/v1/role/${roleId}/manages?childRoleId=${otherId}`;
  await preview(put(relation, ALL));
  await ask(put(relation, less));
  const { manages: made } = await ask(put(relation, ALL));
  const byId = `/v1/role/${roleId}/manages/${made?.id}`;
  await preview(put(byId, less));
  await ask(put(byId, ALL));
  await undo(await ask(put(byId, less)));
  const upper = `/v1/role/${parentId}/manages?childRoleId=${roleId}`;
  await preview(put(upper, less));
  const { manages: above } = await ask(put(upper, ALL));

  const password = "a password of a role";
  await ask(put(`/v1/role/${movedId}/password`, { password }));
  await preview(put(`/v1/role/${movedId}/authentication-policy`, { secondFactor: "none" }));
  const byPassword = `/v1/role/${roleId}/manages?childRoleId=${movedId}&childRolePassword=`;
  await ask(put(`${byPassword}${encodeURIComponent("another password")}`, less));
  await preview(put(`${byPassword}${encodeURIComponent(password)}`, less));
  const { manages: joined } = await ask(put(`${byPassword}${encodeURIComponent(password)}`, ALL));
  const move = `/v1/role/${parentId}/manages?childRoleId=${movedId}&replaces=`;
  await undo(await preview(put(`${move}${joined?.id}`, ALL)));
  await preview(put(`${move}${joined?.id}`, ALL));

  const member = `/v1/role/${roleId}/member`;
  await preview(put(`${member}?userEmail=${caller.email}`, {}));
  await preview(put(`${member}?userEmail=invited${roleId}@bounds.example`, {}));
  await undo(await ask(put(`${member}?userEmail=again${roleId}@bounds.example`, {})));
  const { member: added } = await ask(put(`${member}?userEmail=again${roleId}@bounds.example`, {}));
  await preview(remove(`${member}/${added?.id}`));
  const { member: twice } = await ask(put(`${member}?userEmail=again${roleId}@bounds.example`, {}));
  await undo(await ask(put(`${member}?userEmail=again${roleId}@bounds.example`, { rights: less })));
  await ask(post(`${member}/${twice?.id}/invitation`));
  await ask(remove(`${member}/${twice?.id}/session`));
  await undo(await ask(remove(`${member}/${twice?.id}`)));
  await ask(remove(`${member}/${twice?.id}`));

  const keys = `/v1/role/${roleId}/key`;
  const { key: first, secret: other } = await preview(post(keys, { name: "Key" }));
  const { key: second, secret } = await ask(post(keys, { name: "Key", provisions: true }));
  for (const each of [secret, other]) {
    await ask({ ...post("/v1/role/query", { limit: 1 }), headers: { Authorization: `Bearer ${each}` } });
  }
  // The first call with each key counts devices.
  await ask({ ...post("/v1/telemetry/query", {}), headers: { Authorization: `Bearer ${secret}` } });
  await ask({ ...post("/v1/telemetry?db=plant", []), headers: { Authorization: `Bearer ${other}` } });
  for (const invite of [false, true]) {
    const brought = `${member}?userEmail=brought${roleId}${invite}@bounds.example&invite=${invite}`;
    const request = { ...put(brought, {}), headers: { Authorization: `Bearer ${secret}` } };
    await preview(request);
    await ask(request);
  }
  await preview(post(`${keys}/${first?.id}/adopt`, undefined));
  await preview(remove(`${keys}/${first?.id}`));
  await ask(remove(`${keys}/${second?.id}`));

  const end = post("/v1/access/end", {
    userEmail: `invited${roleId}@bounds.example`,
    under: parentId,
    granted: true,
  });
  await preview(end);
  await ask(end);
  await ask(post("/v1/access/end", { userId: caller.userId, under: roleId }));

  const device = { properties: { nodeId: `made-${roleId}` } };
  const createDevice = post(`/v1/device?roleId=${roleId}`, device);
  await preview({ ...createDevice, headers: { "Idempotency-Key": `device ${roleId}` } });
  await preview(post(`/v1/device?roleId=${roleId}`, { properties: { nodeId: `made-too-${roleId}` } }));
  const list = roleIds.map((id) => ({
    properties: { nodeId: `listed-${roleId}-${id}` },
    externalId: `listed ${roleId} ${id}`,
  }));
  // Not for the role, whose deletion is measured with the devices of its world alone.
  const createList = post(`/v1/device?roleId=${parentId}`, list);
  const single = [{ properties: { nodeId: `keyed-${roleId}` } }];
  await ask({
    ...post(`/v1/device?roleId=${parentId}`, single),
    headers: { "Idempotency-Key": `devices ${roleId}` },
  });
  await preview(createList);
  await ask(createList);
  await ask(put(`/v1/device/${deviceId}`, { properties: { made: true }, ...external }));
  await ask(put(`/v1/device/${deviceId}?mode=replace`, { properties: { nodeId: `node-${deviceId}` } }));
  const monitor = `/v1/role/${otherId}/monitors`;
  await undo(await ask(put(`${monitor}?deviceId=${deviceId}`, {})));
  const { monitors } = await preview(put(`${monitor}?deviceId=${deviceId}`, {}));
  await undo(await preview(put(`${monitor}?deviceId=${deviceId}`, { until: "2100-01-01T00:00:00Z" })));
  const take = remove(`${monitor}/${monitors?.id}?cascade=refuse`);
  await undo(await ask(take));
  await ask(take);
  const transfer = post(`/v1/device/${deviceId}/transfer?toRoleId=${otherId}`, undefined);
  // The last rows of a transfer are about the relations that it took.
  const { revision: taken = 0, endedRelationIds = [], deletedRelationIds = [] } = await ask(transfer);
  await undo({ revision: taken - endedRelationIds.length - deletedRelationIds.length });
  await preview(transfer);
  const { monitors: [last] = [] } = await send(
    post(`${monitor}/query`, { filter: { deviceId: [deviceId] } }),
  ) as { monitors?: { readonly id: number }[] };
  await preview(remove(`${monitor}/${last?.id}`));
  const { monitors: alone } = await ask(
    post(`/v1/device?roleId=${roleId}`, {
      properties: { nodeId: `alone-${roleId}` },
      externalId: `alone ${roleId}`,
    }),
  );
  const detach = `/v1/role/${roleId}/monitors/${alone?.id}`;
  await undo(await ask(remove(detach)));
  await ask(remove(detach));
  await ask(remove(`${detach}?permanent=true`));

  await undo(await preview(remove(byId)));
  await preview(remove(byId));
  await undo(await preview(remove(`/v1/role/${parentId}/manages/${above?.id}`)));
  await preview(remove(`/v1/role/${parentId}/manages/${above?.id}`));
  await ask(remove(`/v1/role/${parentId}/manages/${above?.id}?permanent=true`));
}
