import { api, dataOf } from "../../api.ts";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import { chooseForms } from "../../texts/plural.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import { Advice } from "./advice.tsx";

type Event = components["schemas"]["SecurityEvent"];

const LIMIT = 25;

/** The security events of the account, newest first. */
export function SecurityLog() {
  const { log } = texts.value.accountData;
  const pages = usePages("security log", loadEvents);
  return (
    <section class="card">
      <h2 class="title">{log.title}</h2>
      <p class="hint">
        <Advice text={log.intro} />
      </p>
      <PagedList
        pages={pages}
        empty={log.none}
        render={(event) => <EventRow key={event.id} event={event} />}
      />
    </section>
  );
}

async function loadEvents(start: PageStart, signal: AbortSignal): Promise<Page<Event>> {
  const query = { limit: LIMIT, ...start };
  const { event, nextCursor } = await dataOf(api.GET("/user/security-log", { params: { query }, signal }));
  return { items: event, next: nextCursor };
}

/** Results other than refusals. */
const DONE = ["ok", "activation", "ended"];
/** A sign-in that goes on, as its next event says if it did. */
const HALFWAY = "second_factor";

function EventRow({ event: { at, event, result, attempts, address } }: { readonly event: Event }) {
  const { log } = texts.value.accountData;
  const text = log.events[event as keyof typeof log.events] ?? log.unknown;
  const isDone = DONE.includes(result);
  const reason = log.reasons[result as keyof typeof log.reasons];
  return (
    <li>
      <div class="what">
        <b>{chooseForms(text, isDone)}</b>
        {!isDone && result !== HALFWAY && <span class="state few">{log.refused}</span>}
        {reason !== undefined && <p class="hint">{reason}</p>}
        {attempts > 1 && <p class="hint">{log.attempts(attempts)}</p>}
      </div>
      <p class="hint where">
        <Time at={at} />
        {address !== null && (
          <span>
            <Phrase text={log.from} parts={{ address: <Name>{address}</Name> }} />
          </span>
        )}
      </p>
    </li>
  );
}
