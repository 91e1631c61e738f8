import { useId } from "preact/hooks";
import { queryAccess } from "../ask_lists.ts";
import { useLoad } from "../use_load.ts";
import { Field, type FieldProps } from "./form.tsx";

const SUGGESTED = 100;

interface EmailFieldProps extends Pick<FieldProps, "label" | "value" | "onValue" | "hint" | "fault"> {
  /** Suggests the first people who have access to this role. */
  readonly peopleOf?: number | undefined;
  /** Addresses that are suggested, too. */
  readonly found?: readonly string[];
}

/** A field for a person's address, their only identifier. */
export function EmailField({ peopleOf, found = [], ...field }: EmailFieldProps) {
  const id = useId();
  const { data = [] } = useLoad(`people of ${peopleOf}`, async (signal) => {
    if (peopleOf === undefined) return [];
    const { access } = await queryAccess(peopleOf, { limit: SUGGESTED }, signal);
    return access.flatMap(({ userEmail }) => userEmail ?? []);
  });
  return (
    <>
      <Field {...field} type="email" list={id} />
      <datalist id={id}>
        {[...new Set([...found, ...data])].map((email) => <option key={email} value={email} />)}
      </datalist>
    </>
  );
}
