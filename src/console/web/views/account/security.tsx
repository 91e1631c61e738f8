import { ProblemNote } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { Overview } from "./overview.tsx";
import { useFactors } from "./use_factors.ts";

/** How one signs in, and the ways to change it. */
export function Security() {
  const { data, problem } = useFactors();
  if (data !== undefined) return <Overview factors={data} />;
  if (problem !== undefined) return <ProblemNote problem={problem} isRetried />;
  return <p class="loading" role="status">{texts.value.loading}</p>;
}
