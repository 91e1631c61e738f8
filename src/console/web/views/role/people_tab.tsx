import { isPast } from "../../components/as_of.tsx";
import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { query, withQuery } from "../../router.ts";
import { Instead } from "../change/change_frame.tsx";
import { AccessList } from "./access_list.tsx";
import { AttentionList, isAttention } from "./attention_list.tsx";
import { MemberList } from "./member_list.tsx";
import type { TabProps } from "./tab_props.ts";

/**
 * The members of a role or, with `?list=` in the address, all people with access to it (`access`), or the members who
 * want attention.
 */
export function PeopleTab(props: TabProps) {
  const { people, role: { people: { lists } } } = texts.value;
  const { role, allowed: { mayManagePeople } } = props;
  const isOfPast = isPast();
  const list = isOfPast ? "access" : query.value.get("list");
  const attention = mayManagePeople && isAttention(list) ? list : undefined;
  const isAccess = list === "access";
  return (
    <>
      {!isOfPast && (
        <nav class="switch" aria-label={lists.label}>
          <Link to={withQuery({ list: undefined })} isCurrent={!isAccess && attention === undefined}>
            {lists.members}
          </Link>
          <Link to={withQuery({ list: "access" })} isCurrent={isAccess}>{lists.access}</Link>
          {mayManagePeople &&
            (["waiting", "ending"] as const).map((name) => (
              <Link key={name} to={withQuery({ list: name })} isCurrent={attention === name}>
                {people.lists[name]}
              </Link>
            ))}
        </nav>
      )}
      {isAccess ? <AccessList {...props} /> : attention === undefined ? <MemberList {...props} /> : (
        <>
          <AttentionList key={attention} roleId={role.id} kind={attention} />
          {attention !== "unmet" && <Instead to={`/people?list=${attention}`}>{people.allRoles}</Instead>}
        </>
      )}
    </>
  );
}
