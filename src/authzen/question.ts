import { isEmail, normalizeEmail } from "../core/email.ts";
import { ACR_VALUES, type Meets } from "../identity/session_proof.ts";
import { forEachRight, maskOf } from "../graph/rights.ts";

/** How the names of AuthZEN map to principals, roles, devices and rights. */

/** A subject, resource or action as a request names it. */
export interface Named {
  readonly type: string;
  readonly id: string;
}

/** The id of a principal (an account's, or minus a key's), or an address. */
export type SubjectRef = { readonly principalId: number } | { readonly email: string };

export type ResourceRef =
  | { readonly roleId: number }
  | { readonly deviceId: number }
  | { readonly nodeId: string };

/**
 * The rights that an action needs: one bit of the role's own rights for its direct members, or one bit of a path to it.
 * 0: membership is enough.
 */
export interface Needed {
  readonly direct: number;
  readonly indirect: number;
}

/** A question that can be decided. */
export interface Question {
  readonly subject: SubjectRef;
  readonly resource: ResourceRef;
  readonly needed: Needed;
  /** The demand that a session of the subject meets, if that is another one than the actor. */
  readonly meets: Meets;
}

/**
 * Returns the demand that the session of a subject meets, by the claims `acr` and `aal` of its access token. By `aal`
 * alone it meets none: a code that was mailed raises it, too.
 */
export function meetsOf({ acr, aal = 2 }: Readonly<Record<string, unknown>> = {}): Meets {
  const level = ACR_VALUES.findIndex((value) => value === acr) + 1;
  return aal === 2 ? level as Meets : 0;
}

const MEMBERSHIP: Needed = { direct: 0, indirect: 0 };
/** The same rights as `managesDevicesOf` in `device/guard_queries.ts`. */
const DEVICE_MANAGEMENT: Needed = {
  direct: maskOf("deviceManagement"),
  indirect: maskOf("deviceManagement") | maskOf("roleManagement"),
};

/** The actions on each type of resource, in the order of search results. */
export const ACTIONS: Readonly<Record<string, ReadonlyMap<string, Needed>>> = {
  role: new Map<string, Needed>([
    ...Object.entries(forEachRight((right) => ({ direct: maskOf(right), indirect: maskOf(right) }))),
    ["member", MEMBERSHIP],
  ]),
  device: new Map([["read", MEMBERSHIP], ["write", DEVICE_MANAGEMENT], ["manage", DEVICE_MANAGEMENT]]),
};

/** Returns the rights that the action needs on a resource of the type, or undefined if either does not exist. */
export function findNeeded(resourceType: string, action: string): Needed | undefined {
  return Object.hasOwn(ACTIONS, resourceType) ? ACTIONS[resourceType]?.get(action) : undefined;
}

export function parseSubject({ type, id }: Named): SubjectRef | undefined {
  const number = parseId(id);
  if (type === "key") return number === undefined ? undefined : { principalId: -number };
  if (type !== "user") return undefined;
  if (number !== undefined) return { principalId: number };
  return isEmail(id) ? { email: normalizeEmail(id) } : undefined;
}

/**
 * Returns the resource, or undefined if it cannot exist. A number is always an id: a nodeId that looks like the id of
 * another device must not stand for it.
 */
export function parseResource({ type, id }: Named): ResourceRef | undefined {
  const number = parseId(id);
  if (type === "role") return number === undefined ? undefined : { roleId: number };
  if (type !== "device") return undefined;
  if (number !== undefined) return { deviceId: number };
  return id.isWellFormed() ? { nodeId: id } : undefined;
}

/** A question as a request names it. */
export interface AskedNames {
  readonly subject: Named;
  readonly action: { readonly name: string };
  readonly resource: Named;
}

/**
 * Returns why a question can only be denied, whatever is stored: it names a type, an action or a form of id that does
 * not exist. Undefined if it can be decided.
 */
export function whyUndecidable({ subject, action, resource }: AskedNames): string | undefined {
  if (subject.type !== "user" && subject.type !== "key") {
    return "The type of a subject is user or key: map any other, such as identity, to one of them";
  }
  if (parseSubject(subject) === undefined) {
    return subject.type === "user"
      ? "The id of a user is that of the account, or the address"
      : "The id of a key is its number";
  }
  if (!Object.hasOwn(ACTIONS, resource.type)) {
    return "The type of a resource is role or device: map any other, such as route, to one of them";
  }
  if (parseResource(resource) === undefined) {
    return "The id of a resource is its number, or the nodeId of a device";
  }
  if (findNeeded(resource.type, action.name) !== undefined) return undefined;
  return `There is no such action: on a ${resource.type}, ${
    [...ACTIONS[resource.type]?.keys() ?? []].join(", ")
  }`;
}

/** Returns the id in its only spelling, from 1, or undefined. */
export function parseId(text: string): number | undefined {
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(id) ? id : undefined;
}
