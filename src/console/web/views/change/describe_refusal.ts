import type { Describe } from "../../components/form.tsx";
import type { components } from "../../openapi_types.ts";
import { formatWait, isolate, texts } from "../../language.ts";
import type { Problem } from "../../problem.ts";

/** Returns what describes refusals of a form. `forbidden`: the text if the viewer may not do that. */
export function describeWith(forbidden: string): Describe {
  return (problem, left) => describeRefusal(problem, left, forbidden);
}

/** Returns the reason for a refusal and the remedy; undefined for the default text. */
export function describeRefusal(
  { status, code, body }: Problem,
  left: number,
  forbidden: string,
): string | undefined {
  const { problems, gone } = texts.value.change;
  if (status === 401) return SAID_ELSEWHERE.includes(code) ? undefined : problems.session;
  if (status === 403) return forbidden;
  if (status === 404) return gone;
  if (status === 422) return problems.tooLarge;
  if (status === 503) return problems.busy;
  if (code === "TOO_MANY_INVITATIONS") return problems.invitations(formatWait(left));
  if (status !== 409) return undefined;
  if (code === "EFFECT_CHANGED") return problems.moved;
  if (code.includes("cycle")) return problems.cycle;
  if (code.startsWith("The externalId")) return problems.externalIdTaken;
  if (code.startsWith("The root role")) return problems.lastMember;
  if (code.startsWith("No lasting member")) return texts.value.demands.policy.noAwake;
  if (!code.startsWith("The role would be left")) return undefined;
  const { roles } = body as components["schemas"]["ApiError"];
  if (roles === undefined) return problems.unmanaged;
  return problems.unmanagedRoles(
    roles.first.map(({ name }) => isolate(name)),
    roles.count - roles.first.length,
  );
}

/** Refusals of every view, which have their text in `problems`. */
const SAID_ELSEWHERE: readonly string[] = ["NOT_CONFIRMED", "SECOND_FACTOR_REQUIRED"];
