import { api, dataOf } from "../../api.ts";
import { PagedList } from "../../components/paged_list.tsx";
import { RoleLink } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { loadRoles } from "../../roles.ts";
import { useKeptFocus } from "../../use_kept_focus.ts";
import type { Page, Pages, PageStart } from "../../use_pages.ts";
import { KeyRow, type RoleKey } from "../../components/role_key.tsx";
import { Advice } from "./advice.tsx";

/** A key that the user made, with its role's name if visible. */
export interface OwnKey {
  readonly key: RoleKey;
  readonly roleName: string | undefined;
}

const LIMIT = 25;

/** The keys made by the user, newest first, in all roles. */
export function OwnKeys({ pages }: { readonly pages: Pages<OwnKey> }) {
  const { ownKeys } = texts.value.accountData;
  const section = useKeptFocus<HTMLElement>();
  return (
    <section ref={section} class="card">
      <h2 class="title">{ownKeys.title}</h2>
      <p class="hint">
        <Advice text={ownKeys.intro} />
      </p>
      <PagedList
        pages={pages}
        empty={ownKeys.none}
        render={({ key, roleName }) => (
          <KeyRow
            key={key.id}
            shown={key}
            origin={
              <li>
                {ownKeys.role}{" "}
                {roleName === undefined ? key.roleId : <RoleLink id={key.roleId} name={roleName} />}
              </li>
            }
            onDeleted={pages.reload}
          />
        )}
      />
    </section>
  );
}

/** Loads a page of the user's keys. */
export async function loadOwnKeys(start: PageStart, signal: AbortSignal): Promise<Page<OwnKey>> {
  const query = { limit: LIMIT, ...start };
  const { key, nextCursor } = await dataOf(api.GET("/user/key", { params: { query }, signal }));
  const roles = await loadRoles(key.map(({ roleId }) => roleId), signal);
  return {
    items: key.map((each) => ({ key: each, roleName: roles.get(each.roleId)?.name })),
    next: nextCursor,
  };
}
