import { Link, PersonLink, RoleLink } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { formatComing, texts } from "../../language.ts";
import { me } from "../../me.ts";
import { RightsExplained } from "../../picture/legend.tsx";
import { forEachRight, type Rights } from "../../../../graph/rights.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { loadAccess, type ShownAccess } from "../../access.ts";

/** Members of roles above, by the role. */
interface Group {
  readonly role: Role;
  readonly people: number;
  readonly rights: Rights;
}

/** Maximum number of rows. */
const SHOWN = 5;

interface ViewersProps {
  readonly roleId: number;
  /** Whether a heading above names the role; otherwise the title of the page does. */
  readonly isBelow: boolean;
}

/** Who else sees a role: its other members, then the roles above with the number of their people. */
export function Viewers({ roleId, isBelow }: ViewersProps) {
  const { home } = texts.value;
  const { data, problem } = useLoad(`viewers of ${roleId}`, (signal) => loadAccess(roleId, {}, {}, signal));
  if (data === undefined) return problem === undefined && <div class="pending" />;
  const others = data.items.filter(({ userEmail }) => userEmail !== me.value?.email);
  // Only for viewers who manage its members; others are not told.
  if (others.length === 0) return null;
  const isPart = typeof data.next === "string";
  const groups = groupByRole(others.filter(({ direct }) => !direct));
  // Those of roles that the viewer does not see are named alone.
  const alone = others.filter(({ direct, roles }) => direct || roles.length === 0);
  const rows = [
    ...alone.filter(({ direct }) => direct).map((access) => <Person key={keyOf(access)} access={access} />),
    ...groups.map((group) => <People key={group.role.id} group={group} isPart={isPart} />),
    ...alone.filter(({ direct }) => !direct).map((access) => <Person key={keyOf(access)} access={access} />),
  ];
  const Heading = isBelow ? "h3" : "h2";
  return (
    <div class="viewers">
      <Heading>{home.viewers}</Heading>
      <ul class="rows">{rows.slice(0, SHOWN)}</ul>
      <RightsExplained />
      <Link to={`/role/${roleId}?tab=people&list=access`}>{home.allViewers}</Link>
    </div>
  );
}

function keyOf({ userEmail, key }: ShownAccess): string {
  return key === undefined ? userEmail ?? "" : `key ${key.id}`;
}

function Person({ access: { userId, userEmail, key, until, rights } }: { readonly access: ShownAccess }) {
  const { role: { people } } = texts.value;
  return (
    <li>
      <span>
        {key !== undefined
          ? people.key(<Name>{key.name ?? String(key.id)}</Name>)
          : typeof userEmail === "string"
          ? <PersonLink email={userEmail} userId={userId} />
          : people.deleted}
        {until !== undefined && <small>{texts.value.person.until(formatComing(until))}</small>}
      </span>
      <RightsTicks rights={rights} />
    </li>
  );
}

function People({ group: { role, people, rights }, isPart }: {
  readonly group: Group;
  /** Whether there may be more people than were loaded. */
  readonly isPart: boolean;
}) {
  return (
    <li>
      <span>
        <RoleLink id={role.id} name={role.name} />
        <small>{texts.value.home.people(people, isPart)}</small>
      </span>
      <RightsTicks rights={rights} />
    </li>
  );
}

/** People by the first visible role that gives them access. */
function groupByRole(others: readonly ShownAccess[]): Group[] {
  const groups = new Map<number, Group>();
  for (const { roles: [role], rights } of others) {
    if (role === undefined) continue;
    const group = groups.get(role.id);
    groups.set(role.id, {
      role,
      people: (group?.people ?? 0) + 1,
      rights: forEachRight((name) => rights[name] || group?.rights[name] === true),
    });
  }
  return [...groups.values()];
}
