import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Boundary } from "./components/boundary.tsx";
import { LanguageChoice } from "./components/language_choice.tsx";
import { late } from "./components/late.tsx";
import { Link } from "./components/link.tsx";
import { Name } from "./components/name.tsx";
import { Notice, say } from "./components/notice.tsx";
import { Finder } from "./finder.tsx";
import { skip } from "./focus_content.ts";
import { texts } from "./language.ts";
import { leave } from "./leave.ts";
import { me, useMe } from "./me.ts";
import { page } from "./page.ts";
import { navigate, path, query, readId, withQuery } from "./router.ts";
import { stepping } from "./step_up.ts";
import { chooseTheme, type Theme, theme } from "./theme.ts";
import { isView, VIEWS } from "./views.ts";
import { loadDetails, loadForms, loadRest } from "./views/load_details.ts";

/** The views in the navigation. The page of a person has no text there. */
const NAVIGATION = Object.entries(VIEWS).flatMap(([name, { isInNavigation }]) =>
  isView(name) && name !== "person" && isInNavigation ? [name] : []
);

/** The view at the start, before it leads on: an open menu stays. */
const START = "role";

const DormantBanner = late(() => loadDetails().then(({ DormantBanner }) => DormantBanner));
const StepUpDialog = late(() => loadDetails().then(({ StepUpDialog }) => StepUpDialog));
const UndoDialog = late(() => loadForms().then(({ UndoDialog }) => UndoDialog));

/** How long the first view has the connection to itself, in milliseconds. */
const FIRST_MS = 2000;

/** The frame of every view: the navigation and the account menu. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { views } = texts.value;
  const [current = START] = path.value;
  useMe();
  useEffect(() => void setTimeout(loadRest, FIRST_MS), []);
  const undone = readId(query.value.get("undo"));
  const hasDormant = me.value !== undefined && me.value.dormant.length + me.value.dormantFrom.length > 0;
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>{texts.value.skip}</a>
      <header class="top">
        <Link to="/" class="brand">
          <Logo />
          {page.issuerName}
        </Link>
        <nav aria-label={views.label}>
          {NAVIGATION.map((name) => (
            <Link key={name} to={`/${name}`} isCurrent={name === current}>
              {views[name]}
            </Link>
          ))}
        </nav>
        <Finder />
        <AccountMenu />
      </header>
      {hasDormant && (
        <Boundary onFailed={() => {}}>
          <DormantBanner waiting={null} />
        </Boundary>
      )}
      <div id="content" tabIndex={-1}>{children}</div>
      {undone !== undefined && (
        <Boundary key={undone} onFailed={leaveUndo}>
          <UndoDialog revision={undone} waiting={null} />
        </Boundary>
      )}
      {stepping.value && (
        <Boundary onFailed={leaveStepUp}>
          <StepUpDialog waiting={null} />
        </Boundary>
      )}
      <Notice />
    </>
  );
}

/** Leaves the dialog of an undo that did not load. Its link can be followed again. */
function leaveUndo(): void {
  navigate(withQuery({ undo: undefined }), { replace: true });
  say(texts.value.failure.text);
}

/** Leaves a step-up whose dialog did not load: what asked for it shows its refusal. */
function leaveStepUp(): void {
  stepping.value?.end(false);
  say(texts.value.failure.text);
}

function AccountMenu() {
  const { account, views, theme: appearance } = texts.value;
  const menu = useRef<HTMLDetailsElement>(null);
  const [current = START] = path.value;
  const close = (): void => {
    if (menu.current) menu.current.open = false;
  };
  useEffect(close, [current]);
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={(event) => {
        // Escape first closes the list of a choice.
        if (event.key !== "Escape" || event.target instanceof HTMLSelectElement) return;
        event.preventDefault();
        menu.current?.querySelector("summary")?.focus();
        close();
      }}
      onFocusOut={({ relatedTarget }) => {
        // A dialog returns the focus.
        if (!(relatedTarget instanceof HTMLElement) || relatedTarget.closest("dialog") !== null) return;
        if (menu.current?.contains(relatedTarget) === false) close();
      }}
    >
      <summary aria-label={account.menu}>
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="10" cy="7" r="3.2" />
          <path d="M3.5 17a6.5 6.5 0 0 1 13 0" />
        </svg>
      </summary>
      <div class="sheet">
        {me.value && (
          <p>
            <Name>{me.value.email}</Name>
          </p>
        )}
        <Link to="/account" isCurrent={current === "account"}>{views.account}</Link>
        <Link to="/people" isCurrent={current === "people"}>{views.people}</Link>
        <LanguageChoice />
        <label>
          {appearance.label}
          <select
            value={theme.value}
            onChange={({ currentTarget: { value } }) => chooseTheme(value as Theme)}
          >
            <option value="system">{appearance.system}</option>
            <option value="light">{appearance.light}</option>
            <option value="dark">{appearance.dark}</option>
          </select>
        </label>
        <button type="button" onClick={() => void leave()}>{account.signOut}</button>
      </div>
    </details>
  );
}

function Logo() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" class="logo">
      <path d="M10 5v4M5 15v-2.5A3.5 3.5 0 0 1 8.5 9h3a3.5 3.5 0 0 1 3.5 3.5V15" />
      <circle cx="10" cy="3.6" r="2.4" />
      <circle cx="5" cy="16.4" r="2.4" />
      <circle cx="15" cy="16.4" r="2.4" />
    </svg>
  );
}
