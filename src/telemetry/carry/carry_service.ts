import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { takingTurns } from "../../db/taking_turns.ts";
import { bind, bindBatch } from "../../db/statement.ts";
import { HOUR_MS } from "../points/slots.ts";
import {
  BEGIN_CARRYING,
  CARRY_STATE,
  type CarryRow,
  COPY_STEP,
  DELETE_BATCH,
  DELETE_COPIED,
  END_COPYING,
  NEXT_HOUR,
  NEXT_STEP,
  RETURN_TO_PRESENT,
  SEAL_HOUR,
} from "./carry_queries.ts";

export interface CarryDeps {
  /** Has the points. */
  readonly points: Database;
  readonly clock: Clock;
}

/** How long after its end an hour takes points: devices send late. */
const GRACE_MS = 10 * 60_000;

/**
 * Carries over the points of all hours that are over, and lets the following hours take points. Safe to run
 * concurrently and to interrupt. While it does not run, points go to `point`, as if there were no recent ones.
 */
export async function carryPoints({ points, clock }: CarryDeps, signal?: AbortSignal): Promise<void> {
  const write = takingTurns(points);
  while (signal?.aborted !== true) {
    const presentHour = Math.floor(clock() / HOUR_MS);
    const [state] = await points.read(bind(CARRY_STATE, {}));
    if (state === undefined) await write([bind(BEGIN_CARRYING, { hour: presentHour })]);
    else if (state.phase === 0 && clock() < (state.hour + 1) * HOUR_MS + GRACE_MS) {
      // An earlier run's clock was ahead: the hours that take points are still to come, so none of the present does.
      if (state.hour > presentHour + 1) {
        await write([bind(RETURN_TO_PRESENT, { hour: state.hour, presentHour })]);
      }
      return;
    } else await makeStep(points, write, state, presentHour);
  }
}

/**
 * Returns for how many milliseconds the first hour should have been carried over already, or for how many all points of
 * the present will not be recent ones, because a clock was ahead; 0 if it is not time yet.
 */
export async function findCarryDelay({ points, clock }: CarryDeps): Promise<number> {
  const [state] = await points.read(bind(CARRY_STATE, {}));
  if (state === undefined) return 0;
  const begin = state.hour * HOUR_MS;
  return Math.max(0, clock() - (begin + HOUR_MS + GRACE_MS), begin - HOUR_MS - clock());
}

/** Makes the next step from a state. Has no effect if another process has made it. */
async function makeStep(
  points: Database,
  write: Database["write"],
  { hour, phase, copiedTo }: CarryRow,
  presentHour: number,
): Promise<void> {
  if (phase === 0) {
    await write([bind(SEAL_HOUR, { hour })]);
  } else if (phase === 1) {
    const [step] = await points.read(bind(NEXT_STEP, { hour, copiedTo }));
    const upTo = step?.upTo ?? null;
    await write(
      upTo === null
        ? [bind(END_COPYING, { hour, copiedTo })]
        : bindBatch(COPY_STEP, { hour, copiedTo, upTo }),
    );
  } else {
    const [gone = []] = await write([bind(DELETE_COPIED, { hour })]);
    if (gone.length < DELETE_BATCH) await write([bind(NEXT_HOUR, { hour, presentHour })]);
  }
}
