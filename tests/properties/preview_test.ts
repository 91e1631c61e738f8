/** A dry run shows exactly the effect of a change, and `If-Effect` makes the change with that effect only. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type Command, pairScenario, resolve } from "../model/graph_operations.ts";
import { decide, type Operation } from "../model/oracle.ts";
import { perform, performTogether, playCommand } from "../model/oracle_driver.ts";
import { isPreviewable, wireEffect } from "../model/oracle_effect.ts";
import { type Answer, messageOf, normalized, send } from "../model/oracle_http.ts";
import { principalsOf } from "../model/oracle_rights.ts";
import { assertSameGraph, forgetCounts, type GraphRun } from "../model/oracle_run.ts";
import { assertMet, forRandomScenarios, startTally } from "./random_runs.ts";

const { tally, note } = startTally();

/** An id that stands for one that is not drawn yet, and is null in the response. */
const UNDRAWN = 888_888;
const UNDRAWN_IDS = { nodeId: UNDRAWN, relationId: UNDRAWN };

const KEPT = "kept through a role that the caller sees";

interface Affected {
  readonly on: readonly { readonly through: readonly number[] }[];
}

interface Effect extends Record<string, unknown> {
  readonly tag: string;
  readonly revision: number;
}

/** Previews a change and compares the response with the model's. Returns the effect, or undefined if it is refused. */
async function preview(run: GraphRun, operation: Operation): Promise<Effect | undefined> {
  await forgetCounts(run);
  const { status, body } = await send(run, operation, { dryRun: true });
  run.trace.push(`  tried: ${JSON.stringify(operation)} -> ${status} ${JSON.stringify(body)}`);
  const outcome = decide(run.world, operation, UNDRAWN_IDS);
  assert.equal(status, outcome.status, JSON.stringify(operation));
  if (status !== 200) {
    assert.deepEqual(body, outcome.body);
    return undefined;
  }
  const { effect, ...rest } = body as { effect: Effect };
  const isUndrawn = (key: string, value: unknown): boolean => key === "id" && value === UNDRAWN;
  const expected = JSON.stringify(outcome.body, (key, value) => isUndrawn(key, value) ? null : value);
  assert.deepEqual(normalized({ status, body: rest }).body, JSON.parse(expected));
  const wired = wireEffect(run.world, outcome.after, operation);
  assert.deepEqual(shownOf(effect), wired, JSON.stringify(operation));
  return effect;
}

/** What an effect says of the change, whenever it was read. */
function shownOf({ tag: _tag, revision: _revision, ...shown }: Effect): Record<string, unknown> {
  return shown;
}

/** What a command asks for, if its effect can be previewed. */
function previewable(run: GraphRun, command: Command): Operation | undefined {
  const operation = command.kind === "once" ? resolve(run.world, command.command) : undefined;
  if (operation === undefined || !isPreviewable(operation)) return undefined;
  return operation.kind === "deleteRelation" ? { ...operation, dryRun: false } : operation;
}

/** Previews the change for all other callers who could make it; each sees more or less of it. */
async function previewForOthers(run: GraphRun, operation: Operation): Promise<void> {
  const { world } = run;
  for (const userId of principalsOf(world)) {
    const other = { ...operation, userId };
    if (userId === operation.userId || decide(world, other, UNDRAWN_IDS).status !== 200) continue;
    const effect = await preview(run, other);
    if (effect?.["hidden"] !== 0) note("partly hidden");
    for (const person of (effect?.["keeps"] ?? []) as Affected[]) {
      for (const { through } of person.on) {
        if (through.length > 0) note(KEPT);
      }
    }
  }
}

/** Previews a command, then makes the change as it was seen. */
async function playPreviewed(run: GraphRun, command: Command): Promise<void> {
  const operation = previewable(run, command);
  if (operation !== undefined) await previewForOthers(run, operation);
  const effect = operation === undefined ? undefined : await preview(run, operation);
  if (operation === undefined || effect === undefined) return await playCommand(run, command, tally);
  await perform(run, operation, tally, { ifEffect: effect.tag });
  note("made as seen");
}

/** Sends the change that had the effect, after others. It is made if it still has that effect, and otherwise refused. */
async function applyLater(run: GraphRun, operation: Operation, effect: Effect): Promise<void> {
  const outcome = decide(run.world, operation, UNDRAWN_IDS);
  const isMade = outcome.status !== 200 || outcome.after === run.world ||
    isDeepStrictEqual(wireEffect(run.world, outcome.after, operation), shownOf(effect));
  if (isMade) {
    await perform(run, operation, tally, { ifEffect: effect.tag });
    return note(outcome.status === 200 ? "made as seen" : "refused like the change");
  }
  const { status, body } = await send(run, operation, { ifEffect: effect.tag });
  assert.deepEqual([status, messageOf(body)], [409, "EFFECT_CHANGED"], JSON.stringify(operation));
  await assertSameGraph(run);
  note("refused: another effect");
}

/** Sends two changes at once, the first as it was seen. */
async function applyBeside(
  run: GraphRun,
  operation: Operation,
  effect: Effect,
  other: Operation,
): Promise<void> {
  await performTogether(run, [operation, other], tally, {
    ifEffect: effect.tag,
    // Refused because something else changed: as if it had not been sent.
    isWithdrawn: isRefusedAsChanged,
    check: (before, after) => assert.deepEqual(wireEffect(before, after, operation), shownOf(effect)),
  });
  note("at once");
}

function isRefusedAsChanged({ status, body }: Answer): boolean {
  const isRefused = status === 503 || (status === 409 && messageOf(body) === "EFFECT_CHANGED");
  if (isRefused) note(`at once: ${status}`);
  return isRefused;
}

/** Plays two commands: the first is previewed before the second, and made after it, or at the same time. */
async function playPair(run: GraphRun, command: Command, atOnce: boolean): Promise<void> {
  if (command.kind !== "together") return await playCommand(run, command, tally);
  const [first, second] = command.commands.map((simple): Command => ({ kind: "once", command: simple }));
  if (first === undefined || second === undefined) return;
  const operation = previewable(run, first);
  const effect = operation === undefined ? undefined : await preview(run, operation);
  if (operation === undefined || effect === undefined) return await playCommand(run, second, tally);
  const other = resolve(run.world, command.commands[1]);
  if (atOnce && other !== undefined) return await applyBeside(run, operation, effect, other);
  await playCommand(run, second, tally);
  await applyLater(run, operation, effect);
}

forRandomScenarios(
  "a change has the effect that its preview shows",
  () => ({ play: playPreviewed }),
  {
    tally,
    atEnd: (sequences) => {
      assertMet(tally, sequences, ["made as seen", "partly hidden"]);
      assertMet(tally, sequences, [KEPT], 30);
    },
  },
);

forRandomScenarios(
  "a previewed change is made with that effect only, after any other change",
  () => ({ play: (run, command) => playPair(run, command, false) }),
  {
    tally,
    scenarios: pairScenario,
    atEnd: (sequences) => assertMet(tally, sequences, ["made as seen", "refused: another effect"], 30),
  },
);

forRandomScenarios(
  "of two simultaneous changes, the previewed one is made with that effect only",
  () => ({ play: (run, command) => playPair(run, command, true) }),
  {
    tally,
    scenarios: pairScenario,
    atEnd: (sequences) => assertMet(tally, sequences, ["at once", "at once: 409"], 30),
  },
);
