import type { FunctionComponent } from "preact";
import { isPast } from "../../components/as_of.tsx";
import { late } from "../../components/late.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { Name } from "../../components/name.tsx";
import { currentTab, Tabs } from "../../components/tabs.tsx";
import { texts } from "../../language.ts";
import { query } from "../../router.ts";
import { lateParts } from "../late_parts.ts";
import { AboutTab } from "./about_tab.tsx";
import { ChangesTab } from "./changes_tab.tsx";
import { DevicesTab } from "./devices_tab.tsx";
import { KeysTab } from "./keys_tab.tsx";
import { PeopleTab } from "./people_tab.tsx";
import { RelationsTab } from "./relations_tab.tsx";
import { useAllowed } from "./allowed.ts";
import type { TabProps } from "./tab_props.ts";

const RoleForm = late(() => lateParts().loadForms().then(({ RoleForm }) => RoleForm));

const TABS = {
  about: AboutTab,
  relations: RelationsTab,
  people: PeopleTab,
  keys: KeysTab,
  devices: DevicesTab,
  changes: ChangesTab,
} satisfies Record<string, FunctionComponent<TabProps>>;

interface RolePanelProps extends Omit<TabProps, "allowed"> {
  /** Whether the viewer is a direct member of the role. */
  readonly isMember: boolean;
}

/** Details of the role in the middle of the picture. */
export function RolePanel({ role, summary, isMember }: RolePanelProps) {
  const isOfPast = isPast();
  const isChanging = query.value.has("do") && !isOfPast;
  return (
    <aside id="panel" class="panel" aria-label={role.name} tabIndex={-1}>
      {isChanging && <RoleForm role={role} />}
      {/* The opener of the form stays, so that the focus can return to it. */}
      <div hidden={isChanging}>
        <h2 class="title">
          <Name>{role.name}</Name>
        </h2>
        {!isOfPast && <p class="hint">{texts.value.role.subtitle(role.id, summary.descendants)}</p>}
        {/* The key removes state of another role. */}
        <RoleTabs key={role.id} role={role} summary={summary} isMember={isMember} />
      </div>
    </aside>
  );
}

function RoleTabs({ role, summary, isMember }: RolePanelProps) {
  const { role: { tabs: { label, about, relations, keys } }, views: { people, devices, changes } } =
    texts.value;
  const tabs = { about, relations, people, keys, devices, changes };
  const { allowed, problem } = useAllowed(role, isMember);
  const isOfPast = isPast();
  // Of the past, only who had access is kept.
  const Tab = isOfPast ? PeopleTab : TABS[currentTab(tabs)];
  return (
    <>
      {!isOfPast && <Tabs label={label} tabs={tabs} />}
      {allowed === undefined
        ? <LoadingNote problem={problem} />
        : <Tab role={role} summary={summary} allowed={allowed} />}
    </>
  );
}
