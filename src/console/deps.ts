import type { IdentityDeps } from "../identity/deps.ts";
import type { ConsoleFiles } from "./console_files.ts";
import type { DemoPeople } from "./demo_people.ts";

/** What the routes of the console need. */
export interface ConsoleDeps extends IdentityDeps {
  /** The origin under which browsers reach the service. */
  readonly publicUrl: string;
  readonly issuerName: string;
  readonly consoleFiles: ConsoleFiles;
  /** Only in development: the people of the demo organization, as whom one click signs in. */
  readonly demoPeople?: DemoPeople | undefined;
}
