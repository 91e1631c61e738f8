import { Field, type FieldProps } from "../../components/form.tsx";
import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";
import type { NamedRole } from "../../schemas.ts";

/** The name of a role, if the viewer sees it. */
export function RoleName({ role }: { readonly role: NamedRole | undefined }) {
  return role === undefined ? <>{texts.value.change.hiddenRole}</> : <Name>{role.name}</Name>;
}

const NAME_LENGTH = 256;
const EXTERNAL_ID_LENGTH = 128;

/** Whether a role can have the name. */
export function isRoleName(name: string): boolean {
  return name !== "" && isLine(name, NAME_LENGTH);
}

/** Whether a role can have the external id, or none. */
export function isExternalId(externalId: string): boolean {
  return isLine(externalId, EXTERNAL_ID_LENGTH);
}

function isLine(text: string, most: number): boolean {
  // deno-lint-ignore no-control-regex -- exactly what no name may contain
  return [...text].length <= most && !/[\x00-\x1f\x7f-\x9f]/.test(text);
}

/** The field for an external id, which may stay empty. */
export function ExternalIdField({ value, onValue }: Pick<FieldProps, "value" | "onValue">) {
  const { role: { about }, change: { edit } } = texts.value;
  return (
    <Field
      label={about.externalId}
      value={value}
      onValue={onValue}
      fault={isExternalId(value.trim()) ? undefined : edit.externalIdFault}
    />
  );
}
