import { isEmail } from "../../../../core/email.ts";
import type { Rights } from "../../../../graph/rights.ts";
import { bindTo } from "../../components/form.tsx";
import { useSignal } from "@preact/signals";
import { Choice } from "../../components/choice.tsx";
import { EmailField } from "../../components/email_field.tsx";
import { Name } from "../../components/name.tsx";
import { Time } from "../../components/time.tsx";
import { language, LANGUAGES, texts } from "../../language.ts";
import { me } from "../../me.ts";
import { queryMembers } from "../../ask_lists.ts";
import { ALL, isSame } from "../../rights.ts";
import { usualRights } from "../../usual_rights.ts";
import { query, withQuery } from "../../router.ts";
import type { Member, Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { usePaused } from "../../use_paused.ts";
import { ChangeForm } from "./change_form.tsx";
import { ChangeFrame, Instead } from "./change_frame.tsx";
import { EndForm } from "./end_form.tsx";
import { loadMember } from "./loaders.ts";
import { putMember, removeMember } from "./requests.ts";
import { RoleName } from "./role_name.tsx";
import { TermsFields, useTerms } from "./terms_fields.tsx";

interface MemberFormProps {
  readonly role: Role;
  readonly member: Member;
}

/** The form for a membership: its end and rights, its removal, or the end of all access of the person. */
export function MemberForm(props: MemberFormProps) {
  const how = query.value.get("how");
  if (how === "end") return <EndMemberForm {...props} />;
  const isRemoval = how === "remove" || !mayChange(props.role);
  return isRemoval ? <RemoveForm {...props} /> : <TermsForm {...props} />;
}

function EndMemberForm({ role, member: { userEmail } }: MemberFormProps) {
  return (
    <EndForm
      role={role}
      person={{ userEmail }}
      name={userEmail}
      instead={<Instead to={withQuery({ how: "remove" })}>{texts.value.change.end.keep}</Instead>}
    />
  );
}

/** Whether the viewer may change memberships of the role. Without that, they may only leave. */
function mayChange({ userRights }: Role): boolean {
  return userRights.userManagement === true || userRights.roleManagement === true;
}

function TermsForm({ role, member }: MemberFormProps) {
  const { member: words } = texts.value.change;
  const terms = useTerms(member);
  const { until, rights, fault } = terms;
  const isChanged = until !== (member.until ?? null) || !isSame(rights ?? ALL, member.rights ?? ALL);
  const isOwn = member.userEmail === me.value?.email;
  const nothing = until === null
    ? member.until === undefined ? words.nothing : words.endless
    : words.ends(<Time at={until} />);
  return (
    <ChangeFrame title={words.title(<Name>{member.userEmail}</Name>, <RoleName role={role} />)}>
      <ChangeForm
        request={isChanged && fault === undefined
          ? putMember(role.id, member.userEmail, { until, rights })
          : undefined}
        basis={{ was: member, look: () => loadMember(member.id, role.id) }}
        missing={fault === undefined ? words.unchanged : ""}
        submit={() => words.change}
        words={{ ...words, nothing }}
        done={words.changed}
        person={member.userEmail}
      >
        <TermsFields terms={terms} />
      </ChangeForm>
      <Instead to={withQuery({ how: "remove" })}>{isOwn ? words.leave : words.remove}</Instead>
    </ChangeFrame>
  );
}

function RemoveForm({ role, member }: MemberFormProps) {
  const { member: words, end } = texts.value.change;
  const isOwn = member.userEmail === me.value?.email;
  const name = <RoleName role={role} />;
  return (
    <ChangeFrame
      title={isOwn ? words.leaveTitle(name) : words.removeTitle(<Name>{member.userEmail}</Name>, name)}
    >
      <ChangeForm
        request={removeMember(member)}
        submit={() => isOwn ? words.leaveSubmit : words.removeSubmit}
        words={words}
        done={isOwn ? words.left : words.removed}
        person={member.userEmail}
      />
      {mayChange(role) && !isOwn && <Instead to={withQuery({ how: "end" })}>{end.offer}</Instead>}
      {mayChange(role) && <Instead to={withQuery({ how: undefined })}>{words.keep}</Instead>}
    </ChangeFrame>
  );
}

const TYPING_MS = 1000;

/** Members whose rights are looked at. */
const LOOKED_AT = 100;

/** Loads the smallest usual set of rights that a member of the role has; no rights if that is all, or none is usual. */
async function loadUsual(roleId: number, signal: AbortSignal): Promise<{ readonly rights?: Rights }> {
  const { member } = await queryMembers(roleId, { limit: LOOKED_AT }, signal);
  const found = usualRights().find((usual) =>
    member.some(({ rights }) => isSame(rights ?? ALL, usual.rights))
  );
  return found === undefined || isSame(found.rights, ALL) ? {} : { rights: found.rights };
}

/** The form for a new member, by address. */
export function InviteForm({ role }: { readonly role: Role }) {
  const { member: words } = texts.value.change;
  const email = useSignal(query.value.get("email") ?? "");
  // Previewed when the field is left or typing pauses, because each preview counts as an invitation.
  const given = usePaused(email.value, TYPING_MS);
  const mailLanguage = useSignal(language.value);
  const { data: usual, problem } = useLoad(`usual in ${role.id}`, (signal) => loadUsual(role.id, signal));
  const terms = useTerms(undefined, usual?.rights);
  const { until, rights, fault } = terms;
  // Without it, the viewer chooses.
  const isKnown = terms.isKnown && (usual !== undefined || problem !== undefined);
  const address = given.value.trim();
  const isAddress = isEmail(address);
  const isComplete = isKnown && isAddress && given.value === email.value && fault === undefined;
  const person = <Name>{address}</Name>;
  const name = <RoleName role={role} />;
  return (
    <ChangeFrame title={words.inviteTitle(name)}>
      <ChangeForm
        request={isComplete ? putMember(role.id, address, { until, rights }, mailLanguage.value) : undefined}
        missing={isAddress ? "" : words.missing}
        submit={(shown) => shown?.isNew === false ? words.change : words.invite}
        words={words}
        exists={words.exists}
        done={words.invited}
        person={address}
      >
        <div onChange={() => given.value = email.value}>
          <EmailField
            label={texts.value.words.email}
            {...bindTo(email)}
            hint={words.emailHint}
            fault={address === "" || isAddress || given.value !== email.value
              ? undefined
              : texts.value.notAnAddress}
          />
        </div>
        <Choice label={words.mailLanguage} options={LANGUAGES} {...bindTo(mailLanguage)} />
        <TermsFields terms={terms} />
        {isAddress && fault === undefined && (
          <p class="hint">
            {until === null ? words.sees(person, name) : words.seesUntil(person, name, <Time at={until} />)}
          </p>
        )}
      </ChangeForm>
    </ChangeFrame>
  );
}
