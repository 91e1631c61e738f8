import type { CsvFile } from "../../http/csv.ts";
import { RIGHT_NAMES, type Rights } from "../../graph/rights.ts";
import type { Change } from "./change_log_service.ts";

type Cell = string | number | null | undefined;

/** The columns of the file with their cells. Ids of what a deletion removed are in the JSON response only. */
const CELLS: Readonly<Record<string, (change: Change) => Cell>> = {
  revision: ({ revision }) => revision,
  at: ({ at }) => at,
  actorType: ({ actor }) => actor?.type,
  actorId: ({ actor }) => actor?.id,
  actor: ({ actor }) => actor?.type === "key" ? actor.name : actor?.email,
  viaRoleId: ({ viaRoleId }) => viaRoleId,
  viaRoleName: ({ viaRoleName }) => viaRoleName,
  kind: ({ kind }) => kind,
  decision: ({ decision }) => decision,
  roleId: ({ roleId }) => roleId,
  roleName: ({ roleName }) => roleName,
  oldName: ({ oldName }) => oldName,
  newName: ({ newName }) => newName,
  parentRoleId: ({ parentRoleId }) => parentRoleId,
  parentRoleName: ({ parentRoleName }) => parentRoleName,
  managesId: ({ managesId }) => managesId,
  memberEmail: ({ memberEmail }) => memberEmail,
  keyId: ({ keyId }) => keyId,
  keyName: ({ keyName }) => keyName,
  deviceId: ({ deviceId }) => deviceId,
  nodeId: ({ nodeId }) => nodeId,
  oldRights: ({ oldRights }) => wordsOf(oldRights),
  newRights: ({ newRights }) => wordsOf(newRights),
  oldFrom: ({ oldFrom }) => oldFrom,
  oldUntil: ({ oldUntil }) => oldUntil,
  from: ({ from }) => from,
  until: ({ until }) => until,
  undoes: ({ undoes }) => undoes,
  deletedRoles: ({ deletedRoles }) => deletedRoles,
  deletedDevices: ({ deletedDevices }) => deletedDevices,
  oldSecondFactor: ({ oldAuthenticationPolicy }) => oldAuthenticationPolicy?.secondFactor,
  oldSecondFactorFrom: ({ oldAuthenticationPolicy }) => oldAuthenticationPolicy?.from,
  newSecondFactor: ({ newAuthenticationPolicy }) => newAuthenticationPolicy?.secondFactor,
  newSecondFactorFrom: ({ newAuthenticationPolicy }) => newAuthenticationPolicy?.from,
  importRun: ({ importRun }) => importRun,
  memberId: ({ memberId }) => memberId,
};

/** Returns the file of these pages of the log. */
export function changeFile(pages: AsyncIterable<readonly Change[]>): CsvFile {
  return { columns: Object.keys(CELLS), pages: linesOf(pages) };
}

async function* linesOf(pages: AsyncIterable<readonly Change[]>): AsyncGenerator<Cell[][]> {
  for await (const page of pages) {
    yield page.map((change) => Object.values(CELLS).map((cell) => cell(change)));
  }
}

/** Returns the names of the rights, separated by spaces; `none` for a mask without rights, and null for no mask. */
function wordsOf(rights: Rights | null): string | null {
  if (rights === null) return null;
  return RIGHT_NAMES.filter((name) => rights[name]).join(" ") || "none";
}
