import type { Describe } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { describeRefusal } from "../change/describe_refusal.ts";

/** Returns the texts of refusals to change who monitors a device. */
export function describeMonitors(forbidden: string): Describe {
  return (problem, left) => {
    const { refusals } = texts.value.deviceForms;
    const { status, code, body } = problem;
    if (code.startsWith("The device has monitors relations")) {
      const named = (body as { monitors?: { readonly first: readonly { roleId: number }[]; hidden: number } })
        .monitors;
      return refusals.cannotEnd((named?.first.length ?? 0) + (named?.hidden ?? 0));
    }
    if (code.startsWith("100 roles")) return refusals.tooMany;
    if (status === 422 && code.startsWith("The period does not lie")) return refusals.outside;
    if (status === 422 && code.startsWith("The period of")) return refusals.beginsEarlier;
    if (status === 422 && code.startsWith("The period does not end")) return refusals.isEmpty;
    return describeRefusal(problem, left, forbidden);
  };
}
