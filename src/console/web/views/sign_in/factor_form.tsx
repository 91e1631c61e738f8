import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Method } from "../../../../identity/factors.ts";
import { dataOf } from "../../api.ts";
import type { Client } from "../../client.ts";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import { hasPasskeys, provePasskey } from "../../passkey.ts";
import { type CodeMethod, describeGuess, readDigits, withNextGuess } from "./guess.ts";
import { mailCode, SendAgain, SendMail } from "./send_mail.tsx";

type ChallengeTokens = components["schemas"]["ChallengeTokens"];

interface FactorFormProps {
  /** The client with the token of the login or session. */
  readonly client: Client;
  readonly methods: readonly Method[];
  readonly onProven: (tokens: ChallengeTokens) => Promise<void> | void;
  /** A button to leave it. */
  readonly leave: ComponentChildren;
}

/** A form for a second factor, to complete a login or before a sensitive change. */
export function FactorForm({ client, methods, onProven, leave }: FactorFormProps) {
  const { signIn } = texts.value;
  const method = useSignal(
    methods.find((each) => each !== "passkey" || hasPasskeys) ?? "recoveryCode",
  );
  const mailedTo = useSignal<string | undefined>(undefined);
  const others = methods.filter((other) => other !== method.value);
  return (
    <>
      {method.value === "passkey"
        ? <PasskeyForm client={client} onProven={onProven} leave={leave} />
        : method.value === "emailOtp" && mailedTo.value === undefined
        ? <SendMail client={client} leave={leave} onSent={(address) => mailedTo.value = address} />
        : (
          <CodeForm
            key={method.value}
            client={client}
            method={method.value}
            onProven={onProven}
            leave={leave}
          >
            {method.value === "emailOtp" && (
              <SendAgain
                client={client}
                address={mailedTo.value ?? ""}
                onSend={() => mailCode(client)}
              />
            )}
          </CodeForm>
        )}
      {others.length > 0 && (
        <p class="other-methods">
          {others.map((other) => (
            <button
              key={other}
              type="button"
              class="plain"
              onClick={() => method.value = other}
            >
              {signIn.other[other]}
            </button>
          ))}
        </p>
      )}
    </>
  );
}

type PasskeyFormProps = Omit<FactorFormProps, "methods">;

function PasskeyForm({ client, onProven, leave }: PasskeyFormProps) {
  const { signIn } = texts.value;
  const prove = async (): Promise<void> => {
    const { options } = await dataOf(client.POST("/user/2fa/passkey/challenge", { body: {} }));
    const body = { response: await provePasskey(options) };
    await onProven(await dataOf(client.POST("/user/2fa/passkey/authenticate", { body })));
  };
  return (
    <ProblemForm submit={signIn.other.passkey} onSubmit={prove} actions={leave} takesFocus>
      <p>{signIn.passkeyHint}</p>
    </ProblemForm>
  );
}

interface CodeFormProps extends PasskeyFormProps {
  readonly method: CodeMethod;
  readonly children?: ComponentChildren;
}

function CodeForm({ client, method, onProven, leave, children }: CodeFormProps) {
  const { signIn } = texts.value;
  const code = useSignal("");
  const prove = async (): Promise<void> => {
    const tokens = await withNextGuess(client, method, () => sendCode(client, method, code.value));
    code.value = "";
    await onProven(tokens);
  };
  return (
    <ProblemForm submit={signIn.factorSubmit} onSubmit={prove} actions={leave} describe={describeGuess}>
      {children}
      <Field
        label={signIn[method]}
        hint={signIn.hints[method]}
        autocomplete="one-time-code"
        inputMode={method === "recoveryCode" ? "text" : "numeric"}
        {...bindTo(code)}
        takesFocus
      />
    </ProblemForm>
  );
}

async function sendCode(client: Client, method: CodeMethod, code: string): Promise<ChallengeTokens> {
  switch (method) {
    case "totp":
      return await dataOf(client.POST("/user/2fa/totp/authenticate", { body: { totp: readDigits(code) } }));
    case "emailOtp":
      return await dataOf(
        client.POST("/user/2fa/email-otp/authenticate", { body: { otp: readDigits(code) } }),
      );
    case "recoveryCode": {
      const body = { recoveryCode: code };
      return await dataOf(client.POST("/user/2fa/recovery-code/authenticate", { body }));
    }
  }
}
