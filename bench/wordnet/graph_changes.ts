import { type Rights, toMask, toRights } from "../../src/graph/rights.ts";
import { randomInteger } from "../../tests/helpers/random_numbers.ts";
import { type ApiClient, RefusedError } from "./api_client.ts";
import type { ExpectedGraph, ExpectedRelation } from "./expected_graph.ts";
import { judgeDelete, judgePut, type Verdict, type VerdictOptions } from "./expected_verdicts.ts";
import { oneOf } from "./random_checks.ts";

const ALL_RIGHTS = 63;
const ROLE_MANAGEMENT = 1;
/** A deletion of a larger share of the roles is only tried as a dry run, to keep the rest. */
const MAX_GONE_SHARE = 0.01;
/** One in this many changes concerns a role high in the hierarchy. */
const HIGH_SHARE = 4;
const DONE = 200;

export interface ChangeOptions extends VerdictOptions {
  readonly client: ApiClient;
  readonly graph: ExpectedGraph;
  readonly random: () => number;
  /** All roles, starting at the top; new ones are appended. */
  readonly roleIds: number[];
  /** The number of roles at depth 0, at depth 0 or 1, and so on: these count as high. */
  readonly highCounts: readonly number[];
  readonly names: Map<number, string>;
}

export interface ChangeOutcome {
  readonly kind: string;
  readonly status: number;
  /** Unexpected responses. */
  readonly wrong: readonly string[];
}

interface Answer<T> {
  readonly status: number;
  readonly body: T | undefined;
}

interface Deletion {
  readonly deletedNodeIds: readonly number[];
}

/** Changes the graph at random, in the service and, on success, in the expectation, and compares the responses. */
export async function changeGraph(options: ChangeOptions): Promise<ChangeOutcome> {
  const changes = [createRole, putRelation, weakenRelation, deleteRelation] as const;
  return await changes[randomInteger(options.random, changes.length)]?.(options) as ChangeOutcome;
}

async function createRole(options: ChangeOptions): Promise<ChangeOutcome> {
  const { client, graph, random, roleIds, names } = options;
  const parentId = chooseRole(options);
  const selfRights = anyRights(random);
  const rights = anyRights(random) | ROLE_MANAGEMENT;
  const name = `new role ${roleIds.length}`;
  const body = { manages: toRights(rights), role: { name, selfRights: toRights(selfRights) } };
  const path = `/v1/role?parentRoleId=${parentId}`;
  const answer = await ask<{ role: { id: number } }>(client, "create a role", { method: "POST", path, body });
  const roleId = answer.body?.role.id;
  if (roleId !== undefined) {
    graph.addRole(roleId, selfRights);
    graph.putRelation({ parentId, childId: roleId, rights });
    roleIds.push(roleId);
    names.set(roleId, name);
  }
  return compare("create a role", { statuses: [DONE], gone: [] }, answer.status);
}

async function putRelation(options: ChangeOptions): Promise<ChangeOutcome> {
  const [parentId, childId] = [chooseRole(options), chooseRole(options)];
  const rights = anyRights(options.random);
  return await put(options, "PUT a relation", { parentId, childId, rights });
}

async function weakenRelation(options: ChangeOptions): Promise<ChangeOutcome> {
  const relation = chooseRelation(options);
  const rights = relation.rights & anyRights(options.random);
  return await put(options, "take rights from a relation", { ...relation, rights });
}

async function put(options: ChangeOptions, kind: string, relation: ExpectedRelation): Promise<ChangeOutcome> {
  const { client, graph } = options;
  const verdict = judgePut(graph, relation, options);
  const path = `/v1/role/${relation.parentId}/manages?childRoleId=${relation.childId}`;
  const { status } = await ask(client, kind, { method: "PUT", path, body: toRights(relation.rights) });
  if (status === DONE) graph.putRelation(relation);
  return compare(kind, verdict, status);
}

async function deleteRelation(options: ChangeOptions): Promise<ChangeOutcome> {
  const { client, graph } = options;
  const relation = chooseRelation(options);
  const verdict = judgeDelete(graph, relation, options);
  const { id, wrong } = await findRelation(client, relation);
  const isDry = verdict.gone.length > MAX_GONE_SHARE * options.roleIds.length;
  const kind = isDry ? "delete a relation (dry run)" : "delete a relation";
  const path = `/v1/role/${relation.parentId}/manages/${id}${isDry ? "?dryRun=true" : ""}`;
  const { status, body } = await ask<Deletion>(client, kind, { method: "DELETE", path });
  if (body !== undefined) {
    const [answered, expected] = [body.deletedNodeIds, verdict.gone].map((ids) => ids.toSorted().join(" "));
    if (answered !== expected) {
      wrong.push(`${kind}: would delete roles "${answered}", should be "${expected}"`);
    }
    if (!isDry) {
      graph.deleteRelation(relation.parentId, relation.childId);
      for (const roleId of verdict.gone) {
        graph.deleteRole(roleId);
        options.names.delete(roleId);
      }
    }
  }
  const outcome = compare(kind, verdict, status);
  return { ...outcome, wrong: [...wrong, ...outcome.wrong] };
}

interface FoundRelation {
  readonly id: number;
  readonly wrong: string[];
}

async function findRelation(client: ApiClient, relation: ExpectedRelation): Promise<FoundRelation> {
  const { parentId, childId, rights } = relation;
  const path = `/v1/role/${parentId}/manages/query`;
  const body = { filter: { childRoleId: [childId] } };
  const { manages: [found] } = await client.send<{ manages: (Rights & { id: number })[] }>(
    "query a relation",
    "POST",
    path,
    body,
  );
  if (found === undefined) throw new Error(`The relation from role ${parentId} to ${childId} is missing`);
  const isSame = toMask(found) === rights;
  return {
    id: found.id,
    wrong: isSame ? [] : [`relation ${found.id}: ${toMask(found)}, should be ${rights}`],
  };
}

/**
 * Among the high roles, those at the top are chosen most often: changes there cost most and are most likely to
 * close a cycle. The first role is never deleted, since too much would be deleted with it.
 */
function chooseRole({ random, roleIds, highCounts, graph }: ChangeOptions): number {
  const isHigh = randomInteger(random, HIGH_SHARE) === 0;
  for (;;) {
    const count = isHigh ? oneOf(highCounts, random) : roleIds.length;
    const roleId = roleIds[randomInteger(random, count)] as number;
    if (graph.hasRole(roleId)) return roleId;
  }
}

function chooseRelation(options: ChangeOptions): ExpectedRelation {
  const childId = chooseRole(options);
  const [parentId, rights] = oneOf([...options.graph.parentsOf(childId)], options.random);
  return { parentId, childId, rights };
}

function anyRights(random: () => number): number {
  return randomInteger(random, ALL_RIGHTS + 1);
}

/** Sends a change and returns its status instead of throwing. */
async function ask<T>(
  client: ApiClient,
  kind: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<Answer<T>> {
  try {
    return { status: DONE, body: await client.send<T>(kind, method, path, body) };
  } catch (error) {
    if (error instanceof RefusedError) return { status: error.status, body: undefined };
    throw error;
  }
}

function compare(kind: string, { statuses }: Verdict, status: number): ChangeOutcome {
  const isRight = statuses.includes(status);
  const wrong = isRight ? [] : [`${kind}: status ${status}, should be ${statuses.join(" or ")}`];
  return { kind, status, wrong };
}
