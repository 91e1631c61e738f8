import { LoadingNote } from "../../components/loading_note.tsx";
import { Overview } from "./overview.tsx";
import { useFactors } from "./use_factors.ts";

/** The sign-in settings, and the ways to change them. */
export function Security() {
  const { data, problem } = useFactors();
  return data === undefined ? <LoadingNote problem={problem} class="loading" /> : <Overview factors={data} />;
}
