import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, dataOf } from "../../api.ts";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { texts } from "../../language.ts";
import { query, withQuery } from "../../router.ts";
import { type Page, type PageStart, usePages } from "../../use_pages.ts";
import { SudoDialog } from "../account/sudo_dialog.tsx";
import { DeleteKey, KeyRow, type RoleKey } from "../../components/role_key.tsx";
import { NewKey } from "./new_key.tsx";
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
  if (!allowed.mayManagePeople) return <p class="hint">{keys.needs}</p>;
  return (
    <div ref={content} tabIndex={-1}>
      {isNew ? <NewKey roleId={role.id} /> : <KeyList roleId={role.id} onDeleted={takeFocus} />}
      <SudoDialog />
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
        render={(key) => (
          <KeyRow
            key={key.id}
            shown={key}
            origin={key.createdBy !== null && (
              <li>
                {keys.madeBy} <Name>{key.createdBy}</Name>
              </li>
            )}
            onDelete={() => asked.value = key}
          />
        )}
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
