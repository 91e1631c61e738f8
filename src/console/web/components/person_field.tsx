import { isEmail } from "../../../core/email.ts";
import { api, dataOf } from "../api.ts";
import { useLoad } from "../use_load.ts";
import { useTypedQuery } from "../use_typed_query.ts";
import { EmailField } from "./email_field.tsx";
import type { FieldProps } from "./form.tsx";

/** Milliseconds after which typing an address counts as finished. */
const TYPING_MS = 500;

interface PersonFieldProps extends Pick<FieldProps, "label" | "hint" | "fault"> {
  /** The parameter of the address. */
  readonly parameter?: string;
  /** Suggests the first people who have access to this role. */
  readonly peopleOf: number | undefined;
}

/** A field for the person in `?person=` of the address, or in another parameter. Suggests people by any part of their addresses. */
export function PersonField({ parameter = "person", ...props }: PersonFieldProps) {
  const { text, onText, asked } = useTypedQuery(parameter, TYPING_MS);
  const { data = [] } = useLoad(`people like ${asked}`, async (signal) => {
    if (asked === "" || isEmail(asked)) return [];
    const body = { text: asked, kind: ["person" as const] };
    const { person } = await dataOf(api.POST("/v1/search", { body, signal }));
    return person.flatMap(({ userEmail }) => userEmail ?? []);
  });
  return <EmailField {...props} value={text} onValue={onText} found={data} />;
}
