import { Link, RoleLink } from "../../components/link.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { formatComing, isolate, texts } from "../../language.ts";
import { forEachRight } from "../../../../graph/rights.ts";
import { ALL } from "../../rights.ts";
import type { Pages } from "../../use_pages.ts";
import { returningHere } from "../change/opened_from.ts";
import type { Membership } from "./lists.ts";

/** The memberships of a person, with what each gives on its role and how many roles it reaches. */
export function Memberships({ pages }: { readonly pages: Pages<Membership> }) {
  const { person } = texts.value;
  return (
    <section>
      <h2>{person.memberOf}</h2>
      <PagedList
        pages={pages}
        empty={person.memberNone}
        render={(membership) => <Row key={membership.member.id} {...membership} />}
      />
    </section>
  );
}

function Row({ member: { id, roleId, rights, until }, role, below }: Membership) {
  const { person, role: { about } } = texts.value;
  const name = role?.name ?? String(roleId);
  const what = { tab: "people", do: "member", member: String(id), ...returningHere() };
  const form = `/role/${roleId}?${new URLSearchParams(what)}`;
  return (
    <li class="person">
      <RoleLink id={roleId} name={name} />
      {role && (
        <RightsTicks rights={forEachRight((right) => role.selfRights[right] && (rights ?? ALL)[right])} />
      )}
      <ul class="facts">
        {below > 0 && <li>{person.reaches(about.roles(below))}</li>}
        {until !== undefined && (
          <li>
            <time dateTime={until}>{person.until(formatComing(until))}</time>
          </li>
        )}
        <li>
          <Link to={form} label={person.changeOf(isolate(name))}>{person.change}</Link>
        </li>
        <li>
          <Link to={`${form}&how=remove`} label={person.removeOf(isolate(name))}>
            {texts.value.words.remove}
          </Link>
        </li>
      </ul>
    </li>
  );
}
