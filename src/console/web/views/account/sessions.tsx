import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../api.ts";
import { Check } from "../../components/check.tsx";
import { bindTo, ProblemNote, useWork } from "../../components/form.tsx";
import { FormDialog } from "../../components/form_dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/notice.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import { Problem } from "../../problem.ts";
import { signOut } from "../../session.ts";
import { useKeptFocus } from "../../use_kept_focus.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import { Advice } from "./advice.tsx";
import { readClient } from "./client_name.ts";
import { loadOwnKeys, OwnKeys } from "./own_keys.tsx";
import { lastingApi } from "./sudo.ts";

type Session = components["schemas"]["Session"];

/** The sessions whose end has to be confirmed. */
type Asked = "others" | "all";

const LIMIT = 25;

/** The user's sessions, newest first, and the keys that they made. */
export function Sessions() {
  const { sessions } = texts.value.accountData;
  const pages = usePages("sessions", loadSessions);
  const keys = usePages("own keys", loadOwnKeys);
  const asked = useSignal<Asked | undefined>(undefined);
  const hasOthers = (pages.items?.length ?? 0) > 1;
  const section = useKeptFocus<HTMLElement>();
  // The button that ends the other sessions disappears with them.
  const reload = (): void => {
    pages.reload();
    keys.reload();
  };
  return (
    <>
      <section ref={section} class="card">
        <h2 class="title">{sessions.title}</h2>
        <p class="hint">
          <Advice text={sessions.intro} />
        </p>
        <PagedList
          pages={pages}
          empty={sessions.none}
          render={(session) => <SessionRow key={session.id} session={session} onEnded={pages.reload} />}
        />
        <div class="actions">
          {hasOthers && (
            <button type="button" onClick={() => asked.value = "others"}>{sessions.others.open}</button>
          )}
          <button type="button" onClick={() => asked.value = "all"}>{sessions.all.open}</button>
        </div>
        {asked.value !== undefined && (
          <EndMany
            asked={asked.value}
            onClose={() => asked.value = undefined}
            onEnded={reload}
          />
        )}
      </section>
      <OwnKeys pages={keys} />
    </>
  );
}

async function loadSessions(start: PageStart, signal: AbortSignal): Promise<Page<Session>> {
  const query = { limit: LIMIT, ...start };
  const { session, nextCursor } = await dataOf(api.GET("/user/session", { params: { query }, signal }));
  return { items: session, next: nextCursor };
}

interface SessionRowProps {
  readonly session: Session;
  readonly onEnded: () => void;
}

function SessionRow({ session: { id, createdAt, lastTokenAt, client, current }, onEnded }: SessionRowProps) {
  const { sessions } = texts.value.accountData;
  const { isHeld, problem, run } = useWork();
  const end = async (): Promise<void> => {
    if (current) return await signOut();
    await dataOf(api.DELETE("/user/session/{id}", { params: { path: { id } } })).catch((error) => {
      // One that has ended by itself is refused.
      if (!(error instanceof Problem) || error.status !== 403) throw error;
    });
    say(sessions.ended);
    onEnded();
  };
  return (
    <li>
      <div class="what" id={`session-${id}`}>
        <b>
          <ClientName userAgent={client} />
        </b>
        {current && <span class="state on">{sessions.current}</span>}
        <p class="hint">
          <Phrase
            text={sessions.times}
            parts={{ created: <Time at={createdAt} />, used: <Time at={lastTokenAt} /> }}
          />
        </p>
        <ProblemNote problem={problem} />
      </div>
      <button
        type="button"
        aria-disabled={isHeld}
        aria-describedby={`session-${id}`}
        onClick={() => void run(end)}
      >
        {current ? texts.value.account.signOut : sessions.end}
      </button>
    </li>
  );
}

/** The browser or program of a session. */
function ClientName({ userAgent }: { readonly userAgent: string }) {
  const { client, unknownClient } = texts.value.accountData.sessions;
  const known = readClient(userAgent);
  if (known !== undefined) return <>{client(known.browser, known.system)}</>;
  return userAgent === "" ? <>{unknownClient}</> : <Name>{userAgent}</Name>;
}

interface EndManyProps {
  readonly asked: Asked;
  readonly onClose: () => void;
  readonly onEnded: () => void;
}

/** Asks before all sessions end, or all others. */
function EndMany({ asked, onClose, onEnded }: EndManyProps) {
  const { sessions } = texts.value.accountData;
  const { title, text, open } = sessions[asked];
  const withKeys = useSignal(false);
  const end = async (): Promise<void> => {
    const params = { query: { keys: true } };
    await dataOf(
      withKeys.value ? lastingApi.DELETE("/user/session", { params }) : api.DELETE("/user/session"),
    );
    if (asked === "all") return await signOut();
    onClose();
    say(withKeys.value ? sessions.doneWithKeys : sessions.others.done);
    onEnded();
  };
  return (
    <FormDialog title={title} onClose={onClose} submit={open} onSubmit={end}>
      <p>{text}</p>
      <Check {...bindTo(withKeys)}>{sessions.withKeys}</Check>
      {withKeys.value && <p class="hint">{sessions.withKeysHint}</p>}
    </FormDialog>
  );
}
