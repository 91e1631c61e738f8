import type { DemoResult, PasswordState } from "./demo.ts";
import { formatTable } from "./output.ts";

export interface DemoPasswords {
  readonly adminEmail: string;
  readonly adminPassword: string;
  readonly password: string;
}

/** Lists the demo's people, their roles, and how to log in as each. */
export function describeDemo({ rootName, admin, people }: DemoResult, given: DemoPasswords): string[] {
  const show = (state: PasswordState, password: string): string => {
    if (state === "set") return password;
    return state === "invited" ? "(not set: see the mail)" : "(the one set before)";
  };
  const rows = [
    ["Person", "Address", "Roles", "Password"],
    ["Administrator", given.adminEmail, rootName, show(admin, given.adminPassword)],
  ];
  for (const { person, password } of people) {
    rows.push([person.name, person.email, person.roles.join(", "), show(password, given.password)]);
  }
  return [
    ...formatTable(rows),
    "",
    `Two people have not accepted their invitations yet: "deno task mail" shows the mails, whose links set the passwords.`,
  ];
}
