import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Check } from "../../components/check.tsx";
import { bindTo } from "../../components/form.tsx";
import { Link, PersonLink } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/notice.tsx";
import { formatNumber, texts } from "../../language.ts";
import { ChangeFrame, closeForm } from "./change_frame.tsx";
import { describeRefusal } from "./describe_refusal.ts";
import { PreviewForm } from "./preview_form.tsx";
import { endAccess, type Ending } from "./requests.ts";
import type { NamedRole } from "../../schemas.ts";
import { RoleName } from "./role_name.tsx";
import { usePreview } from "./use_preview.ts";

interface EndFormProps {
  readonly role: NamedRole;
  /** By the id, the service finds also what the person made through roles that the viewer does not see. */
  readonly person: { readonly userId: number } | { readonly userEmail: string };
  readonly name: string;
  /** Further fields. */
  readonly children?: ComponentChildren;
  /** What to do instead. */
  readonly instead?: ComponentChildren;
}

/** The form that ends all access of a person at and below the role. */
export function EndForm({ role, person, name, children, instead }: EndFormProps) {
  const { end: words, member } = texts.value.change;
  const granted = useSignal(false);
  const request = endAccess(person, role.id, granted.value);
  const preview = usePreview(request);
  const { shown } = preview;
  return (
    <ChangeFrame title={words.title(<Name>{name}</Name>, <RoleName role={role} />)}>
      <PreviewForm
        {...{ request, preview }}
        submit={words.submit}
        isLoss
        describe={(problem, left) =>
          problem.status === 422 ? words.tooMuch : describeRefusal(problem, left, member.forbidden)}
        onMade={() => {
          closeForm();
          say(words.done);
        }}
        effect={shown && <EndingView shown={shown} person={name} />}
      >
        {children}
        <Check {...bindTo(granted)}>{words.granted}</Check>
      </PreviewForm>
      {instead}
    </ChangeFrame>
  );
}

/** Maximum number of things, and of relations, listed. */
const SHOWN = 8;

interface EndingViewProps {
  readonly shown: Ending;
  /** The address of the person whose access ends. */
  readonly person: string;
}

/** What ends, and what stays: other access, and relations. */
function EndingView({ shown, person }: EndingViewProps) {
  const { end: words, effect: effectWords } = texts.value.change;
  const { ended, left, effect } = shown;
  const numberOf = (kind: EndedThing["kind"]): number => ended.filter((each) => each.kind === kind).length;
  const [members, keys, passwords] = [numberOf("membership"), numberOf("key"), numberOf("rolePassword")];
  return (
    <div class="effect">
      <div class="effect-box">
        <p>{ended.length === 0 ? words.none : words.ends(members, keys, passwords)}</p>
        {ended.length > 0 && (
          <ul class="rows">
            {ended.slice(0, SHOWN).map((thing) => (
              <EndedRow key={keyOf(thing)} {...{ thing, shown, person }} />
            ))}
            <More n={ended.length - SHOWN} />
          </ul>
        )}
        <p>{left.roles === 0 ? words.leftNone : words.left(left.roles, left.more === true)}</p>
      </div>
      <StayingRelations shown={shown} />
      <p class="hint">{effectWords.revision(formatNumber(effect?.revision ?? 0))}</p>
    </div>
  );
}

type EndedThing = Ending["ended"][number];

function keyOf({ kind, id, roleId }: EndedThing): string {
  return `${kind} ${id ?? roleId}`;
}

function EndedRow({ thing, shown, person }: EndingViewProps & { readonly thing: EndedThing }) {
  const { end: words, effect: effectWords } = texts.value.change;
  const { kind, userEmail, name = "", roleId, inTrash = false } = thing;
  return (
    <li>
      <span class="who">
        <span>
          {kind === "key"
            ? effectWords.key(<Name>{name}</Name>)
            : kind === "rolePassword"
            ? texts.value.words.rolePassword
            : userEmail && (userEmail === person ? <Name>{person}</Name> : <PersonLink email={userEmail} />)}
        </span>
        <small>
          {inTrash ? words.inTrash : <RoleName role={shown.roles.get(roleId)} />}
        </small>
      </span>
    </li>
  );
}

/** The relations that stay, as links to their forms. */
function StayingRelations({ shown }: { readonly shown: Ending }) {
  const { end: words, relation: relationWords } = texts.value.change;
  const { relations, moreRelations, roles } = shown;
  if (relations.length === 0) return null;
  return (
    <div class="note">
      <p>{words.relations}</p>
      <ul>
        {relations.slice(0, SHOWN).map(({ id, parentRoleId, childRoleId }) => (
          <li key={id}>
            <Link to={`/role/${childRoleId}?do=relation&relation=${id}`}>
              {relationWords.title(
                <RoleName role={roles.get(parentRoleId ?? 0)} />,
                <RoleName role={roles.get(childRoleId)} />,
              )}
            </Link>
          </li>
        ))}
        <More n={relations.length - SHOWN} />
      </ul>
      {moreRelations && <p>{words.moreRelations}</p>}
    </div>
  );
}

function More({ n }: { readonly n: number }) {
  return n > 0 ? <li class="hint">{texts.value.change.effect.more(n, 0)}</li> : null;
}
