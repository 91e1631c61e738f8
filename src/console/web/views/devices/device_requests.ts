import { api, dataOf, revisionOf } from "../../api.ts";
import { say } from "../../components/notice.tsx";
import { Problem } from "../../problem.ts";
import { type Effect, type Mode, type PreviewRequest, restOf } from "../change/requests.ts";
import { findUndo } from "../change/undoable.ts";
import { queryChanges } from "../../ask_lists.ts";
import { turns } from "../../router.ts";
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
  const turn = turns.value;
  say(text, await findUndo(revision), turn);
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

/** What a hand-over does, or did. */
interface HandedOver extends Tagged {
  /** Who reads more and less of devices; undefined where it is not one change. */
  readonly reading: Effect["reading"] | undefined;
  /** Number of relations that end without being visible, and of those to come that are deleted. */
  readonly hidden: number;
  readonly dropped: number;
  readonly failures: readonly Failure[];
}

/** What is to be handed over, and how. */
interface HandOver {
  readonly devices: readonly WatchedDevice[];
  readonly toRoleId: number;
  /** When (ISO 8601); undefined: now. */
  readonly at: string | undefined;
  /** The same for a retry after a lost response. */
  readonly idempotencyKey: string;
  /** Called with the number of devices that are done. */
  readonly onDone: (devices: number) => void;
}

/**
 * Hands devices over to a role. Devices that may not be handed over do not stop the others. Throws the problem if none
 * may.
 */
export function handOver(asked: HandOver): PreviewRequest<HandedOver> {
  const { devices, toRoleId, at } = asked;
  const relations = devices.flatMap(({ relations }) => relations.map(({ id }) => id));
  return {
    key: JSON.stringify(["hand over", relations, toRoleId, at]),
    send: at === undefined ? (mode) => handOverNow(asked, mode) : (mode) => handOverAt(asked, at, mode),
  };
}

/** What a preview showed of devices that are handed over now, as a tag. */
interface SeenNow {
  readonly tag: string;
  readonly deviceIds: readonly number[];
  /** The log has the change after this revision. */
  readonly after: number;
}

/** Hands over now, as one change: each relation of the devices ends, and the role has them from then on. */
async function handOverNow(asked: HandOver, mode: Mode): Promise<HandedOver> {
  const { devices, toRoleId, idempotencyKey } = asked;
  const known = new Set(devices.flatMap(({ relations }) => relations.map(({ id }) => id)));
  const seen = mode.kind === "apply" ? JSON.parse(mode.tag) as SeenNow : undefined;
  const { query, header, signal } = restOf(
    mode.kind === "preview" ? mode : { kind: "apply", tag: seen?.tag ?? "" },
  );
  const failures: Failure[] = [];
  let left = devices.filter(({ device: { id } }) => seen === undefined || seen.deviceIds.includes(id));
  while (true) {
    const deviceId = left.map(({ device: { id } }) => id);
    const params = {
      query: { toRoleId, ...query },
      header: { ...header, ...seen && { "Idempotency-Key": idempotencyKey } },
    };
    try {
      const made = await dataOf(api.POST("/v1/device/transfer", { params, body: { deviceId }, signal }));
      const { effect, endedRelationIds, deletedRelationIds } = made;
      const shown = effect && { tag: effect.tag, deviceIds: deviceId, after: effect.revision };
      return {
        effect: shown && { tag: JSON.stringify(shown) },
        reading: effect?.reading,
        hidden: endedRelationIds.filter((id) => !known.has(id)).length,
        dropped: deletedRelationIds.length,
        failures,
        revision: seen && await findTransfer(toRoleId, seen.after),
      };
    } catch (problem) {
      const refused = mode.kind === "preview" ? findRefused(problem, left) : undefined;
      if (refused === undefined || !(problem instanceof Problem)) throw problem;
      failures.push({ device: refused.device, problem });
      left = left.filter((each) => each !== refused);
      if (left.length === 0) throw failures[0]?.problem;
    }
  }
}

/** Returns the revision of the first hand-over to a role after another revision. Changes of its parts follow. */
async function findTransfer(roleId: number, after: number): Promise<number | undefined> {
  const filter = { kind: "device.transfer", roleId, decision: "ok" };
  // Without it, the log still offers the undo.
  const read = await queryChanges({ after, filter, limit: 1 }).catch(() => undefined);
  return read?.change[0]?.revision;
}

/** Returns the device that a refusal is about. */
function findRefused(problem: unknown, devices: readonly WatchedDevice[]): WatchedDevice | undefined {
  if (!(problem instanceof Problem) || ![403, 409].includes(problem.status)) return undefined;
  // Of a single device, it does not say which.
  return devices.length === 1
    ? devices[0]
    : devices.find(({ device }) => device.id === problem.body["deviceId"]);
}

/** The steps of handing a device over at another time. The role gets it first: those that have it give it. */
function stepsAt({ device, relations }: WatchedDevice, toRoleId: number, at: string) {
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

/** Hands over at another time, by a change of each relation: one device after another. */
async function handOverAt(
  { devices, toRoleId, onDone }: HandOver,
  at: string,
  mode: Mode,
): Promise<HandedOver> {
  const seen = mode.kind === "apply" ? JSON.parse(mode.tag) as Tags : [];
  const [tags, failures]: [Tags, Failure[]] = [[], []];
  for (const [i, watched] of devices.entries()) {
    if (seen[i] === null) continue;
    try {
      const made: string[] = [];
      for (const [j, { send }] of stepsAt(watched, toRoleId, at).entries()) {
        // A further step has another effect once those before it are made.
        const tag = j === 0 ? seen[i]?.[0] : "";
        if (mode.kind === "preview") made.push((await send(mode)).effect?.tag ?? "");
        else if (tag !== undefined) made.push((await send({ kind: "apply", tag })).effect?.tag ?? "");
      }
      tags.push(made);
    } catch (problem) {
      if (!(problem instanceof Problem) || devices.length === 1) throw problem;
      failures.push({ device: watched.device, problem });
      tags.push(null);
    }
    if (mode.kind === "apply") onDone(i + 1);
  }
  const [first] = failures;
  if (first !== undefined && tags.every((each) => each === null)) throw first.problem;
  const effect = mode.kind === "preview" ? { tag: JSON.stringify(tags) } : undefined;
  return { effect, reading: undefined, hidden: 0, dropped: 0, failures, revision: undefined };
}
