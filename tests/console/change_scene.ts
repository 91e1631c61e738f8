import { rights } from "../every_operation/request_catalogue.ts";
import type { Manages, Member } from "../helpers/person.ts";
import type { Console } from "./open_console.ts";

export const SANNE = "sanne@example.com";

/** Country, installer, customer and site, one below the other. */
export async function buildHierarchy({ admin, rootId }: Console) {
  const countryId = await admin.create(rootId, "Netherlands");
  const installerId = await admin.create(countryId, "Installer X");
  const customerId = await admin.create(
    installerId,
    "Customer",
    rights("roleManagement", "viewManagement", "deviceManagement"),
  );
  const siteId = await admin.create(customerId, "Site");
  return { countryId, installerId, customerId, siteId };
}

/** Returns the first relation to a role. */
export async function relationTo({ admin }: Console, childRoleId: number): Promise<Manages> {
  const body = { filter: { childRoleId: [childRoleId] } };
  const { manages } = await admin.post<{ manages: Manages[] }>("/v1/role/*/manages/query", body);
  return manages[0] as Manages;
}

/** Returns the members of a role. */
export async function membersOf({ admin }: Console, roleId: number): Promise<Member[]> {
  return (await admin.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`, {})).member;
}
