import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../../api.ts";
import { bindTo, Field } from "../../../components/form.tsx";
import { FormDialog } from "../../../components/form_dialog.tsx";
import { LoadingNote } from "../../../components/loading_note.tsx";
import { StrongName } from "../../../components/name.tsx";
import { say } from "../../../components/notice.tsx";
import { Phrase } from "../../../components/sentence.tsx";
import { Time } from "../../../components/time.tsx";
import { texts } from "../../../language.ts";
import type { components } from "../../../openapi_types.ts";
import { keepPasskeys } from "../../../passkey.ts";
import { Problem } from "../../../problem.ts";
import { useKeptFocus } from "../../../use_kept_focus.ts";
import { reloadAll, useLoad } from "../../../use_load.ts";
import type { AccountChangeProps } from "../change_page.tsx";
import { ChangeLink, Item, State, Unconfirmed } from "../setting_item.tsx";
import { sudoApi } from "../sudo.ts";
import { describeName } from "./passkey_setup.tsx";

type PasskeyList = components["schemas"]["PasskeyList"];
type Passkey = components["schemas"]["Passkey"];

const NONE: PasskeyList = { passkey: [], userHandle: null };

/** A dialog about a passkey. */
type Asked = { readonly what: "rename" | "remove"; readonly shown: Passkey };

/** The user's passkeys, each with its ways to change it. */
export function PasskeysItem({ factors }: AccountChangeProps) {
  const { overview } = texts.value.accountSecurity;
  const isOn = factors.passkey !== undefined;
  const box = useKeptFocus<HTMLLIElement>();
  const asked = useSignal<Asked | undefined>(undefined);
  const { data = NONE, problem } = useLoad(
    `passkeys ${isOn}`,
    (signal) => isOn ? loadPasskeys(signal) : Promise.resolve(NONE),
  );
  const close = (): void => void (asked.value = undefined);
  return (
    <Item
      title={overview.passkeys}
      text={overview.passkeysText}
      state={<State isOn={isOn} />}
      box={box}
      list={
        <>
          {data.passkey.length > 0
            ? (
              <ul class="rows">
                {data.passkey.map((each) => (
                  <PasskeyRow
                    key={each.id}
                    shown={each}
                    onAsk={(what) => asked.value = { what, shown: each }}
                  />
                ))}
              </ul>
            )
            : isOn && <LoadingNote problem={problem} />}
          {asked.value?.what === "rename" && <Rename shown={asked.value.shown} onClose={close} />}
          {asked.value?.what === "remove" && (
            <Remove shown={asked.value.shown} list={data} factors={factors} onClose={close} />
          )}
        </>
      }
    >
      <ChangeLink change="passkey" about={overview.passkeys}>
        {isOn ? overview.add : overview.setUp}
      </ChangeLink>
    </Item>
  );
}

async function loadPasskeys(signal: AbortSignal): Promise<PasskeyList> {
  const list = await dataOf(api.GET("/user/2fa/passkey", { signal }));
  keepPasskeys(list);
  return list;
}

interface PasskeyRowProps {
  readonly shown: Passkey;
  readonly onAsk: (what: Asked["what"]) => void;
}

function PasskeyRow({ shown, onAsk }: PasskeyRowProps) {
  const { name, createdAt, lastUsedAt, synced, confirmed } = shown;
  const { passkey } = texts.value.accountSecurity;
  return (
    <li>
      <div class="what">
        <StrongName>{name}</StrongName>
        <p class="hint">
          <Phrase
            text={lastUsedAt === null ? passkey.unused : passkey.used}
            parts={{ made: <Time at={createdAt} />, used: lastUsedAt && <Time at={lastUsedAt} /> }}
          />
        </p>
        <p class="hint">
          {synced ? passkey.synced : passkey.single}
          {!confirmed && <Unconfirmed />}
        </p>
      </div>
      <div class="account-ways">
        {(["rename", "remove"] as const).map((what) => (
          <button
            key={what}
            type="button"
            onClick={() => onAsk(what)}
          >
            {what === "rename" ? passkey.rename : texts.value.words.remove}
            <span class="visually-hidden">{name}</span>
          </button>
        ))}
      </div>
    </li>
  );
}

interface AskedProps {
  readonly shown: Passkey;
  readonly onClose: () => void;
}

function Rename({ shown: { id, name }, onClose }: AskedProps) {
  const { passkey } = texts.value.accountSecurity;
  const typed = useSignal(name);
  const rename = async (): Promise<void> => {
    const params = { path: { passkeyId: id } };
    const body = { name: typed.value.trim() };
    await dataOf(api.PUT("/user/2fa/passkey/{passkeyId}", { params, body }));
    onClose();
    say(passkey.renamed);
    reloadAll();
  };
  return (
    <FormDialog
      title={passkey.renameTitle}
      onClose={onClose}
      submit={passkey.rename}
      onSubmit={rename}
      describe={describeName}
    >
      <Field label={texts.value.words.name} {...bindTo(typed)} takesFocus />
    </FormDialog>
  );
}

interface RemoveProps extends AskedProps, AccountChangeProps {
  readonly list: PasskeyList;
}

function Remove({ shown: { id, name }, list, factors, onClose }: RemoveProps) {
  const { passkey, turnOff } = texts.value.accountSecurity;
  const others = list.passkey.filter((each) => each.id !== id);
  const isLast = others.length === 0 && factors.totp === undefined && factors.emailOtp === undefined;
  const remove = async (): Promise<void> => {
    const params = { path: { passkeyId: id } };
    await dataOf(sudoApi.DELETE("/user/2fa/passkey/{passkeyId}", { params })).catch((error) => {
      // Done already, in another tab or with a lost response.
      if (!(error instanceof Problem) || error.status !== 403) throw error;
    });
    keepPasskeys({ ...list, passkey: others });
    onClose();
    say(passkey.removed);
    reloadAll();
  };
  return (
    <FormDialog
      title={passkey.removeTitle}
      onClose={onClose}
      about={name}
      submit={texts.value.words.remove}
      onSubmit={remove}
      isLoss
    >
      <p>{passkey.removeText}</p>
      {isLast && <p class="note">{turnOff.last}</p>}
      <p>{turnOff.others}</p>
    </FormDialog>
  );
}
