import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, dataOf } from "../../../api.ts";
import { CopyButton } from "../../../components/copy_button.tsx";
import { bindTo, type Describe, Field, ProblemForm } from "../../../components/form.tsx";
import { WhileSignedIn } from "../../../components/while_signed_in.tsx";
import { texts } from "../../../language.ts";
import type { components } from "../../../openapi_types.ts";
import { isPhone } from "../../../phone.ts";
import { describeGuess, readDigits, withNextGuess } from "../../sign_in/guess.ts";
import { type AccountChangeProps, CancelButton, ChangePage } from "../change_page.tsx";
import { sudoApi } from "../sudo.ts";
import { useNewCodes } from "./recovery_codes.tsx";

/** The secret made by the service: as an `otpauth:` URL, and as a picture. */
type Setup = components["schemas"]["TotpSetup"];

type Step =
  | { readonly kind: "start"; readonly isOver: boolean }
  | { readonly kind: "scan"; readonly setup: Setup };

/** An unconfirmed secret is void after 10 minutes. */
const SETUP_MS = 10 * 60_000;

/** The setup or replacement of an authenticator app: the secret as picture and text, then a code of the app. */
export function TotpSetup({ factors }: AccountChangeProps) {
  const { totp } = texts.value.accountSecurity;
  const step = useSignal<Step>({ kind: "start", isOver: false });
  const { newCodes, finish } = useNewCodes();
  const begin = async (): Promise<void> => {
    const setup = await dataOf(sudoApi.POST("/user/2fa/totp/setup", { body: {} }));
    step.value = { kind: "scan", setup };
  };
  if (newCodes !== undefined) return newCodes;
  return (
    // The heading of each step gets the focus.
    <ChangePage key={step.value.kind} title={factors.totp ? totp.replaceTitle : totp.title}>
      {step.value.kind === "scan"
        ? (
          <Scan
            setup={step.value.setup}
            onDone={(codes) => finish(totp.done, codes)}
            onOver={() => step.value = { kind: "start", isOver: true }}
          />
        )
        : (
          <ProblemForm submit={totp.begin} onSubmit={begin} actions={<CancelButton />}>
            {step.value.isOver && <p class="note" role="alert">{totp.over}</p>}
            <p>{factors.totp ? totp.replaceText : totp.text}</p>
          </ProblemForm>
        )}
    </ChangePage>
  );
}

interface ScanProps {
  readonly setup: Setup;
  readonly onDone: (recoveryCodes: readonly string[]) => void;
  readonly onOver: () => void;
}

function Scan({ setup: { url, qrCode }, onDone, onOver }: ScanProps) {
  const { totp } = texts.value.accountSecurity;
  const code = useSignal("");
  useEffect(() => {
    const timer = setTimeout(onOver, SETUP_MS);
    return () => clearTimeout(timer);
  }, []);
  const confirm = async (): Promise<void> => {
    const body = { totp: readDigits(code.value) };
    const { recoveryCodes } = await withNextGuess(
      api,
      "totp",
      () => dataOf(api.POST("/user/2fa/totp/enable", { body })),
    );
    onDone(recoveryCodes);
  };
  return (
    <ol class="totp-steps">
      <li>
        <p>{totp.scan}</p>
        <WhileSignedIn>
          {qrCode !== null && (
            <img
              class="totp-qr"
              src={`data:image/svg+xml,${encodeURIComponent(qrCode)}`}
              alt={totp.picture}
            />
          )}
          <Secret url={url} isAlone={qrCode === null} />
        </WhileSignedIn>
      </li>
      <li>
        <p>{totp.confirm}</p>
        <ProblemForm
          submit={totp.submit}
          onSubmit={confirm}
          actions={<CancelButton />}
          describe={describeCode}
        >
          <Field label={totp.code} autocomplete="one-time-code" inputMode="numeric" {...bindTo(code)} />
        </ProblemForm>
      </li>
    </ol>
  );
}

const describeCode: Describe = (problem, left) =>
  problem.code === "TOTP_UNINITIALIZED"
    ? texts.value.accountSecurity.totp.over
    : describeGuess(problem, left);

interface SecretProps {
  readonly url: string;
  /** Without a picture: the secret is too long for one. */
  readonly isAlone: boolean;
}

/** The secret for users who cannot scan, such as on the phone itself: a link on the same device, or text in groups. */
function Secret({ url, isAlone }: SecretProps) {
  const { totp } = texts.value.accountSecurity;
  const shown = useRef<HTMLElement>(null);
  const secret = new URL(url).searchParams.get("secret") ?? "";
  return (
    <details class="totp-secret" open={isAlone || isPhone.value}>
      <summary>{totp.cannotScan}</summary>
      <p>
        <a href={url}>{totp.open}</a>
      </p>
      <p>{totp.type}</p>
      <p>
        <code ref={shown}>
          {secret.match(/.{1,4}/g)?.map((group, i) => <span key={i}>{group}</span>)}
        </code>
        <CopyButton text={secret} shown={shown} />
      </p>
    </details>
  );
}
