import { parseCommandLine } from "../lib/command_line.ts";
import { runTask, TaskError } from "../lib/run_task.ts";
import { MAX_MEGABYTES, readInput } from "./input.ts";
import { LeftOut } from "./left_out.ts";
import { convertTuples, readMapping } from "./openfga_roles.ts";
import { MAX_YAML_MEGABYTES, readTuples, type Tuple } from "./openfga_tuples.ts";
import { printConverted, writeConverted } from "./output.ts";

const COMMAND = {
  name: "convert:openfga",
  summary:
    `Converts tuples of OpenFGA into files for "deno task import", as a mapping says. Changes no database.

A FILE has tuples as the fga program writes and reads them: .json, .jsonl or .csv of at most ${MAX_MEGABYTES} MiB, or .yaml of at
most ${MAX_YAML_MEGABYTES} MiB, which may be a store file. An authorization model is not read: the mapping says what a relation means.

The mapping is a JSON file:

  {
    "people": ["user"],
    "roles": { "organization": {}, "team": { "members": ["member"] }, "site": { "selfRights": "all" } },
    "relations": {
      "site#organization": { "parent": "all" },
      "organization#admin": { "member": "all" },
      "team#member": { "member": "viewManagement|alarmManagement" },
      "site#viewer": { "member": "viewManagement" }
    }
  }

  people     types of users that are people. An id that is an address becomes a row of people.csv. Any other is taken
             for an externalId: import a people.csv that has it, such as that of convert:keycloak, before or together
  roles      types of objects that become roles, named by their id; externalId is "type:id". "members": relations that
             stand for all members of such a role, as in "team:core#member". "selfRights": all by default
  relations  by the type of the object and the relation. "parent": the user of the tuple is a role above the object,
             with these rights over it; "child": it is the one below. "member": a person gets a membership with these
             rights; all members of another role ("team:core#member") get them by placing that role above the object

Here, rights reach all roles below: a member of a role has them, within the rights of their membership, on whatever is
placed below it. A role without a parent that has roleManagement over it is placed at the top. Tuples with a condition,
those of everyone ("user:*"), and all that the mapping does not name are not converted but listed: all of them in
left_out.txt, with a summary printed.`,
  positionals: [{ name: "FILE", description: "Files of tuples", many: true }],
  options: {
    mapping: { type: "string", placeholder: "FILE", description: "The mapping" },
    to: {
      type: "string",
      placeholder: "FOLDER",
      description: "Write the files into this folder, which is made if it is missing",
    },
  },
} as const;

async function convertOpenFga(): Promise<number> {
  const { values: { mapping: mappingPath, to }, positionals } = parseCommandLine(COMMAND);
  if (mappingPath === undefined) {
    throw new TaskError("--mapping is missing: the file that says what relations mean.");
  }
  if (to === undefined) throw new TaskError("--to is missing: the folder to write into.");
  const mapping = readMapping(mappingPath, await readInput(mappingPath));
  const leftOut = new LeftOut();
  const tuples: Tuple[] = [];
  for (const path of positionals) {
    for (const tuple of await readTuples(path, leftOut)) tuples.push(tuple);
  }
  const converted = convertTuples(tuples, mapping, leftOut);
  await writeConverted(to, converted);
  printConverted(to, converted);
  return 0;
}

if (import.meta.main) await runTask(convertOpenFga);
