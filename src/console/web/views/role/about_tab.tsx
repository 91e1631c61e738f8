import { Link } from "../../components/link.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { texts } from "../../language.ts";
import type { SomeRights } from "../../rights.ts";
import { withQuery } from "../../router.ts";
import { DemandSection } from "./demand_section.tsx";
import type { TabProps } from "./tab_props.ts";

/** The rights on the role, and the number of its neighbours. */
export function AboutTab(props: TabProps) {
  const { role, summary, allowed } = props;
  const { about } = texts.value.role;
  return (
    <>
      <h3>{about.rights}</h3>
      <dl class="rows">
        <RightsRow label={about.yours} rights={role.userRights} />
        <RightsRow label={about.self} rights={role.selfRights} />
      </dl>
      <p class="hint">{about.selfHint}</p>
      <h3>{about.around}</h3>
      <dl class="rows">
        <CountRow
          label={about.parents}
          count={summary.parents === 0 ? about.noParents : about.roles(summary.parents)}
        />
        <CountRow label={about.children} count={about.roles(summary.children)} />
        <CountRow label={about.below} count={about.roles(summary.descendants)} />
      </dl>
      {allowed.mayChange && (
        <div class="actions">
          <Link to={withQuery({ do: "edit" })} class="button">{about.edit}</Link>
        </div>
      )}
      <DemandSection {...props} />
    </>
  );
}

function RightsRow({ label, rights }: { readonly label: string; readonly rights: SomeRights }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <RightsTicks rights={rights} />
      </dd>
    </div>
  );
}

function CountRow({ label, count }: { readonly label: string; readonly count: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{count}</dd>
    </div>
  );
}
