import { type AccountTold, loadAccounts } from "../../accounts_told.ts";
import { AccountFacts } from "../../components/account_facts.tsx";
import { Field } from "../../components/form.tsx";
import { Link, PersonLink, RoleLink } from "../../components/link.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { Time, TimeFact } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import { loadRoles } from "../../roles.ts";
import type { Member } from "../../schemas.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import { useTypedQuery } from "../../use_typed_query.ts";
import { AboutInvitation, formAddress } from "../role/attention_list.tsx";
import { loadMembers } from "../role/member_list.tsx";

interface Listed {
  readonly member: Member;
  readonly roleName: string;
  readonly account: AccountTold | undefined;
}

/** The people of all roles whose members the viewer manages; with a text, those whose addresses have it. */
export function EveryPerson() {
  const { people, role } = texts.value;
  const { text, onText, asked } = useTypedQuery("find");
  const pages = usePages("every person", loadListed, asked);
  // Pages are of memberships, and a person may have several.
  const items = pages.items && [...Map.groupBy(pages.items, ({ member }) => member.userEmail).values()];
  return (
    <>
      <Field label={role.people.findMember} value={text} onValue={onText} />
      <PagedList
        pages={{ ...pages, items }}
        asked={asked}
        empty={asked === "" ? people.none.all : role.people.notMember}
        render={(listed) => (
          <PersonRow key={listed[0]?.member.userEmail} listed={listed} onSent={pages.reload} />
        )}
      />
    </>
  );
}

async function loadListed(text: string, start: PageStart, signal: AbortSignal): Promise<Page<Listed>> {
  const { items, next } = await loadMembers("*", text, start, signal);
  const [roles, accounts] = await Promise.all([
    loadRoles(items.map(({ roleId }) => roleId), signal),
    loadAccounts(items.flatMap(({ userId }) => userId ?? []), signal),
  ]);
  return {
    items: items.map((member) => ({
      member,
      roleName: roles.get(member.roleId)?.name ?? String(member.roleId),
      account: accounts.get(member.userId ?? 0),
    })),
    next,
  };
}

interface PersonRowProps {
  /** The listed memberships of one person. */
  readonly listed: readonly Listed[];
  readonly onSent: () => void;
}

function PersonRow({ listed, onSent }: PersonRowProps) {
  const { people: words, role: { people, change } } = texts.value;
  const [first] = listed;
  if (first === undefined) return null;
  const { member, account } = first;
  const { userId, userEmail, waitingSince } = member;
  return (
    <li class="person">
      <PersonLink email={userEmail} userId={userId} name={account?.name} />
      <ul class="facts">
        {waitingSince === undefined ? account && <AccountFacts {...account} /> : (
          <>
            <TimeFact label={words.since} at={waitingSince} />
            <AboutInvitation member={member} onSent={onSent} />
          </>
        )}
      </ul>
      <ul class="facts">
        {listed.map(({ member, roleName }) => (
          <li key={member.id}>
            <RoleLink id={member.roleId} name={roleName} />
            {member.until !== undefined && (
              <>
                {` ${people.until} `}
                <Time at={member.until} />
              </>
            )}{" "}
            <Link to={formAddress(member)} label={`${people.changeOf(userEmail)}: ${roleName}`}>
              {change}
            </Link>
          </li>
        ))}
      </ul>
    </li>
  );
}
