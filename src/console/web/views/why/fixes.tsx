import type { ComponentChildren } from "preact";
import { Link } from "../../components/link.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { texts } from "../../language.ts";
import { RIGHT_NAMES, type RightName } from "../../../../graph/rights.ts";
import type { SomeRights } from "../../rights.ts";
import { returningHere } from "../change/opened_from.ts";
import { LinkedRole, namesOf } from "./answer_text.tsx";
import type { Answer, Fix } from "./load_answer.ts";

/** The smallest changes that would give the right, with links where the viewer may make them. */
export function Fixes({ answer }: { readonly answer: Answer }) {
  const { fix: words } = texts.value.why;
  const { question: { asOf }, explanation: { fix } } = answer;
  // The past does not tell what to widen now.
  if (fix.length === 0 || asOf !== undefined) return null;
  return (
    <section class="fixes" aria-labelledby="fix-title">
      <h3 id="fix-title">{words.title}</h3>
      {fix.length > 1 && <p>{words.all}</p>}
      <ul class="rows">
        {fix.map((item, i) => <FixRow key={i} fix={item} answer={answer} />)}
      </ul>
    </section>
  );
}

interface FixRowProps {
  readonly fix: Fix;
  readonly answer: Answer;
}

function FixRow({ fix, answer }: FixRowProps) {
  const { fix: words } = texts.value.why;
  if ("hidden" in fix) return <li>{words.hidden}</li>;
  const { says, to } = describe(fix, answer);
  return (
    <li>
      <span>{says}</span>
      {fix.mayYou && to !== undefined
        ? <Link to={to} class="button go">{words.look}</Link>
        : <small>{"memberId" in fix ? words.mayNotMember : words.mayNot}</small>}
    </li>
  );
}

interface Described {
  readonly says: ComponentChildren;
  /** The address of its form. */
  readonly to: string | undefined;
}

function describe(fix: Exclude<Fix, { hidden: unknown }>, answer: Answer): Described {
  const { why: { fix: words, hiddenRole }, rights: { names } } = texts.value;
  const right = <b>{names[fix.right]}</b>;
  const [way] = answer.explanation.blocked;
  if ("managesId" in fix) {
    const relation = way?.relations.find((each) => "managesId" in each && each.managesId === fix.managesId);
    if (relation === undefined || !("managesId" in relation)) return { says: words.hidden, to: undefined };
    const { managesId, childRoleId, rights } = relation;
    return {
      says: <Sentence parts={words.relation(namesOf(relation, answer), right)} />,
      to: addressOfFix(childRoleId, {
        do: "relation",
        relation: String(managesId),
        rights: [...rights, fix.right].join(),
      }),
    };
  }
  if ("roleId" in fix) {
    return {
      says: <Sentence parts={words.role(<LinkedRole id={fix.roleId} answer={answer} />, right)} />,
      to: addressOfFix(fix.roleId, {
        do: "edit",
        rights: withRight(answer.roles.get(fix.roleId)?.selfRights, fix.right),
      }),
    };
  }
  const memberOf = way?.memberOf;
  if (memberOf === undefined || !("roleId" in memberOf)) {
    return { says: <Sentence parts={words.member<ComponentChildren>(hiddenRole, right)} />, to: undefined };
  }
  const { roleId, rights } = memberOf;
  const { asked } = answer.question;
  return {
    says: <Sentence parts={words.member(<LinkedRole id={roleId} answer={answer} />, right)} />,
    // The rights of a key cannot be changed.
    to: asked !== undefined && "keyId" in asked ? undefined : addressOfFix(roleId, {
      do: "member",
      member: String(fix.memberId),
      rights: withRight(rights, fix.right),
    }),
  };
}

/** Returns the address of a form that returns to the question. */
function addressOfFix(roleId: number, form: Readonly<Record<string, string>>): string {
  return `/role/${roleId}?${new URLSearchParams({ ...form, ...returningHere() })}`;
}

/** Returns the rights plus one more, as in an address. */
function withRight(rights: SomeRights | undefined, right: RightName): string {
  return RIGHT_NAMES.filter((name) => rights?.[name] === true || name === right).join(",");
}
