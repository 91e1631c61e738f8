import { useRef } from "preact/hooks";
import { RIGHT_NAMES, type RightName } from "../../../../graph/rights.ts";
import { AsOfField, describeAsOf, isPast, readAsOf, WayToPast } from "../../components/as_of.tsx";
import { Choice } from "../../components/choice.tsx";
import { Field } from "../../components/form.tsx";
import { Link, PersonLink, RoleLink } from "../../components/link.tsx";
import { ListFile } from "../../components/list_file.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { PeriodFields, readDay, readPeriod } from "../../components/period_fields.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { Time } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import { startOfMonth, toLocal } from "../../local_time.ts";
import { me } from "../../me.ts";
import { isPhone } from "../../phone.ts";
import { RightsExplained } from "../../picture/legend.tsx";
import type { Problem } from "../../problem.ts";
import { navigate, query, withQuery } from "../../router.ts";
import { usePages } from "../../use_pages.ts";
import { useTypedQuery } from "../../use_typed_query.ts";
import {
  type AccessQuestion,
  loadAccess,
  NAMED_ROLES,
  readAccessFile,
  type ShownAccess,
} from "../../access.ts";
import { NeedsNote } from "./needs_note.tsx";
import type { TabProps } from "./tab_props.ts";

const ANY = "any";

/** All people with access to a role, and by which roles, as far as the viewer may know. */
export function AccessList({ role, allowed }: TabProps) {
  const { people } = texts.value.role;
  // In the past, the rights of the role are those of then. The service knows who may ask now.
  if (!allowed.mayManagePeople && !isPast()) {
    return <NeedsNote roleId={role.id} text={people.needsAccess} />;
  }
  return <Access roleId={role.id} />;
}

function Access({ roleId }: { readonly roleId: number }) {
  const { hierarchy, rights, why, role: { people } } = texts.value;
  const { text, onText, asked } = useTypedQuery("address");
  const right = RIGHT_NAMES.find((name) => name === query.value.get("right"));
  const asOf = readAsOf();
  const during = asOf === undefined ? readDuring() : undefined;
  // A date that is being changed is none meanwhile: its field must not disappear.
  const hasPeriod = useRef(false);
  hasPeriod.current ||= during !== undefined;
  const question: AccessQuestion = { text: asked, right, asOf, during };
  const pages = usePages("access", loadAccess, roleId, question);
  return (
    <>
      <p class="hint">{during === undefined ? people.accessHint : people.periodHint}</p>
      <div class="access-filters">
        <Choice<RightName | typeof ANY>
          label={texts.value.why.right}
          value={right ?? ANY}
          options={{ [ANY]: people.anyRight, ...rights.names }}
          onValue={(chosen) =>
            navigate(withQuery({ right: chosen === ANY ? undefined : chosen }), { replace: true })}
        />
        <Field label={people.find} value={text} onValue={onText} />
        {/* A list is about a moment or a period. */}
        {asOf === undefined && during === undefined && (
          <WayToPast>
            <AsOfField hint={why.asOfHint} />
          </WayToPast>
        )}
      </div>
      {asOf === undefined && (
        <details class="filters" open={hasPeriod.current}>
          <summary>{people.period}</summary>
          {during === undefined && <p class="hint">{people.periodHint}</p>}
          <div class="fields">
            <PeriodFields />
          </div>
          {during === undefined && readPeriod().to !== undefined && (
            <p class="fault" role="alert">{people.periodFirst}</p>
          )}
          <Link to={withQuery(lastMonth())}>{people.lastMonth}</Link>
        </details>
      )}
      {asOf !== undefined && <p class="hint">{why.past}</p>}
      <ListFile
        key={JSON.stringify(question)}
        name={nameFile(roleId, question)}
        read={(onLines, signal) => readAccessFile(roleId, question, onLines, signal)}
      />
      <PagedList
        pages={pages}
        asked={JSON.stringify([asked, right, readPeriod()])}
        describe={during === undefined ? describeAsOf : describePeriod}
        empty={asOf !== undefined
          ? hierarchy.past.noPeople
          : asked === "" && right === undefined
          ? people.noAccess
          : people.notFound}
        render={(access) => (
          <AccessRow key={access.key?.id ?? access.userEmail} access={access} roleId={roleId} right={right} />
        )}
      />
      {/* Otherwise it stands below the picture. */}
      {isPhone.value && <RightsExplained />}
    </>
  );
}

/** Reads the period of the address: from its first day to its last, or until now. */
function readDuring(): AccessQuestion["during"] {
  const { from, to } = readPeriod();
  return from === undefined ? undefined : { from, ...to !== undefined && { to } };
}

/** Returns the parameters of a period, in the browser's time zone. */
function lastMonth(): Readonly<Record<"from" | "to", string>> {
  const now = new Date();
  const last = new Date(now.getFullYear(), now.getMonth(), 0);
  return { from: startOfMonth(-1).slice(0, 10), to: toLocal(last).slice(0, 10) };
}

function describePeriod(problem: Problem): string | undefined {
  return problem.status === 400 ? texts.value.role.people.periodFault : describeAsOf(problem);
}

function nameFile(roleId: number, { asOf, during }: AccessQuestion): string {
  const times = [asOf, ...during ? [readDay("from"), readDay("to")] : []].filter((time) =>
    time !== undefined
  );
  return `${["access", roleId, ...times.map((time) => String(time).slice(0, 10))].join("-")}.csv`;
}

interface AccessRowProps {
  readonly access: ShownAccess;
  readonly roleId: number;
  /** The requested right. */
  readonly right: RightName | undefined;
}

function AccessRow({ access, roleId, right }: AccessRowProps) {
  const { people } = texts.value.role;
  const { userEmail, rights, direct, until, hasLeft } = access;
  return (
    <li class="person">
      <Principal {...access} />
      <RightsTicks rights={rights} />
      <ul class="facts">
        {userEmail !== undefined && userEmail === me.value?.email && <li>{texts.value.words.you}</li>}
        {hasLeft && (
          <li>
            <strong>{people.hasLeft}</strong>
          </li>
        )}
        {direct && <li>{people.direct}</li>}
        <Through {...access} />
        {until !== undefined && (
          <li>
            {people.until} <Time at={until} />
          </li>
        )}
        {/* Both are about one moment, and of a period it is not known which one. */}
        {readDuring() === undefined && (
          <Questions {...access} roleId={roleId} right={right ?? firstHeld(access)} />
        )}
      </ul>
    </li>
  );
}

function Principal({ userId, userEmail, key }: ShownAccess) {
  const { people } = texts.value.role;
  if (key !== undefined) {
    return <span class="name">{people.key(<Name>{key.name ?? String(key.id)}</Name>)}</span>;
  }
  if (typeof userEmail !== "string") return <span>{people.deleted}</span>;
  return <PersonLink email={userEmail} userId={userId} />;
}

interface QuestionsProps extends Pick<ShownAccess, "userEmail" | "key"> {
  readonly roleId: number;
  readonly right: RightName;
}

/** Links to related questions: why, and the person's rights around this role. */
function Questions({ userEmail, key, roleId, right }: QuestionsProps) {
  const { people } = texts.value.role;
  if (key === undefined && typeof userEmail !== "string") return null;
  const who = key === undefined ? { person: userEmail ?? "" } : { key: String(key.id) };
  const name = key?.name ?? userEmail ?? "";
  const asOf = query.value.get("asOf");
  const asked = { ...who, role: String(roleId), right, ...(asOf === null ? {} : { asOf }) };
  return (
    <>
      <li>
        <Link
          to={`/why?${new URLSearchParams(asked)}`}
          label={people.whyOf(name)}
        >
          {texts.value.why.title}
        </Link>
      </li>
      {key === undefined && (
        <li>
          <Link to={withQuery({ person: name })} label={people.drawOf(name)}>{people.draw}</Link>
        </li>
      )}
    </>
  );
}

/** The roles above that give the access. */
function Through({ roles, through, hidden }: ShownAccess) {
  const { people } = texts.value.role;
  if (roles.length === 0 && hidden === 0) return null;
  return (
    <li>
      {people.through}{" "}
      <ul class="inline">
        {roles.map(({ id, name }) => (
          <li key={id}>
            <RoleLink id={id} name={name} />
          </li>
        ))}
        {hidden > 0 && <li>{through.length < NAMED_ROLES ? people.hidden(hidden) : people.others(hidden)}
        </li>}
      </ul>
    </li>
  );
}

function firstHeld({ rights }: ShownAccess): RightName {
  return RIGHT_NAMES.find((name) => rights[name]) ?? "viewManagement";
}
