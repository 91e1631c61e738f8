import type { IdentityDeps } from "../identity/deps.ts";
import type { StoreLimits } from "../changes/store_limits.ts";
import type { RelyingParty } from "../accounts/factors/passkey/rules.ts";
import type { ConsoleFiles } from "./console_files.ts";
import type { DemoPeople } from "./demo_people.ts";
import type { RightPreset } from "./right_presets.ts";

/** Dependencies of the console's routes. */
export interface ConsoleDeps extends IdentityDeps {
  /** The origin under which browsers reach the service. */
  readonly publicUrl: string;
  readonly issuerName: string;
  readonly relyingParty: RelyingParty;
  readonly consoleFiles: ConsoleFiles;
  /** For how many days changes can be undone. */
  readonly historyDays: number;
  readonly storeLimits: StoreLimits;
  /** Usual sets of rights, the smallest first; none: those of the console. */
  readonly rightPresets: readonly RightPreset[];
  /** Only in development: the demo's people, for one-click sign-in. */
  readonly demoPeople?: DemoPeople | undefined;
}
