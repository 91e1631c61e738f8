import { Link, RoleLink } from "../../components/link.tsx";
import { ProblemNote } from "../../components/form.tsx";
import { Name, StrongName } from "../../components/name.tsx";
import { useLoad } from "../../use_load.ts";
import { type WatchedDevice } from "../devices/device.ts";
import { nameOf } from "../../device_names.ts";
import { type Latest, LATEST_WINDOW, loadLatest, writeLatest } from "../devices/latest.ts";
import { Sparkline } from "../devices/sparkline.tsx";
import { texts } from "../../language.ts";
import { describeAge, isLate } from "./age.ts";
import { Viewers } from "./viewers.tsx";

interface HouseProps {
  readonly devices: readonly WatchedDevice[];
  /** The role that the title names. */
  readonly titleId: number | undefined;
}

/** A few devices with their latest values, by the role that monitors them, and who else sees that role. */
export function House({ devices, titleId }: HouseProps) {
  const ids = devices.map(({ device }) => device.id);
  const { data, problem } = useLoad(
    `latest of ${ids}`,
    (signal) => loadLatest(devices.map(({ device }) => device), signal),
  );
  const places = placesOf(devices);
  return (
    <>
      <ProblemNote problem={problem} isRetried />
      {places.map(({ role, devices }) => (
        <section key={role?.id ?? 0}>
          {role && role.id !== titleId && (
            <h2>
              <RoleLink id={role.id} name={role.name} />
            </h2>
          )}
          <ul class="cards">
            {devices.map((each) => (
              <Card
                key={each.device.id}
                watched={each}
                latest={data?.get(each.device.id)}
                isAwaited={data === undefined && problem === undefined}
              />
            ))}
          </ul>
          {role && <Viewers roleId={role.id} isBelow={role.id !== titleId} />}
        </section>
      ))}
    </>
  );
}

/** Devices by the first role that monitors them. */
function placesOf(devices: readonly WatchedDevice[]) {
  const places = Map.groupBy(devices, ({ roles: [role] }) => role?.id);
  return Array.from(places.values(), (devices) => ({ role: devices[0]?.roles[0], devices }));
}

interface CardProps {
  readonly watched: WatchedDevice;
  /** Undefined until it is loaded. */
  readonly latest: Latest | undefined;
  /** Whether its place is kept. */
  readonly isAwaited: boolean;
}

/** A device: its latest value, when that was measured, and the values of the last 24 hours. */
function Card({ watched: { device }, latest, isAwaited }: CardProps) {
  const { home } = texts.value;
  const at = latest?.time;
  return (
    <li class={isAwaited ? "card awaited" : "card"}>
      <Link to={`/devices/${device.id}`}>
        <span class="of">
          <StrongName>{nameOf(device)}</StrongName>
          <small class={isLate(at) || latest?.lack === "empty" ? "late" : undefined}>
            {latest === undefined ? "" : at === undefined ? home.noData : describeAge(at)}
          </small>
        </span>
        {latest?.value !== undefined && (
          <span class="value">
            <Name>{writeLatest(latest) ?? ""}</Name>
          </span>
        )}
        {latest !== undefined && latest.windows.length > 1 && (
          <Sparkline windows={latest.windows} window={LATEST_WINDOW} span={latest.span} />
        )}
      </Link>
    </li>
  );
}
