import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { loadAccounts } from "../../accounts_told.ts";
import { AccountFacts } from "../../components/account_facts.tsx";
import { Heading } from "../../components/heading.tsx";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { Name, StrongName } from "../../components/name.tsx";
import { UnknownPage } from "../../components/unknown_page.tsx";
import { formatTime, isolate, texts } from "../../language.ts";
import { me } from "../../me.ts";
import { navigate, query, readId, withQuery } from "../../router.ts";
import { useKeptFocus } from "../../use_kept_focus.ts";
import { useLoad } from "../../use_load.ts";
import { usePages } from "../../use_pages.ts";
import { useTitle } from "../../use_title.ts";
import type { ViewProps } from "../view_props.ts";
import { EndPanel } from "./end_panel.tsx";
import { EndSessions } from "./end_sessions.tsx";
import { findPerson, type Person as FoundPerson } from "./find_person.ts";
import type { NamedRole } from "../../schemas.ts";
import { useEndableRoles } from "./endable_roles.ts";
import { Given, MadeKeys } from "./grants.tsx";
import { LatestChanges } from "./latest_changes.tsx";
import { loadMemberships } from "./lists.ts";
import { Memberships } from "./memberships.tsx";
import { Reached } from "./reached.tsx";

/**
 * `/person/12`: a person, as far as the viewer manages the members of roles to which they have access.
 * `/person?email=`: leads there.
 */
export function Person({ parts: [id] }: ViewProps) {
  const userId = readId(id);
  const email = query.value.get("email");
  if (userId !== undefined) return <ById key={userId} userId={userId} />;
  if (id === undefined && email !== null) return <ByAddress key={email} email={email} />;
  return <UnknownPage />;
}

function ByAddress({ email }: { readonly email: string }) {
  const { data, problem } = useLoad("person", async (signal) => ({
    found: await findPerson({ userEmail: email }, signal),
  }));
  const id = data?.found?.id;
  useEffect(() => {
    if (id !== undefined) navigate(`/person/${id}`, { replace: true });
  }, [id]);
  return data !== undefined && id === undefined ? <NoOne /> : (
    <main class="alone">
      <LoadingNote problem={problem} class="loading" />
    </main>
  );
}

function ById({ userId }: { readonly userId: number }) {
  const { data, problem } = useLoad(`person ${userId}`, async (signal) => ({
    found: await findPerson({ userId }, signal),
  }));
  // A person who has just lost all access still has their page.
  const last = useRef<FoundPerson | undefined>(undefined);
  last.current = data?.found ?? last.current;
  const person = last.current;
  const words = texts.value.person;
  useTitle(
    person?.email ?? (person === undefined && data !== undefined ? words.unknownTitle : words.id(userId)),
  );
  if (person !== undefined) return <Found person={person} />;
  if (data !== undefined) return <NoOne />;
  return (
    <main class="alone">
      <LoadingNote problem={problem} class="loading" />
    </main>
  );
}

function NoOne() {
  const { person, unknownPage } = texts.value;
  return (
    <main class="alone">
      <h1>{person.unknownTitle}</h1>
      <p>{person.unknownText}</p>
      <Link to="/">{unknownPage.back}</Link>
    </main>
  );
}

function Found({ person }: { readonly person: FoundPerson }) {
  const { person: words } = texts.value;
  const { id, email } = person;
  const isOwn = id === me.value?.id;
  const memberships = usePages("memberships", loadMemberships, id);
  const account = useLoad(`account of ${id}`, async (signal) => (await loadAccounts([id], signal)).get(id));
  const { roles, top, isKnown } = useEndableRoles(id, memberships);
  const isEnding = query.value.get("do") === "end" && !isOwn && (top !== undefined || !isKnown);
  const first = memberships.items?.[0];
  return (
    <main class="person-page">
      <header>
        <Heading>{email === null ? words.id(id) : <Name>{email}</Name>}</Heading>
        {account.data?.name !== undefined && (
          <p>
            <StrongName>{account.data.name}</StrongName>
          </p>
        )}
        <p class="hint">
          {email !== null && words.id(id)}
          {isOwn && (
            <>
              {" · "}
              {words.you} <Link to="/account">{texts.value.views.account}</Link>
            </>
          )}
        </p>
        {account.data && (
          <ul class="facts">
            <AccountFacts {...account.data} />
          </ul>
        )}
        {person.leftAt !== undefined && (
          <p class="note">{words.left(person.leftAt && formatTime(person.leftAt))}</p>
        )}
      </header>
      {isEnding && (
        top === undefined
          ? <LoadingNote problem={memberships.problem} />
          : <EndPanel key={top.id} person={person} roles={roles} top={top} />
      )}
      {/* The opener of the form stays, so that the focus can return to it. */}
      <div hidden={isEnding}>
        <Actions person={person} top={isOwn ? undefined : top} role={first?.role ?? top}>
          {account.data && first && !isOwn && <EndSessions member={first.member} />}
        </Actions>
        <div class="person-parts">
          <div>
            <Memberships pages={memberships} />
            <MadeKeys userId={id} />
            <Given userId={id} />
          </div>
          <div>
            <Reached userId={id} email={email} />
            <LatestChanges userId={id} />
          </div>
        </div>
      </div>
    </main>
  );
}

interface ActionsProps {
  readonly person: FoundPerson;
  /** The role below which to end access by default; undefined if the viewer cannot. */
  readonly top: NamedRole | undefined;
  /** The role of the picture. */
  readonly role: NamedRole | undefined;
  readonly children: ComponentChildren;
}

function Actions({ person: { id, email }, top, role, children }: ActionsProps) {
  const { person: words } = texts.value;
  // The end of access goes away once there is nothing to end.
  const box = useKeptFocus<HTMLDivElement>();
  return (
    <div ref={box} class="list-actions">
      <Link to={`/changes?by=${id}`} class="button">{words.log}</Link>
      {email !== null && (
        <Link to={`/changes?${new URLSearchParams({ member: email })}`} class="button">{words.concerns}</Link>
      )}
      {email !== null && role !== undefined && (
        <Link to={`/role/${role.id}?${new URLSearchParams({ person: email })}`} class="button">
          {words.draw}
        </Link>
      )}
      {/* Behind the others, which must not move when it is known. */}
      {top !== undefined && (
        <Link to={withQuery({ do: "end" })} class="button loss">{words.endBelow(isolate(top.name))}</Link>
      )}
      {children}
    </div>
  );
}
