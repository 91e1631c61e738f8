import type { ComponentChildren } from "preact";
import { Link, PersonLink, RoleLink } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { formatComing, formatDate, texts } from "../../language.ts";
import { usePages } from "../../use_pages.ts";
import { returningHere } from "../change/opened_from.ts";
import { RoleName } from "../change/role_name.tsx";
import { loadGrants, type NamedGrant } from "./lists.ts";

interface GrantsProps {
  readonly userId: number;
}

/** The keys that a person made. */
export function MadeKeys({ userId }: GrantsProps) {
  const { person } = texts.value;
  return <Grants userId={userId} kinds={["key"]} title={person.keys} empty={person.keysNone} />;
}

/** The memberships, passwords of roles and relations that a person gave. */
export function Given({ userId }: GrantsProps) {
  const { person } = texts.value;
  const kinds = ["membership", "rolePassword", "relation"] as const;
  return <Grants userId={userId} kinds={kinds} title={person.gave} empty={person.gaveNone} />;
}

interface GrantListProps extends GrantsProps {
  readonly kinds: readonly NamedGrant["kind"][];
  readonly title: string;
  readonly empty: string;
}

function Grants({ userId, kinds, title, empty }: GrantListProps) {
  const pages = usePages("grants", loadGrants, userId, kinds);
  return (
    <section>
      <h2>{title}</h2>
      <PagedList
        pages={pages}
        empty={empty}
        render={(grant) => <Row key={`${grant.kind} ${grant.id ?? grant.roleId}`} grant={grant} />}
      />
    </section>
  );
}

function Row({ grant }: { readonly grant: NamedGrant }) {
  const { person } = texts.value;
  const { kind, role, rights, at, until } = grant;
  return (
    <li class="person">
      <span class="name">
        <What grant={grant} />
      </span>
      {rights !== undefined && <RightsTicks rights={rights} />}
      <ul class="facts">
        {kind !== "relation" && (
          <li>
            {role === undefined ? <RoleName role={role} /> : <RoleLink id={role.id} name={role.name} />}
          </li>
        )}
        {at !== undefined && <li>{(kind === "key" ? person.made : person.set)(formatDate(at))}</li>}
        {until !== undefined && (
          <li>
            {kind === "key" ? person.ends(formatDate(until)) : person.until(formatComing(until))}
          </li>
        )}
      </ul>
    </li>
  );
}

/** What was given, as a link to where it can be taken back. */
function What({ grant }: { readonly grant: NamedGrant }): ComponentChildren {
  const { person, changes } = texts.value;
  const { kind, id, roleId, userEmail, name, role, parent } = grant;
  if (kind === "key") {
    return (
      <Link to={`/role/${roleId}?tab=keys`}>
        <Name>{name ?? String(id)}</Name>
      </Link>
    );
  }
  if (kind === "rolePassword") return texts.value.words.rolePassword;
  if (kind === "relation") {
    const what = { tab: "relations", do: "relation", relation: String(id), ...returningHere() };
    return (
      <Link to={`/role/${roleId}?${new URLSearchParams(what)}`}>
        <Sentence parts={person.relation(<RoleName role={parent} />, <RoleName role={role} />)} />
      </Link>
    );
  }
  return (
    <Sentence
      parts={person.membership(userEmail ? <PersonLink email={userEmail} /> : changes.hiddenMember)}
    />
  );
}
