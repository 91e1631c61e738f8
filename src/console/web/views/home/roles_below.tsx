import { useSignal } from "@preact/signals";
import { bindTo, Field } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { texts } from "../../language.ts";
import { usePages } from "../../use_pages.ts";
import { usePaused } from "../../use_paused.ts";
import { describeAge } from "./age.ts";
import { loadWatched, type RoleBelow } from "./load_below.ts";
import type { OwnRole } from "./load_home.ts";

const PAUSE_MS = 300;

/** The roles below another: those without recent data first, with a search. */
export function RolesBelow(
  { own: { roleId, summary } }: { readonly own: Pick<OwnRole, "roleId" | "summary"> },
) {
  const { home, hierarchy } = texts.value;
  const text = useSignal("");
  const { value: asked } = usePaused(text.value.trim(), PAUSE_MS);
  const pages = usePages("below", loadWatched, roleId, asked);
  if (summary?.descendants === 0) return <p class="hint">{home.nothingBelow}</p>;
  const { items = [], hasMore } = pages;
  const late = items.filter(({ needsLook }) => needsLook);
  const hasRest = hasMore || late.length < items.length || late.length === 0;
  return (
    <>
      <Field label={home.find} {...bindTo(text)} />
      {late.length > 0 && (
        <section>
          <h2>{home.needsLook}</h2>
          <ul class="rows">{late.map((each) => <Row key={each.id} below={each} />)}</ul>
        </section>
      )}
      {hasRest && (
        <section>
          {summary !== undefined && pages.items !== undefined && (
            <h2>{hierarchy.below(summary.children, summary.children, summary.descendants)}</h2>
          )}
          <PagedList
            pages={{ ...pages, items: pages.items?.filter(({ needsLook }) => !needsLook) }}
            empty={asked === "" ? home.nothingBelow : home.noneFound}
            render={(each) => <Row key={each.id} below={each} />}
          />
        </section>
      )}
    </>
  );
}

function Row({ below }: { readonly below: RoleBelow }) {
  const { home } = texts.value;
  const { id, name, devices, hasMoreDevices, latest, needsLook } = below;
  return (
    <li>
      <span class="row-title">
        <Link to={`/role/${id}`}>
          <Name>{name}</Name>
        </Link>
        <small>{home.devices(devices, hasMoreDevices)}</small>
      </span>
      {(latest !== undefined || needsLook) && (
        <small class={needsLook ? "late" : undefined}>
          {latest === undefined ? home.noData : describeAge(latest)}
        </small>
      )}
    </li>
  );
}
