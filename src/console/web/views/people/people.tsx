import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { query, withQuery } from "../../router.ts";
import { useTitle } from "../../use_title.ts";
import { AttentionList } from "../role/attention_list.tsx";
import { EveryPerson } from "./every_person.tsx";
import { LeftList } from "./left_list.tsx";

const LISTS = ["all", "waiting", "ending", "left"] as const;

/** People in all roles whose members the viewer manages: all or, with `?list=`, those who wait, end soon, or left. */
export function People() {
  const { people } = texts.value;
  useTitle(texts.value.views.people);
  const list = LISTS.find((each) => each === query.value.get("list")) ?? "all";
  return (
    <main class="people">
      <h1>{texts.value.views.people}</h1>
      <p class="hint">{people.allRoles}</p>
      <nav class="switch" aria-label={texts.value.role.people.lists.label}>
        {LISTS.map((each) => (
          <Link key={each} to={withQuery({ list: each })} isCurrent={each === list}>
            {people.lists[each]}
          </Link>
        ))}
      </nav>
      {list === "all" && <EveryPerson />}
      {list === "left" && <LeftList />}
      {(list === "waiting" || list === "ending") && <AttentionList key={list} roleId="*" kind={list} />}
    </main>
  );
}
