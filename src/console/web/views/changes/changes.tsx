import { Heading } from "../../components/heading.tsx";
import { texts } from "../../language.ts";
import { useTitle } from "../../use_title.ts";
import { ChangeFilters, readFilter } from "./change_filters.tsx";
import { ChangeList } from "./change_list.tsx";

/** `/changes`: the log of changes. Its filter is in the address: `?role=12&kind=member.add`. */
export function Changes() {
  const { changes } = texts.value;
  useTitle(texts.value.views.changes);
  return (
    <main class="page">
      <Heading>{texts.value.views.changes}</Heading>
      <p class="intro">{changes.intro}</p>
      <ChangeFilters />
      <ChangeList {...readFilter()} />
    </main>
  );
}
