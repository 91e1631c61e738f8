import { signal } from "@preact/signals";
import type { Needs } from "./schemas.ts";

/**
 * A role may demand of its members more than the session has proved. The service says so, the user proves a second
 * factor in `StepUpDialog`, and from then on the session meets the demand, with the same token (RFC 9470).
 */

/** A demand that waits for proof. */
interface StepUp {
  readonly needs: Needs;
  readonly proven: Promise<boolean>;
  readonly end: (isProven: boolean) => void;
}

/** The demand that waits for proof, if any. */
export const stepping = signal<StepUp | undefined>(undefined);

/** Asks the user for proof, and returns whether they gave it. The signal ends it. */
export function stepUp(needs: Needs, signal?: AbortSignal): Promise<boolean> {
  const open = stepping.value;
  const asked = open?.needs === needs ? open : begin(needs);
  signal?.addEventListener("abort", () => asked.end(false), { once: true });
  return asked.proven;
}

function begin(needs: Needs): StepUp {
  stepping.value?.end(false);
  let resolve: (isProven: boolean) => void = () => {};
  const proven = new Promise<boolean>((settle) => resolve = settle);
  const asked: StepUp = {
    needs,
    proven,
    end: (isProven) => {
      if (stepping.value === asked) stepping.value = undefined;
      resolve(isProven);
    },
  };
  stepping.value = asked;
  return asked;
}
