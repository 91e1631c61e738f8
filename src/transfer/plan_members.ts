import { normalizeEmail } from "../core/email.ts";
import { canonicalText } from "../core/text.ts";
import type { Database } from "../db/database.ts";
import type { KnownPerson } from "../identity/people_import_queries.ts";
import { ALL_RIGHTS } from "../graph/rights.ts";
import { quote } from "./roles/role_format.ts";
import {
  AMBIGUOUS,
  type Found,
  idOfReference,
  type ImportGraph,
  type RolePlace,
} from "./roles/role_graph.ts";
import { findSpelled, type KnownPeople, pairOf, readKnownMembers } from "./known.ts";
import { findRole, type RowCounts } from "./plan_parts.ts";
import type { MemberRow, PersonRow, TableReader } from "./table_reader.ts";

/** A membership to make or change: its role and account may be new. */
export interface PlannedMember {
  readonly role: RolePlace;
  readonly person: KnownPerson | PersonRow;
  readonly rights: number;
  readonly endsAt: number | null;
}

/** What a file names of the database: roles by their ids, memberships by `pairOf`. */
export interface NamedMembers {
  readonly roles: ReadonlySet<number>;
  readonly pairs: ReadonlySet<string>;
}

interface PlannedMembers {
  readonly members: PlannedMember[];
  readonly counts: RowCounts;
  readonly named: NamedMembers;
}

/** Compares the memberships of a file. */
export async function planMembers(
  database: Database,
  tables: TableReader,
  { graph, now, known }: {
    readonly known: KnownPeople;
    readonly graph: ImportGraph;
    readonly now: number;
  },
): Promise<PlannedMembers> {
  const findMember = personFinder(tables.people, known);
  const planned: (Pick<PlannedMember, "role" | "person"> & Pick<MemberRow, "rights" | "endsAt">)[] = [];
  const lines = new Map<string, number>();
  for (const row of tables.members) {
    const role = findRole(tables, "members", row.line, graph, row.role);
    const person = findMember(row.person);
    if (person === AMBIGUOUS) {
      tables.report(
        "members",
        row.line,
        `the person ${quote(row.person)} may be one of two accounts: write # and the id`,
      );
    } else if (person === undefined) {
      tables.report(
        "members",
        row.line,
        `the person ${quote(row.person)} is neither in the files nor in the database`,
      );
    }
    if (role === undefined || person === undefined || person === AMBIGUOUS) continue;
    const pair = `${JSON.stringify(role)} ${person.email}`;
    const first = lines.get(pair);
    if (first !== undefined) {
      tables.report("members", row.line, `this person and role are already in line ${first}`);
      continue;
    }
    lines.set(pair, row.line);
    planned.push({ role, person, rights: row.rights, endsAt: row.endsAt });
  }
  const pairs = planned.flatMap(({ role, person }) =>
    "id" in role && "id" in person ? [[role.id, person.id] as const] : []
  );
  const existing = await readKnownMembers(database, pairs, now);
  const members: PlannedMember[] = [];
  let [added, unchanged] = [0, 0];
  for (const { role, person, ...given } of planned) {
    const before = "id" in role && "id" in person ? existing.get(pairOf(role.id, person.id)) : undefined;
    // What has no column stays as it is.
    const rights = given.rights ?? before?.rights ?? ALL_RIGHTS;
    const endsAt = given.endsAt === undefined ? before?.endsAt ?? null : given.endsAt;
    const isOver = endsAt !== null && endsAt <= now;
    if (before === undefined ? isOver : before.rights === rights && before.endsAt === endsAt) {
      unchanged++;
      continue;
    }
    if (before === undefined) added++;
    members.push({ role, person, rights, endsAt });
  }
  return {
    members,
    counts: { added, changed: members.length - added, unchanged },
    named: {
      roles: new Set(planned.flatMap(({ role }) => "id" in role ? [role.id] : [])),
      pairs: new Set(pairs.map(([roleId, userId]) => pairOf(roleId, userId))),
    },
  };
}

/** Returns what finds an account by an address, an external id, or `#` and an id. */
function personFinder(
  rows: readonly PersonRow[],
  known: KnownPeople,
): (reference: string) => Found<KnownPerson | PersonRow> {
  const byEmail = new Map(rows.map((row) => [row.email, row]));
  const byExternalId = new Map(
    rows.flatMap((row) => row.externalId === undefined ? [] : [[canonicalText(row.externalId), row]]),
  );
  return (reference) => {
    const id = idOfReference(reference);
    if (id !== undefined) return known.byId.get(id);
    const email = normalizeEmail(reference);
    const ofEmail = known.byEmail.get(email) ?? byEmail.get(email);
    const inFile = byExternalId.get(canonicalText(reference));
    const ofExternalId = findSpelled(known.byExternalId, reference) ??
      (inFile && (known.byEmail.get(inFile.email) ?? inFile));
    if (ofEmail !== undefined && ofExternalId !== undefined && ofEmail.email !== ofExternalId.email) {
      return AMBIGUOUS;
    }
    return ofEmail ?? ofExternalId;
  };
}
