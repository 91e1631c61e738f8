import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ProblemForm, ProblemNote } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import { Problem } from "../../problem.ts";
import { loadRoles } from "../../roles.ts";
import { navigate, path } from "../../router.ts";
import { reloadAll, useLoad } from "../../use_load.ts";
import { closeForm } from "./change_frame.tsx";
import { describeRefusal } from "./describe_refusal.ts";
import { loadDetails } from "./effect_details.ts";
import { EffectView } from "./effect_view.tsx";
import type { ChangeRequest } from "./requests.ts";
import { takesSomething } from "./summary.ts";
import { type Previewed, usePreview } from "./use_preview.ts";

interface ChangeFormProps {
  /** The fields. */
  readonly children?: ComponentChildren;
  /** What the form asks for; undefined until it is complete. */
  readonly request: ChangeRequest | undefined;
  /**
   * For a form that replaces all of something: if that has changed since, nothing is sent. An effect alone would not show a
   * name, for example, that somebody else has changed.
   */
  readonly basis?: Basis | undefined;
  /** What is missing until then. */
  readonly missing: string;
  /** What the button says. It may depend on what the change does. */
  readonly submit: (shown: Previewed | undefined) => string;
  readonly working: string;
  /** What is said of a change by which nobody gains or loses a right. */
  readonly nothing: ComponentChildren;
  /** What is said if the relation or membership that the form makes is there already. */
  readonly exists?: string;
  /** What is said to somebody who may not make the change. */
  readonly forbidden: string;
  readonly done: string;
  /** The address of the only person whom the change concerns. By default, it is all members of the roles that act. */
  readonly person?: string | undefined;
  /** The role to go to if the one that is shown is there no more, or not for the viewer. */
  readonly elsewhere?: number | undefined;
}

/** What a form replaces. */
interface Basis {
  /** As it was when the form was opened, or reloaded. */
  readonly was: unknown;
  /** Loads it as it is now. */
  readonly look: () => Promise<unknown>;
}

/** A form that shows what a change does before it can be made, and makes it only if it still does that. */
export function ChangeForm(props: ChangeFormProps) {
  const { request, basis, submit, working, forbidden, done, person, elsewhere } = props;
  const { change, cancel } = texts.value;
  const preview = usePreview(request);
  const { shown } = preview;
  const tag = shown?.effect.tag;
  const { state } = useLoad(
    `details of ${tag}`,
    async (signal) => shown && { tag, details: await loadDetails(shown, person, signal) },
  );
  const { data, problem } = state.value;
  const details = data?.tag === tag ? data?.details : undefined;
  const isShown = shown !== undefined && (details !== undefined || problem !== undefined);
  /** The change whose effect was another one when it was to be made. */
  const moved = useSignal("");
  const make = async (): Promise<void> => {
    if (request === undefined || shown === undefined) return;
    moved.value = "";
    try {
      if (basis !== undefined && JSON.stringify(await basis.look()) !== JSON.stringify(basis.was)) {
        throw new Problem(409, "EFFECT_CHANGED", undefined, {});
      }
      await request.send({ kind: "apply", tag: shown.effect.tag });
    } catch (error) {
      if (!(error instanceof Problem) || ![403, 404, 409].includes(error.status)) throw error;
      // What the form shows may be out of date.
      preview.askAgain();
      reloadAll();
      if (error.code !== "EFFECT_CHANGED") throw error;
      moved.value = request.key;
      return;
    }
    await leave(shown, elsewhere);
    say(done);
    reloadAll();
  };
  return (
    <ProblemForm
      submit={submit(shown)}
      working={working}
      onSubmit={make}
      isReady={isShown}
      isLoss={shown !== undefined && takesSomething(shown)}
      describe={(problem, left) => describeRefusal(problem, left, forbidden)}
      actions={<button type="button" onClick={closeForm}>{cancel}</button>}
    >
      {props.children}
      <h3>{change.effect.title}</h3>
      {request !== undefined && moved.value === request.key && (
        <p role="alert" class="note">{change.effect.moved}</p>
      )}
      <div role="status" aria-busy={preview.isAsking || (shown !== undefined && !isShown)}>
        {!isShown
          ? (
            <p class="hint">
              {preview.isAsking || shown !== undefined
                ? change.effect.asking
                : request === undefined
                ? props.missing
                : ""}
            </p>
          )
          : (
            <>
              {props.exists !== undefined && !shown.isNew && <p>{props.exists}</p>}
              <EffectView shown={shown} details={details} person={person} nothing={props.nothing} />
            </>
          )}
      </div>
      <ProblemNote
        problem={preview.problem}
        describe={(problem, left) => describeRefusal(problem, left, forbidden)}
        isRetried
      />
    </ProblemForm>
  );
}

/** Back to the role, or to another if it is there no more, or not for the viewer. */
async function leave(shown: Previewed, elsewhere: number | undefined): Promise<void> {
  const roleId = Number(path.value[1]);
  if (takesSomething(shown)) {
    const ids = [roleId, ...(elsewhere === undefined ? [] : [elsewhere])];
    // What cannot be found out now does not undo what is done.
    const roles = await loadRoles(ids).catch(() => undefined);
    if (roles !== undefined && !roles.has(roleId)) {
      const isThere = elsewhere !== undefined && roles.has(elsewhere);
      return navigate(isThere ? `/role/${elsewhere}` : "/", { replace: true });
    }
  }
  closeForm();
}
