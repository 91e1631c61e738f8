import { api, dataOf, revisionOf } from "../../api.ts";
import { say } from "../../components/notice.tsx";
import { Problem } from "../../problem.ts";
import { PAUSE_MS, type PreviewRequest, restOf } from "../change/requests.ts";
import { findUndo } from "../change/undoable.ts";
import type { Device, Monitors, WatchedDevice } from "./device.ts";

/** Changes of who monitors devices, which are previewed. */

interface Tagged {
  /** Undefined once the change is made. */
  readonly effect: { readonly tag: string } | undefined;
  /** The revision of a change that was made; undefined of several. */
  readonly revision: number | undefined;
}

/** Tells that a change was made, with the way to its undo. */
export async function sayDone(text: string, { revision }: Tagged): Promise<void> {
  say(text, revision === undefined ? undefined : await findUndo(revision));
}

/** A period as a request gives it: null is no bound; without a bound, it stays, or is that of who gives the device. */
export type Period = Readonly<Partial<Record<"from" | "until", string | null>>>;

interface PutMonitors extends Tagged {
  readonly monitors: Pick<Monitors, "from" | "until">;
}

/** Lets a role monitor a device, or changes the period in which it does. */
export function putMonitors(roleId: number, deviceId: number, period: Period): PreviewRequest<PutMonitors> {
  return {
    key: JSON.stringify(["monitors", roleId, deviceId, period]),
    pauseMs: PAUSE_MS,
    send: async (mode) => {
      const { query, header, signal } = restOf(mode);
      const params = { path: { roleId }, query: { deviceId, ...query }, header };
      const sent = api.PUT("/v1/role/{roleId}/monitors", { params, body: { ...period }, signal });
      const { effect, monitors } = await dataOf(sent);
      return { effect, monitors, revision: revisionOf((await sent).response) };
    },
  };
}

interface RemovedMonitors extends Tagged {
  /** Whether the device goes with it. */
  readonly deletesDevice: boolean;
}

/** Detaches a device from a role, which loses the past of this relation. */
export function removeMonitors({ id, roleId }: Monitors): PreviewRequest<RemovedMonitors> {
  return {
    key: JSON.stringify(["detach", id]),
    pauseMs: 0,
    send: async (mode) => {
      const { signal, ...rest } = restOf(mode);
      const params = { path: { roleId, monitorsId: id }, ...rest };
      const sent = api.DELETE("/v1/role/{roleId}/monitors/{monitorsId}", { params, signal });
      const { effect, deletedNodeIds } = await dataOf(sent);
      const revision = revisionOf((await sent).response);
      return { effect, revision, deletesDevice: deletedNodeIds.length > 0 };
    },
  };
}

/** A device that was not handed over, and why. */
export interface Failure {
  readonly device: Device;
  readonly problem: Problem;
}

interface HandedOver extends Tagged {
  /** Number of relations that end without being visible, and of those to come that are deleted. */
  readonly hidden: number;
  readonly dropped: number;
  readonly failures: readonly Failure[];
}

interface Stepped extends Tagged {
  readonly endedRelationIds?: readonly number[];
  readonly deletedRelationIds?: readonly number[];
}

type Step = Pick<PreviewRequest<Stepped>, "send">;

/** Hands a device over now: each of its relations ends, and the role has it from then on. */
function transfer({ device: { id: deviceId } }: WatchedDevice, toRoleId: number): Step {
  return {
    send: async (mode) => {
      const { query, header, signal } = restOf(mode);
      const params = { path: { deviceId }, query: { toRoleId, ...query }, header };
      const sent = api.POST("/v1/device/{deviceId}/transfer", { params, signal });
      const { effect, endedRelationIds, deletedRelationIds } = await dataOf(sent);
      // The last rows of the log are about each relation that the transfer took.
      const taken = endedRelationIds.length + deletedRelationIds.length;
      const revision = revisionOf((await sent).response) - taken;
      return { effect, revision, endedRelationIds, deletedRelationIds };
    },
  };
}

/** The steps of handing a device over at another time. The role gets it first: those that have it give it. */
function stepsAt({ device, relations }: WatchedDevice, toRoleId: number, at: string): readonly Step[] {
  const ending = relations.filter(({ roleId, until }) =>
    roleId !== toRoleId && (until === undefined || Date.parse(at) < Date.parse(until))
  );
  const hasIt = relations.some(({ roleId }) => roleId === toRoleId);
  return [
    ...hasIt ? [] : [putMonitors(toRoleId, device.id, { from: at })],
    ...ending.map(({ roleId }) => putMonitors(roleId, device.id, { until: at })),
  ];
}

/** The tags of the steps of each device; null for one that could not be handed over. */
type Tags = (string[] | null)[];

/**
 * Hands devices over to a role, one after another, now or at a time (ISO 8601). One that fails does not stop the others.
 * Throws the problem if all fail.
 */
export function handOver(
  devices: readonly WatchedDevice[],
  toRoleId: number,
  at: string | undefined,
  onDone: (devices: number) => void,
): PreviewRequest<HandedOver> {
  const known = new Set(devices.flatMap(({ relations }) => relations.map(({ id }) => id)));
  return {
    key: JSON.stringify(["hand over", ...known, toRoleId, at]),
    pauseMs: PAUSE_MS,
    send: async (mode) => {
      const shown = mode.kind === "apply" ? JSON.parse(mode.tag) as Tags : [];
      const [tags, failures, answers]: [Tags, Failure[], Stepped[]] = [[], [], []];
      for (const [i, watched] of devices.entries()) {
        if (shown[i] === null) continue;
        const steps = at === undefined ? [transfer(watched, toRoleId)] : stepsAt(watched, toRoleId, at);
        try {
          const made: Stepped[] = [];
          for (const [j, { send }] of steps.entries()) {
            // A further step has another effect once those before it are made.
            const tag = j === 0 ? shown[i]?.[0] : "";
            if (mode.kind === "preview") made.push(await send(mode));
            else if (tag !== undefined) made.push(await send({ kind: "apply", tag }));
          }
          answers.push(...made);
          tags.push(made.map(({ effect }) => effect?.tag ?? ""));
        } catch (problem) {
          if (!(problem instanceof Problem) || devices.length === 1) throw problem;
          failures.push({ device: watched.device, problem });
          tags.push(null);
        }
        if (mode.kind === "apply") onDone(i + 1);
      }
      const [first] = failures;
      if (first !== undefined && answers.length === 0) throw first.problem;
      const ended = answers.flatMap(({ endedRelationIds = [] }) => endedRelationIds);
      return {
        effect: mode.kind === "preview" ? { tag: JSON.stringify(tags) } : undefined,
        revision: answers.length === 1 ? answers[0]?.revision : undefined,
        hidden: ended.filter((id) => !known.has(id)).length,
        dropped: answers.flatMap(({ deletedRelationIds = [] }) => deletedRelationIds).length,
        failures,
      };
    },
  };
}
