import type { ComponentChildren } from "preact";
import { Link, PersonLink, RoleLink } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import type { Demand, Role } from "../../schemas.ts";
import { StepUpButton } from "../account/dormant.tsx";
import { returningHere } from "../change/opened_from.ts";
import { useAllowed } from "../role/allowed.ts";
import { type Answer, nameOfAsked, type Way } from "./load_answer.ts";

/** Maximum number of ways in a response. */
const LISTED = 10;

/** The answer in words: whether they have the right, and by which ways, or where it is lost. */
export function AnswerText({ answer }: { readonly answer: Answer }) {
  const { why, rights, demands } = texts.value;
  const { question: { asked, roleId, right, asOf }, explanation, roles } = answer;
  const { allowed, ways, blocked, truncated, stepUp } = explanation;
  const of = right === "member" ? why.seeing : why;
  const sentences = asked === undefined ? of.forYou : of.forThem;
  const isPast = asOf !== undefined;
  const role = roles.get(roleId);
  // The viewer's own session has shown it already.
  const needs = asked === undefined ? undefined : leastNeeds(ways);
  const say = allowed ? isPast ? sentences.had : sentences.has : isPast ? sentences.hadNot : sentences.hasNot;
  const about = {
    who: asked !== undefined && "userEmail" in asked
      ? <PersonLink email={asked.userEmail} />
      : <Name>{nameOfAsked(asked)}</Name>,
    right: right === "member" ? null : <b>{rights.names[right]}</b>,
    role: <LinkedRole id={roleId} answer={answer} />,
  };
  return (
    <>
      <h2 class="answer">
        <Verdict isAllowed={allowed} />
        <span>
          <Sentence parts={say(about)} />
        </span>
      </h2>
      {allowed
        ? (
          <p>
            {ways.length === LISTED ? why.manyWays(LISTED) : ways.length > 0 ? why.ways(ways.length) : ""}
            {" "}
            {blocked.length > 0 && why.alsoLost(blocked.length)}
            {needs !== undefined && ` ${why.onlyWith(demands.needs[needs])}`}
          </p>
        )
        : stepUp !== undefined
        ? <StepUp needs={stepUp} answer={answer} />
        : role === undefined
        ? (
          <>
            <p>{why.unseenRole}</p>
            <Link to="/home">{texts.value.hierarchy.gone.back}</Link>
          </>
        )
        : blocked.length === 0
        ? !truncated && <NoWay key={role.id} role={role} asked={asked} asOf={asOf} />
        : <Losses answer={answer} />}
      {truncated && <p>{why.truncated}</p>}
    </>
  );
}

/** Nothing connects the person to the role, unless the viewer may not know: the ways in, where the viewer may open them. */
function NoWay({ role, asked, asOf }: Pick<Answer["question"], "asked" | "asOf"> & { readonly role: Role }) {
  const { why } = texts.value;
  const isMember = me.value?.memberOf.some(({ roleId }) => roleId === role.id) === true;
  const { allowed } = useAllowed(role, isMember);
  if (asked === undefined) return <p>{why.noWay.you}</p>;
  if (allowed === undefined) return null;
  if (!allowed.mayManagePeople) return <p>{why.noWay.mayNotAsk}</p>;
  const form = (name: string, more: Readonly<Record<string, string>> = {}): string =>
    `/role/${role.id}?${new URLSearchParams({ do: name, ...more, ...returningHere() })}`;
  return (
    <>
      <p>{why.noWay.they}</p>
      {asOf === undefined && "userEmail" in asked && (
        <div class="actions">
          <Link to={form("member", { email: asked.userEmail })} class="button go">{why.invite}</Link>
          {allowed.mayChange && <Link to={form("add-parent")} class="button">{why.relate}</Link>}
        </div>
      )}
    </>
  );
}

/** Returns what a session needs for the easiest of the ways; undefined if nothing, or if that is hidden. */
function leastNeeds(ways: readonly Way[]): Demand | undefined {
  const needs = ways.map(({ memberOf }) => "roleId" in memberOf ? memberOf.needs : undefined);
  if (needs.includes(undefined)) return undefined;
  return needs.includes("required") ? "required" : needs[0];
}

interface StepUpProps {
  readonly needs: Demand;
  readonly answer: Answer;
}

/** What the viewer can do about dormant memberships that would let the right through. */
function StepUp({ needs, answer }: StepUpProps) {
  const { why, demands } = texts.value;
  const memberOf = answer.explanation.blocked[0]?.memberOf;
  return (
    <>
      <p>
        {memberOf !== undefined && "roleId" in memberOf
          ? (
            <Sentence
              parts={why.dormant(<LinkedRole id={memberOf.roleId} answer={answer} />, demands.needs[needs])}
            />
          )
          : why.dormantHidden(demands.needs[needs])}
      </p>
      <div class="actions">
        <StepUpButton needs={needs} />
      </div>
    </>
  );
}

/** The losses on the way with the fewest. */
function Losses({ answer }: { readonly answer: Answer }) {
  const { why } = texts.value;
  const [best, ...others] = answer.explanation.blocked;
  if (best === undefined) return null;
  const places = describeLosses(best, answer);
  return (
    <>
      {places.length === 1 ? <p>{places}</p> : (
        <>
          <p>{why.lostInPlaces(places.length)}</p>
          <ul>{places.map((place, i) => <li key={i}>{place}</li>)}</ul>
        </>
      )}
      {others.length > 0 && <p>{why.moreBlocked(others.length)}</p>}
    </>
  );
}

function describeLosses(
  { memberOf, relations, lostAt = [], ...lost }: Way,
  answer: Answer,
): ComponentChildren[] {
  const { why } = texts.value;
  const { roleId } = answer.question;
  const places: ComponentChildren[] = [];
  if (lost.lostAtMember) {
    places.push(
      "roleId" in memberOf
        ? <Sentence parts={why.lostAtMember(<LinkedRole id={memberOf.roleId} answer={answer} />)} />
        : why.lostAtHiddenMember,
    );
  }
  for (const loss of lostAt) {
    const relation = relations.find((each) => "managesId" in each && each.managesId === loss);
    places.push(
      relation !== undefined && "managesId" in relation
        ? <Sentence parts={why.lostAt(namesOf(relation, answer))} />
        : why.lostHidden,
    );
  }
  if (lost.lostAtRole) {
    places.push(<Sentence parts={why.lostAtRole(<LinkedRole id={roleId} answer={answer} />)} />);
  }
  return places;
}

/** Returns the names of a relation's roles. */
export function namesOf(
  { parentRoleId, childRoleId }: { readonly parentRoleId: number; readonly childRoleId: number },
  answer: Answer,
) {
  return {
    parent: <LinkedRole id={parentRoleId} answer={answer} />,
    child: <LinkedRole id={childRoleId} answer={answer} />,
  };
}

/** The name of a role as a link. */
export function LinkedRole({ id, answer }: { readonly id: number; readonly answer: Answer }) {
  const name = answer.names.get(id);
  if (name === undefined) return <>{texts.value.why.unknownRole(id)}</>;
  return answer.roles.has(id) ? <RoleLink id={id} name={name} /> : <Name>{name}</Name>;
}

/** Yes or no as a picture. The sentence beside it says the same. */
function Verdict({ isAllowed }: { readonly isAllowed: boolean }) {
  return (
    <svg
      class={isAllowed ? "verdict yes" : "verdict no"}
      width="28"
      height="28"
      viewBox="0 0 28 28"
      aria-hidden="true"
    >
      <circle cx="14" cy="14" r="12" />
      <path d={isAllowed ? "M8.5 14.5l4 4l7.5-8.5" : "M9.5 9.5l9 9M18.5 9.5l-9 9"} />
    </svg>
  );
}
