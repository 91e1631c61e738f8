import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { AgainButton } from "../../components/again_button.tsx";
import { type Describe, ProblemForm } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { Problem } from "../../problem.ts";
import { reloadAll } from "../../use_load.ts";
import { StepUpButton } from "../account/dormant.tsx";
import { closeForm } from "./change_frame.tsx";
import type { PreviewRequest } from "./requests.ts";
import type { Preview } from "./use_preview.ts";

interface PreviewFormProps<A> {
  /** The fields. */
  readonly children?: ComponentChildren;
  /** What is to be done; undefined until the form is complete. */
  readonly request: PreviewRequest<A> | undefined;
  readonly preview: Preview<A>;
  /** The shown preview; undefined until it is loaded. */
  readonly effect: ComponentChildren | undefined;
  /** What is asked below the effect, and whether it has its answer. */
  readonly confirmation?: ComponentChildren;
  readonly isConfirmed?: boolean | undefined;
  /**
   * For a form that replaces a whole: if that has changed since, nothing is sent. The effect alone would not show a
   * name, for example, changed by another user.
   */
  readonly basis?: Basis | undefined;
  /** The text about missing input. */
  readonly missing?: string;
  readonly submit: ComponentChildren;
  readonly working?: string | undefined;
  /** Whether a user loses something by it. */
  readonly isLoss?: boolean;
  /** Whether the button that does it gets the focus when the form appears. */
  readonly takesFocus?: boolean | undefined;
  readonly describe: Describe;
  /** By default, it closes the form in the address. */
  readonly onClose?: () => void;
  /** Leaves the form once it is done, and tells so. */
  readonly onMade: (made: A) => Promise<void> | void;
}

/** The data that a form replaces. */
export interface Basis {
  /** Its state when the form was opened or reloaded. */
  readonly was: unknown;
  /** Loads its current state. */
  readonly look: () => Promise<unknown>;
}

/** Throws `EFFECT_CHANGED` if the data that is to be replaced is not what it was. */
export async function requireUnchanged({ was, look }: Basis): Promise<void> {
  if (JSON.stringify(await look()) !== JSON.stringify(was)) {
    throw new Problem(409, "EFFECT_CHANGED", undefined, {});
  }
}

/** What helps against a refusal of a preview: to prove more, or to ask again, once the right or the role is back. */
function Remedy<A>({ preview: { problem, askAgain } }: { readonly preview: Preview<A> }) {
  if (problem?.needs) return <StepUpButton needs={problem.needs} />;
  return [403, 404].includes(problem?.status ?? 0)
    ? <AgainButton problem={problem} onAgain={askAgain} />
    : null;
}

/** A form that shows the effect of what it does, and does it only if the effect is still the same. */
export function PreviewForm<A extends { readonly effect: { readonly tag: string } | undefined }>(
  props: PreviewFormProps<A>,
) {
  const { request, preview, effect, basis, missing = "", submit, working, describe, onMade, takesFocus } =
    props;
  const { confirmation, isConfirmed = true, isLoss = false, onClose = closeForm } = props;
  const { change, cancel } = texts.value;
  const { shown } = preview;
  const tag = shown?.effect?.tag;
  /** The change whose effect differed when it was to be made. */
  const moved = useSignal("");
  const make = async (): Promise<void> => {
    if (request === undefined || tag === undefined) return;
    moved.value = "";
    let made: A;
    try {
      if (basis !== undefined) await requireUnchanged(basis);
      made = await request.send({ kind: "apply", tag });
    } catch (error) {
      if (!(error instanceof Problem) || ![403, 404, 409].includes(error.status)) throw error;
      // The form may be out of date.
      preview.askAgain();
      reloadAll();
      if (error.code !== "EFFECT_CHANGED") throw error;
      moved.value = request.key;
      return;
    }
    await onMade(made);
    reloadAll();
  };
  return (
    <ProblemForm
      submit={submit}
      working={working}
      onSubmit={make}
      isReady={effect !== undefined && isConfirmed}
      isLoss={isLoss}
      takesFocus={takesFocus}
      describe={describe}
      known={preview.problem}
      remedy={<Remedy preview={preview} />}
      actions={<button type="button" onClick={onClose}>{cancel}</button>}
    >
      {props.children}
      <h3>{change.effect.title}</h3>
      {request !== undefined && moved.value === request.key && (
        <p role="alert" class="note">{change.effect.moved}</p>
      )}
      <div role="status" aria-busy={preview.isAsking || (shown !== undefined && effect === undefined)}>
        {effect ?? (
          <p class="hint">
            {preview.isAsking || shown !== undefined
              ? change.effect.asking
              : request === undefined
              ? missing
              : ""}
          </p>
        )}
      </div>
      {confirmation}
    </ProblemForm>
  );
}
