import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, dataOf } from "../../api.ts";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemForm } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/notice.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { Time } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import { query, withQuery } from "../../router.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import { NewKey } from "./new_key.tsx";
import type { TabProps } from "./tab_props.ts";

type RoleKey = components["schemas"]["RoleKey"];

const PAGE = 50;

/** The keys with which programs are members of a role. With `?key=new` in the address, the form for another. */
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
  if (!allowed.mayManagePeople) return <p class="hint">{keys.needs}</p>;
  return (
    <div ref={content} tabIndex={-1}>
      {isNew ? <NewKey roleId={role.id} /> : <KeyList roleId={role.id} onDeleted={takeFocus} />}
    </div>
  );
}

interface KeyListProps {
  readonly roleId: number;
  readonly onDeleted: () => void;
}

function KeyList({ roleId, onDeleted }: KeyListProps) {
  const { keys } = texts.value.role;
  const pages = usePages(`keys ${roleId}`, (start, signal) => loadKeys(roleId, start, signal));
  const asked = useSignal<RoleKey | undefined>(undefined);
  const close = (): void => {
    asked.value = undefined;
  };
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
        render={(key) => <KeyRow key={key.id} shown={key} onDelete={() => asked.value = key} />}
      />
      {asked.value && <DeleteKey shown={asked.value} onClose={close} onDeleted={reload} />}
    </>
  );
}

async function loadKeys(
  roleId: number,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<RoleKey>> {
  const params = { path: { roleId } };
  const body = { limit: PAGE, ...start };
  const { key, nextCursor } = await dataOf(api.POST("/v1/role/{roleId}/key/query", { params, body, signal }));
  return { items: key, next: nextCursor };
}

interface KeyRowProps {
  readonly shown: RoleKey;
  readonly onDelete: () => void;
}

function KeyRow({ shown, onDelete }: KeyRowProps) {
  const { keys } = texts.value.role;
  const { name, prefix, rights, asks, expiresAt, createdBy, lastUsedAt } = shown;
  return (
    <li class="person">
      <Name>{name}</Name>
      <RightsTicks rights={rights} />
      <ul class="facts">
        <li>
          <code>{prefix}…</code>
        </li>
        <li>
          {keys.expires} <Time at={expiresAt} />
        </li>
        <li>
          {lastUsedAt === null ? keys.unused : (
            <>
              {keys.used} <Time at={lastUsedAt} />
            </>
          )}
        </li>
        {createdBy !== null && (
          <li>
            {keys.madeBy} <Name>{createdBy}</Name>
          </li>
        )}
        {asks && <li>{keys.mayAsk}</li>}
        <li>
          <button type="button" class="plain" aria-label={keys.deleteOf(name)} onClick={onDelete}>
            {keys.delete}
          </button>
        </li>
      </ul>
    </li>
  );
}

interface DeleteKeyProps {
  readonly shown: RoleKey;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteKey({ shown: { id, roleId, name }, onClose, onDeleted }: DeleteKeyProps) {
  const { cancel, role: { keys } } = texts.value;
  const send = async (): Promise<void> => {
    const params = { path: { roleId, keyId: id } };
    await dataOf(api.DELETE("/v1/role/{roleId}/key/{keyId}", { params }));
    say(keys.deleted);
    onClose();
    onDeleted();
  };
  return (
    <Dialog title={keys.deleteTitle} onClose={onClose}>
      <ProblemForm
        submit={keys.deleteSubmit}
        working={keys.deleting}
        onSubmit={send}
        isLoss
        actions={<button type="button" onClick={onClose}>{cancel}</button>}
      >
        <p>
          <b>
            <Name>{name}</Name>
          </b>
        </p>
        <p>{keys.deleteText}</p>
      </ProblemForm>
    </Dialog>
  );
}
