import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Describe } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { loadRoles } from "../../roles.ts";
import { navigate, path, readId, turns } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import { closeForm } from "./change_frame.tsx";
import { describeRefusal } from "./describe_refusal.ts";
import { loadDetails } from "./effect_details.ts";
import { EffectView } from "./effect_view.tsx";
import { openedFrom } from "./opened_from.ts";
import { type Basis, PreviewForm } from "./preview_form.tsx";
import type { Answer, ChangeRequest, Effect } from "./requests.ts";
import { type Previewed, takesSomething } from "./summary.ts";
import { useOwnMemberships } from "./own_memberships.ts";
import { useInPicture } from "./use_in_picture.ts";
import { findUndo } from "./undoable.ts";
import { usePreview } from "./use_preview.ts";

interface ChangeFormProps {
  /** The fields. */
  readonly children?: ComponentChildren;
  /** The requested change; undefined until the form is complete. */
  readonly request: ChangeRequest | undefined;
  readonly basis?: Basis | undefined;
  /** The text about missing input. */
  readonly missing?: string;
  /** The text of the button, which may depend on the effect. */
  readonly submit: (shown: Previewed | undefined) => ComponentChildren;
  readonly words: {
    readonly working?: string;
    /** About a change without gained or lost rights. */
    readonly nothing?: ComponentChildren;
    /** If the viewer may not make the change. */
    readonly forbidden: string;
  };
  /** The text if the relation or membership exists already. */
  readonly exists?: string;
  /** Texts of problems that other changes do not have. */
  readonly describe?: Describe;
  readonly done: string | ((made: Answer, shown: Previewed | undefined) => string);
  /** Asks, below the effect, for what this effect takes; undefined if nothing more is asked. */
  readonly confirm?: (shown: Previewed) => Confirmation | undefined;
  readonly onShown?: (shown: Previewed | undefined) => void;
  /** The address of the only affected person; by default all members of the acting roles. */
  readonly person?: string | undefined;
  /** The role to show afterwards if the current one is gone, or no longer visible. */
  readonly elsewhere?: number | undefined;
  readonly onClose?: () => void;
  readonly takesFocus?: boolean;
}

/** A question about an effect. */
export interface Confirmation {
  readonly question: ComponentChildren;
  readonly isConfirmed: boolean;
}

/** The form of a change, with its effect on the rights of people. */
export function ChangeForm(props: ChangeFormProps) {
  const { request, basis, missing = "", submit, done, person, elsewhere, onClose = closeForm, takesFocus } =
    props;
  const { working, nothing = texts.value.change.nothing, forbidden } = props.words;
  const preview = usePreview(request);
  const shown = request && preview.shown &&
    { ...preview.shown, request, effect: preview.shown.effect as Effect };
  const memberships = useOwnMemberships();
  const isDrawn = request?.drawing !== undefined && preview.problem === undefined;
  useInPicture(isDrawn ? { drawing: request.drawing, shown } : undefined, memberships);
  const tag = shown?.effect.tag;
  const { data, problem } = useLoad(
    `details of ${tag}`,
    async (signal) => shown && { tag, details: await loadDetails(shown, signal) },
  );
  const details = data?.tag === tag ? data?.details : undefined;
  const isLoss = shown !== undefined && takesSomething(shown);
  const confirmation = shown && props.confirm?.(shown);
  useEffect(() => props.onShown?.(shown), [tag]);
  return (
    <PreviewForm
      {...{ request, preview, basis, missing, working, isLoss, onClose, takesFocus }}
      submit={submit(shown)}
      confirmation={confirmation?.question}
      isConfirmed={confirmation?.isConfirmed}
      describe={(problem, left) =>
        props.describe?.(problem, left) ?? describeRefusal(problem, left, forbidden)}
      onMade={async (made) => {
        const undo = findUndo(made.revision);
        await leave(isLoss, elsewhere, onClose);
        const turn = turns.value;
        void undo.then((action) => say(typeof done === "string" ? done : done(made, shown), action, turn));
      }}
      effect={shown !== undefined && (details !== undefined || problem !== undefined)
        ? (
          <>
            {props.exists !== undefined && !shown.isNew && <p>{props.exists}</p>}
            <EffectView {...{ shown, details, person, memberships, nothing }} />
          </>
        )
        : undefined}
    >
      {props.children}
    </PreviewForm>
  );
}

/** Returns to the view, or to another role if that of the view is gone or no longer visible. */
async function leave(isLoss: boolean, elsewhere: number | undefined, onClose: () => void): Promise<void> {
  const roleId = readId(path.value[1]);
  if (isLoss && roleId !== undefined) {
    const ids = [roleId, ...(elsewhere === undefined ? [] : [elsewhere])];
    // A failure here does not undo the change.
    const roles = await loadRoles(ids).catch(() => undefined);
    if (roles !== undefined && !roles.has(roleId)) {
      const isThere = elsewhere !== undefined && roles.has(elsewhere);
      if (isThere) return navigate(`/role/${elsewhere}`, { replace: true });
      // The start waits for it, and then leads to roles of which the viewer is a member still.
      me.value = undefined;
      return navigate(openedFrom() ?? "/", { replace: true });
    }
  }
  onClose();
}
