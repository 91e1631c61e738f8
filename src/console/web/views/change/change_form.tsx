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
  /** The requested change; undefined until the form is complete. */
  readonly request: ChangeRequest | undefined;
  /**
   * For a form that replaces a whole: if that has changed since, nothing is sent. The effect alone would not show a
   * name, for example, changed by another user.
   */
  readonly basis?: Basis | undefined;
  /** The text about missing input. */
  readonly missing: string;
  /** The text of the button, which may depend on the effect. */
  readonly submit: (shown: Previewed | undefined) => string;
  readonly working: string;
  /** The text about a change without gained or lost rights. */
  readonly nothing: ComponentChildren;
  /** The text if the relation or membership exists already. */
  readonly exists?: string;
  /** The text if the viewer may not make the change. */
  readonly forbidden: string;
  readonly done: string;
  /** The address of the only affected person; by default all members of the acting roles. */
  readonly person?: string | undefined;
  /** The role to show afterwards if the current one is gone, or no longer visible. */
  readonly elsewhere?: number | undefined;
}

/** The data that a form replaces. */
interface Basis {
  /** Its state when the form was opened or reloaded. */
  readonly was: unknown;
  /** Loads its current state. */
  readonly look: () => Promise<unknown>;
}

/** A form that shows the effect of a change, and makes the change only if the effect is still the same. */
export function ChangeForm(props: ChangeFormProps) {
  const { request, basis, submit, working, forbidden, done, person, elsewhere } = props;
  const { change, cancel } = texts.value;
  const preview = usePreview(request);
  const { shown } = preview;
  const tag = shown?.effect.tag;
  const { state } = useLoad(
    `details of ${tag}`,
    async (signal) => shown && { tag, details: await loadDetails(shown, signal) },
  );
  const { data, problem } = state.value;
  const details = data?.tag === tag ? data?.details : undefined;
  const isShown = shown !== undefined && (details !== undefined || problem !== undefined);
  /** The change whose effect differed when it was to be made. */
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
      // The form may be out of date.
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

/** Returns to the role, or to another if it is gone or no longer visible. */
async function leave(shown: Previewed, elsewhere: number | undefined): Promise<void> {
  const roleId = Number(path.value[1]);
  if (takesSomething(shown)) {
    const ids = [roleId, ...(elsewhere === undefined ? [] : [elsewhere])];
    // A failure here does not undo the change.
    const roles = await loadRoles(ids).catch(() => undefined);
    if (roles !== undefined && !roles.has(roleId)) {
      const isThere = elsewhere !== undefined && roles.has(elsewhere);
      return navigate(isThere ? `/role/${elsewhere}` : "/", { replace: true });
    }
  }
  closeForm();
}
