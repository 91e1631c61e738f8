import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ProblemNote } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import { Problem, toProblem } from "../../problem.ts";
import { saveFile } from "../../save_file.ts";
import { type AccessQuestion, readAccessFile } from "./access.ts";

interface AccessFileProps {
  readonly roleId: number;
  readonly question: AccessQuestion;
}

/** Saves the list of access as a file, with progress and a way to stop, since it may be long. */
export function AccessFile({ roleId, question }: AccessFileProps) {
  const { cancel, role: { file } } = texts.value;
  const lines = useSignal<number | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  const reading = useRef(new AbortController());
  useEffect(() => () => reading.current.abort(), []);
  const save = async (): Promise<void> => {
    const abort = reading.current = new AbortController();
    lines.value = 0;
    problem.value = undefined;
    try {
      const content = await readAccessFile(roleId, question, (n) => lines.value = n, abort.signal);
      const name = `access-${roleId}${
        question.asOf === undefined ? "" : `-${question.asOf.slice(0, 10)}`
      }.csv`;
      saveFile(name, content);
      say(file.saved(name, lines.value));
    } catch (error) {
      if (!abort.signal.aborted) problem.value = toProblem(error);
    } finally {
      lines.value = undefined;
    }
  };
  return (
    <div class="list-actions">
      {lines.value === undefined ? <button type="button" onClick={() => void save()}>{file.save}</button> : (
        <>
          <span class="hint" role="status">{file.saving(lines.value)}</span>
          <button type="button" onClick={() => reading.current.abort()}>{cancel}</button>
        </>
      )}
      <ProblemNote problem={problem.value} />
    </div>
  );
}
