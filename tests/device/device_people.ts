import { Person } from "../helpers/person.ts";
import { ALL, type Rights, rights } from "../every_operation/request_catalogue.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** People in different positions to one role, and the shapes of responses about devices. */

export interface Device {
  readonly id: number;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly lastUpdate: string;
  readonly userRights: { propertyEditabilities: Record<string, never>; monitorManagement: boolean };
}

export interface Monitors {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
}

export interface CreatedDevice {
  readonly device: Device;
  readonly monitors: Monitors;
}

export const DEVICE = rights("deviceManagement");
export const MANAGE = rights("roleManagement");
export const VIEW = rights("viewManagement");
export const NONE = rights();

/** The member of a root role with all rights. */
export async function rootMember(target: TestApp): Promise<{ admin: Person; rootId: number }> {
  const { userId, roleId } = await target.bootstrapRoot("root@example.com", "Root");
  return { admin: new Person(target, await target.accessToken(userId)), rootId: roleId };
}

/** A new user who is a member of these roles and of no others. */
export function memberOf(target: TestApp, admin: Person, ...roleIds: number[]): Promise<Person> {
  return namedMemberOf(target, admin, `user${crypto.randomUUID()}@example.com`, ...roleIds);
}

/** The same, with this address. */
export async function namedMemberOf(
  target: TestApp,
  admin: Person,
  email: string,
  ...roleIds: number[]
): Promise<Person> {
  const { accessToken } = await target.createUser(email);
  for (const roleId of roleIds) await admin.put(`/v1/role/${roleId}/member?userEmail=${email}`);
  return new Person(target, accessToken);
}

/** Creates a device that the role monitors. */
export function createDevice(person: Person, roleId: number, nodeId: string): Promise<CreatedDevice> {
  return person.post<CreatedDevice>(`/v1/device?roleId=${roleId}`, { properties: { nodeId } });
}

/** Sets the relation between two roles, as a member above both. */
export async function joinRoles(
  admin: Person,
  parentId: number,
  childId: number,
  carries: Rights,
): Promise<number> {
  const path = `/v1/role/${parentId}/manages?childRoleId=${childId}`;
  return (await admin.put<{ manages: { id: number } }>(path, carries)).manages.id;
}

/** The position of a person to the role whose devices the operations concern. */
export type Standing =
  | "deviceManagement in the role"
  | "roleManagement in the role"
  | "deviceManagement from above"
  | "roleManagement from above"
  | "another right from above"
  | "deviceManagement behind a relation"
  | "no membership";

/**
 * A role of every standing, with one member each. `roleManagement in the role` is a separate role beside the others. The
 * self rights of `roleId` are deviceManagement.
 */
export async function gatherPeople(target: TestApp) {
  const { admin, rootId } = await rootMember(target);
  const roleId = await admin.create(rootId, "Home", ALL, DEVICE);
  const above = async (name: string, carries: Rights): Promise<number> => {
    const aboveId = await admin.create(rootId, name, ALL, NONE);
    await joinRoles(admin, aboveId, roleId, carries);
    return aboveId;
  };
  const ownId = await admin.create(rootId, "Managed home", ALL, MANAGE);
  const deviceId = await above("Installer", DEVICE);
  const farId = await admin.create(rootId, "Wholesaler", ALL, ALL);
  await joinRoles(admin, farId, deviceId, VIEW);
  const standings: [Standing, number[], number][] = [
    ["deviceManagement in the role", [roleId], roleId],
    ["roleManagement in the role", [ownId], ownId],
    ["deviceManagement from above", [deviceId], roleId],
    ["roleManagement from above", [await above("Landlord", MANAGE)], roleId],
    ["another right from above", [await above("Viewer", VIEW)], roleId],
    ["deviceManagement behind a relation", [farId], roleId],
    ["no membership", [], roleId],
  ];
  const by = new Map<Standing, { person: Person; roleId: number }>();
  for (const [standing, memberships, of] of standings) {
    by.set(standing, { person: await memberOf(target, admin, ...memberships), roleId: of });
  }
  return { admin, rootId, roleId, by };
}
