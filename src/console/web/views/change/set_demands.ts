import { loadPolicy } from "../../policy.ts";
import { Problem } from "../../problem.ts";
import type { Demand, Policy, Role } from "../../schemas.ts";
import { requireUnchanged } from "./preview_form.tsx";
import { type PreviewRequest, type SetDemand, setDemand } from "./requests.ts";
import { runSteps } from "./run_steps.ts";
import type { Stepping } from "./steps.tsx";

/** How many roles get a demand at once, each by requests of its own. */
export const MOST_ROLES = 50;

/** What is to be demanded, from a time (ISO 8601) on or at once. */
export interface Wanted {
  readonly secondFactor: Demand;
  readonly from: string | undefined;
}

/** What a demand would do to one of the roles. */
export interface Look {
  readonly role: Role;
  /** What it demands now; undefined if the viewer may not see that. */
  readonly was: Policy | undefined;
  /** Undefined if it demands that already, or if the viewer may not set it. */
  readonly shown: SetDemand | undefined;
  readonly problem: Problem | undefined;
}

/** Demands of several roles, as previewed or set. */
export interface SetDemands {
  /** Undefined once they are set. */
  readonly effect: { readonly tag: string } | undefined;
  readonly looks: readonly Look[];
  /** How many roles have got the demand, and those that have not. */
  readonly made: number;
  readonly left: readonly Role[];
}

/** Whether the role demands that already. */
export function demandsAlready(policy: Policy, { secondFactor, from }: Wanted): boolean {
  return policy.secondFactor === secondFactor && policy.from === (from ?? null);
}

/** Sets what the role of the form demands: what it did when the form was opened is compared by the form. */
export function setOne(role: Role, was: Policy, { secondFactor, from }: Wanted): PreviewRequest<SetDemands> {
  const single = setDemand(role.id, secondFactor, from);
  return {
    ...single,
    send: async (mode) => {
      const shown = await single.send(mode);
      return { effect: shown.effect, looks: [{ role, was, shown, problem: undefined }], made: 1, left: [] };
    },
  };
}

/**
 * Sets what several roles demand, one after another. `known` keeps what is known of each, so that one more role is looked
 * at alone. Roles that demand it already, or of which the viewer may not set it, are left out.
 */
export function setMany(
  roles: readonly Role[],
  wanted: Wanted,
  known: Map<string, Look>,
  stepping: Stepping<Look>,
): PreviewRequest<SetDemands> {
  const { secondFactor, from } = wanted;
  const keyOf = ({ id }: Role): string => JSON.stringify([id, secondFactor, from]);
  const looks = (): Look[] => roles.flatMap((role) => known.get(keyOf(role)) ?? []);
  return {
    key: JSON.stringify(["demands", roles.map(({ id }) => id), secondFactor, from]),
    send: async (mode) => {
      if (mode.kind === "preview") {
        const missing = roles.filter((role) => !known.has(keyOf(role)));
        const { refused, problem } = await runSteps(
          missing,
          async (role) => known.set(keyOf(role), await lookAt(role, wanted, mode.signal)),
          () => {},
          mode.signal,
        );
        if (problem !== undefined) throw problem;
        for (const { item: role, problem } of refused) {
          known.set(keyOf(role), { role, was: undefined, shown: undefined, problem });
        }
        return { effect: { tag: "" }, looks: looks(), made: 0, left: [] };
      }
      const due = looks().filter(({ shown }) => shown !== undefined);
      const { refused, left } = await stepping.run((onStep, signal) =>
        runSteps(due, (look) => setKnown(look, wanted), onStep, signal)
      );
      known.clear();
      const kept = [...refused.map(({ item }) => item), ...left].map(({ role }) => role);
      return { effect: undefined, looks: [], made: due.length - kept.length, left: kept };
    },
  };
}

/** Looks what a role demands, and what it would do to demand more or less. */
async function lookAt(role: Role, wanted: Wanted, signal: AbortSignal): Promise<Look> {
  const look = { role, shown: undefined, problem: undefined };
  let was: Policy | undefined;
  try {
    was = await loadPolicy(role.id, signal);
  } catch (error) {
    // It concerns this role alone, whose row has a button for it.
    if (!(error instanceof Problem) || error.needs === undefined) throw error;
    return { ...look, was: undefined, problem: error };
  }
  if (was === undefined) throw new Problem(403, "FORBIDDEN", undefined, {});
  if (demandsAlready(was, wanted)) return { ...look, was };
  const request = setDemand(role.id, wanted.secondFactor, wanted.from);
  return { ...look, was, shown: await request.send({ kind: "preview", signal }) };
}

/** Sets a demand that was looked at, unless the role or the effect has changed since. */
async function setKnown({ role, was, shown }: Look, wanted: Wanted): Promise<void> {
  const tag = shown?.effect?.tag;
  if (tag === undefined) return;
  await requireUnchanged({ was, look: () => loadPolicy(role.id) });
  await setDemand(role.id, wanted.secondFactor, wanted.from).send({ kind: "apply", tag });
}
