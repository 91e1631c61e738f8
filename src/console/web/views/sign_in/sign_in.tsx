import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Method } from "../../../../identity/factors.ts";
import { dataOf, openApi } from "../../api.ts";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { Heading } from "../../components/heading.tsx";
import { LanguageChoice } from "../../components/language_choice.tsx";
import { PasswordField } from "../../components/password_field.tsx";
import { focusContent } from "../../focus_content.ts";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { page } from "../../page.ts";
import { hasPasskeys } from "../../passkey.ts";
import { Problem } from "../../problem.ts";
import { query } from "../../router.ts";
import { keepSession } from "../../session.ts";
import { useTitle } from "../../use_title.ts";
import { Demo } from "./demo.tsx";
import { PasskeySignIn } from "./passkey_sign_in.tsx";
import { SecondStep } from "./second_step.tsx";

type Step =
  | { readonly kind: "password"; readonly isOver?: boolean }
  | { readonly kind: "factor"; readonly partialToken: string; readonly methods: readonly Method[] }
  | { readonly kind: "forgot" };

/**
 * The sign-in: with address and password, and a second factor if active; or with a passkey. A link for a forgotten
 * password comes first with `?forgot` in the address.
 */
export function SignIn({ hasEnded }: { readonly hasEnded: boolean }) {
  const step = useSignal<Step>({ kind: query.value.has("forgot") ? "forgot" : "password" });
  const email = useSignal(hasEnded ? me.value?.email ?? "" : takeAddress());
  const begin = (): void => {
    step.value = { kind: "password" };
  };
  const { kind } = step.value;
  const { signIn } = texts.value;
  useTitle(signIn.title, true);
  useReturningFocus(hasEnded);
  const bySelf = (
    <>
      <Password
        note={step.value.kind === "password" && step.value.isOver
          ? signIn.over
          : hasEnded
          ? signIn.ended
          : undefined}
        email={email}
        onFactor={(partialToken, methods) => step.value = { kind: "factor", partialToken, methods }}
        onForgot={() => step.value = { kind: "forgot" }}
      />
      {hasPasskeys && <PasskeySignIn />}
    </>
  );
  return (
    <main class="alone" id="content">
      <p class="brand">{page.issuerName}</p>
      {step.value.kind === "factor"
        ? (
          <SecondStep
            partialToken={step.value.partialToken}
            methods={step.value.methods}
            onStartAgain={begin}
            onOver={() => step.value = { kind: "password", isOver: true }}
          />
        )
        : kind === "forgot"
        ? <Forgot email={email} onBack={begin} />
        : page.hasDemo
        ? <Demo hasEnded={hasEnded}>{bySelf}</Demo>
        : bySelf}
      <LanguageChoice />
    </main>
  );
}

/** Where the page that sets a password leaves the address of its account. */
const LEFT = "rolegrid-address";

/** Returns the address for which a password has just been set, once; "" without one. */
function takeAddress(): string {
  const address = sessionStorage.getItem(LEFT) ?? "";
  sessionStorage.removeItem(LEFT);
  return address;
}

/** Returns the focus after a new sign-in to its previous place, or else to the view. */
function useReturningFocus(hasEnded: boolean): void {
  const before = useRef(document.activeElement);
  useEffect(() => () => {
    if (!hasEnded) return;
    if (before.current instanceof HTMLElement) before.current.focus();
    if (document.activeElement !== before.current || before.current === document.body) {
      focusContent();
    }
  }, []);
}

interface PasswordProps {
  /** The reason for signing in again. */
  readonly note: string | undefined;
  readonly email: Signal<string>;
  readonly onFactor: (partialToken: string, methods: readonly Method[]) => void;
  readonly onForgot: () => void;
}

function Password({ note, email, onFactor, onForgot }: PasswordProps) {
  const { signIn } = texts.value;
  const password = useSignal("");
  const logIn = async (): Promise<void> => {
    const body = { username: email.value.trim(), password: password.value };
    try {
      const refreshToken = await dataOf(openApi.POST("/auth/login", { body, parseAs: "text" }));
      await keepSession(refreshToken);
      password.value = "";
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "2FA_REQUIRED") throw error;
      password.value = "";
      onFactor(String(error.body["partialAuthToken"]), error.body["methods"] as Method[]);
    }
  };
  return (
    <ProblemForm
      submit={signIn.submit}
      onSubmit={logIn}
      actions={<button type="button" class="plain" onClick={onForgot}>{signIn.forgot}</button>}
    >
      <Heading>{signIn.title}</Heading>
      {note && <p class="note">{note}</p>}
      <Field
        label={texts.value.words.email}
        type="email"
        autocomplete="username webauthn"
        {...bindTo(email)}
      />
      <PasswordField
        label={texts.value.words.password}
        autocomplete="current-password"
        {...bindTo(password)}
      />
    </ProblemForm>
  );
}

interface ForgotProps {
  readonly email: Signal<string>;
  readonly onBack: () => void;
}

function Forgot({ email, onBack }: ForgotProps) {
  const { signIn } = texts.value;
  const isSent = useSignal(false);
  const send = async (): Promise<void> => {
    await dataOf(openApi.POST("/user/password/reset/email", { body: { email: email.value.trim() } }));
    isSent.value = true;
  };
  const back = <button type="button" class="plain" onClick={onBack}>{texts.value.back}</button>;
  if (isSent.value) {
    return (
      <>
        <Heading>{signIn.forgotTitle}</Heading>
        <p role="status">{signIn.forgotDone}</p>
        {back}
      </>
    );
  }
  return (
    <ProblemForm submit={signIn.forgotSubmit} onSubmit={send} actions={back}>
      <Heading>{signIn.forgotTitle}</Heading>
      <p>{signIn.forgotText}</p>
      <Field label={texts.value.words.email} type="email" autocomplete="username" {...bindTo(email)} />
    </ProblemForm>
  );
}
