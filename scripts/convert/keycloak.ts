import { includesRights, maskOf, type RightsMask } from "../../src/graph/rights.ts";
import { badRights, parseRights } from "../../src/transfer/roles/role_format.ts";
import { parseCommandLine } from "../lib/command_line.ts";
import { runTask, TaskError } from "../lib/run_task.ts";
import { MAX_MEGABYTES, parseJson, readInput } from "./input.ts";
import { convertRealm, type RealmFile } from "./keycloak_realm.ts";
import { printConverted, writeConverted } from "./output.ts";

const COMMAND = {
  name: "convert:keycloak",
  summary: `Converts a realm export of Keycloak into files for "deno task import". Changes no database.

A FILE is JSON as "kc.sh export" writes it: a realm with its users, or a realm and files of its users (REALM-realm.json,
REALM-users-0.json, …). Each has at most ${MAX_MEGABYTES} MiB.

  roles.csv     the groups, below one another as in Keycloak; externalId is the group's id, key its path
  people.csv    the enabled users with an address; name is the first and the last name, language the attribute locale,
                externalId the user's id, passwordHash the credential (PBKDF2 or Argon2), with which the old password goes on working
  members.csv   the users' groups
  left_out.txt  everything without a counterpart, a line each: users without an address, disabled ones, other factors
                and credentials, realm and client roles, attributes, settings, … A summary of it is printed

Only their owner can read the files. The hashes let their reader try passwords: keep people.csv as safe as a password.

In Keycloak, being in a group gives no rights over the groups below it; here it does, within --member-rights. So by
default, members may only view. Give some of them more by changing their rights in members.csv before the import.

Groups at the top become roots; "deno task import --under ROLE_ID" places them below a role instead. An address that
Keycloak has not verified may belong to another person: such people are converted, and listed.`,
  positionals: [{ name: "FILE", description: "Files of one realm", many: true }],
  options: {
    to: {
      type: "string",
      placeholder: "FOLDER",
      description: "Write the files into this folder, which is made if it is missing",
    },
    "member-rights": {
      type: "string",
      placeholder: "RIGHTS",
      description: 'The most rights that being in a group gives: names joined by |, "all" or "none"',
      default: "viewManagement",
    },
    manages: {
      type: "string",
      placeholder: "RIGHTS",
      description: "The rights of a group over the groups directly below it, roleManagement included",
      default: "all",
    },
    "self-rights": {
      type: "string",
      placeholder: "RIGHTS",
      description: "The rights of a group's members on the group itself",
      default: "all",
    },
  },
} as const;

async function convertKeycloak(): Promise<number> {
  const { values, positionals } = parseCommandLine(COMMAND);
  if (values.to === undefined) throw new TaskError("--to is missing: the folder to write into.");
  const manages = readRights("manages", values.manages);
  if (!includesRights(manages, maskOf("roleManagement"))) {
    throw new TaskError(
      "--manages must include roleManagement: a role below another needs a parent with it.",
    );
  }
  const options = {
    manages,
    selfRights: readRights("self-rights", values["self-rights"]),
    memberRights: readRights("member-rights", values["member-rights"]),
  };
  const files: RealmFile[] = [];
  for (const path of positionals) files.push({ path, content: parseJson(path, await readInput(path)) });
  const converted = convertRealm(files, options);
  await writeConverted(values.to, converted);
  printConverted(values.to, converted);
  return 0;
}

function readRights(option: string, text: string): RightsMask {
  const rights = parseRights(text, "|");
  if (rights === undefined) throw new TaskError(`${badRights(`--${option}`, text)}.`);
  return rights;
}

if (import.meta.main) await runTask(convertKeycloak);
