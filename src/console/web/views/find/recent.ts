import { effect } from "@preact/signals";
import { queryMembers } from "../../ask_lists.ts";
import { loadRoles } from "../../roles.ts";
import { path, readId } from "../../router.ts";
import { sessionState, userId } from "../../session.ts";
import { loadDeviceNames } from "../../device_names.ts";

/**
 * What the viewer opened lately in this browser, the latest first, by account. Ids alone are kept: the names, and whether
 * they may still be seen, are the service's to say. Signing out forgets them.
 */

/** The views of one thing each, by an id. */
const VIEWS = ["role", "person", "devices"] as const;

/** A thing with a page of its own. */
interface Opened {
  readonly view: (typeof VIEWS)[number];
  readonly id: number;
}

/** A thing that was opened lately, with its name. */
export interface Recent extends Opened {
  readonly name: string;
  readonly address: string;
}

const MOST = 6;

function keptAt(): string {
  return `rolegrid-recent-${userId.value}`;
}

function readOpened(): Opened[] {
  return (localStorage.getItem(keptAt()) ?? "").split(" ").flatMap(readOne);
}

function readOne(text: string): Opened[] {
  const [view, part] = text.split("/");
  const known = VIEWS.find((name) => name === view);
  const id = readId(part);
  return id !== undefined && known !== undefined ? [{ view: known, id }] : [];
}

effect(() => {
  // Another person may use the browser next.
  if (sessionState.value === "out") return localStorage.removeItem(keptAt());
  const [opened] = readOne(path.value.join("/"));
  if (opened === undefined || userId.value === undefined) return;
  const others = readOpened().filter((each) => addressOf(each) !== addressOf(opened));
  localStorage.setItem(
    keptAt(),
    [opened, ...others].slice(0, MOST).map((each) => addressOf(each).slice(1)).join(" "),
  );
});

function addressOf({ view, id }: Opened): string {
  return `/${view}/${id}`;
}

/** Loads the names of what was opened lately, but for what is open and what the viewer no longer sees. */
export async function loadRecent(signal: AbortSignal): Promise<Recent[]> {
  const current = `/${path.value.join("/")}`;
  const opened = readOpened().filter((each) => addressOf(each) !== current);
  const idsOf = (view: Opened["view"]): number[] =>
    opened.flatMap((each) => each.view === view ? [each.id] : []);
  const [role, person, devices] = await Promise.all([
    loadRoles(idsOf("role"), signal).then((roles) => new Map([...roles].map(([id, { name }]) => [id, name]))),
    loadAddresses(idsOf("person"), signal),
    loadDeviceNames(idsOf("devices"), signal),
  ]);
  const names = { role, person, devices };
  return opened.flatMap((each) => {
    const name = names[each.view].get(each.id);
    return name === undefined ? [] : [{ ...each, name, address: addressOf(each) }];
  });
}

/** Maximum number of memberships that are looked through for the addresses. */
const MEMBERSHIPS = 100;

async function loadAddresses(userId: number[], signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
  if (userId.length === 0) return new Map();
  const { member } = await queryMembers("*", { filter: { userId }, limit: MEMBERSHIPS }, signal);
  return new Map(member.map((each) => [each.userId ?? 0, each.userEmail]));
}
