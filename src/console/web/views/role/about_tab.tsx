import type { ComponentChildren } from "preact";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { texts } from "../../language.ts";
import { isPhone } from "../../phone.ts";
import { withQuery } from "../../router.ts";
import { AtRole } from "../home/at_role.tsx";
import { DemandSection } from "./demand_section.tsx";
import type { TabProps } from "./tab_props.ts";

/** The rights on the role, and the number of its neighbours. On a phone, first what is there. */
export function AboutTab(props: TabProps) {
  const { role, summary, allowed } = props;
  const { about } = texts.value.role;
  return (
    <>
      {isPhone.value && <AtRole roleId={role.id} summary={summary} />}
      <h3>{about.rights}</h3>
      <dl class="rows">
        <Row label={texts.value.words.you}>
          <RightsTicks rights={role.userRights} />
        </Row>
        <Row label={about.self}>
          <RightsTicks rights={role.selfRights} />
        </Row>
      </dl>
      <p class="hint">{about.selfHint}</p>
      <h3>{about.around}</h3>
      <dl class="rows">
        <Row label={texts.value.words.managedBy}>
          {summary.parents === 0 ? about.noParents : about.roles(summary.parents)}
        </Row>
        <Row label={texts.value.words.manages}>{about.roles(summary.children)}</Row>
        <Row label={about.below}>{about.roles(summary.descendants)}</Row>
      </dl>
      {role.externalId !== undefined && (
        <dl class="rows">
          <Row label={about.externalId}>
            <Name>{role.externalId}</Name>
          </Row>
        </dl>
      )}
      {allowed.mayChange && (
        <div class="actions">
          <Link to={withQuery({ do: "edit" })} class="button">{about.edit}</Link>
          {summary.parents > 0 && <Link to={withQuery({ do: "delete" })} class="button">{about.delete}</Link>}
        </div>
      )}
      {allowed.mayExtend && <PasswordSection />}
      <DemandSection {...props} />
    </>
  );
}

/** What the role's password is for, and the way to it. */
function PasswordSection() {
  const { about } = texts.value.role;
  return (
    <>
      <h3>{texts.value.words.rolePassword}</h3>
      <p class="hint">{about.passwordHint}</p>
      <div class="actions">
        <Link to={withQuery({ do: "password" })} class="button">{about.passwordSet}</Link>
      </div>
    </>
  );
}

function Row({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
