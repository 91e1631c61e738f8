import { isEmail } from "../../../../core/email.ts";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Choice } from "../../components/choice.tsx";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { PeriodFields, readDay, readPeriod } from "../../components/period_fields.tsx";
import { PersonField } from "../../components/person_field.tsx";
import { RoleField } from "../../components/role_field.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { formatDate, texts } from "../../language.ts";
import { navigate, query, type QueryChange, readId, without, withQuery } from "../../router.ts";
import { useRoleName } from "../../use_role_name.ts";
import { isDecision, isKind } from "./known_kinds.ts";
import type { LogFilter } from "../../ask_lists.ts";

/** The parameters of the address. */
const FILTERS = ["role", "person", "member", "by", "kind", "decision", "from", "to"] as const;
type FilterName = (typeof FILTERS)[number];

/** Reads the filter from the address. */
export function readFilter(): LogFilter {
  return {
    ...readPeriod(),
    roleId: readId(readParameter("role")),
    actorEmail: readParameter("person"),
    memberEmail: readParameter("member"),
    actorId: readId(readParameter("by")),
    kind: readParameter("kind"),
    decision: readParameter("decision"),
  };
}

/** Reads a filter of the address. Malformed ids, addresses and days are ignored. */
function readParameter(name: FilterName): string | undefined {
  if (name === "from" || name === "to") return readDay(name);
  const text = query.value.get(name) || undefined;
  // A part of an address suggests people; the log is filtered by a whole one.
  if ((name === "person" || name === "member") && !isEmail(text ?? "")) return undefined;
  return (name === "role" || name === "by") && readId(text) === undefined ? undefined : text;
}

/** The filters of the list: fields, open where there is room, and a summary. */
export function ChangeFilters() {
  const { filters, kinds, decisions } = texts.value.changes;
  const value = (name: FilterName): string => readParameter(name) ?? "";
  const set = (change: QueryChange): void => navigate(withQuery(change));
  const roleName = useRoleName(readId(value("role")));
  const summary = useRef<HTMLElement>(null);
  return (
    <>
      <details class="filters" open={matchMedia("(min-width: 48rem)").matches}>
        <summary ref={summary}>{filters.title}</summary>
        <div class="fields">
          <RoleField
            label={texts.value.words.role}
            chosen={roleName}
            onRole={({ id }) => set({ role: String(id) })}
          />
          {(["person", "member"] as const).map((name) => (
            <PersonField
              key={name}
              parameter={name}
              label={filters[name]}
              peopleOf={readId(value("role"))}
              hint={filters.personHint}
              fault={query.value.has(name) && value(name) === "" ? filters.personFault : undefined}
            />
          ))}
          <Choice
            label={filters.kind}
            value={value("kind")}
            options={{ "": filters.anyKind, ...kinds }}
            onValue={(kind) => set({ kind: kind || undefined })}
          />
          <Choice
            label={filters.decision}
            value={value("decision")}
            options={{ "": filters.anyDecision, refused: filters.refused, ...decisions }}
            onValue={(decision) => set({ decision: decision || undefined })}
          />
          <PeriodFields />
        </div>
      </details>
      <Chips roleName={roleName} onRemove={() => summary.current?.focus()} />
    </>
  );
}

interface ChipsProps {
  readonly roleName: string | undefined;
  /** Called before a filter, and the focus in it, disappears. */
  readonly onRemove: () => void;
}

/** The filters in words; a click removes one. */
function Chips({ roleName, onRemove }: ChipsProps) {
  const { filters, kinds, decisions } = texts.value.changes;
  const describe: Readonly<Record<FilterName, (text: string) => ComponentChildren>> = {
    role: () => <Name>{roleName ?? ""}</Name>,
    person: (email) => <Sentence parts={filters.by(<Name>{email}</Name>)} />,
    member: (email) => <Sentence parts={filters.of(<Name>{email}</Name>)} />,
    by: (id) => <Sentence parts={filters.by(texts.value.person.id(Number(id)))} />,
    kind: (kind) => isKind(kind) ? kinds[kind] : kind,
    decision: (decision) =>
      decision === "refused" ? filters.refused : isDecision(decision) ? decisions[decision] : decision,
    from: (date) => filters.fromDate(formatDate(`${date}T00:00`)),
    to: (date) => filters.toDate(formatDate(`${date}T00:00`)),
  };
  const chips = FILTERS.flatMap((name) => {
    const text = readParameter(name);
    return text === undefined ? [] : [[name, describe[name](text)] as const];
  });
  if (chips.length === 0) return null;
  return (
    <p class="chosen-filters beside" onClick={onRemove}>
      {chips.map(([name, text]) => (
        <Link key={name} to={withQuery({ [name]: undefined })} class="filter">
          <span class="visually-hidden">{filters.remove}</span>
          <span>{text}</span>
          <span aria-hidden="true">×</span>
        </Link>
      ))}
      <Link to={withQuery(without(...FILTERS))}>{filters.clear}</Link>
    </p>
  );
}
