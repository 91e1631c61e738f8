import { useComputed, useSignal } from "@preact/signals";
import { dataOf } from "../../api.ts";
import { bindTo, ProblemForm } from "../../components/form.tsx";
import { OwnUsername, PasswordField } from "../../components/password_field.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { page } from "../../page.ts";
import { Problem } from "../../problem.ts";
import { CancelButton, ChangePage, finishChange } from "./change_page.tsx";
import { checkPassword, lengthOf, type PasswordChecks } from "./password_rules.ts";
import { sudoApi } from "./sudo.ts";

/** The change of the password, with the old one. */
export function PasswordChange() {
  const { password } = texts.value.accountSecurity;
  const old = useSignal("");
  const chosen = useSignal("");
  const checks = useComputed(() =>
    checkPassword(chosen.value, {
      old: old.value,
      email: me.value?.email ?? "",
      issuerName: page.issuerName,
    })
  );
  const change = async (): Promise<void> => {
    if (Object.values(checks.value).includes(false)) throw new Problem(400, RULE_BROKEN, undefined, {});
    const body = { oldPassword: old.value, newPassword: chosen.value };
    await dataOf(sudoApi.PUT("/user/password/old-password", { body }));
    old.value = "";
    chosen.value = "";
    finishChange(password.done);
  };
  return (
    <ChangePage title={password.title}>
      <p>{password.text}</p>
      <ProblemForm
        submit={password.submit}
        onSubmit={change}
        actions={<CancelButton />}
        describe={describeRefusal}
      >
        <OwnUsername />
        <PasswordField label={password.old} autocomplete="current-password" {...bindTo(old)} />
        <PasswordField
          label={texts.value.change.password.field}
          autocomplete="new-password"
          {...bindTo(chosen)}
        />
        <Rules checks={checks.value} length={lengthOf(chosen.value)} />
      </ProblemForm>
    </ChangePage>
  );
}

/** A rule that the page itself checks. */
const RULE_BROKEN = "RULE_BROKEN";

interface RulesProps {
  readonly checks: PasswordChecks;
  readonly length: number;
}

/** The rules of a new password, and which of them are met. */
function Rules({ checks, length }: RulesProps) {
  const { rules } = texts.value.accountSecurity.password;
  return (
    <ul class="password-rules" aria-label={rules.label}>
      <Rule isKept={checks.length}>{rules.length(length)}</Rule>
      <Rule isKept={checks.old}>{rules.old}</Rule>
      <Rule isKept={checks.names}>{rules.names}</Rule>
      <li>{rules.common}</li>
    </ul>
  );
}

function Rule({ isKept, children }: { readonly isKept: boolean; readonly children: string }) {
  const { rules } = texts.value.accountSecurity.password;
  return (
    <li class={isKept ? "kept" : undefined}>
      {children}
      <span class="visually-hidden">{isKept ? rules.kept : rules.notKept}</span>
    </li>
  );
}

/** Returns the reason of the service or page for refusing a password. */
function describeRefusal({ code }: Problem): string | undefined {
  const refusals: Readonly<Record<string, string>> = texts.value.accountSecurity.password.refusals;
  return Object.hasOwn(refusals, code) ? refusals[code] : undefined;
}
