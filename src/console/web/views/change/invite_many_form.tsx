import { useSignal } from "@preact/signals";
import { useId, useMemo, useRef } from "preact/hooks";
import { bindTo } from "../../components/form.tsx";
import { Choice } from "../../components/choice.tsx";
import { Name } from "../../components/name.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { isolate, language, LANGUAGES, texts } from "../../language.ts";
import { queryMembers } from "../../ask_lists.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { usePaused } from "../../use_paused.ts";
import { ChangeForm } from "./change_form.tsx";
import { ChangeFrame, closeForm } from "./change_frame.tsx";
import { type LineFault, type PersonLine, readPeople, writePeople } from "./people_lines.ts";
import { type Answer, type ChangeRequest, putMember, type Terms } from "./requests.ts";
import { RoleName } from "./role_name.tsx";
import { runSteps } from "./run_steps.ts";
import { StepsNote, useSteps } from "./steps.tsx";
import { TermsFields, useTerms } from "./terms_fields.tsx";

/** As many as a person may invite in a day. */
const MOST = 50;
/** Larger files are no lists of so few. */
const MOST_BYTES = 100_000;
const TYPING_MS = 1000;
/** Names that a list of those who are members already shows. */
const SHOWN = 5;
const SHOWN_FAULTS = 20;

/** The form for several new members, by their addresses or as CSV. Who is a member already stays as they are. */
export function InviteManyForm({ role }: { readonly role: Role }) {
  const { member: words, many } = texts.value.change;
  const text = useSignal("");
  // Looked at once typing pauses, because a preview counts as an invitation.
  const given = usePaused(text.value, TYPING_MS);
  const mailLanguage = useSignal(language.value);
  const terms = useTerms(undefined);
  const { people, faults } = useMemo(() => readPeople(given.value), [given.value]);
  const isSettled = given.value === text.value;
  const isTooMany = people.length > MOST;
  const isReadable = isSettled && people.length > 0 && faults.length === 0 && !isTooMany;
  const emails = isReadable ? people.map(({ email }) => email) : [];
  const { data } = useLoad(`members among ${role.id} ${emails}`, async (signal) => ({
    emails,
    members: await findMembers(role.id, emails, signal),
  }));
  const members = data?.emails.join() === emails.join() ? data.members : undefined;
  const added = people.filter(({ email }) => members?.has(email) === false);
  const isComplete = isReadable && members !== undefined && terms.isKnown && terms.fault === undefined;
  const stepping = useSteps<PersonLine>();
  const made = useRef({ invited: 0, left: 0 });

  /** The terms of a person's line win over those of the form. */
  const termsOf = ({ until, rights }: PersonLine): Terms => ({
    until: until ?? terms.until,
    rights: rights === undefined ? terms.rights : rights,
  });
  const put = (person: PersonLine): ChangeRequest =>
    putMember(role.id, person.email, termsOf(person), mailLanguage.value);
  const putAll = async (first: PersonLine, tag: string): Promise<Answer> => {
    let invited = 0;
    const { answer, refused, left } = await stepping.run(async (onStep, signal) => {
      // A refusal of the first, whose effect is shown, is one of the form.
      const answer = await put(first).send({ kind: "apply", tag });
      onStep(++invited);
      const steps = await runSteps(
        added.slice(1),
        async (person) => {
          const added = put(person);
          const { effect, isNew } = await added.send({
            kind: "preview",
            signal: new AbortController().signal,
          });
          // Another manager may have added them meanwhile, on other terms.
          if (!isNew || effect === undefined) return;
          await added.send({ kind: "apply", tag: effect.tag });
          invited++;
        },
        (n) => onStep(n + 1),
        signal,
      );
      return { ...steps, answer };
    });
    const rest = [...refused.map(({ item }) => item), ...left];
    made.current = { invited, left: rest.length };
    if (rest.length > 0) text.value = given.value = writePeople(rest);
    return added.length === 1 ? answer : { ...answer, revision: undefined };
  };
  const [first] = added;
  const single = isComplete && first !== undefined ? put(first) : undefined;
  const request: ChangeRequest | undefined = single && first && {
    ...single,
    key: JSON.stringify([role.id, added, terms.until, terms.rights, mailLanguage.value]),
    send: (mode) => mode.kind === "preview" ? single.send(mode) : putAll(first, mode.tag),
  };
  return (
    <ChangeFrame title={many.title(<RoleName role={role} />)}>
      <ChangeForm
        request={request}
        missing={isSettled && faults.length > 0
          ? many.correct
          : isReadable && added.length === 0 && members !== undefined
          ? many.allMembers
          : many.missing}
        submit={() => many.submit(added.length)}
        words={{ ...words, working: many.working(stepping.taken ?? 0, added.length) }}
        done={() => many.done(made.current.invited)}
        onClose={() => {
          // What is left stays in the form.
          if (made.current.left === 0) closeForm();
          made.current.left = 0;
        }}
        person={first?.email}
      >
        <AddressesField
          {...bindTo(text)}
          fault={isTooMany ? many.tooMany(people.length, MOST) : undefined}
          hasFaults={isSettled && faults.length > 0}
          onGiven={() => given.value = text.value}
        />
        <Faults faults={isSettled ? faults : []} />
        {members !== undefined && members.size > 0 && (
          <p class="hint">{many.members([...members].slice(0, SHOWN).map(isolate), members.size)}</p>
        )}
        <Choice label={words.mailLanguage} options={LANGUAGES} {...bindTo(mailLanguage)} />
        <TermsFields terms={terms} />
        {single !== undefined && first !== undefined && added.length > 1 && (
          <p class="hint">
            <Sentence parts={many.shownFor(<Name>{first.email}</Name>)} />
          </p>
        )}
        <StepsNote
          stepping={stepping}
          keyOf={({ email }) => email}
          name={({ email }) => <Name>{email}</Name>}
          forbidden={words.forbidden}
        />
      </ChangeForm>
    </ChangeFrame>
  );
}

async function findMembers(roleId: number, userEmail: string[], signal: AbortSignal) {
  if (userEmail.length === 0) return new Set<string>();
  const { member } = await queryMembers(roleId, { filter: { userEmail }, limit: MOST }, signal);
  return new Set(member.map(({ userEmail }) => userEmail));
}

interface AddressesFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly onGiven: () => void;
  readonly fault: string | undefined;
  /** Whether some of its lines cannot be read. */
  readonly hasFaults: boolean;
}

/** A field for a list of addresses, typed, pasted, or read from a file. */
function AddressesField({ value, onValue, onGiven, fault, hasFaults }: AddressesFieldProps) {
  const { many } = texts.value.change;
  const id = useId();
  const isTooLarge = useSignal(false);
  const read = async (file: File | undefined): Promise<void> => {
    isTooLarge.value = file !== undefined && file.size > MOST_BYTES;
    if (file === undefined || isTooLarge.value) return;
    onValue(await file.text());
    onGiven();
  };
  const shown = isTooLarge.value ? many.tooLarge : fault;
  return (
    <div
      class="field addresses"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const file = event.dataTransfer?.files[0];
        if (file === undefined) return;
        event.preventDefault();
        void read(file);
      }}
    >
      <label for={id}>{many.addresses}</label>
      <textarea
        id={id}
        rows={6}
        spellcheck={false}
        autocapitalize="none"
        value={value}
        aria-invalid={shown === undefined && !hasFaults ? undefined : "true"}
        aria-describedby={`${id}-note`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        onChange={onGiven}
      />
      <p id={`${id}-note`} class={shown === undefined ? "hint" : "fault"}>{shown ?? many.hint}</p>
      <label class="button" for={`${id}-file`}>{many.file}</label>
      <input
        id={`${id}-file`}
        class="visually-hidden"
        type="file"
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        onChange={({ currentTarget }) => {
          void read(currentTarget.files?.[0]);
          // The same file may be chosen again, once it is mended.
          currentTarget.value = "";
        }}
      />
    </div>
  );
}

/** What is wrong with the lines, by line. */
function Faults({ faults }: { readonly faults: readonly LineFault[] }) {
  const { many } = texts.value.change;
  if (faults.length === 0) return <div role="alert"></div>;
  return (
    <div role="alert" class="fault">
      <p>{many.faults(faults.length)}</p>
      <ul>
        {faults.slice(0, SHOWN_FAULTS).map(({ line, text, kind }) => (
          <li key={`${line} ${text}`}>{many.fault[kind](line, isolate(text))}</li>
        ))}
      </ul>
    </div>
  );
}
