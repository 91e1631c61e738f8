import { Heading } from "../../components/heading.tsx";
import { currentTab, Tabs } from "../../components/tabs.tsx";
import { texts } from "../../language.ts";
import { useTitle } from "../../use_title.ts";
import type { ViewProps } from "../view_props.ts";
import { AccountChange } from "./account_change.tsx";
import { OwnData } from "./own_data.tsx";
import { Profile } from "./profile.tsx";
import { Security } from "./overview.tsx";
import { SecurityLog } from "./security_log.tsx";
import { Sessions } from "./sessions.tsx";
import { SudoDialog } from "./sudo_dialog.tsx";

/** The parts by their tabs in the address, the default first. */
const PARTS = { security: Security, profile: Profile, sessions: Sessions, log: SecurityLog, data: OwnData };

/** `/account`: the signed-in user's account. `/account/totp`: one change of it. */
export function Account({ parts: [change] }: ViewProps) {
  return (
    <>
      {change === undefined ? <Overview /> : <AccountChange key={change} name={change} />}
      <SudoDialog />
    </>
  );
}

function Overview() {
  const { accountSecurity, accountData, views } = texts.value;
  useTitle(views.account);
  const tabs = { ...accountSecurity.tabs, ...accountData.tabs } satisfies Record<keyof typeof PARTS, string>;
  const Part = PARTS[currentTab(tabs)];
  return (
    <main class="account">
      <Heading>{views.account}</Heading>
      <Tabs label={views.account} tabs={tabs} />
      <Part />
    </main>
  );
}
