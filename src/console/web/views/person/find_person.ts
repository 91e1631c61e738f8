import { api, dataOf } from "../../api.ts";
import { queryMembers } from "../../ask_lists.ts";
import { fillPage } from "../../read_list.ts";
import type { Page, PageStart } from "../../use_pages.ts";
import { findSpan, readBack } from "../changes/read_log.ts";
import { hasGrants } from "./lists.ts";

/** A person. The address is null if the viewer knows only what they did. */
export interface Person {
  readonly id: number;
  readonly email: string | null;
  /** Of a person without access that the viewer manages: when it ended (ISO 8601); null if that is not known. */
  readonly leftAt?: string | null;
}

type By = { readonly userId: number } | { readonly userEmail: string };

/** Maximum number of pages per question. */
const MOST_PAGES = 10;

/**
 * Finds a person by id or address: a member of a role, or a person with access to one, whose members the viewer manages, now
 * or before. By the id, also a person who only did or gave something that the viewer sees. Undefined if there is no one.
 */
export async function findPerson(by: By, signal: AbortSignal): Promise<Person | undefined> {
  return await findMember(by, signal) ?? await findAccess(by, signal) ??
    await findFormer(by, signal) ??
    ("userId" in by ? await findTraces(by.userId, signal) : undefined);
}

async function findMember(by: By, signal: AbortSignal): Promise<Person | undefined> {
  const filter = "userId" in by ? { userId: [by.userId] } : { userEmail: [by.userEmail] };
  return await firstOf(async (start) => {
    const { member, nextCursor } = await queryMembers("*", { filter, limit: 1, ...start }, signal);
    return {
      items: member.map(({ userId, userEmail }) => ({ id: userId ?? 0, email: userEmail })),
      next: nextCursor,
    };
  });
}

async function findAccess(by: By, signal: AbortSignal): Promise<Person | undefined> {
  return await firstOf(async (start) => {
    const { person, nextCursor } = await dataOf(
      api.POST("/v1/access/query", { body: { ...by, limit: 1, ...start }, signal }),
    );
    return { items: person ? [{ id: person.userId, email: person.userEmail }] : [], next: nextCursor };
  });
}

async function firstOf(ask: (start: PageStart) => Promise<Page<Person>>): Promise<Person | undefined> {
  return (await fillPage({}, 1, ask, MOST_PAGES)).items[0];
}

/** Finds the person by the last change of a membership of theirs. */
async function findFormer(by: By, signal: AbortSignal): Promise<Person | undefined> {
  const filter = "userId" in by ? { memberId: by.userId } : { memberEmail: by.userEmail };
  const { changes: [last] } = await readBack(filter, await findSpan(filter, signal), signal);
  if (last === undefined || last.memberId === null) return undefined;
  // Otherwise, a membership went with its role.
  const isEnd = last.decision === "ok" && ENDS.has(last.kind);
  return { id: last.memberId, email: last.memberEmail, leftAt: isEnd ? last.at : null };
}

/** The kinds of changes that end a membership. */
export const ENDS: ReadonlySet<string> = new Set([
  "member.remove",
  "member.leave",
  "member.end",
  "access.end",
]);

/** Finds the person by what they did, or gave. */
async function findTraces(userId: number, signal: AbortSignal): Promise<Person | undefined> {
  const filter = { actorId: userId };
  const [{ changes }, hasGiven] = await Promise.all([
    readBack(filter, await findSpan(filter, signal), signal),
    hasGrants(userId, signal),
  ]);
  if (changes.length === 0 && !hasGiven) return undefined;
  const named = changes.find(({ actor }) => actor?.email);
  return { id: userId, email: named?.actor?.email ?? null };
}
