import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { dataOf } from "../../api.ts";
import { Check } from "../../components/check.tsx";
import { Choice } from "../../components/choice.tsx";
import { CopyButton } from "../../components/copy_button.tsx";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { StrongName } from "../../components/name.tsx";
import { WhileSignedIn } from "../../components/while_signed_in.tsx";
import { texts } from "../../language.ts";
import { Problem } from "../../problem.ts";
import type { RightName } from "../../../../graph/rights.ts";
import { NONE } from "../../rights.ts";
import { navigate, withQuery } from "../../router.ts";
import { lastingApi } from "../account/sudo.ts";
import { onEscape } from "../change/change_frame.tsx";
import { GivingRights } from "../change/giving_rights.tsx";

/** Lifetimes of keys, in days. The default is not sent: the service's own ends no later than the maker's membership. */
type Days = "7" | "30" | "90" | "365";
const DEFAULT_DAYS = "90";
const DAY_MS = 86_400_000;

/** A key with its secret. */
export interface Created {
  readonly name: string;
  readonly secret: string;
  readonly ineffective: readonly RightName[];
}

/** The form for a key, and then its secret, which is shown only once. */
export function NewKey({ roleId }: { readonly roleId: number }) {
  const created = useSignal<Created | undefined>(undefined);
  const leave = (): void => navigate(withQuery({ key: undefined }));
  if (created.value !== undefined) return <Secret {...created.value} onDone={leave} />;
  return (
    <div onKeyDown={(event) => onEscape(event, leave)}>
      <KeyForm roleId={roleId} onCreated={(key) => created.value = key} />
    </div>
  );
}

interface KeyFormProps {
  readonly roleId: number;
  readonly onCreated: (created: Created) => void;
}

function KeyForm({ roleId, onCreated }: KeyFormProps) {
  const { cancel, role: { keys } } = texts.value;
  const name = useSignal("");
  const isNameFaulty = useSignal(false);
  const rights = useSignal(NONE);
  const days = useSignal<Days>(DEFAULT_DAYS);
  const asks = useSignal(false);
  const provisions = useSignal(false);
  const send = async (): Promise<void> => {
    const text = name.value.trim();
    isNameFaulty.value = text === "" || [...text].length > 256;
    if (isNameFaulty.value) return;
    const body = {
      name: text,
      rights: rights.value,
      asks: asks.value,
      provisions: provisions.value,
      ...endOf(days.value),
    };
    const { secret = "", ineffective = [] } = await dataOf(lastingApi.POST("/v1/role/{roleId}/key", {
      params: { path: { roleId } },
      body,
    }));
    onCreated({ name: text, secret, ineffective });
  };
  return (
    <ProblemForm
      submit={keys.submit}
      onSubmit={send}
      describe={describeRefusal}
      actions={<Link to={withQuery({ key: undefined })} class="button">{cancel}</Link>}
    >
      <FocusedHeading text={keys.create} />
      <Field
        label={texts.value.words.name}
        hint={keys.nameHint}
        fault={isNameFaulty.value ? keys.nameFault : undefined}
        value={name.value}
        onValue={(value) => {
          name.value = value;
          isNameFaulty.value = false;
        }}
      />
      <GivingRights label={keys.rights} {...bindTo(rights)} />
      <p class="hint">{keys.rightsHint}</p>
      <Choice label={texts.value.words.ends} options={keys.days} {...bindTo(days)} />
      <Check {...bindTo(asks)}>{keys.asks}</Check>
      <Check {...bindTo(provisions)}>{keys.provisions}</Check>
    </ProblemForm>
  );
}

function endOf(days: Days): { expiresAt?: string } {
  if (days === DEFAULT_DAYS) return {};
  return { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
}

function describeRefusal({ status }: Problem): string | undefined {
  const { keys } = texts.value.role;
  if (status === 0) return keys.doubtful;
  return status === 403 ? keys.refused : status === 409 ? keys.full : undefined;
}

interface SecretProps extends Created {
  readonly onDone: () => void;
}

/** The secret of a key, and a command that tries it. */
export function Secret({ name, secret, ineffective, onDone }: SecretProps) {
  const { rights: { names }, role: { keys } } = texts.value;
  const shown = useRef<HTMLElement>(null);
  const tried = useRef<HTMLElement>(null);
  const command = commandOf(secret);
  return (
    <>
      <FocusedHeading text={keys.secretTitle} />
      <p>
        <StrongName>{name}</StrongName>
      </p>
      <p class="secret">
        <code ref={shown}>
          <WhileSignedIn>{secret}</WhileSignedIn>
        </code>
      </p>
      <p class="hint">{keys.secretText}</p>
      {ineffective.length > 0 && (
        <p class="note">{keys.ineffective(ineffective.map((right) => names[right]).join(", "))}</p>
      )}
      <CopyButton text={secret} shown={shown} />
      <h4>{keys.tryTitle}</h4>
      <p class="hint">{keys.tryText}</p>
      <p class="secret">
        <code ref={tried}>
          <WhileSignedIn>{command}</WhileSignedIn>
        </code>
      </p>
      <CopyButton text={command} shown={tried} label={keys.copyCommand} />
      <div class="actions">
        <button type="button" class="go" onClick={onDone}>{keys.secretDone}</button>
      </div>
    </>
  );
}

/** Returns a command that lists the first roles that the key sees. A secret has no character that a shell reads. */
function commandOf(secret: string): string {
  return `curl -s ${location.origin}/v1/role/query -H 'Authorization: Bearer ${secret}' ` +
    `-H 'Content-Type: application/json' -d '{"limit": 10}'`;
}

/** A heading that announces new content to screen readers. */
function FocusedHeading({ text }: { readonly text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [text]);
  return <h3 class="title" ref={heading} tabIndex={-1}>{text}</h3>;
}
