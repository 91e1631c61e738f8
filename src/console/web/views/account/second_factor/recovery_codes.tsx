import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { CopyButton } from "../../../components/copy_button.tsx";
import { WhileSignedIn } from "../../../components/while_signed_in.tsx";
import { texts } from "../../../language.ts";
import { me } from "../../../me.ts";
import { page } from "../../../page.ts";
import { saveFile } from "../../../save_file.ts";
import { useAskBeforeLeaving } from "../../../use_ask_before_leaving.ts";
import { ChangePage, finishChange } from "../change_page.tsx";

interface NewCodesProps {
  /** What was done, if more than making the codes. */
  readonly done?: string;
  readonly codes: readonly string[];
}

/** The end of a setup: with the account's first factor come recovery codes, and the page for them takes its place. */
export function useNewCodes() {
  const made = useSignal<NewCodesProps | undefined>(undefined);
  return {
    /** The page, once there are codes. */
    newCodes: made.value && <NewCodes {...made.value} />,
    finish: (done: string, codes: readonly string[]): void => {
      if (codes.length > 0) made.value = { done, codes };
      else finishChange(done);
    },
  };
}

/** The page of new recovery codes, shown only once. They are printed alone, with their purpose. */
export function NewCodes({ done, codes }: NewCodesProps) {
  const { recovery } = texts.value.accountSecurity;
  const shown = useRef<HTMLOListElement>(null);
  const purpose = recovery.purpose(page.issuerName, me.value?.email ?? "");
  // Once the page is left, the codes are lost.
  useAskBeforeLeaving(true);
  const save = (): void => {
    const text = [purpose, recovery.once, "", ...codes, ""].join("\n");
    saveFile(recovery.file, new Blob([text], { type: "text/plain" }));
  };
  return (
    <ChangePage title={recovery.title}>
      {done !== undefined && <p>{done}</p>}
      <p>{recovery.text}</p>
      <div class="recovery-codes">
        <p class="on-paper">{purpose}</p>
        <p class="on-paper">{recovery.once}</p>
        <ol ref={shown}>
          <WhileSignedIn>
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </WhileSignedIn>
        </ol>
      </div>
      <p class="actions">
        <CopyButton text={codes.join("\n")} shown={shown} />
        <button type="button" onClick={() => print()}>{recovery.print}</button>
        <button type="button" onClick={save}>{recovery.download}</button>
      </p>
      <p>
        <button type="button" class="go" onClick={() => finishChange(recovery.kept)}>{recovery.done}</button>
      </p>
    </ChangePage>
  );
}
