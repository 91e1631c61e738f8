import { api, dataOf } from "../../api.ts";
import { ProblemNote, useWork } from "../../components/form.tsx";
import { Link, PersonLink, RoleLink } from "../../components/link.tsx";
import { say } from "../../components/notice.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { TimeFact } from "../../components/time.tsx";
import { formatWait, isolate, texts } from "../../language.ts";
import { queryMembers } from "../../ask_lists.ts";
import { fillPage } from "../../read_list.ts";
import { loadRoles } from "../../roles.ts";
import type { Member } from "../../schemas.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import { returningHere } from "../change/opened_from.ts";
import { FOR_GOOD } from "../change/terms_fields.tsx";
import { MemberRow } from "./member_list.tsx";

/** Why members want attention: they have never signed in, their membership ends, or they lack a second factor. */
const ATTENTIONS = ["waiting", "ending", "unmet"] as const;
export type Attention = (typeof ATTENTIONS)[number];

export function isAttention(text: string | null): text is Attention {
  return ATTENTIONS.some((each) => each === text);
}

/** How many members a request scans, and how many requests look for the next ones to show. */
const SCANNED = 1000;
const MOST_REQUESTS = 10;
const DAY_MS = 86_400_000;
const NEAR_MS = 7 * DAY_MS;

interface Shown {
  readonly member: Member;
  /** The name of its role, in a list of all roles. */
  readonly roleName?: string | undefined;
}

interface AttentionListProps {
  /** A role whose members the viewer manages, or all of these. */
  readonly roleId: number | "*";
  readonly kind: Attention;
}

/** The members who want attention. */
export function AttentionList({ roleId, kind }: AttentionListProps) {
  const { hints, none } = texts.value.people;
  const pages = usePages("attention", loadAttention, roleId, kind);
  return (
    <>
      <p class="hint">{hints[kind]}</p>
      <PagedList
        pages={pages}
        empty={none[kind]}
        render={(shown) =>
          kind === "unmet"
            ? <MemberRow key={shown.member.id} member={shown.member} mayManagePeople />
            : <AttentionRow key={shown.member.id} {...shown} kind={kind} onSent={pages.reload} />}
      />
    </>
  );
}

async function loadAttention(
  roleId: number | "*",
  kind: Attention,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<Shown>> {
  const filter = kind === "waiting"
    ? { waiting: true }
    : kind === "ending"
    ? { endsBefore: new Date(Date.now() + NEAR_MS).toISOString() }
    : {};
  // The service applies the filters to a bounded number of members, so a page may have none of them.
  const { items, next } = await fillPage(start, 1, async (from) => {
    const body = { filter, limit: SCANNED, ...from };
    const { member, nextCursor } = await queryMembers(roleId, body, signal);
    return {
      items: member.filter(({ lastMetAt }) => kind !== "unmet" || lastMetAt === null),
      next: nextCursor,
    };
  }, MOST_REQUESTS);
  return {
    items: roleId === "*" ? await withRoleNames(items, signal) : items.map((member) => ({ member })),
    next,
  };
}

/** Adds the names of the roles. */
async function withRoleNames(members: readonly Member[], signal: AbortSignal): Promise<Shown[]> {
  const roles = await loadRoles(members.map(({ roleId }) => roleId), signal);
  return members.map((member) => ({ member, roleName: roles.get(member.roleId)?.name }));
}

interface AttentionRowProps extends Shown {
  readonly kind: "waiting" | "ending";
  readonly onSent: () => void;
}

function AttentionRow({ member, roleName, kind, onSent }: AttentionRowProps) {
  const { people: words, role: { people } } = texts.value;
  const { roleId, userId, userEmail, until, waitingSince } = member;
  return (
    <li class="person">
      <PersonLink email={userEmail} userId={userId} />
      {roleName !== undefined && <RoleLink id={roleId} name={roleName} />}
      <ul class="facts">
        <TimeFact label={words.since} at={waitingSince} />
        <TimeFact label={people.until} at={until} />
        {kind === "ending" && until !== undefined && <LaterEnds member={member} until={until} />}
        {kind === "waiting" && <AboutInvitation member={member} onSent={onSent} />}
      </ul>
    </li>
  );
}

/** Links to the form of the membership, with a later end. */
function LaterEnds({ member, until }: { readonly member: Member; readonly until: string }) {
  const { later } = texts.value.people;
  const ends = { week: addDays(until, 7), month: addMonth(until), forGood: FOR_GOOD };
  return (
    <>
      {(["week", "month", "forGood"] as const).map((name) => (
        <li key={name}>
          <Link
            to={formAddress(member, "ending", { until: ends[name] })}
            label={`${later[name]}: ${member.userEmail}`}
          >
            {later[name]}
          </Link>
        </li>
      ))}
    </>
  );
}

/** Returns the address of the form of a membership, on the page of its role. */
export function formAddress(
  { id, roleId }: Member,
  list?: Attention,
  more: Record<string, string> = {},
): string {
  const what = {
    tab: "people",
    ...list !== undefined && { list },
    do: "member",
    member: String(id),
    ...more,
    ...returningHere(),
  };
  const form = new URLSearchParams(what);
  return `/role/${roleId}?${form}`;
}

function addDays(time: string, days: number): string {
  const date = new Date(time);
  date.setDate(date.getDate() + days);
  return date.toISOString();
}

/** Returns the same time of day a month later, or of a shorter month's last day. */
function addMonth(time: string): string {
  const date = new Date(time);
  const day = date.getDate();
  date.setMonth(date.getMonth() + 1);
  if (date.getDate() !== day) date.setDate(0);
  return date.toISOString();
}

interface AboutInvitationProps {
  readonly member: Member;
  readonly onSent: () => void;
}

/** Sends the invitation once more, or leads to the form that takes it back. */
export function AboutInvitation({ member, onSent }: AboutInvitationProps) {
  const { people: words } = texts.value;
  const { id, roleId, userEmail } = member;
  const { isWorking, isHeld, problem, run } = useWork();
  const send = async (): Promise<void> => {
    const params = { path: { roleId, memberId: id } };
    const { sent } = await dataOf(
      api.POST("/v1/role/{roleId}/member/{memberId}/invitation", { params }),
    );
    say((sent ? words.sent : words.opened)(isolate(userEmail)));
    if (!sent) onSent();
  };
  return (
    <>
      <li>
        <button
          type="button"
          class="plain"
          aria-label={`${words.again}: ${userEmail}`}
          aria-disabled={isHeld}
          onClick={() => void run(send)}
        >
          {isWorking.value ? texts.value.working : words.again}
        </button>
      </li>
      <li>
        <Link
          to={formAddress(member, "waiting", { how: "remove" })}
          label={`${words.takeBack}: ${userEmail}`}
        >
          {words.takeBack}
        </Link>
      </li>
      {problem !== undefined && (
        <li class="whole">
          <ProblemNote
            problem={problem}
            describe={({ code }, left) =>
              code === "TOO_MANY_INVITATIONS" ? words.notAgain(formatWait(left)) : undefined}
          />
        </li>
      )}
    </>
  );
}
