import { queryMembers } from "../../ask_lists.ts";
import { PagedList } from "../../components/paged_list.tsx";
import { PersonLink } from "../../components/link.tsx";
import { TimeFact } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import type { Change } from "../changes/kinds.ts";
import { findSpan, readBack } from "../changes/read_log.ts";
import { ENDS } from "../person/find_person.ts";

const SHOWN_MS = 90 * 86_400_000;

interface Left {
  readonly userId: number;
  readonly email: string;
  readonly at: string;
}

/** The people whose last membership of those that the viewer manages ended lately, the latest first. */
export function LeftList() {
  const { people } = texts.value;
  const pages = usePages("left", loadLeft);
  return (
    <>
      <p class="hint">{people.hints.left}</p>
      <PagedList
        pages={pages}
        empty={people.none.left}
        render={({ userId, email, at }) => (
          <li key={userId} class="person">
            <PersonLink email={email} userId={userId} />
            <ul class="facts">
              <TimeFact label={people.leftSince} at={at} />
            </ul>
          </li>
        )}
      />
    </>
  );
}

/** Reads who left from the last changes of each kind that ends a membership. There is one page. */
async function loadLeft(_start: PageStart, signal: AbortSignal): Promise<Page<Left>> {
  const from = new Date(Date.now() - SHOWN_MS).toISOString();
  const ends = await Promise.all(Array.from(ENDS, async (kind) => {
    const filter = { kind, decision: "ok", from };
    return (await readBack(filter, await findSpan(filter, signal), signal)).changes;
  }));
  const latest = ends.flat().sort((one, other) => other.revision - one.revision);
  const people = new Map(latest.toReversed().flatMap(toLeft));
  const userId = [...people.keys()];
  const filter = { userId };
  const { member } = userId.length === 0 ? { member: [] } : await queryMembers("*", { filter }, signal);
  for (const { userId } of member) people.delete(userId ?? 0);
  return {
    items: [...people.values()].sort((one, other) => other.at.localeCompare(one.at)),
    next: undefined,
  };
}

/** Returns an entry, by the id of the account, unless the viewer does not see whom the change was about. */
function toLeft({ memberId, memberEmail, at }: Change): [number, Left][] {
  if (memberId === null || memberEmail === null) return [];
  return [[memberId, { userId: memberId, email: memberEmail, at }]];
}
