import { Field } from "../../components/form.tsx";
import { Link, RoleLink } from "../../components/link.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { texts } from "../../language.ts";
import { withQuery } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { usePages } from "../../use_pages.ts";
import { useTypedQuery } from "../../use_typed_query.ts";
import { loadBelow, loadParents, type RelatedRole } from "../../related_roles.ts";
import type { TabProps } from "./tab_props.ts";

/** Number of roles below from which there is a search by name. */
const MANY = 8;

/** The roles above and below, with the rights of the relations. */
export function RelationsTab(props: TabProps) {
  return (
    <>
      <Above {...props} />
      <Below {...props} />
    </>
  );
}

function Above({ role, allowed: { mayExtend, mayChange } }: TabProps) {
  const { relations } = texts.value.role;
  const pages = usePages("above", loadParents, role.id, mayExtend);
  return (
    <>
      <div class="section">
        <h3>{texts.value.words.managedBy}</h3>
        {mayChange && (
          <>
            <Link to={withQuery({ do: "add-parent" })}>{relations.addParent}</Link>
            <Link to={withQuery({ do: "move" })}>{relations.move}</Link>
          </>
        )}
      </div>
      <PagedList
        pages={pages}
        empty={relations.aboveNone}
        render={(parent) => (
          <RelatedRow
            key={parent.id}
            related={parent}
            upper={parent.role}
            lower={role}
            // Members may also undo relations made by their role's password, which only the service knows.
            mayChange={mayExtend || parent.role?.userRights.roleManagement === true}
          />
        )}
      />
    </>
  );
}

function Below({ role, summary, allowed: { mayExtend } }: TabProps) {
  const { relations } = texts.value.role;
  const { text, onText, asked } = useTypedQuery("below");
  const pages = usePages(
    `below ${role.id} ${asked}`,
    (start, signal) => loadBelow(role.id, asked, start, signal),
  );
  return (
    <>
      <div class="section">
        <h3>{texts.value.words.manages}</h3>
        {mayExtend && (
          <>
            <Link to={withQuery({ do: "create" })}>{relations.create}</Link>
            <Link to={withQuery({ do: "add-child" })}>{relations.addChild}</Link>
            <Link to={withQuery({ do: "take-over" })}>{relations.takeOver}</Link>
          </>
        )}
      </div>
      {(summary.descendants > MANY || text !== "") && (
        <Field label={texts.value.person.find} value={text} onValue={onText} />
      )}
      <PagedList
        pages={pages}
        asked={asked}
        empty={asked === "" ? relations.belowNone : texts.value.home.noneFound}
        render={(child) => (
          <RelatedRow
            key={child.id}
            related={child}
            upper={role}
            lower={child.role}
            mayChange={mayExtend || child.role?.userRights.roleManagement === true}
          />
        )}
      />
    </>
  );
}

interface RelatedRowProps {
  readonly related: RelatedRole;
  readonly upper: Role | undefined;
  readonly lower: Role | undefined;
  readonly mayChange: boolean;
}

function RelatedRow({ related: { id, role, relation }, upper, lower, mayChange }: RelatedRowProps) {
  const { unseen, change, relations } = texts.value.role;
  const nameOf = (role: Role | undefined): string => role?.name ?? unseen(id);
  return (
    <li class="related">
      {role === undefined ? <span>{unseen(id)}</span> : <RoleLink id={id} name={role.name} />}
      {relation === undefined
        ? <small>{relations.deeper}</small>
        : <RightsTicks rights={relation} before={upper?.userRights} />}
      {relation !== undefined && mayChange && (
        <Link
          to={withQuery({ do: "relation", relation: String(relation.id) })}
          label={relations.changeOf(nameOf(upper), nameOf(lower))}
        >
          {change}
        </Link>
      )}
    </li>
  );
}
