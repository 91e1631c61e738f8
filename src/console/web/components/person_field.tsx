import { useTypedQuery } from "../use_typed_query.ts";
import { EmailField } from "./email_field.tsx";

/** Milliseconds after which typing an address counts as finished. */
const TYPING_MS = 500;

interface PersonFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Suggests the first people who have access to this role. */
  readonly peopleOf: number | undefined;
}

/** A field for the person in `?person=` of the address. */
export function PersonField(props: PersonFieldProps) {
  const { text, onText } = useTypedQuery("person", TYPING_MS);
  return <EmailField {...props} value={text} onValue={onText} />;
}
