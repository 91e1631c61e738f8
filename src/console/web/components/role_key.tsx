import type { ComponentChildren } from "preact";
import { api, dataOf } from "../api.ts";
import { AskButton } from "./ask_button.tsx";
import { Name } from "./name.tsx";
import { say } from "./notice.tsx";
import { RightsTicks } from "./rights.tsx";
import { TimeFact } from "./time.tsx";
import { formatDate, texts } from "../language.ts";
import type { components } from "../openapi_types.ts";

export type RoleKey = components["schemas"]["RoleKey"];

interface KeyRowProps {
  readonly shown: RoleKey;
  /** Its maker, or its role. */
  readonly origin: ComponentChildren;
  readonly onDeleted: () => void;
  /** A button; absent where keys are not adopted. */
  readonly adopt?: ComponentChildren;
}

/** A key in a list, with the dialog that deletes it. */
export function KeyRow({ shown, origin, onDeleted, adopt }: KeyRowProps) {
  const { keys } = texts.value.role;
  const { id, roleId, name, prefix, rights, asks, provisions, expiresAt, lastUsedAt } = shown;
  const send = async (): Promise<void> => {
    const params = { path: { roleId, keyId: id } };
    await dataOf(api.DELETE("/v1/role/{roleId}/key/{keyId}", { params }));
    say(keys.deleted);
    onDeleted();
  };
  return (
    <li class="person">
      <Name>{name}</Name>
      <RightsTicks rights={rights} />
      <ul class="facts">
        <li>
          <code>{prefix}…</code>
        </li>
        <TimeFact label={texts.value.words.ends} at={expiresAt} />
        <li>{lastUsedAt === null ? keys.unused : `${keys.used} ${formatDate(lastUsedAt)}`}</li>
        {origin}
        {asks && <li>{keys.mayAsk}</li>}
        {provisions && <li>{keys.mayProvision}</li>}
        {adopt !== undefined && <li>{adopt}</li>}
        <li>
          <AskButton
            class="plain"
            button={keys.delete}
            label={keys.deleteOf(name)}
            title={keys.deleteTitle}
            about={name}
            submit={keys.deleteSubmit}
            onSubmit={send}
            isLoss
          >
            <p>{keys.deleteText}</p>
          </AskButton>
        </li>
      </ul>
    </li>
  );
}
