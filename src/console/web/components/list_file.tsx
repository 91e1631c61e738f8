import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { texts } from "../language.ts";
import { Problem, toProblem } from "../problem.ts";
import { saveFile } from "../save_file.ts";
import { ProblemNote } from "./form.tsx";
import { say } from "./notice.tsx";

interface ListFileProps {
  readonly name: string;
  /** Reads the list. Calls `onLines` with the number of lines so far. */
  readonly read: (onLines: (lines: number) => void, signal: AbortSignal) => Promise<ListContent>;
}

/** A list as CSV. */
export interface ListContent {
  readonly content: BlobPart;
  /** Whether the list is longer than what was read. */
  readonly hasMore: boolean;
}

/** Saves a list as a file, with progress and a way to stop, since it may be long. */
export function ListFile({ name, read }: ListFileProps) {
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
      const { content, hasMore } = await read((n) => lines.value = n, abort.signal);
      saveFile(name, new Blob([content], { type: "text/csv" }));
      say((hasMore ? file.savedPart : file.saved)(name, lines.value));
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
