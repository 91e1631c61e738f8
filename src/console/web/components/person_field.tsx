import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { navigate, query, withQuery } from "../router.ts";
import { EmailField } from "./email_field.tsx";

/** Whoever types has finished after this long. */
const TYPING_MS = 500;

interface PersonFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Suggests the first people who have access to this role. */
  readonly peopleOf: number | undefined;
}

/** The person who is `?person=` of the address. */
export function PersonField({ label, hint, peopleOf }: PersonFieldProps) {
  const person = query.value.get("person") ?? "";
  const typed = useSignal(person);
  useEffect(() => {
    typed.value = person;
  }, [person]);
  useEffect(() => {
    const email = typed.value.trim();
    if (email === person) return;
    const timer = setTimeout(
      () => navigate(withQuery({ person: email || undefined }), { replace: true }),
      TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <EmailField
      label={label}
      hint={hint}
      peopleOf={peopleOf}
      value={typed.value}
      onValue={(value) => typed.value = value}
    />
  );
}
