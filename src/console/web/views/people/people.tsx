import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { query, withQuery } from "../../router.ts";
import { useTitle } from "../../use_title.ts";
import { AttentionList, EveryMember } from "../role/attention_list.tsx";

const LISTS = ["all", "waiting", "ending"] as const;

/** People in all roles whose members the viewer manages: all or, with `?list=`, those who wait, or whose membership ends. */
export function People() {
  const { people } = texts.value;
  useTitle(people.title);
  const list = LISTS.find((each) => each === query.value.get("list")) ?? "all";
  return (
    <main class="people">
      <h1>{people.title}</h1>
      <p class="hint">{people.allRoles}</p>
      <nav class="switch" aria-label={people.label}>
        {LISTS.map((each) => (
          <Link key={each} to={withQuery({ list: each })} isCurrent={each === list}>
            {people.lists[each]}
          </Link>
        ))}
      </nav>
      {list === "all" ? <EveryMember /> : <AttentionList key={list} roleId="*" kind={list} />}
    </main>
  );
}
