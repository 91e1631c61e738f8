import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { query, withQuery } from "../../router.ts";
import { AccessList } from "./access_list.tsx";
import { MemberList } from "./member_list.tsx";
import type { TabProps } from "./tab_props.ts";

/** The members of a role or, with `?list=access` in the address, all people with access to it. */
export function PeopleTab(props: TabProps) {
  const { lists } = texts.value.role.people;
  const showsAccess = query.value.get("list") === "access";
  return (
    <>
      <nav class="switch" aria-label={lists.label}>
        <Link to={withQuery({ list: undefined })} isCurrent={!showsAccess}>{lists.members}</Link>
        <Link to={withQuery({ list: "access" })} isCurrent={showsAccess}>{lists.access}</Link>
      </nav>
      {showsAccess ? <AccessList {...props} /> : <MemberList {...props} />}
    </>
  );
}
