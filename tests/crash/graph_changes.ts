import { RIGHT_NAMES } from "../model/oracle_rights.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import {
  ageOf,
  type Change,
  counted,
  idOf,
  JSON_TYPE,
  keysOf,
  type Knowledge,
  pick,
  rolesOf,
} from "./knowledge.ts";

/** Changes of roles and devices and of the relations between them. */

const MAX_ROLES = 18;
const MAX_DEVICES = 8;
/** Rights that the load takes away and gives back. None of its requests needs them. */
const SPARE_RIGHTS = [16, 32] as const;
const ALL_RIGHTS = 63;

export function createRole(known: Knowledge): Change | undefined {
  const parent = pick(rolesOf(known.facts));
  if (parent === undefined || rolesOf(known.facts).length >= MAX_ROLES) return undefined;
  const name = `${known.name}-${known.serial}`;
  const facts = new Map(known.facts).set(`role ${name}`, String(ALL_RIGHTS))
    .set(`manages ${parent} > ${name}`, String(ALL_RIGHTS));
  return {
    ...creation(known, "role.create"),
    path: `/v1/role?parentRoleId=${idOf(known, `role ${parent}`)}`,
    body: { manages: ALL, role: { name, selfRights: ALL } },
    after: counted(facts, `changes ${known.email}`),
  };
}

export function updateRole(known: Knowledge): Change | undefined {
  const name = pick(rolesOf(known.facts).slice(1));
  if (name === undefined) return undefined;
  const mask = otherMask(known.facts.get(`role ${name}`));
  return {
    ...update("role.update"),
    path: `/v1/role/${idOf(known, `role ${name}`)}`,
    body: { name, selfRights: rightsOf(mask) },
    after: counted(new Map(known.facts).set(`role ${name}`, String(mask)), `changes ${known.email}`),
  };
}

/** Puts a relation from an older role to a younger one, so that there is no cycle. */
export function putRelation(known: Knowledge): Change | undefined {
  const roles = rolesOf(known.facts);
  const [parent, child] = [pick(roles), pick(roles.slice(1))];
  if (parent === undefined || child === undefined || ageOf(parent) >= ageOf(child)) return undefined;
  const key = `manages ${parent} > ${child}`;
  const mask = otherMask(known.facts.get(key));
  const path = `/v1/role/${idOf(known, `role ${parent}`)}/manages?childRoleId=${
    idOf(known, `role ${child}`)
  }`;
  return {
    ...update("manages.put"),
    path,
    body: rightsOf(mask),
    after: counted(new Map(known.facts).set(key, String(mask)), `changes ${known.email}`),
  };
}

/** Deletes a relation, with everything that only it connected. */
export function deleteRelation(known: Knowledge): Change | undefined {
  const key = pick(keysOf(known.facts, "manages "));
  if (key === undefined) return undefined;
  const [, parent = ""] = key.split(" ");
  const facts = new Map(known.facts);
  facts.delete(key);
  return {
    ...deletion("manages.delete"),
    path: `/v1/role/${idOf(known, `role ${parent}`)}/manages/${idOf(known, key)}`,
    after: counted(withoutLoose(facts), `changes ${known.email}`),
  };
}

/** Adds a member with a new address, which also creates an account, a link and a mail. */
export function addMember(known: Knowledge): Change | undefined {
  const role = pick(rolesOf(known.facts));
  if (role === undefined) return undefined;
  const email = `${known.name}.member${known.serial}@crash.example`;
  const facts = new Map(known.facts).set(`member ${role} < ${email}`, "")
    .set(`account ${email}`, "1 link, 1 mail");
  return {
    ...update("member.add"),
    path: `/v1/role/${idOf(known, `role ${role}`)}/member?userEmail=${email}`,
    body: {},
    after: counted(facts, `changes ${known.email}`),
  };
}

export function removeMember(known: Knowledge): Change | undefined {
  const key = pick(keysOf(known.facts, "member ").filter((one) => !one.endsWith(known.email)));
  if (key === undefined) return undefined;
  const [, role = ""] = key.split(" ");
  const facts = new Map(known.facts);
  facts.delete(key);
  return {
    ...deletion("member.remove"),
    path: `/v1/role/${idOf(known, `role ${role}`)}/member/${idOf(known, key)}`,
    after: counted(facts, `changes ${known.email}`),
  };
}

export function createDevice(known: Knowledge): Change | undefined {
  const role = pick(rolesOf(known.facts));
  if (role === undefined || keysOf(known.facts, "device ").length >= MAX_DEVICES) return undefined;
  const nodeId = `${known.name}-${known.serial}`;
  const facts = new Map(known.facts).set(`device ${nodeId}`, "").set(`monitors ${role} > ${nodeId}`, "");
  return {
    ...creation(known, "device.create"),
    path: `/v1/device?roleId=${idOf(known, `role ${role}`)}`,
    body: { properties: { nodeId } },
    after: counted(facts, `changes ${known.email}`),
  };
}

export function addMonitors(known: Knowledge): Change | undefined {
  const [role, device] = [pick(rolesOf(known.facts)), pick(keysOf(known.facts, "device "))];
  if (role === undefined || device === undefined) return undefined;
  const key = `monitors ${role} > ${device.slice("device ".length)}`;
  if (known.facts.has(key)) return undefined;
  return {
    ...update("monitors.add"),
    path: `/v1/role/${idOf(known, `role ${role}`)}/monitors?deviceId=${idOf(known, device)}`,
    body: {},
    after: counted(new Map(known.facts).set(key, ""), `changes ${known.email}`),
  };
}

/** Removes a monitors relation, with the device and its points if no other role monitors it. */
export function removeMonitors(known: Knowledge): Change | undefined {
  const key = pick(keysOf(known.facts, "monitors "));
  if (key === undefined) return undefined;
  const [, role = ""] = key.split(" ");
  const facts = new Map(known.facts);
  facts.delete(key);
  return {
    ...deletion("monitors.remove"),
    path: `/v1/role/${idOf(known, `role ${role}`)}/monitors/${idOf(known, key)}`,
    after: counted(withoutLoose(facts), `changes ${known.email}`),
  };
}

/** A creation with its own idempotency key, so that it can be repeated. */
function creation(
  known: Knowledge,
  kind: string,
): Pick<Change, "kind" | "method" | "headers" | "repeatable"> {
  const headers = { ...JSON_TYPE, "Idempotency-Key": `${known.name} ${known.serial}` };
  return { kind, method: "POST", headers, repeatable: true };
}

function update(kind: string): Pick<Change, "kind" | "method" | "headers" | "repeatable"> {
  return { kind, method: "PUT", headers: JSON_TYPE, repeatable: true };
}

function deletion(kind: string): Pick<Change, "kind" | "method" | "repeatable"> {
  return { kind, method: "DELETE", repeatable: false };
}

/** Removes the roles that the root does not reach, then the devices that no role monitors. */
function withoutLoose(facts: Map<string, string>): Map<string, string> {
  const [root = ""] = rolesOf(facts);
  const held = new Set([root]);
  const relations = keysOf(facts, "manages ").map((key) => key.split(" "));
  for (let before = 0; before < held.size;) {
    before = held.size;
    for (const [, parent = "", , child = ""] of relations) if (held.has(parent)) held.add(child);
  }
  for (const key of facts.keys()) {
    const [kind = "", role = "", , child = ""] = key.split(" ");
    const isOfRole = ["role", "manages", "member", "monitors"].includes(kind);
    if (isOfRole && !held.has(role) || kind === "manages" && !held.has(child)) facts.delete(key);
  }
  const monitored = new Set(keysOf(facts, "monitors ").map((key) => key.split(" ")[3]));
  for (const key of facts.keys()) {
    const [kind = "", nodeId = ""] = key.split(" ");
    if (["device", "points"].includes(kind) && !monitored.has(nodeId)) facts.delete(key);
  }
  return facts;
}

/** The mask with one of the spare rights toggled. */
function otherMask(mask: string | undefined): number {
  return Number(mask ?? ALL_RIGHTS) ^ (pick(SPARE_RIGHTS) ?? 0);
}

function rightsOf(mask: number): Record<string, boolean> {
  return Object.fromEntries(RIGHT_NAMES.map((name, bit) => [name, (mask >> bit & 1) === 1]));
}
