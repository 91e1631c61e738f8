import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import type { Role } from "../../schemas.ts";
import { afterPhrase } from "./words.ts";

type ActionName = keyof typeof texts.value.find.actions;

/** What may be done with a role from any page. */
interface RoleAction {
  readonly address: (id: number) => string;
  /** Whether the viewer may, as far as the page knows; the service decides. */
  readonly isAllowed: (role: Role) => boolean;
}

const always = (): boolean => true;
const mayExtend = ({ userRights }: Role): boolean => userRights.roleManagement === true;
/** Role management of a direct member may be that of the role on itself, which does not suffice. */
const mayChange = (role: Role): boolean => mayExtend(role) && !isOwn(role.id);
const mayAddDevice = (role: Role): boolean => role.userRights.deviceManagement === true || mayChange(role);
const mayInvite = (role: Role): boolean => role.userRights.userManagement === true || mayChange(role);

const isOwn = (id: number): boolean => me.value?.memberOf.some(({ roleId }) => roleId === id) === true;

const ACTIONS: Readonly<Record<ActionName, RoleAction>> = {
  invite: { address: (id) => `/role/${id}?do=member`, isAllowed: mayInvite },
  inviteMany: { address: (id) => `/role/${id}?do=members`, isAllowed: mayInvite },
  create: { address: (id) => `/role/${id}?do=create`, isAllowed: mayExtend },
  why: { address: (id) => `/why?role=${id}`, isAllowed: always },
  people: { address: (id) => `/role/${id}?tab=people&list=access`, isAllowed: mayInvite },
  devices: { address: (id) => `/role/${id}?tab=devices`, isAllowed: always },
  addDevice: { address: (id) => `/role/${id}?tab=devices&do=add-device`, isAllowed: mayAddDevice },
  handOver: { address: (id) => `/role/${id}?tab=devices&do=hand-over`, isAllowed: mayAddDevice },
  edit: { address: (id) => `/role/${id}?do=edit`, isAllowed: mayChange },
  move: { address: (id) => `/role/${id}?do=move`, isAllowed: mayChange },
  delete: { address: (id) => `/role/${id}?do=delete`, isAllowed: mayChange },
};

const NAMES = Object.keys(ACTIONS) as ActionName[];
/** Offered for a role that was found, without words that ask for them. */
const USUAL: readonly ActionName[] = ["invite", "create"];

/** An action on a role, to be chosen. */
export interface Doable {
  readonly key: string;
  /** A phrase with `{role}` in it. */
  readonly phrase: string;
  readonly role: Role;
  readonly address: string;
}

/**
 * Returns the name of a role in what asks for an action on it: "kerk" of "invite kerk" and of "invite several people to
 * kerk", by the action with the most of the words. Undefined without one.
 */
export function askedRole(typed: string): string | undefined {
  const rests = NAMES.flatMap((name) => afterPhrase(phraseOf(name), typed) || []);
  return rests.toSorted((one, other) => one.length - other.length)[0];
}

/** Returns what the viewer may do with the roles, of what the words before a name ask for. Without words, all. */
export function doablesFor(roles: readonly Role[], typed: string, named = ""): Doable[] {
  return listDoables(
    roles,
    NAMES.filter((name) => typed === "" || afterPhrase(phraseOf(name), typed) === named),
  );
}

/** Returns what is usually done with a role that was found. */
export function usualDoables(roles: readonly Role[]): Doable[] {
  return listDoables(roles, USUAL);
}

function listDoables(roles: readonly Role[], names: readonly ActionName[]): Doable[] {
  return names.flatMap((name) => {
    const { address, isAllowed } = ACTIONS[name];
    return roles.filter(isAllowed).map((role) => ({
      key: `${name} ${role.id}`,
      phrase: phraseOf(name),
      role,
      address: address(role.id),
    }));
  });
}

function phraseOf(name: ActionName): string {
  return texts.value.find.actions[name];
}
