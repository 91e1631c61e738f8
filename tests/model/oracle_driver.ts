import assert from "node:assert/strict";
import type { TestApp } from "../helpers/test_app.ts";
import { type Command, resolve, type Scenario } from "./graph_operations.ts";
import { decide, knownPassword, type Operation, passwordRights } from "./oracle.ts";
import {
  allChecks,
  rightNames,
  visibleManagers,
  visibleMembers,
  visibleRelations,
  visibleRoles,
  wireRights,
} from "./oracle_answers.ts";
import { endedDevices, visibleDevices, visibleMonitors } from "./oracle_devices.ts";
import { visibleKeys, wireListedKey } from "./oracle_members.ts";
import type { Outcome } from "./oracle_outcome.ts";
import { assertSound, assertStep, assertTimePassed } from "./oracle_invariants.ts";
import {
  type Answer,
  call,
  givenIds,
  keepSecret,
  messageOf,
  normalized,
  type Preview,
  send,
  tokenOf,
} from "./oracle_http.ts";
import { membershipsOf, principalsOf, type World } from "./oracle_rights.ts";
import { assertSameGraph, forgetFailures, type GraphRun, startRun, wait } from "./oracle_run.ts";

/** Sends operations to the service, decides each by the model, and compares responses and graphs after every one. */

/** How often each result occurred, by `kind status message`: shows that a property does not hold vacuously. */
export type Tally = Map<string, number>;

/** What else to do while a scenario is played. */
export interface Watch {
  /** In place of the command. By default, sends it. */
  readonly play?: (run: GraphRun, command: Command) => Promise<void>;
  readonly afterEach?: (run: GraphRun) => Promise<void>;
  /** By default, compares all that every principal may read. */
  readonly atEnd?: (run: GraphRun) => Promise<void>;
}

/** Plays a whole scenario. A failure lists all requests up to it. */
export async function playScenario(
  target: TestApp,
  scenario: Scenario,
  tally: Tally,
  { play, afterEach, atEnd = assertAnswers }: Watch = {},
): Promise<GraphRun> {
  const run = await startRun(target, scenario.setup);
  try {
    await afterEach?.(run);
    for (const command of scenario.commands) {
      await (play?.(run, command) ?? playCommand(run, command, tally));
      assertSound(run.world);
      await afterEach?.(run);
    }
    await atEnd(run);
    return run;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message}\nRequests up to here:\n${run.trace.join("\n")}\n`, { cause: error });
  }
}

/** Sends what a command stands for; one that stands for nothing in this world does nothing. */
export async function playCommand(run: GraphRun, command: Command, tally?: Tally): Promise<void> {
  if (command.kind === "wait") {
    const before = run.world;
    wait(run, command.seconds);
    run.trace.push(`${command.seconds} seconds pass`);
    assertTimePassed(before, run.world.now);
    return;
  }
  if (command.kind === "together") {
    const operations = command.commands.map((simple) => resolve(run.world, simple));
    const [first, second] = operations;
    // The secret of an adopted key, with which another request is sent, may end before that arrives.
    if (operations.some((operation) => operation?.kind === "adoptKey")) return;
    if (first !== undefined && second !== undefined) await performTogether(run, [first, second], tally);
    return;
  }
  const operation = resolve(run.world, command.command);
  if (operation === undefined) return;
  const outcome = await perform(run, operation, tally);
  if (command.kind === "twice") await repeat(run, operation, outcome, tally);
}

/** Sends one operation and compares the response and the graph with those of the model. */
export async function perform(
  run: GraphRun,
  operation: Operation,
  tally?: Tally,
  preview?: Preview,
): Promise<Outcome> {
  const answer = await send(run, operation, preview);
  keepSecret(run, answer);
  if (operation.kind === "putRelation" && operation.password !== undefined) await forgetFailures(run);
  run.trace.push(describe(operation, answer));
  const outcome = decide(run.world, operation, givenIds(answer));
  assert.deepEqual(normalized(answer), { status: outcome.status, body: outcome.body });
  if (usesVoidPassword(run, operation)) count(tally, operation, answer, "void ");
  adopt(run, operation, outcome);
  count(tally, operation, answer);
  await assertSameGraph(run);
  return outcome;
}

/**
 * Sends the same request again. After a dry run it is the deletion itself, with the same response. After any other
 * success it must change nothing: it is a noop, or refused because its own effect removed the right of the caller.
 */
async function repeat(run: GraphRun, operation: Operation, first: Outcome, tally?: Tally): Promise<void> {
  if (["createRole", "createKey", "adoptKey"].includes(operation.kind)) return;
  if (operation.kind === "deleteRelation" && operation.dryRun) {
    const deletion = await perform(run, { ...operation, dryRun: false }, tally);
    const { status, body } = deletion;
    assert.deepEqual([status, body], [first.status, first.body], "the dry run responded differently");
    return;
  }
  const before = run.world;
  await perform(run, operation, tally);
  assert.ok(sameGraph(before, run.world), "the second of two equal requests changed something");
}

function sameGraph(a: World, b: World): boolean {
  const rowsOf = ({ roles, relations, members, keys, devices, monitors }: World): string =>
    JSON.stringify([...roles, ...relations, ...members, ...keys, ...devices, ...monitors]);
  return rowsOf(a) === rowsOf(b);
}

/** How the first of two operations that are sent at once depends on an effect that was seen. */
export interface Seen {
  readonly ifEffect: string;
  /** Whether it was refused since its effect may have changed. */
  readonly isWithdrawn: (answer: Answer) => boolean;
  /** Compares the worlds before and after it with what was seen. */
  readonly check: (before: World, after: World) => void;
}

/** Sends two operations at once; responses and graph must be those of one after the other, in either order. */
export async function performTogether(
  run: GraphRun,
  [first, second]: readonly [Operation, Operation],
  tally?: Tally,
  seen?: Seen,
): Promise<void> {
  const [firstAnswer, secondAnswer] = await Promise.all([
    send(run, first, seen === undefined ? undefined : { ifEffect: seen.ifEffect }),
    send(run, second),
  ]);
  await forgetFailures(run);
  for (const answer of [firstAnswer, secondAnswer]) keepSecret(run, answer);
  run.trace.push(`together: ${describe(first, firstAnswer)}`, `     and: ${describe(second, secondAnswer)}`);
  const other: Step = { operation: second, answer: secondAnswer };
  const steps: readonly Step[] = seen?.isWithdrawn(firstAnswer) ? [other] : [
    { operation: first, answer: firstAnswer, ...(seen === undefined ? {} : { check: seen.check }) },
    other,
  ];
  const differences: unknown[] = [];
  for (const order of [steps, steps.toReversed()]) {
    try {
      Object.assign(run, await explain(run, order));
      for (const { operation, answer } of steps) count(tally, operation, answer);
      return;
    } catch (error) {
      differences.push(error);
    }
  }
  throw new AggregateError(
    differences,
    `no serial order explains the two responses:\n${differences.join("\n")}`,
  );
}

interface Step {
  readonly operation: Operation;
  readonly answer: Answer;
  readonly check?: (before: World, after: World) => void;
}

/** The run after these steps in this order; throws if a response or the graph differs. */
async function explain(run: GraphRun, order: readonly Step[]): Promise<GraphRun> {
  const serial = { ...run, nodeIds: new Set(run.nodeIds), relationIds: new Set(run.relationIds) };
  for (const { operation, answer, check } of order) {
    const outcome = decide(serial.world, operation, givenIds(answer));
    assert.deepEqual(normalized(answer), { status: outcome.status, body: outcome.body });
    // What is done already is a success, whatever was seen.
    if (outcome.status === 200 && outcome.after !== serial.world) check?.(serial.world, outcome.after);
    adopt(serial, operation, outcome);
  }
  await assertSameGraph(serial);
  return serial;
}

/** Takes over the next world of the model, after checking what must hold for every step. */
function adopt(run: GraphRun, operation: Operation, outcome: Outcome): void {
  assertStep(run.world, operation, outcome);
  for (const id of outcome.createdNodeIds) claimId(run.nodeIds, id);
  for (const id of outcome.createdRelationIds) claimId(run.relationIds, id);
  run.world = outcome.after;
}

/** Whether the operation sends the right password, whose setter has lost the right to give. */
function usesVoidPassword({ world }: GraphRun, operation: Operation): boolean {
  if (operation.kind !== "putRelation" || operation.password === undefined) return false;
  return world.roles.get(operation.childId)?.password?.text === operation.password &&
    passwordRights(world, operation.childId).length === 0;
}

function count(tally: Tally | undefined, operation: Operation, { status, body }: Answer, sort = ""): void {
  const message = messageOf(body);
  const isByPassword = operation.kind === "putRelation" && operation.password !== undefined;
  const isMove = operation.kind === "putRelation" && operation.replaces !== undefined;
  const how = (isByPassword ? ` by ${sort}password` : "") + (isMove ? " as a move" : "") +
    (operation.userId < 0 ? " by a key" : "");
  const key = `${operation.kind}${how} ${status}${message === undefined ? "" : ` ${message}`}`;
  tally?.set(key, (tally.get(key) ?? 0) + 1);
}

function claimId(seen: Set<number>, id: number): void {
  assert.ok(Number.isSafeInteger(id) && id >= 0, `${id} is not an id`);
  assert.ok(!seen.has(id), `the id ${id} was given out before`);
  seen.add(id);
}

/** Maximum number of checks in one request. */
const MAX_CHECKS = 1000;

/** Compares every listing and every check, for every user and every live key, with the model. */
export async function assertAnswers(run: GraphRun): Promise<void> {
  const { world, target } = run;
  for (const userId of principalsOf(world)) {
    if (userId < 0 && membershipsOf(world, userId).length === 0) continue;
    const ask = async (path: string, body: unknown): Promise<unknown> => {
      const answer = await call(target, "POST", path, { token: tokenOf(run, userId), body });
      assert.equal(answer.status, 200, `${path} for user ${userId}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const who = `for user ${userId}`;
    const lists: readonly [path: string, body: object, expected: object][] = [
      ["/v1/role/query", {}, { role: visibleRoles(world, userId) }],
      ["/v1/role/*/manages/query", { filter: {} }, { manages: visibleRelations(world, userId) }],
      ["/v1/role/*/member/query", {}, { member: visibleMembers(world, userId) }],
      ["/v1/role/*/managed-by/query", {}, { manages: visibleManagers(world, userId) }],
      ["/v1/device/query", {}, { device: visibleDevices(world, userId) }],
      ["/v1/device/query", { filter: { ended: true } }, { device: endedDevices(world, userId) }],
      ["/v1/role/*/monitors/query", {}, { monitors: visibleMonitors(world, userId) }],
    ];
    for (const [path, body, expected] of lists) {
      assert.deepEqual(await ask(path, body), expected, `${path} ${JSON.stringify(body)} ${who}`);
    }
    const { checks, allowed } = allChecks(world, userId);
    for (let i = 0; i < checks.length; i += MAX_CHECKS) {
      const answer = await ask("/v1/rights/check", { checks: checks.slice(i, i + MAX_CHECKS) });
      assert.deepEqual(answer, { allowed: allowed.slice(i, i + MAX_CHECKS) }, `checks ${who}`);
    }
    // One check alone has a statement of its own. Which one differs from world to world.
    const one = (Math.abs(userId) + world.members.size + 7 * world.relations.size) % checks.length;
    const alone = await ask("/v1/rights/check", { checks: [checks[one]] });
    assert.deepEqual(alone, { allowed: [allowed[one]] }, `${JSON.stringify(checks[one])} ${who}`);
    await assertKnownPassword(run, userId);
    await assertKeys(run, userId);
  }
}

/** Compares what a user learns of the password of one role, which differs from world to world. */
async function assertKnownPassword(run: GraphRun, userId: number): Promise<void> {
  const { world, target } = run;
  const roleIds = [...world.roles.keys()];
  const roleId =
    roleIds[(Math.abs(userId) + 3 * world.members.size + world.relations.size) % roleIds.length] ?? 0;
  const known = knownPassword(world, userId, roleId);
  const { status, body } = await call(target, "GET", `/v1/role/${roleId}/password`, {
    token: tokenOf(run, userId),
  });
  const who = `the password of role ${roleId} for user ${userId}`;
  if (known === undefined) return assert.equal(status, 403, who);
  const { setAt, ...rest } = body as { setAt: string | null };
  const rights = known.rights === null ? null : wireRights(known.rights);
  assert.deepEqual({ status, ...rest, dated: setAt !== null }, {
    status: 200,
    ...known,
    rights,
    dated: known.set,
  }, who);
}

/** Compares the keys of one role, which differs from world to world, with those that a principal is listed. */
async function assertKeys(run: GraphRun, userId: number): Promise<void> {
  const { world, target } = run;
  const roleIds = [...world.roles.keys()];
  const roleId = roleIds[(Math.abs(userId) + 5 * world.members.size) % roleIds.length] ?? 0;
  const { status, body } = await call(target, "POST", `/v1/role/${roleId}/key/query`, {
    token: tokenOf(run, userId),
    body: {},
  });
  const rows = (body as { key?: unknown[] }).key?.map((key) => normalized({ status, body: { key } }).body);
  const expected = visibleKeys(world, userId, roleId).map((key) => ({
    key: wireListedKey(world, key, userId),
  }));
  assert.deepEqual([status, rows], [200, expected], `the keys of role ${roleId} for user ${userId}`);
}

/** One line for the message of a failure, with the names of rights and without response fields that are false. */
function describe({ userId, kind, ...rest }: Operation, { status, body }: Answer): string {
  const request = JSON.stringify(rest, (key, value) => /rights$/i.test(key) ? rightNames(value) : value);
  const answer = JSON.stringify(body, (_key, value) => value === false ? undefined : value);
  return `user ${userId} ${kind} ${request} -> ${status} ${answer}`;
}
