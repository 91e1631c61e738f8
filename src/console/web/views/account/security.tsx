import { LoadingNote } from "../../components/loading_note.tsx";
import { Overview } from "./overview.tsx";
import { useFactors } from "./use_factors.ts";

/** How one signs in, and the ways to change it. */
export function Security() {
  const { data, problem } = useFactors();
  return data === undefined ? <LoadingNote problem={problem} class="loading" /> : <Overview factors={data} />;
}
