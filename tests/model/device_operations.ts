import fc from "fast-check";
import { actor, commands, pick, pickPrincipal, rarely, type Ref, ref } from "./graph_refs.ts";
import type { DeviceOperation, Given } from "./oracle_devices.ts";
import type { World } from "./oracle_rights.ts";

/** Random operations on devices over symbolic references, as `graph_operations.ts` has them for roles. */
export type DeviceCommand =
  | { kind: "createDevice"; actor: Ref; role: Ref; nodeId: number }
  | {
    kind: "updateDevice";
    actor: Ref;
    device: Ref;
    nodeId: "none" | "own" | "other";
    replaces: boolean;
    given: Given;
  }
  | {
    kind: "attachDevice";
    actor: Ref;
    role: Ref;
    device: Ref;
    /** Seconds from now; null: no bound; undefined: not given. */
    from: number | null | undefined;
    until: number | null | undefined;
  }
  | { kind: "transferDevice"; actor: Ref; device: Ref; role: Ref }
  | { kind: "detachDevice"; actor: Ref; monitors: Ref; misplaced: boolean };

const MAX_DEVICES = 10;

/** Mostly not given. Some are those of an earlier request, since time passes by seconds. */
const bound = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.constantFrom(-20, -3, -1, 0, 1, 3, 20) },
);

/** Few, so that one is often taken. */
const NODE_IDS = 24;

/** Creates devices, or lets more roles monitor them. */
export const growingDeviceCommands = (actor: fc.Arbitrary<Ref>): fc.WeightedArbitrary<DeviceCommand>[] => [
  commands(4, "createDevice", { actor, role: ref, nodeId: fc.nat({ max: NODE_IDS - 1 }) }),
  commands(3, "attachDevice", { actor, role: ref, device: ref, from: bound, until: bound }),
];

/** Changes devices, or removes them. */
export const changingDeviceCommands: fc.WeightedArbitrary<DeviceCommand>[] = [
  commands(5, "transferDevice", { actor, device: ref, role: ref }),
  commands(2, "updateDevice", {
    actor,
    device: ref,
    nodeId: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("none" as const, "own" as const) },
      { weight: 1, arbitrary: fc.constant("other" as const) },
    ),
    replaces: fc.boolean(),
    given: fc.oneof(
      fc.record({ name: fc.constantFrom("new", "name 1", "name 2") }),
      fc.record({ label: fc.constantFrom("label", null) }),
    ),
  }),
  commands(2, "detachDevice", { actor, monitors: ref, misplaced: rarely }),
];

/** Resolves a command to a request in this world; undefined if there are enough devices. */
export function resolveDevice(world: World, command: DeviceCommand): DeviceOperation | undefined {
  const userId = pickPrincipal(world, command.actor);
  switch (command.kind) {
    case "createDevice": {
      if (world.devices.size >= MAX_DEVICES) return undefined;
      const nodeId = `node ${command.nodeId}`;
      return { kind: command.kind, userId, roleId: pick(world.roles, command.role), nodeId, name: "new" };
    }
    case "updateDevice": {
      const deviceId = pick(world.devices, command.device);
      const own = world.devices.get(deviceId)?.properties.nodeId ?? "unknown";
      const nodeId = { none: undefined, own, other: `${own}'` }[command.nodeId];
      const mode = command.replaces ? { mode: "replace" as const } : {};
      const identified = nodeId === undefined ? {} : { nodeId };
      return { kind: command.kind, userId, deviceId, given: command.given, ...mode, ...identified };
    }
    case "attachDevice": {
      const [roleId, deviceId] = [pick(world.roles, command.role), pick(world.devices, command.device)];
      const time = (seconds: number | null): number | null =>
        seconds === null ? null : world.now + 1000 * seconds;
      const { from, until } = command;
      return {
        kind: command.kind,
        userId,
        roleId,
        deviceId,
        ...(from === undefined ? {} : { from: time(from) }),
        ...(until === undefined ? {} : { until: time(until) }),
      };
    }
    case "transferDevice": {
      const [deviceId, toRoleId] = [pick(world.devices, command.device), pick(world.roles, command.role)];
      return { kind: command.kind, userId, deviceId, toRoleId };
    }
    case "detachDevice": {
      const monitorsId = pick(world.monitors, command.monitors);
      const place = world.monitors.get(monitorsId);
      const roleId = command.misplaced || place === undefined ? pick(world.roles, monitorsId) : place.roleId;
      return { kind: command.kind, userId, roleId, monitorsId };
    }
  }
}
