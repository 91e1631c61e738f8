import { isEmail, normalizeEmail } from "../../../../core/email.ts";
import type { ComponentChildren } from "preact";
import { Marked } from "../../components/marked.tsx";
import { Name } from "../../components/name.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { addressOfRole } from "../../components/link.tsx";
import { describeParents, type Found, type Kind, KINDS, listNames } from "../../find.ts";
import { formatComing, texts } from "../../language.ts";
import { me } from "../../me.ts";
import { Periods } from "../devices/ended_devices.tsx";
import type { PlainPage } from "./pages.ts";
import type { Recent } from "./recent.ts";
import type { Doable } from "./role_actions.ts";
import { matchesPhrase } from "./words.ts";

/** An entry of the palette's list. */
export interface Option {
  readonly key: string;
  /** What kind of thing it is, in words. */
  readonly kind: string;
  readonly content: ComponentChildren;
  /** More about it, on a line of its own. */
  readonly about?: ComponentChildren;
  /** The address that it leads to, or else what it does. */
  readonly chosen: string | (() => void);
  /** Whether the palette stays open. */
  readonly staysOpen?: boolean;
}

/** Returns what was found, kind by kind, each with a way to more. */
export function optionsOfFound(
  found: Found,
  typed: string,
  onMore: (kind: Kind) => void,
): Option[] {
  const { kinds, more } = texts.value.find;
  const marked = (text: string) => (
    <Name>
      <Marked typed={typed}>{text}</Marked>
    </Name>
  );
  const hits: Readonly<Record<Kind, Omit<Option, "kind">[]>> = {
    role: found.role.map((role) => ({
      key: `role ${role.id}`,
      content: marked(role.name),
      about: describeParents(role),
      chosen: addressOfRole(role.id),
    })),
    person: found.person.map(({ userId, userEmail, roles }) => ({
      key: `person ${userId}`,
      content: marked(userEmail),
      about: listNames(roles),
      chosen: `/person/${userId}`,
    })),
    device: found.device.map(({ id, nodeId, name, roles, periods }) => ({
      key: `device ${id}`,
      content: marked(name ?? nodeId),
      about: (
        <>
          {name !== undefined && <>{marked(nodeId)} ·{" "}</>}
          {periods === undefined ? listNames(roles) : <Periods periods={periods} />}
        </>
      ),
      chosen: `/devices/${id}`,
    })),
  };
  return KINDS.flatMap((kind) => [
    ...hits[kind].map((hit) => ({ ...hit, kind: kinds[kind] })),
    ...found.nextCursor[kind] === null ? [] : [{
      key: moreKey(kind),
      kind: "",
      content: more[kind],
      chosen: () => onMore(kind),
      staysOpen: true,
    }],
  ]);
}

/** Returns the key of the way to more of a kind. */
export function moreKey(kind: Kind): string {
  return `more ${kind}`;
}

/** Returns the roles of which the viewer is a direct member, if these are several. */
export function optionsOfMine(): Option[] {
  const { find, person } = texts.value;
  const { memberOf = [] } = me.value ?? {};
  if (memberOf.length < 2) return [];
  return memberOf.map(({ roleId, name, until }) => ({
    key: `mine ${roleId}`,
    kind: find.kinds.mine,
    content: <Name>{name}</Name>,
    about: until && person.until(formatComing(until)),
    chosen: addressOfRole(roleId),
  }));
}

/** Returns what was opened lately. */
export function optionsOfRecent(recent: readonly Recent[]): Option[] {
  return recent.map(({ name, address }) => ({
    key: `recent ${address}`,
    kind: texts.value.find.kinds.recent,
    content: <Name>{name}</Name>,
    chosen: address,
  }));
}

/** Returns pages. */
export function optionsOfPages(pages: readonly PlainPage[], typed: string): Option[] {
  return pages.map(({ title, address }) => ({
    key: `page ${address}`,
    kind: texts.value.find.kinds.page,
    content: <Marked typed={typed} isByWord>{title}</Marked>,
    chosen: address,
  }));
}

/** Returns actions on roles, whose names have what was typed. */
export function optionsOfActions(doables: readonly Doable[], typed: string): Option[] {
  return doables.map(({ key, phrase, role, address }) => {
    const name = (
      <Name>
        <Marked typed={typed}>{role.name}</Marked>
      </Name>
    );
    return {
      key,
      kind: texts.value.find.kinds.action,
      content: <Phrase text={phrase} parts={{ role: name }} />,
      chosen: address,
    };
  });
}

/** Returns those of the commands whose words the typed ones begin. */
export function optionsOfCommands(
  commands: readonly (readonly [title: string, run: () => void])[],
  typed: string,
): Option[] {
  return commands.filter(([title]) => matchesPhrase(title, typed)).map(([title, chosen]) => ({
    key: title,
    kind: texts.value.find.kinds.action,
    content: <Marked typed={typed} isByWord>{title}</Marked>,
    chosen,
  }));
}

/** Returns the page of a person whose whole address is typed: they may have left, and are not found by the search then. */
export function optionsOfAddress(typed: string, { person }: Found): Option[] {
  const email = normalizeEmail(typed);
  if (!isEmail(email) || person.some(({ userEmail }) => userEmail === email)) return [];
  return [{
    key: `address ${email}`,
    kind: texts.value.find.kinds.person,
    content: <Name>{email}</Name>,
    chosen: `/person?${new URLSearchParams({ email })}`,
  }];
}
