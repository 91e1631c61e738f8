import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, dataOf } from "../../api.ts";
import { AskButton } from "../../components/ask_button.tsx";
import { Link, PersonLink } from "../../components/link.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { texts } from "../../language.ts";
import { query, withQuery } from "../../router.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import { lastingApi } from "../account/sudo.ts";
import { SudoDialog } from "../account/sudo_dialog.tsx";
import { KeyRow, type RoleKey } from "../../components/role_key.tsx";
import { findPresent } from "../../access.ts";
import { type Created, NewKey, Secret } from "./new_key.tsx";
import { NeedsNote } from "./needs_note.tsx";
import type { TabProps } from "./tab_props.ts";

const PAGE = 50;

/** The keys of a role. With `?key=new` in the address, the form for a new one. */
export function KeysTab({ role, allowed }: TabProps) {
  const { keys } = texts.value.role;
  const isNew = query.value.get("key") === "new";
  const wasNew = useRef(isNew);
  const content = useRef<HTMLDivElement>(null);
  const takeFocus = (): void => content.current?.focus();
  useEffect(() => {
    if (wasNew.current && !isNew) takeFocus();
    wasNew.current = isNew;
  }, [isNew]);
  const adopted = useSignal<Created | undefined>(undefined);
  const leave = (): void => {
    adopted.value = undefined;
    takeFocus();
  };
  if (!allowed.mayManagePeople) return <NeedsNote roleId={role.id} text={keys.needs} />;
  return (
    <div ref={content} tabIndex={-1}>
      {adopted.value !== undefined
        ? <Secret {...adopted.value} onDone={leave} />
        : isNew
        ? <NewKey roleId={role.id} />
        : <KeyList roleId={role.id} onDeleted={takeFocus} onAdopted={(key) => adopted.value = key} />}
      <SudoDialog />
    </div>
  );
}

interface KeyListProps {
  readonly roleId: number;
  readonly onDeleted: () => void;
  readonly onAdopted: (key: Created) => void;
}

function KeyList({ roleId, onDeleted, onAdopted }: KeyListProps) {
  const { rights, role: { keys } } = texts.value;
  const pages = usePages("keys", loadKeys, roleId);
  const reload = (): void => {
    pages.reload();
    onDeleted();
  };
  return (
    <>
      <p class="hint">{keys.hint}</p>
      <div class="list-actions">
        <Link to={withQuery({ key: "new" })} class="button">{keys.create}</Link>
      </div>
      <PagedList
        pages={pages}
        empty={keys.none}
        render={({ key, hasMakerLeft }) => (
          <KeyRow
            key={key.id}
            shown={key}
            origin={
              <>
                {key.createdBy !== null && (
                  <li>
                    {keys.madeBy} <PersonLink email={key.createdBy} />
                  </li>
                )}
                {key.createdBy === null && <li class="whole">{keys.noMaker}</li>}
                {key.ineffective !== undefined && (
                  <li class="whole">
                    {keys.ineffective(key.ineffective.map((right) => rights.names[right]).join(", "))}
                  </li>
                )}
                {hasMakerLeft && <li class="whole">{keys.makerLeft}</li>}
              </>
            }
            onDeleted={reload}
            adopt={<AdoptKey shown={key} onAdopted={onAdopted} />}
          />
        )}
      />
    </>
  );
}

/** A key in the list. */
interface Listed {
  readonly key: RoleKey;
  /** Whether its maker has no access to the role any more: then it gives nothing on to others. */
  readonly hasMakerLeft: boolean;
}

async function loadKeys(
  roleId: number,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<Listed>> {
  const params = { path: { roleId } };
  const body = { limit: PAGE, ...start };
  const { key, nextCursor } = await dataOf(api.POST("/v1/role/{roleId}/key/query", { params, body, signal }));
  const makers = new Set(key.flatMap(({ createdBy }) => createdBy ?? []));
  const present = await findPresent(roleId, [...makers], signal);
  return {
    items: key.map((each) => ({
      key: each,
      hasMakerLeft: each.createdBy !== null && !present.has(each.createdBy),
    })),
    next: nextCursor,
  };
}

interface AdoptKeyProps {
  readonly shown: RoleKey;
  readonly onAdopted: (key: Created) => void;
}

/** Asks before a key is adopted, which ends its secret. */
function AdoptKey({ shown: { id, roleId, name }, onAdopted }: AdoptKeyProps) {
  const { keys } = texts.value.role;
  const send = async (): Promise<void> => {
    const params = { path: { roleId, keyId: id } };
    const { secret = "", ineffective = [] } = await dataOf(
      lastingApi.POST("/v1/role/{roleId}/key/{keyId}/adopt", { params }),
    );
    onAdopted({ name, secret, ineffective });
  };
  return (
    <AskButton
      class="plain"
      button={keys.adopt}
      label={keys.adoptOf(name)}
      title={keys.adoptTitle}
      about={name}
      submit={keys.adoptSubmit}
      onSubmit={send}
      describe={({ status }) => status === 403 ? keys.adoptRefused : undefined}
    >
      <p>{keys.adoptText}</p>
    </AskButton>
  );
}
