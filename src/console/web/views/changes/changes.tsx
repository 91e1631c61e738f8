import { Heading } from "../../components/heading.tsx";
import { texts } from "../../language.ts";
import { useTitle } from "../../use_title.ts";
import { ListFile } from "../../components/list_file.tsx";
import { ChangeFilters, readFilter } from "./change_filters.tsx";
import { ChangeList } from "./change_list.tsx";
import { readLogFile } from "./read_log.ts";

/** `/changes`: the log of changes. Its filter is in the address: `?role=12&kind=member.add`. */
export function Changes() {
  const { changes } = texts.value;
  const filter = readFilter();
  useTitle(texts.value.views.changes);
  return (
    <main class="page">
      <Heading>{texts.value.views.changes}</Heading>
      <p class="intro">{changes.intro}</p>
      <ChangeFilters />
      <ListFile
        key={JSON.stringify(filter)}
        name="changes.csv"
        read={(onLines, signal) => readLogFile(filter, onLines, signal)}
      />
      <ChangeList {...filter} />
    </main>
  );
}
