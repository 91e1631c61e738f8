import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isEmail } from "../../../../core/email.ts";
import { foldText } from "../../../../core/text.ts";
import { Field } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { Name } from "../../components/name.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { isolate, texts } from "../../language.ts";
import { queryAccess } from "../../ask_lists.ts";
import { navigate, withQuery } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";

/** People that are looked through for those whose address begins like what was typed, and those that are shown. */
const LOOKED_THROUGH = 200;
const SHOWN = 6;

interface PersonChooserProps {
  /** Undefined: whoever looks. */
  readonly email: string | undefined;
  /** Those with access to it are suggested. */
  readonly focus: Role;
}

/** Whose rights the picture shows: `?person=` of the address. */
export function PersonChooser({ email, focus }: PersonChooserProps) {
  const { person } = texts.value.hierarchy;
  const isOpen = useSignal(false);
  const element = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen.value) return;
    const close = ({ target }: Event): void => {
      if (target instanceof Node && !element.current?.contains(target)) isOpen.value = false;
    };
    const listening = new AbortController();
    for (const name of ["pointerdown", "focusin"]) addEventListener(name, close, listening);
    return () => listening.abort();
  }, [isOpen.value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !isOpen.value) return;
    event.preventDefault();
    close();
  };
  const close = (): void => {
    isOpen.value = false;
    button.current?.focus();
  };
  return (
    <div class="chooser" ref={element} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        aria-expanded={isOpen.value}
        onClick={() => isOpen.value = !isOpen.value}
      >
        {person.rightsOf} <strong>{email === undefined ? person.you : <Name>{email}</Name>}</strong>
        <svg width="10" height="6" viewBox="0 0 10 6" aria-hidden="true">
          <path d="M1 1l4 4 4-4" />
        </svg>
      </button>
      {isOpen.value && <PersonSheet email={email} focus={focus} onChosen={close} />}
    </div>
  );
}

function PersonSheet({ email, focus, onChosen }: PersonChooserProps & { readonly onChosen: () => void }) {
  const { person } = texts.value.hierarchy;
  const text = useSignal("");
  const fault = useSignal<string | undefined>(undefined);
  const submit = (event: Event): void => {
    event.preventDefault();
    const typed = text.value.trim();
    if (!isEmail(typed)) {
      fault.value = texts.value.notAnAddress;
      return;
    }
    navigate(withQuery({ person: typed }));
    onChosen();
  };
  return (
    <div
      class="sheet"
      onClick={({ target }) => target instanceof Element && target.closest("a") && onChosen()}
    >
      <form onSubmit={submit} noValidate>
        <Field
          label={texts.value.words.email}
          type="email"
          value={text.value}
          hint={person.hint}
          fault={fault.value}
          onValue={(value) => {
            text.value = value;
            fault.value = undefined;
          }}
          takesFocus
        />
        <button type="submit" class="go">{texts.value.passwordField.show}</button>
      </form>
      <Suggestions focus={focus} prefix={foldText(text.value.trim())} />
      {email !== undefined && <Link class="yours" to={withQuery({ person: undefined })}>{person.yours}</Link>}
    </div>
  );
}

interface SuggestionsProps {
  readonly focus: Role;
  readonly prefix: string;
}

/** The first people with access to the focus whose addresses begin like that, with their rights on it. */
function Suggestions({ focus, prefix }: SuggestionsProps) {
  const { person } = texts.value.hierarchy;
  const { data, problem } = useLoad(`people of ${focus.id}`, async (signal) => {
    const { access } = await queryAccess(focus.id, { limit: LOOKED_THROUGH }, signal);
    return access.flatMap(({ userEmail, rights }) => userEmail ? [{ email: userEmail, rights }] : []);
  });
  if (data === undefined || problem !== undefined) return <LoadingNote problem={problem} />;
  if (data.length === 0) return <p class="hint">{person.notForYou}</p>;
  const fitting = data.filter(({ email }) => foldText(email).startsWith(prefix)).slice(0, SHOWN);
  return (
    <>
      <h2>{person.people(isolate(focus.name))}</h2>
      <ul class="rows">
        {fitting.map(({ email, rights }) => (
          <li key={email}>
            <Link to={withQuery({ person: email })}>
              <Name>{email}</Name>
            </Link>
            <RightsTicks rights={rights} />
          </li>
        ))}
      </ul>
      {fitting.length === 0 && <p class="hint">{person.nobody}</p>}
    </>
  );
}
