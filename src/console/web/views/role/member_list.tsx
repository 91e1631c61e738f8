import { Field } from "../../components/form.tsx";
import { Link, PersonLink } from "../../components/link.tsx";
import { type ListContent, ListFile } from "../../components/list_file.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { TimeFact } from "../../components/time.tsx";
import { writeCsv } from "../../csv.ts";
import { find } from "../../find.ts";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { queryMembers } from "../../ask_lists.ts";
import { ALL } from "../../rights.ts";
import { MOST_IDS } from "../../roles.ts";
import { readList } from "../../read_list.ts";
import { withQuery } from "../../router.ts";
import type { Member, Role } from "../../schemas.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import { useTypedQuery } from "../../use_typed_query.ts";
import { writeRights } from "../change/people_lines.ts";
import { NeedsNote } from "./needs_note.tsx";
import type { TabProps } from "./tab_props.ts";

const PAGE = 50;

/** The direct members of a role. Without the right to see them, the viewer's own membership. */
export function MemberList({ role, allowed: { mayManagePeople } }: TabProps) {
  const { people } = texts.value.role;
  const { text, onText, asked } = useTypedQuery("find");
  const isDormant = me.value?.dormant.some(({ roleId }) => roleId === role.id) === true;
  const pages = usePages(
    `members ${role.id} ${asked}`,
    (start, signal) => loadMembers(role.id, asked, start, signal),
  );
  return (
    <>
      {mayManagePeople
        ? <p class="hint">{people.membersHint}</p>
        : <NeedsNote roleId={role.id} text={people.needs} />}
      {mayManagePeople && (
        <>
          <div class="list-actions">
            <Link to={withQuery({ do: "member" })} class="button">{people.invite}</Link>
            <Link to={withQuery({ do: "members" })} class="button">{people.inviteMany}</Link>
          </div>
          <Field label={people.findMember} value={text} onValue={onText} />
          <ListFile
            key={asked}
            name={`members-${role.id}.csv`}
            read={(onLines, signal) => readMemberFile(role, asked, onLines, signal)}
          />
        </>
      )}
      <PagedList
        pages={pages}
        asked={asked}
        empty={!mayManagePeople
          ? isDormant ? people.dormant : people.notYours
          : asked === ""
          ? people.noMembers
          : people.notMember}
        render={(member) => <MemberRow key={member.id} member={member} mayManagePeople={mayManagePeople} />}
      />
    </>
  );
}

/** Loads a page of the members, or of those in whose addresses a text is found. */
export async function loadMembers(
  roleId: number | "*",
  text: string,
  start: PageStart,
  signal: AbortSignal,
  limit = PAGE,
): Promise<Page<Member>> {
  const found = text === ""
    ? undefined
    : await find({ text, kind: ["person"], limit: PAGE, ...start }, signal);
  const userEmail = found?.person.map((person) => person.userEmail);
  if (userEmail?.length === 0) return { items: [], next: found?.nextCursor.person };
  const body = userEmail === undefined ? { limit, ...start } : { filter: { userEmail }, limit: PAGE };
  const { member, nextCursor } = await queryMembers(roleId, body, signal);
  return { items: member, next: found === undefined ? nextCursor : found.nextCursor.person };
}

/** The first ones are those of an import. */
const COLUMNS = [
  "email",
  "until",
  "rights",
  "userId",
  "externalId",
  "waitingSince",
  "lastMetAt",
  "roleId",
  "roleName",
] as const;

/** Loads the members as a file that the form for several people reads. */
async function readMemberFile(
  { id: roleId, name }: Role,
  text: string,
  onLines: (lines: number) => void,
  signal: AbortSignal,
): Promise<ListContent> {
  const { items, hasMore } = await readList(
    (start) => loadMembers(roleId, text, start, signal, MOST_IDS),
    onLines,
  );
  const rows = items.map(({ userEmail, until, rights, userId, externalId, waitingSince, lastMetAt }) => [
    userEmail,
    until,
    writeRights(rights ?? null),
    userId,
    externalId,
    waitingSince,
    lastMetAt,
    roleId,
    name,
  ]);
  return { content: writeCsv([COLUMNS, ...rows]), hasMore };
}

interface MemberRowProps {
  readonly member: Member;
  readonly mayManagePeople: boolean;
}

/** A membership in a list. */
export function MemberRow({ member, mayManagePeople }: MemberRowProps) {
  const { about, change, people } = texts.value.role;
  const { id, userId, userEmail, externalId, until, rights, lastMetAt, waitingSince } = member;
  return (
    <li class="person">
      <PersonLink email={userEmail} userId={userId} />
      <Link
        to={withQuery({ do: "member", member: String(id) })}
        {...(mayManagePeople ? { label: people.changeOf(userEmail) } : {})}
      >
        {mayManagePeople ? change : people.leave}
      </Link>
      <ul class="facts">
        {userEmail === me.value?.email && <li>{texts.value.words.you}</li>}
        {externalId !== undefined && (
          <li>
            {about.externalId}: <Name>{externalId}</Name>
          </li>
        )}
        <TimeFact label={texts.value.people.since} at={waitingSince} />
        <TimeFact label={people.until} at={until} />
        {lastMetAt === null ? <li>{people.neverMet}</li> : <TimeFact label={people.lastMet} at={lastMetAt} />}
        {rights !== undefined && (
          <li>
            {texts.value.words.atMost} <RightsTicks rights={rights} before={ALL} />
          </li>
        )}
      </ul>
    </li>
  );
}
