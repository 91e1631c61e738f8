import { userAccount } from "../db/schema/identity.ts";
import { member } from "../db/schema/role.ts";
import { device, monitors } from "../db/schema/telemetry.ts";
import { isNotClosed } from "../device/period_queries.ts";
import { int, placeholdersOf, row, rows, sql } from "../db/sql.ts";
import { memberLives } from "../graph/rules/principal_queries.ts";

/** Pages of all accounts, memberships and devices, in order of id. */

const PAGE = { afterId: int, limit: int };
const { afterId, limit } = placeholdersOf(PAGE);

export interface ExportedPersonRow {
  readonly id: number;
  readonly email: string;
  readonly name: string | null;
  readonly language: string;
  readonly externalId: string | null;
  readonly passwordHash: string | null;
}

export const EXPORT_PEOPLE = rows<ExportedPersonRow>()(PAGE, () => {
  const { id, email, name, language, externalId, passwordHash } = userAccount;
  return sql`
  SELECT ${id} AS id, ${email} AS email, ${name} AS name, ${language} AS language,
    ${externalId} AS externalId, ${passwordHash} AS passwordHash
  FROM ${userAccount} WHERE ${id} > ${afterId} ORDER BY ${id} LIMIT +${limit}`;
});

export interface ExportedMemberRow {
  readonly id: number;
  readonly roleId: number;
  readonly userId: number;
  readonly email: string;
  readonly rights: number;
  readonly endsAt: number | null;
}

/** Memberships of people that have not ended. */
export const EXPORT_MEMBERS = rows<ExportedMemberRow>()({ ...PAGE, now: int }, () => {
  const { id, roleId, userId, rights, endsAt } = member;
  return sql`
  SELECT ${id} AS id, ${roleId} AS roleId, ${userId} AS userId, ${userAccount.email} AS email, ${rights} AS rights,
    ${endsAt} AS endsAt
  FROM ${member} CROSS JOIN ${userAccount} ON ${userAccount.id} = ${userId}
  WHERE ${id} > ${afterId} AND ${memberLives(member)} ORDER BY ${id} LIMIT +${limit}`;
});

export interface ExportedDeviceRow {
  readonly id: number;
  readonly nodeId: string;
  readonly externalId: string | null;
  readonly properties: string;
  /** JSON: the ids of the roles that monitor it now or will, the oldest relation first. */
  readonly roleIds: string;
}

export const EXPORT_DEVICES = rows<ExportedDeviceRow>()({ ...PAGE, now: int }, () => {
  const { id, nodeId, externalId, properties } = device;
  const watching = row(monitors, "watching");
  return sql`
  SELECT ${id} AS id, ${nodeId} AS nodeId, ${externalId} AS externalId, ${properties} AS properties,
    (SELECT json_group_array(role_id) FROM (SELECT ${watching.roleId} FROM ${watching}
      WHERE ${watching.deviceId} = ${id} AND ${isNotClosed(watching)} ORDER BY ${watching.id})) AS roleIds
  FROM ${device} WHERE ${id} > ${afterId} ORDER BY ${id} LIMIT +${limit}`;
});
