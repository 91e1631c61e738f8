import { Field } from "../../components/form.tsx";
import { Link, RoleLink } from "../../components/link.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { formatComing, isolate, texts } from "../../language.ts";
import { usePages } from "../../use_pages.ts";
import { useTypedQuery } from "../../use_typed_query.ts";
import { loadReached } from "./lists.ts";

interface ReachedProps {
  readonly userId: number;
  /** Null if the viewer does not know it. */
  readonly email: string | null;
}

/** The roles to which a person has access, with their rights on each. */
export function Reached({ userId, email }: ReachedProps) {
  const { person, role: { people } } = texts.value;
  const { text, onText, asked } = useTypedQuery("find");
  const pages = usePages("reached", loadReached, userId, asked);
  return (
    <section>
      <h2>{person.access}</h2>
      <p class="hint">{person.accessHint}</p>
      {(pages.hasMore || text !== "") && <Field label={person.find} value={text} onValue={onText} />}
      <PagedList
        pages={pages}
        asked={asked}
        empty={asked === "" ? person.accessNone : person.findNone}
        render={({ roleId, name, rights, direct, until }) => (
          <li key={roleId}>
            <span class="who">
              <RoleLink id={roleId} name={name} />
              <ul class="facts">
                {direct && <li>{people.direct}</li>}
                {until !== undefined && (
                  <li>
                    <time dateTime={until}>{person.until(formatComing(until))}</time>
                  </li>
                )}
                {email !== null && (
                  <li>
                    <Link
                      to={`/why?${new URLSearchParams({
                        person: email,
                        role: String(roleId),
                        right: "member",
                      })}`}
                      label={`${texts.value.why.title} ${isolate(name)}`}
                    >
                      {texts.value.why.title}
                    </Link>
                  </li>
                )}
              </ul>
            </span>
            <RightsTicks rights={rights} />
          </li>
        )}
      />
    </section>
  );
}
