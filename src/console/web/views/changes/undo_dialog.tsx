import { Dialog } from "../../components/dialog.tsx";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { formatNumber, texts } from "../../language.ts";
import type { Problem } from "../../problem.ts";
import { navigate, withQuery } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import { ChangeForm } from "../change/change_form.tsx";
import { describeReturning } from "../change/effect_notes.tsx";
import { undoChange } from "../change/requests.ts";
import { canBeUndone, isDeletion } from "../change/undoable.ts";
import { What } from "./change_row.tsx";
import { loadChange, type NamedChange } from "./named_change.ts";

function close(): void {
  navigate(withQuery({ undo: undefined }), { replace: true });
}

/** The dialog in the address of any view, `?undo=3017`: what an undo of that change does, before it is done. */
export function UndoDialog({ revision }: { readonly revision: number }) {
  const { change, changes } = texts.value;
  const { data, problem } = useLoad(
    "undo",
    async (signal) => ({ found: await loadChange(revision, signal) }),
  );
  return (
    <Dialog
      title={data?.found && isDeletion(data.found) ? changes.undo.restoreTitle : changes.undo.title}
      onClose={close}
    >
      {data === undefined
        ? <LoadingNote problem={problem} />
        : data.found === undefined
        ? <p>{change.gone}</p>
        : <UndoForm change={data.found} />}
    </Dialog>
  );
}

function UndoForm({ change }: { readonly change: NamedChange }) {
  const { undo, revision } = texts.value.changes;
  return (
    <div class="change-form">
      <p>
        <What change={change} />
      </p>
      <p class="hint">
        <Time at={change.at} /> · {revision(formatNumber(change.revision))}
      </p>
      <ChangeForm
        request={undoChange(change)}
        submit={() => isDeletion(change) ? undo.restore : undo.submit}
        words={undo}
        describe={(problem) => describe(problem, change)}
        done={(made) => `${undo.done} ${describeReturning(made)}`}
        person={change.memberEmail ?? undefined}
        onClose={close}
        takesFocus
      />
    </div>
  );
}

function describe({ status, code, body }: Problem, { kind, revision }: NamedChange) {
  const { undo } = texts.value.changes;
  if (code === "CANNOT_UNDO") return undo.cannot;
  // Only of a deletion, administrators can do more than the console.
  if (status === 422 && kind === "manages.delete") return undo.tooLarge(revision);
  if (code !== "CHANGED_SINCE") return undefined;
  const { revision: later } = body;
  if (typeof later !== "number") return undo.sinceHidden;
  return <Later revision={later} />;
}

/** The later change that is in the way of an undo, and the way to its own undo if it has one. */
function Later({ revision }: { readonly revision: number }) {
  const { undo } = texts.value.changes;
  const { data, problem } = useLoad(
    `later ${revision}`,
    async (signal) => ({ found: await loadChange(revision, signal) }),
  );
  if (data === undefined && problem === undefined) return <>{texts.value.loading}</>;
  if (data?.found === undefined) return <>{undo.sinceHidden}</>;
  return (
    <>
      <Sentence parts={undo.since(<What change={data.found} />)} /> {canBeUndone(data.found)
        ? <Link to={withQuery({ undo: String(revision) })}>{undo.later(formatNumber(revision))}</Link>
        : undo.byHand}
    </>
  );
}
