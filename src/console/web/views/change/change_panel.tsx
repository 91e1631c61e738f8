import type { ComponentChildren, FunctionComponent } from "preact";
import { LoadingNote } from "../../components/loading_note.tsx";
import { texts } from "../../language.ts";
import { loadPolicy } from "../../policy.ts";
import { loadRoles } from "../../roles.ts";
import { query, readId } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { ChangeFrame, closeForm, useReturningFocus } from "./change_frame.tsx";
import { CreateForm } from "./create_form.tsx";
import { DeleteRoleForm } from "./delete_form.tsx";
import { DemandForm } from "./demand_form.tsx";
import { EditForm } from "./edit_form.tsx";
import { JoinForm } from "./join_form.tsx";
import { loadEntering, loadMember, loadRelation } from "./loaders.ts";
import { InviteManyForm } from "./invite_many_form.tsx";
import { InviteForm, MemberForm } from "./member_form.tsx";
import { MoveForm } from "./move_form.tsx";
import { RelationForm } from "./relation_form.tsx";
import { loadRolePassword, RolePasswordForm } from "./role_password_form.tsx";
import { TakeOverForm } from "./take_over_form.tsx";

interface ChangePanelProps {
  /** The role in the middle of the picture. */
  readonly role: Role;
}

/**
 * The form in the address, by its name in `FORMS`: `?do=edit`, `?do=relation&relation=12`, or `?do=member&member=12`.
 */
export function ChangePanel({ role }: ChangePanelProps) {
  useReturningFocus();
  const parts = ["do", "how", "relation", "member"].map((name) => query.value.get(name));
  return <CurrentForm key={JSON.stringify([role.id, ...parts])} role={role} />;
}

function CurrentForm({ role }: ChangePanelProps) {
  const asked = query.value.get("do") ?? "";
  const form = Object.hasOwn(FORMS, asked) ? FORMS[asked]?.(role) : undefined;
  return <>{form ?? <NoForm>{texts.value.change.unknown}</NoForm>}</>;
}

/** The forms by their names in the address. */
const FORMS: Readonly<Record<string, (role: Role) => ComponentChildren>> = {
  relation: (role) => {
    const id = readId(query.value.get("relation"));
    return id === undefined ? undefined : (
      <LoadOnce
        load={async (signal) => {
          const relation = await loadRelation(id, role.id, signal);
          if (relation === undefined) return undefined;
          return { relation, roles: await loadRoles([relation.parentRoleId, relation.childRoleId], signal) };
        }}
        render={({ relation, roles }) => (
          <RelationForm
            relation={relation}
            parent={roles.get(relation.parentRoleId)}
            child={roles.get(relation.childRoleId)}
          />
        )}
      />
    );
  },
  member: (role) => {
    const id = readId(query.value.get("member"));
    return id === undefined ? <InviteForm role={role} /> : (
      <LoadOnce
        load={(signal) => loadMember(id, role.id, signal)}
        render={(member) => <MemberForm role={role} member={member} />}
      />
    );
  },
  members: (role) => <InviteManyForm role={role} />,
  "add-parent": (role) => <JoinForm role={role} isParent />,
  "add-child": (role) => <JoinForm role={role} isParent={false} />,
  "take-over": (role) => <TakeOverForm role={role} />,
  password: (role) => (
    <LoadOnce
      load={(signal) => loadRolePassword(role.id, signal)}
      render={(known) => <RolePasswordForm role={role} known={known} />}
    />
  ),
  create: (role) => <CreateForm role={role} />,
  move: (role) => <WithEntering role={role} Form={MoveForm} />,
  demand: (role) => (
    <LoadOnce
      load={(signal) => loadPolicy(role.id, signal)}
      render={(policy) => <DemandForm role={role} policy={policy} />}
    />
  ),
  edit: (role) => <EditForm role={role} />,
  delete: (role) => <WithEntering role={role} Form={DeleteRoleForm} />,
};

interface WithEnteringProps extends ChangePanelProps {
  readonly Form: FunctionComponent<Parameters<typeof MoveForm>[0]>;
}

/** A form about the relations to the role. */
function WithEntering({ role, Form }: WithEnteringProps) {
  return (
    <LoadOnce
      load={async (signal) => {
        const entering = await loadEntering(role.id, signal);
        return { entering, roles: await loadRoles(entering.map(({ parentRoleId }) => parentRoleId), signal) };
      }}
      render={(loaded) => <Form role={role} {...loaded} />}
    />
  );
}

interface LoadOnceProps<T> {
  readonly load: (signal: AbortSignal) => Promise<T | undefined>;
  readonly render: (data: T) => ComponentChildren;
}

/** A form whose subject has to be loaded. */
function LoadOnce<T>({ load, render }: LoadOnceProps<T>) {
  const { data, problem, reload } = useLoad("form", async (signal) => ({ found: await load(signal) }));
  if (data?.found !== undefined) return <>{render(data.found)}</>;
  if (data !== undefined) return <NoForm>{texts.value.change.gone}</NoForm>;
  return <LoadingNote problem={problem} onAgain={reload} />;
}

/** A note in place of a form. */
function NoForm({ children }: { readonly children: string }) {
  return (
    <ChangeFrame title={children}>
      <button type="button" onClick={closeForm}>{texts.value.change.back}</button>
    </ChangeFrame>
  );
}
