import { useSignal } from "@preact/signals";
import { bindTo, Field } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { isolate, texts } from "../../language.ts";
import { type QueryChange, withQuery } from "../../router.ts";
import type { Manages, Role } from "../../schemas.ts";
import { ChangeForm, type Confirmation } from "./change_form.tsx";
import { ChangeFrame, closeForm, Instead } from "./change_frame.tsx";
import { deleteRelation, type Effect } from "./requests.ts";
import { RoleName } from "./role_name.tsx";
import type { Previewed } from "./summary.ts";

/** From this number of deleted things on, the name is typed. */
const MANY = 10;

interface DeleteFormProps {
  readonly relation: Manages;
  /** Undefined if the viewer does not see it. */
  readonly parent: Role | undefined;
  readonly child: Role | undefined;
  /** Whether the relation is all that is known to lead to the role, which is then what is deleted. */
  readonly isLast?: boolean;
  /** Leads to the form for the relation's rights. */
  readonly instead?: QueryChange;
}

/** The form that deletes a relation, and with the last one of a role that role and what only it leads to. */
export function DeleteForm({ relation, parent, child, isLast = false, instead }: DeleteFormProps) {
  const { relation: words, deletion } = texts.value.change;
  const typed = useSignal("");
  const deletes = useSignal<Effect["deletes"] | undefined>(undefined);
  const name = child?.name ?? "";
  const parentName = <RoleName role={parent} />;
  const childName = <RoleName role={child} />;
  const title = (shown: Effect["deletes"] | undefined) =>
    shown === undefined
      ? isLast ? deletion.title(childName, 0, 0) : undefined
      : sayDeletion(shown, childName);
  const confirm = ({ effect: { deletes } }: Previewed): Confirmation | undefined => {
    const count = deletes.roles + deletes.devices;
    if (count < MANY || child === undefined) return undefined;
    const isRight = asSeen(typed.value) === asSeen(name);
    return {
      isConfirmed: isRight,
      question: (
        <>
          <p>{deletion.type(<Name>{name}</Name>)}</p>
          <Field
            label={deletion.confirm}
            {...bindTo(typed)}
            hint={isRight || typed.value === "" ? deletion.why(count) : undefined}
            fault={isRight || typed.value === "" ? undefined : deletion.different}
          />
        </>
      ),
    };
  };
  return (
    <ChangeFrame title={title(deletes.value) ?? words.deleteTitle(parentName, childName)}>
      <ChangeForm
        request={deleteRelation(relation)}
        submit={(shown) => <Sentence parts={[title(shown?.effect.deletes) ?? words.deleteSubmit].flat()} />}
        words={words}
        done={(_, shown) => {
          const { roles = 0, devices = 0 } = shown?.effect.deletes ?? {};
          return roles === 0 ? words.deleted : deletion.done(isolate(name), roles - 1, devices);
        }}
        elsewhere={relation.parentRoleId}
        confirm={confirm}
        onShown={(shown) => deletes.value = shown?.effect.deletes}
      >
        {(deletes.value?.roles ?? 0) === 0 && <p>{words.deleteText(parentName, childName)}</p>}
      </ChangeForm>
      {instead !== undefined && <Instead to={withQuery(instead)}>{words.keep}</Instead>}
    </ChangeFrame>
  );
}

/** Returns what is deleted besides the relation; undefined if nothing is. */
function sayDeletion<T>({ roles, devices }: Effect["deletes"], child: T) {
  // The role itself is one of them.
  return roles === 0 ? undefined : texts.value.change.deletion.title(child, roles - 1, devices);
}

/** Returns a name as a browser shows it: no one can type what they do not see. */
function asSeen(name: string): string {
  return name.normalize("NFC").replaceAll(/\s+/g, " ").trim();
}

interface DeleteRoleFormProps {
  readonly role: Role;
  /** The relations to the role that the viewer sees, and the roles above. */
  readonly entering: readonly Manages[];
  readonly roles: ReadonlyMap<number, Role>;
}

/** The form that deletes a role, which goes with its last relation. */
export function DeleteRoleForm({ role, entering, roles }: DeleteRoleFormProps) {
  const { cancel, change: { deletion, relation: words } } = texts.value;
  const [relation] = entering;
  if (relation !== undefined && entering.length === 1) {
    return <DeleteForm relation={relation} parent={roles.get(relation.parentRoleId)} child={role} isLast />;
  }
  const name = <RoleName role={role} />;
  return (
    <ChangeFrame title={deletion.title(name, 0, 0)}>
      {relation === undefined ? <p>{deletion.noParents}</p> : (
        <>
          <p>{deletion.parents(name, entering.length)}</p>
          <ul class="rows">
            {entering.map(({ id, parentRoleId }) => (
              <li key={id}>
                <Link to={withQuery({ do: "relation", relation: String(id), how: "delete" })}>
                  {words.title(<RoleName role={roles.get(parentRoleId)} />, name)}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="actions">
        <button type="button" onClick={closeForm}>{cancel}</button>
      </div>
    </ChangeFrame>
  );
}
