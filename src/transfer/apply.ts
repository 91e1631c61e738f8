import type { Clock } from "../core/clock.ts";
import { canonicalText, spellingsOf } from "../core/text.ts";
import type { Database } from "../db/database.ts";
import { bind, bindBatch } from "../db/statement.ts";
import { takingTurns } from "../db/taking_turns.ts";
import {
  IMPORT_DEVICE_CHANGES,
  IMPORT_DEVICES,
  IMPORT_MONITORS,
  type ImportedDevice,
  type ImportedMonitors,
} from "../device/device_import_queries.ts";
import { IMPORT_PEOPLE } from "../identity/people_import_queries.ts";
import { noteForeignHashes } from "../accounts/password/foreign_cost_queries.ts";
import type { Decision, DecisionRow } from "../changes/decision.ts";
import { runTask } from "../changes/run_command.ts";
import { PUT_RELATION_AS_ADMINISTRATOR } from "../role/manages/manages_queries.ts";
import { IMPORT_MEMBERS, type ImportedMember } from "../role/member/member_import_queries.ts";
import type { RolePlace } from "./roles/role_graph.ts";
import { IMPORT_SESSION_PREFIX } from "../changes/import_run_queries.ts";
import { DROP_CHUNKS } from "../role/role_import_queries.ts";
import { importInSteps, type StepsReport } from "./roles/import_steps.ts";
import { IMPORT_ROLE_CHANGES, type ImportedRoleChange } from "../role/role_changes_queries.ts";
import type { ImportPlan } from "./plan.ts";

/** Rows per batch: a batch holds up other writers of a file for about a fiftieth of a second. */
const CHUNK = 200;

const REFUSALS: Partial<Record<Decision, string>> = {
  cycle: "the roles would manage one another in a cycle",
  unmanaged: "the role would have no parent with roleManagement",
  too_large: "it would change too many rows of the rights table",
};

export interface ApplyOptions {
  /** Named by the rows of the log. */
  readonly runId: string;
  readonly trashMs: number;
  /** Maximum cost of a change of a relation, in closure rows. */
  readonly maxCost: number;
  /** Maximum rows that a step of the new roles writes. By default as many as the database takes well. */
  readonly stepRows?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** What an import has done: the ids of the rows, and what it could not do since the database changed meanwhile. */
export interface AppliedImport {
  /** Absent without new roles. */
  readonly roles: StepsReport | undefined;
  readonly idOfRole: (place: RolePlace) => number;
  /** New and changed accounts by address. */
  readonly people: ReadonlyMap<string, number>;
  /** New devices by nodeId, as in the file. */
  readonly devices: ReadonlyMap<string, number>;
  /** Messages. */
  readonly missed: readonly string[];
}

/**
 * Makes the changes of a plan: new roles in one batch, or several on a server, then all others in small ones, each of
 * which can be made again without effect. So an import that was interrupted is completed by the next run of the same
 * files: new roles are known by their external ids, or for a day by their keys. For the administrator: no session
 * authorizes it. Throws what `importInSteps` throws.
 */
export async function applyImport(
  deps: { readonly database: Database; readonly clock: Clock },
  plan: ImportPlan,
  options: ApplyOptions,
): Promise<AppliedImport> {
  const run = new Run(deps, plan, options);
  const roles = await run.importRoles();
  await run.changeRoles();
  await run.changeRelations();
  const people = await run.importPeople();
  await run.importMembers(people);
  const devices = await run.importDevices();
  if (run.missed.length === 0) await run.dropRecord();
  return { roles, idOfRole: run.idOfRole, people, devices, missed: run.missed };
}

/** One import, which counts its steps and keeps what it could not do. */
class Run {
  readonly missed: string[] = [];
  readonly #total: number;
  #done = 0;
  #roleIds: readonly number[] = [];
  readonly #write: Database["write"];

  constructor(
    private readonly deps: { readonly database: Database; readonly clock: Clock },
    private readonly plan: ImportPlan,
    private readonly options: ApplyOptions,
  ) {
    this.#write = takingTurns(deps.database);
    const { graph, people, members, devices, deviceChanges, monitors } = plan;
    const lists = [graph.rows, graph.changed, graph.changedRelations, people, members];
    this.#total = [...lists, devices, deviceChanges, monitors].reduce((sum, { length }) => sum + length, 0);
  }

  readonly idOfRole = (place: RolePlace): number => {
    return "id" in place ? place.id : this.#roleIds[place.position - 1] ?? 0;
  };

  async importRoles(): Promise<StepsReport | undefined> {
    const { graph, underId, recordId, isBegun } = this.plan;
    const { length } = graph.rows;
    if (length === 0) return undefined;
    const { runId, stepRows } = this.options;
    if (!isBegun) await this.dropRecord();
    const onProgress = (done: number, total: number): void => this.#report(length * done / total);
    const steps = { underId, runId, recordId, onProgress, ...(stepRows && { stepRows }) };
    const report = await importInSteps(this.deps, graph, steps);
    this.#roleIds = report.ids;
    this.#advance(length);
    return report;
  }

  /** Forgets which roles this import, or an earlier one of the same file, has brought. */
  async dropRecord(): Promise<void> {
    const { recordId: opId } = this.plan;
    if (opId !== undefined) await this.#write([bind(DROP_CHUNKS, { opId })]);
  }

  async changeRoles(): Promise<void> {
    const list = this.plan.graph.changed.map(({ id, name, selfRights }): ImportedRoleChange => [
      id,
      name,
      selfRights,
    ]);
    for (const part of this.#parts(list)) {
      const changed = JSON.stringify(part);
      const results = await this.#write(
        bindBatch(IMPORT_ROLE_CHANGES, { ...this.#operation(), changed }),
      );
      this.#count(results, part, "roles that were deleted meanwhile");
    }
  }

  async changeRelations(): Promise<void> {
    const { runId, maxCost } = this.options;
    for (const { line, parentId, childId, rights } of this.plan.graph.changedRelations) {
      const { opId, now } = this.#operation();
      const row = await runTask<DecisionRow>(
        { ...this.deps.database, write: this.#write },
        PUT_RELATION_AS_ADMINISTRATOR,
        {
          opId,
          now,
          actorId: 0,
          sessionId: `${IMPORT_SESSION_PREFIX}${runId}`,
          parentId: this.idOfRole(parentId > 0 ? { position: parentId } : { id: -parentId }),
          childId: -childId,
          rights,
          maxCost,
        },
      );
      const decision = row?.decision ?? "denied";
      if (decision !== "ok" && decision !== "noop") {
        const reason = REFUSALS[decision] ?? "one of the roles was deleted meanwhile";
        this.missed.push(`a relation of line ${line}: ${reason}`);
      }
      this.#advance(1);
    }
  }

  /** Returns the ids of the accounts by address. */
  async importPeople(): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    for (const part of this.#parts(this.plan.people)) {
      const people = JSON.stringify(part);
      const hashes = part.map(([, , , passwordHash]) => passwordHash ?? "");
      const results = await this.#write([
        ...noteForeignHashes(hashes),
        ...bindBatch(IMPORT_PEOPLE, { ...this.#operation(), people }),
      ]);
      const written = results.at(-1) ?? [];
      for (const { email, id } of written) ids.set(String(email), Number(id));
      this.#miss(part.length - written.length, "people whose address was reserved meanwhile");
      this.#advance(part.length);
    }
    return ids;
  }

  async importMembers(people: ReadonlyMap<string, number>): Promise<void> {
    const list = this.plan.members.flatMap(({ role, person, rights, endsAt }): ImportedMember[] => {
      const id = "id" in person ? person.id : people.get(person.email);
      return id === undefined ? [] : [[this.idOfRole(role), id, rights, endsAt]];
    });
    for (const part of this.#parts(list)) {
      const members = JSON.stringify(part);
      const results = await this.#write(
        bindBatch(IMPORT_MEMBERS, { ...this.#operation(), members }),
      );
      this.#count(
        results,
        part,
        "memberships that were made, or whose role or person was deleted, meanwhile",
      );
    }
  }

  /** Returns the ids of the new devices by nodeId. */
  async importDevices(): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    const { trashMs } = this.options;
    const monitors = this.plan.monitors.map(({ role, deviceId }): ImportedMonitors => {
      return [this.idOfRole(role), deviceId, this.deps.clock()];
    });
    for (const part of this.#parts(this.plan.devices)) {
      const devices = JSON.stringify(part.map(({ row, roles: [role] }): ImportedDevice => {
        return [
          role === undefined ? 0 : this.idOfRole(role),
          canonicalText(row.nodeId),
          row.properties,
          row.externalId === undefined ? null : canonicalText(row.externalId),
          spellingsOf(row.nodeId),
        ];
      }));
      const results = await this.#write(
        bindBatch(IMPORT_DEVICES, { ...this.#operation(), trashMs, devices }),
      );
      const made = results.at(-1) ?? [];
      for (const { place, id } of made) {
        const planned = part[Number(place)];
        if (planned === undefined) continue;
        ids.set(planned.row.nodeId, Number(id));
        for (const role of planned.roles.slice(1)) monitors.push([this.idOfRole(role), Number(id), null]);
      }
      this.#miss(part.length - made.length, "devices whose role was deleted, or nodeId taken, meanwhile");
      this.#advance(part.length);
    }
    for (const part of this.#parts(this.plan.deviceChanges)) {
      const devices = JSON.stringify(part);
      const results = await this.#write(
        bindBatch(IMPORT_DEVICE_CHANGES, { ...this.#operation(), devices }),
      );
      this.#count(results, part, "devices that were deleted meanwhile");
    }
    for (const part of this.#parts(monitors)) {
      const monitored = JSON.stringify(part);
      const results = await this.#write(
        bindBatch(IMPORT_MONITORS, { ...this.#operation(), monitored }),
      );
      this.#count(
        results,
        part,
        "places of devices: made or deleted meanwhile, or more than a device may have",
      );
    }
    return ids;
  }

  #operation(): { readonly opId: string; readonly runId: string; readonly now: number } {
    return { opId: crypto.randomUUID(), runId: this.options.runId, now: this.deps.clock() };
  }

  *#parts<T>(list: readonly T[]): Generator<readonly T[]> {
    for (let i = 0; i < list.length; i += CHUNK) yield list.slice(i, i + CHUNK);
  }

  #count(results: readonly (readonly object[])[], part: readonly unknown[], what: string): void {
    const [row] = results.at(-1) ?? [];
    const { changes } = row as { readonly changes: number };
    this.#miss(part.length - changes, what);
    this.#advance(part.length);
  }

  #miss(count: number, what: string): void {
    if (count > 0) this.missed.push(`${count} ${what}`);
  }

  #advance(steps: number): void {
    this.#done += steps;
    this.#report(0);
  }

  #report(further: number): void {
    this.options.onProgress?.(Math.floor(this.#done + further), Math.max(this.#total, 1));
  }
}
