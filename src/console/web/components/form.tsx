import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedEvent } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { isEmail } from "../../../core/email.ts";
import { formatWait, texts } from "../language.ts";
import { isPassing, Problem, toProblem } from "../problem.ts";

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** An address is checked once the field is left. Browsers would write the domain of one in another form. */
  readonly type?: "text" | "email" | "password" | "date" | "datetime-local" | "number";
  readonly autocomplete?:
    | "username"
    | "username webauthn"
    | "current-password"
    | "new-password"
    | "one-time-code"
    | "name"
    | "off";
  readonly inputMode?: "text" | "numeric";
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  /** Id of a list of suggestions. */
  readonly list?: string;
  /** Whether it gets the focus when it appears. */
  readonly takesFocus?: boolean;
}

/** An input with its label and fault. */
export function Field(props: FieldProps) {
  const { label, value, onValue, type = "text", autocomplete = "off", inputMode = "text" } = props;
  const { hint, list, takesFocus = false } = props;
  const id = useId();
  const left = useSignal<string | undefined>(undefined);
  const isAddress = type === "email";
  const isWrong = (text: string): boolean => isAddress && text !== "" && !isEmail(text);
  const isLeftWrong = left.value === value && isWrong(value);
  const fault = props.fault ?? (isLeftWrong ? texts.value.notAnAddress : undefined);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) input.current?.focus();
  }, []);
  // The element types distinguish inputs by literals.
  const typed = { type: isAddress ? "text" : type } as { type: "text" };
  const described = hint === undefined && fault === undefined ? {} : { "aria-describedby": `${id}-note` };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        value={value}
        onInput={({ currentTarget }) => {
          currentTarget.setCustomValidity(isWrong(currentTarget.value) ? texts.value.notAnAddress : "");
          onValue(currentTarget.value);
        }}
        onChange={(event) => left.value = event.currentTarget.value}
        aria-invalid={fault === undefined ? undefined : "true"}
        autocomplete={autocomplete}
        // Some browsers send checked text to their makers, so no passwords and codes.
        spellcheck={autocomplete === "off" && !isAddress}
        autocapitalize={["off", "name"].includes(autocomplete) && !isAddress ? undefined : "none"}
        inputMode={isAddress ? "email" : inputMode}
        list={list}
        {...typed}
        {...described}
      />
      {(fault ?? hint) !== undefined && (
        <p id={`${id}-note`} class={fault === undefined ? "hint" : "fault"}>{fault ?? hint}</p>
      )}
    </div>
  );
}

interface Bound<T> {
  readonly value: T;
  readonly onValue: (value: T) => void;
}

/** Returns the properties of a field whose value is in a signal. */
export function bindTo<T>(signal: Signal<T>): Bound<T> {
  return { value: signal.value, onValue: (value) => signal.value = value };
}

interface ProblemFormProps {
  readonly children: ComponentChildren;
  readonly submit: ComponentChildren;
  /** The text of the button while the form is sent. */
  readonly working?: string | undefined;
  /** Sends the form. Errors are shown, and the input stays. */
  readonly onSubmit: () => Promise<void>;
  /** Further buttons, beside the one that submits. */
  readonly actions?: ComponentChildren;
  /** Whether it is complete. */
  readonly isReady?: boolean;
  /** Whether a user loses something by it. */
  readonly isLoss?: boolean;
  /** Whether the button that submits gets the focus when it appears. */
  readonly takesFocus?: boolean | undefined;
  readonly describe?: Describe | undefined;
  /** Why it would be refused, as far as that is known before it is sent. Loading that is retried. */
  readonly known?: Problem | undefined;
  /** What helps against it. */
  readonly remedy?: ComponentChildren;
}

/** Returns a sentence for a problem, with the seconds until a retry; undefined for the default. */
export type Describe = (problem: Problem, left: number) => ComponentChildren | undefined;

/** A form that is sent once at a time, shows errors, and counts down after too many attempts. */
export function ProblemForm(props: ProblemFormProps) {
  const { children, submit, working = texts.value.working, onSubmit, actions, describe, known } = props;
  const { isReady = true, isLoss = false, takesFocus = false } = props;
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) button.current?.focus();
  }, []);
  const { isWorking, isHeld, problem, run, forget } = useWork();
  // A refusal is said once, and not any longer than it lasts.
  useEffect(() => known && forget(), [known]);
  const send = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const wrong = form.querySelector<HTMLInputElement>("[inputmode=email]:invalid");
    if (wrong !== null) wrong.focus();
    else if (isReady) void run(onSubmit).then(() => requestAnimationFrame(() => focusFault(form)));
    else focusFault(form);
  };
  return (
    <form onSubmit={send} noValidate>
      {children}
      <ProblemNote problem={known ?? problem} describe={describe} isRetried={known !== undefined} />
      {props.remedy}
      <div class="actions">
        <button
          ref={button}
          type="submit"
          class={isLoss ? "go loss" : "go"}
          // A disabled button would lose the focus.
          aria-disabled={isHeld || !isReady}
        >
          {isWorking.value ? working : submit}
        </button>
        {actions}
      </div>
    </form>
  );
}

/** Moves the focus to the first field of a form with a fault, unless it has gone elsewhere. */
function focusFault(form: HTMLFormElement): void {
  if (!form.contains(document.activeElement)) return;
  form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}

/** What a user has the service do, once at a time. */
interface Work {
  readonly isWorking: ReadonlySignal<boolean>;
  /** Whether it cannot begin now: it is being done, or has to wait after too many attempts. */
  readonly isHeld: boolean;
  readonly problem: Problem | undefined;
  /** Does it, unless it cannot begin now. An error becomes the problem. */
  readonly run: (work: () => Promise<void>) => Promise<void>;
  /** Forgets the problem. */
  readonly forget: () => void;
}

/** Keeps the state of what a user has the service do. */
export function useWork(): Work {
  const isWorking = useSignal(false);
  const problem = useSignal<Problem | undefined>(undefined);
  const left = useCountdown(problem.value);
  const isHeld = isWorking.value || left > 0;
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isWorking.value || left > 0) return;
    isWorking.value = true;
    problem.value = undefined;
    try {
      await work();
    } catch (error) {
      problem.value = toProblem(error);
    } finally {
      isWorking.value = false;
    }
  };
  const forget = (): void => {
    problem.value = undefined;
  };
  return { isWorking, isHeld, problem: problem.value, run, forget };
}

interface ProblemNoteProps {
  readonly problem: Problem | undefined;
  readonly describe?: Describe | undefined;
  /** Whether loading is retried by itself, as `useLoad` does. */
  readonly isRetried?: boolean;
}

/** A note about a problem, also for screen readers. A wait counts down. */
export function ProblemNote(props: ProblemNoteProps) {
  const { problem, describe, isRetried = false } = props;
  const left = useCountdown(problem);
  if (problem === undefined) return <p role="alert" class="quiet"></p>;
  const isWaited = problem.status === 429 && left === 0;
  const textAt = (left: number): ComponentChildren =>
    (isWaited ? undefined : describe?.(problem, left)) ?? describeProblem(problem, left);
  if (problem.status === 429 && left > 0) {
    return (
      <>
        <p class="fault" aria-hidden="true">{textAt(left)}</p>
        {/* Announced once, not each second. */}
        <p role="alert" class="visually-hidden">{textAt(problem.retryAfter ?? left)}</p>
      </>
    );
  }
  return (
    <p role="alert" class="fault">
      {!(isRetried && isWaited) && textAt(left)}
      {isRetried && isPassing(problem) && ` ${texts.value.problems.retried}`}
    </p>
  );
}

/** Returns a sentence for a problem, in the page's language. */
export function describeProblem(problem: Problem, left = 0): string {
  const { status, code } = problem;
  const { problems } = texts.value;
  if (status === 429) return left > 0 ? problems.wait(formatWait(left)) : problems.again;
  const known = problems[code as keyof typeof problems];
  if (typeof known === "string") return known;
  if (isPassing(problem)) return problems.UNAVAILABLE;
  if (status === 403) return problems.FORBIDDEN;
  if (status === 400) return problems.MALFORMED;
  return problems.UNKNOWN;
}

/** Returns the seconds left of a problem's wait, counting down to 0. */
export function useCountdown(problem: Problem | undefined): number {
  // Not by the time of day, which may be set back.
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0);
  const ends = useMemo(() => {
    const wait = problem?.status === 429 ? problem.retryAfter ?? 0 : 0;
    return performance.now() + wait * 1000;
  }, [problem]);
  useEffect(() => {
    if (performance.now() >= ends) return;
    const timer = setInterval(() => {
      tick(undefined);
      if (performance.now() >= ends) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [ends]);
  return Math.max(0, Math.ceil((ends - performance.now()) / 1000));
}
