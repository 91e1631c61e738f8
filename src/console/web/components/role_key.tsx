import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { api, dataOf } from "../api.ts";
import { FormDialog } from "./form_dialog.tsx";
import { Name } from "./name.tsx";
import { say } from "./notice.tsx";
import { RightsTicks } from "./rights.tsx";
import { TimeFact } from "./time.tsx";
import { texts } from "../language.ts";
import type { components } from "../openapi_types.ts";

export type RoleKey = components["schemas"]["RoleKey"];

interface KeyRowProps {
  readonly shown: RoleKey;
  /** Its maker, or its role. */
  readonly origin: ComponentChildren;
  readonly onDeleted: () => void;
  /** Absent where keys are not adopted. */
  readonly onAdopt?: () => void;
}

/** A key in a list, with the dialog that deletes it. */
export function KeyRow({ shown, origin, onDeleted, onAdopt }: KeyRowProps) {
  const { keys } = texts.value.role;
  const isAsking = useSignal(false);
  const { name, prefix, rights, asks, provisions, expiresAt, lastUsedAt } = shown;
  return (
    <li class="person">
      <Name>{name}</Name>
      <RightsTicks rights={rights} />
      <ul class="facts">
        <li>
          <code>{prefix}…</code>
        </li>
        <TimeFact label={texts.value.words.ends} at={expiresAt} />
        {lastUsedAt === null ? <li>{keys.unused}</li> : <TimeFact label={keys.used} at={lastUsedAt} />}
        {origin}
        {asks && <li>{keys.mayAsk}</li>}
        {provisions && <li>{keys.mayProvision}</li>}
        {onAdopt !== undefined && (
          <li>
            <button type="button" class="plain" aria-label={keys.adoptOf(name)} onClick={onAdopt}>
              {keys.adopt}
            </button>
          </li>
        )}
        <li>
          <button
            type="button"
            class="plain"
            aria-label={keys.deleteOf(name)}
            onClick={() => isAsking.value = true}
          >
            {keys.delete}
          </button>
        </li>
      </ul>
      {isAsking.value && (
        <DeleteKey
          shown={shown}
          onClose={() => isAsking.value = false}
          onDeleted={onDeleted}
        />
      )}
    </li>
  );
}

interface DeleteKeyProps {
  readonly shown: RoleKey;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks before a key is deleted. */
function DeleteKey({ shown: { id, roleId, name }, onClose, onDeleted }: DeleteKeyProps) {
  const { keys } = texts.value.role;
  const send = async (): Promise<void> => {
    const params = { path: { roleId, keyId: id } };
    await dataOf(api.DELETE("/v1/role/{roleId}/key/{keyId}", { params }));
    say(keys.deleted);
    onClose();
    onDeleted();
  };
  return (
    <FormDialog
      title={keys.deleteTitle}
      onClose={onClose}
      about={name}
      submit={keys.deleteSubmit}
      onSubmit={send}
      isLoss
    >
      <p>{keys.deleteText}</p>
    </FormDialog>
  );
}
