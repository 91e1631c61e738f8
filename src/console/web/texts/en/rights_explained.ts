import type { RightName } from "../../../../graph/rights.ts";

/** What the rights let their holders do. Programs that ask this service decide what views, reports and alarms are. */
export const RIGHTS_EXPLAINED = {
  title: "What the rights mean",
  sentences: {
    roleManagement: "Make roles below, and rename, move and delete them.",
    userManagement: "Invite and remove people, and see who has access.",
    viewManagement: "Manage views, in the programs that ask this service.",
    deviceManagement: "Add and change devices, and write what they measure.",
    reportManagement: "Manage reports, in the programs that ask this service.",
    alarmManagement: "Manage alarms, in the programs that ask this service.",
  } satisfies Record<RightName, string>,
  sees: {
    name: "sees it",
    text:
      "Every path to a role, even without a right, shows it, all that is below it, and what its devices measure.",
  },
};
